"""`make status`: for each figure and table, fresh or stale and why, and the CPU minutes that a rerun would take.

The minutes are those of past jobs (results/<run>/benchmarks); with jobs that have not run yet, those of the reference
run, scaled to their size, and marked ~.
"""

import argparse
import contextlib
import io
import logging
import sys
from collections import Counter
from pathlib import Path

import yaml
from expected import expected_seconds, past_seconds, reference_jobs, scaled_seconds
from snakemake.api import SnakemakeApi
from snakemake.settings.types import (
    ConfigSettings,
    DAGSettings,
    OutputSettings,
    RerunTrigger,
    ResourceSettings,
)

from snakemake_logger_plugin_sparsegdf.command_line import check
from sparsegdf.paper.figures.registry import FIGURES, TABLES


def main(configfile):
    dag = plan(configfile)
    spent = past_seconds(Path("results").glob("*/benchmarks/**/*.tsv"))
    reference = reference_jobs(Path("reference"))
    print(f"{'target':28} {'state':6} {'jobs':>5} {'CPU minutes':>13}  why")
    for name, job in sorted(targets(dag)):
        if not dag.needrun(job):
            print(f"{name:28} fresh")
            continue
        needed = list(dag.bfs(dag.dependencies, job, stop=lambda other: not dag.needrun(other)))
        seconds = [expected_seconds(job, spent) for job in needed]
        guesses = [scaled_seconds(job, reference) if s is None else s for job, s in zip(needed, seconds, strict=True)]
        known = sum(s for s in guesses if s is not None) / 60
        shown = f"{known:.1f}" if known >= 1 else f"{known:.2f}"
        minutes = ("~" if guesses != seconds else "") + shown + (" + ?" if None in guesses else "")
        print(f"{name:28} stale  {len(needed):5} {minutes:>13}  {why(needed, dag)}")


def plan(configfile, target="all"):
    """Snakemake's graph of the jobs of a target; those that have to run are marked in it."""
    profile = yaml.safe_load(Path("profiles/default/config.yaml").read_text(encoding="utf-8"))
    with SnakemakeApi(OutputSettings(log_level_override=logging.ERROR)) as api:
        try:
            check(["--configfile", str(configfile)] if configfile else [])
            workflow = api.workflow(
                resource_settings=ResourceSettings(cores=1),
                config_settings=ConfigSettings(configfiles=[configfile] if configfile else []),
            )
            triggers = RerunTrigger.parse_choices_set(profile["rerun-triggers"])
            graph = workflow.dag(DAGSettings(targets={target}, rerun_triggers=triggers))
            with contextlib.redirect_stdout(io.StringIO()):
                graph.summary()  # builds the graph, and prints less of it than is needed here
            return workflow._workflow.dag
        except Exception as error:
            api.print_exception(error)
            sys.exit(1)


def targets(dag):
    """The name and the job of each figure and table: what writes <run>_figures/<name>.csv."""
    names = {f"{name}.csv": name for name in FIGURES} | {f"{kind.file}.csv": name for name, kind in TABLES.items()}
    files = ((Path(path).name, job) for job in dag.jobs for path in job.output)
    return [(names[file], job) for file, job in files if file in names]


def why(jobs, dag):
    """The reasons of the first causes, each with the rules it stands for."""
    reasons = Counter((reason, job.rule.name) for job in jobs if (reason := own_reason(job, dag.reason(job))))
    return "; ".join(f"{reason} ({rule} x {n})" for (reason, rule), n in sorted(reasons.items()))


def own_reason(job, reason):
    """Why a job has to run, with the files of code that have changed; None if only because another job runs first."""
    code = job.params.get("code", {})
    if repr(code) in reason.params_changed.only_new:
        before = " ".join(reason.params_changed.only_old)
        now = {pair for files in code.values() for pair in files.items()}
        changed = sorted({path for path, digest in now if f"{path!r}: {digest!r}" not in before})
        if changed:
            return f"code has changed: {', '.join(changed)}"
    return next((name for name in reason.get_names() if name != "input files updated by another job"), None)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--configfile", type=Path, help="the configuration of the run; config/paper.yaml without it")
    main(parser.parse_args().configfile)
