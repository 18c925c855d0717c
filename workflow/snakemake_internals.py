"""The places where the workflow relies on what Snakemake does not promise, and the versions in which it is so.

These are the names of the records in .snakemake/metadata (tracking.py), the limit of jobs per second (below), the
graph that status.py and schedule.py read, and the executor that cancel_all.py and slurm_patience.py extend.
"""

from packaging.version import Version
from snakemake import __version__

FIRST, BEYOND = "9.11", "10"


class UnknownVersion(Exception):
    """The message says which versions of Snakemake are known."""


def require_known(version=__version__):
    """Raise UnknownVersion if this is not a version of Snakemake for which all of the above holds."""
    if not Version(FIRST) <= Version(version) < Version(BEYOND):
        raise UnknownVersion(
            f"This workflow knows Snakemake from {FIRST} up to, not including, {BEYOND}; this is {version}, whose "
            "records of results it cannot read. `make env` installs a version that it knows."
        )


def look_for_jobs_when_one_ends(workflow):
    """On one machine the end of a job is when to look for the next, and there are as many jobs as cores.

    Snakemake 9 limits the jobs that it starts per second, and to keep the limit looks for jobs to start once a second
    for every job that has ended so far: after 200 of them a third of a core, more and more.
    """
    workflow.scheduler.job_rate_limiter = None
