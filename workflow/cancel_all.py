"""Ctrl-C on a cluster cancels every job. Snakemake 9.27 alone leaves some in the queue.

Its list of active jobs is empty while it asks for their states, and a job is on it only after its submit command has
answered: an executor that is told to cancel at such a moment cancels nothing. The slurm plugin (2.8.0) submits from
threads of its own, and goes on submitting what waits there after it was told to cancel.
"""

import signal
import subprocess
import threading
import time
from contextlib import contextmanager

from endings import ignore_closed_terminal


def cancel_all(executor, logger):
    """Let the executor keep a list of what was submitted and has not ended. Ctrl-C waits for a running submission."""
    submitted, submitting, over = {}, set(), threading.Event()
    run, submission = executor.run_job, executor.report_job_submission
    success, error = executor.report_job_success, executor.report_job_error

    def run_job(job):
        if over.is_set():
            return
        with _ctrl_c_waits():
            submitting.add(job)
            try:
                run(job)
            finally:
                submitting.discard(job)

    def report_job_submission(info, **how):
        submitted[info.job] = info
        submission(info, **how)

    def report_job_success(info):
        submitted.pop(info.job, None)
        success(info)

    def report_job_error(info, *words, **how):
        submitted.pop(info.job, None)
        error(info, *words, **how)

    def cancel():
        over.set()
        ignore_closed_terminal()  # after Ctrl-C, too
        if pool := getattr(executor, "_job_submission_executor", None):  # of the slurm plugin
            pool.shutdown(wait=True, cancel_futures=True)
        while submitting:  # in other threads, as retries are
            time.sleep(0.05)
        try:
            if submitted:
                executor.cancel_jobs(list(submitted.values()))
            if name := getattr(executor, "run_uuid", None):  # of the slurm plugin: all its jobs have this name
                # Ctrl-C in a terminal also ends an sbatch that has not yet said which job it submitted.
                subprocess.run(["scancel", f"--name={name}"], timeout=60, check=True)
        except Exception as error:  # as while the controller is away
            logger.error(
                f"Jobs may be left in the queue: {error}. docs/cluster.md (After a disconnect) says what to do."
            )
        executor.shutdown()

    executor.run_job, executor.report_job_submission = run_job, report_job_submission
    executor.report_job_success, executor.report_job_error = report_job_success, report_job_error
    executor.cancel = cancel


@contextmanager
def _ctrl_c_waits():
    """The first Ctrl-C takes effect at the end, the second one at once. Signals reach the main thread alone."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    pressed = []

    def once(number, frame):
        signal.signal(number, before)
        pressed.append(number)

    before = signal.signal(signal.SIGINT, once)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if pressed:
        raise KeyboardInterrupt
