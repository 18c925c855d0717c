"""What a run has planned, so that each job can check that it does just that.

A job on a cluster node reads the Snakefile, the configuration and the code again. If one of them has changed since
the run started, the job would not compute what Snakemake records as its parameters. So the main process writes a
digest of every job's parameters and inputs when a run starts, and a job whose own digest differs stops. Beside the
main process there is nothing to compare: a job gets its parameters from that process itself.
"""

import hashlib
import json
import os
from pathlib import Path

FILE = Path(".snakemake/plan.json")
# "yes" in a process that has read the Snakefile again, and so in its jobs.
READ_AGAIN = "SPARSEGDF_READ_AGAIN"


class NotPlanned(Exception):
    """The message says which file was planned otherwise."""


def write(jobs):
    """Add these jobs of the main process to the plan; those of another run at the same time stay in it."""
    from sparsegdf.paper.tables import write_text

    planned = {job.output[0]: fingerprint(job.params, job.input) for job in jobs if job.output}
    write_text(json.dumps(_read() | planned, indent=0, sort_keys=True), FILE)


def require(output, params, inputs):
    """Raise NotPlanned unless the job that makes `output` was planned with these parameters and inputs."""
    if os.environ.get(READ_AGAIN, "yes") == "no":
        return
    planned = _read().get(output)
    if planned is None:
        raise NotPlanned(f"{output} is not in {FILE}, which a run writes when it starts: run without --no-hooks")
    if planned != fingerprint(params, inputs):
        raise NotPlanned(
            f"{output} was planned with other parameters or inputs than this job has: the configuration, the code or "
            "the rules were changed after the run was started. Its result is discarded. Run the same command again"
        )


def fingerprint(params, inputs):
    return hashlib.sha256(repr((sorted(params.items()), list(map(str, inputs)))).encode()).hexdigest()


def _read():
    try:
        return json.loads(FILE.read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return {}
