"""A workaround for Snakemake's slurm plugin (2.8.0), which does not cope with a SLURM that is silent for a while.

When every status query of a round fails, the plugin returns no jobs, so Snakemake forgets them and waits for ever.
When sbatch or sinfo fails, the plugin reports an error at once, so all retries of a job are used up within a second.
"""

import re
import threading

# Seconds before sbatch is tried again; after the last one the job has failed.
PAUSES = (5, 10, 15, 30, 60)
# What the plugin says when sbatch fails, or sinfo, which it asks for the default partition first.
FAILED = ("SLURM sbatch failed", "Job submission failed with exception: Failed to run sinfo")
# Not worth waiting for: the answer would stay the same.
FOR_EVER = re.compile("[Ii]nvalid|denied|not permitted|not available|not be satisfied")


def be_patient(executor, logger, pauses=PAUSES):
    """Keep the jobs of the plugin's executor when SLURM does not answer, and give sbatch two minutes to succeed."""
    query, report = executor.check_active_jobs, executor._report_job_error_threadsafe
    failures = {}

    async def check_active_jobs(jobs):
        answers = executor._status_query_calls
        async for job in query(jobs):
            yield job
        if jobs and executor._status_query_calls == answers:
            logger.warning(f"SLURM does not answer: the state of {len(jobs)} jobs is not known. Asking again.")
            for job in jobs:
                yield job

    def report_job_error(info, msg):
        attempt = (info.job, info.job.attempt)
        tried = failures.get(attempt, 0)
        lasting = not msg.startswith(FAILED) or FOR_EVER.search(msg.split("sbatch call:")[0])
        if lasting or tried == len(pauses):
            report(info, msg)
            return
        failures[attempt] = tried + 1
        logger.warning(f"{msg.splitlines()[0]} Trying again in {pauses[tried]} s.")
        timer = threading.Timer(pauses[tried], executor.run_job, [info.job])
        timer.daemon = True
        timer.start()

    executor.check_active_jobs = check_active_jobs
    executor._report_job_error_threadsafe = report_job_error
