"""What every script does first.

The output of the job, and a traceback if it fails, go to the log of its rule. A job that differs from the plan stops;
this is checked when it starts and before each file gets its final name. When it ends it records what it cost.
"""

import logging
import sys
from functools import partial
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))
import job_costs
import plan
from code_digest import CodeChanged, require_unchanged

from sparsegdf.paper import tables

PROJECT = Path(__file__).resolve().parents[2]  # a run may be anywhere


def begin(snakemake):
    sys.stdout = sys.stderr = open(snakemake.log[0], "w", buffering=1, encoding="utf-8")
    logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="%(asctime)s %(message)s", force=True)
    job_costs.leave_at_exit(snakemake.rule, snakemake.log[0], list(snakemake.output))
    plan.require(snakemake.output[0], snakemake.params, snakemake.input)
    if not (PROJECT / "src/sparsegdf/paper/tables.py").samefile(tables.__file__):
        raise CodeChanged(f"sparsegdf comes from {tables.__file__}, not from src/ here: install it with make env")
    still_the_same = partial(require_unchanged, snakemake.params.code, PROJECT)
    still_the_same()
    tables.before_each_file(still_the_same)


def chunk(snakemake):
    """The first and the last sample of the job."""
    return int(snakemake.wildcards.first), int(snakemake.wildcards.last)
