"""A job that failed waits before its next attempt: what failed it, a full disk or a sick node, may pass."""

import threading

PAUSES = (10, 60)  # s, before the second and the third attempt; later ones wait as long as the third


def wait_before_retries(executor, logger, pauses=PAUSES):
    """Let an executor of Snakemake start the retries of jobs after a pause."""
    run, cancel, over = executor.run_jobs, executor.cancel, threading.Event()

    def run_jobs(jobs):
        if first := [job for job in jobs if job.attempt == 1]:
            run(first)
        for job in jobs:
            if job.attempt > 1:
                pause = pauses[min(job.attempt - 2, len(pauses) - 1)]
                logger.info(f"Attempt {job.attempt} of {', '.join(job.output)} begins in {pause} s.")
                timer = threading.Timer(pause, retry, [job])
                timer.daemon = True  # or the end of the run would wait for it
                timer.start()

    def retry(job):
        if not over.is_set():
            run([job])

    def cancel_and_forget():
        over.set()
        cancel()

    executor.run_jobs, executor.cancel = run_jobs, cancel_and_forget
