"""The places where the workflow relies on what Snakemake does not promise, and the versions in which it is so.

These are the names of the records in .snakemake/metadata (tracking.py), the limit of jobs per second (below), the
graph that status.py and schedule.py read, the temporary files that endings.py removes, the messages that
snakemake_logger_plugin_sparsegdf shows, and the executors that interrupt.py, cancel_all.py, retries.py and
slurm_patience.py extend.
"""

from importlib.metadata import version as installed

from cancel_all import cancel_all
from interrupt import hide_ctrl_c
from packaging.version import Version
from retries import wait_before_retries
from slurm_patience import be_patient
from snakemake import __version__

FIRST, BEYOND = "9.11", "10"
SLURM_PLUGIN, SLURM_PLUGINS = "snakemake-executor-plugin-slurm", "2.8"


class UnknownVersion(Exception):
    """The message says which versions of Snakemake are known."""


def require_known(version=__version__):
    """Raise UnknownVersion if this is not a version of Snakemake for which all of the above holds."""
    if not Version(FIRST) <= Version(version) < Version(BEYOND):
        raise UnknownVersion(
            f"This workflow knows Snakemake from {FIRST} up to, not including, {BEYOND}; this is {version}, whose "
            "records of results it cannot read. `make env` installs a version that it knows."
        )


def extend(workflow, logger):
    """Make a run that is about to start steady (docs/reliability.md)."""
    scheduler = workflow.scheduler
    executors = [scheduler._executor]
    if workflow.local_exec:
        hide_ctrl_c(scheduler._executor)
        look_for_jobs_when_one_ends(workflow)
    else:
        cancel_all(scheduler._executor, logger)
        _be_patient_with_slurm(scheduler._executor, logger)
        executors.append(scheduler._local_executor)
    for executor in executors:
        wait_before_retries(executor, logger)


def _be_patient_with_slurm(executor, logger):
    """Only with the plugin whose impatience is known; another one may be mended, or be another program inside."""
    if type(executor).__module__ != SLURM_PLUGIN.replace("-", "_"):
        return
    version = installed(SLURM_PLUGIN)
    if Version(version).release[:2] == Version(SLURM_PLUGINS).release:
        be_patient(executor, logger)
    else:
        logger.warning(
            f"{SLURM_PLUGIN} {version} is not known here ({SLURM_PLUGINS} is; `make env` installs it): a controller "
            "of SLURM that is away may hang the run. profiles/cluster-generic is not concerned."
        )


def look_for_jobs_when_one_ends(workflow):
    """On one machine the end of a job is when to look for the next, and there are as many jobs as cores.

    Snakemake 9 limits the jobs that it starts per second, and to keep the limit looks for jobs to start once a second
    for every job that has ended so far: after 200 of them 27 % of a core, more and more.
    """
    workflow.scheduler.job_rate_limiter = None
