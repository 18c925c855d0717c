"""Where this workflow reaches past the interface of Snakemake, and the versions with which that was tried.

With other versions nothing is reached for, and a warning says what is then missing: a run still works.
"""

from importlib.metadata import version

from cancel_all import cancel_all
from retries import wait_before_retries
from slurm_patience import be_patient

TRIED = {"snakemake": "9.27", "snakemake-executor-plugin-slurm": "2.8"}
MISSING = {
    "snakemake": "on a cluster Ctrl-C may leave jobs in the queue, retries do not wait, long runs take more CPU time "
    "and results without a record in .snakemake are not noticed",
    "snakemake-executor-plugin-slurm": "a controller of SLURM that is away may hang the run (use "
    "profiles/cluster-generic, which is not concerned)",
}


def untried(package):
    """The installed version of a package, if it was not tried with this workflow."""
    installed = version(package)
    return installed if installed.split(".")[:2] != TRIED[package].split(".") else None


def install(workflow, logger):
    """Make a run that is about to start steady (see docs/reliability.md)."""
    scheduler = workflow.scheduler
    packages = ["snakemake"]
    if not workflow.local_exec and type(scheduler._executor).__module__ == "snakemake_executor_plugin_slurm":
        packages.append("snakemake-executor-plugin-slurm")
    for package in packages:
        if other := untried(package):
            logger.warning(
                f"{package} {other} was not tried with this workflow ({TRIED[package]} was; `make env` installs it): "
                f"{MISSING[package]}."
            )
            return
    if workflow.local_exec:
        # Snakemake limits the jobs that it starts per second. To keep the limit it looks for jobs once a second for
        # every job that has ended so far: after 200 of them a third of a core, more and more. On one machine the end
        # of a job is when to look, and there are as many jobs as cores.
        scheduler.job_rate_limiter = None
        wait_before_retries(scheduler._executor, logger)
        return
    cancel_all(scheduler._executor, logger)
    if len(packages) > 1:
        be_patient(scheduler._executor, logger)
    wait_before_retries(scheduler._executor, logger)
    wait_before_retries(scheduler._local_executor, logger)
