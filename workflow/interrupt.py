"""Ctrl-C on this machine ends a run with one sentence. On a cluster cancel_all.py sees to its jobs."""

import os
import signal
import sys
import threading
import time
from contextlib import suppress

import psutil
from snakemake.shell import shell

SENTENCE = "Stopped. What is finished is kept, and the same command goes on from there."
CLEAR_LINE = "\r\033[K"  # the progress bar may stand there


def without_traceback():
    """Before a run has started: an exception hook that has the sentence instead of a traceback."""
    usual = sys.excepthook

    def hook(kind, error, traceback):
        if issubclass(kind, KeyboardInterrupt):
            _say()
        else:
            usual(kind, error, traceback)

    sys.excepthook = hook


def one_sentence(logger):
    """During a run: say the sentence, end the jobs, and let Snakemake say nothing of them.

    A terminal sends Ctrl-C to jobs, too, which would answer with tracebacks. So they do not get it (hide_ctrl_c), and
    are ended from here, as they also are when only this process gets the signal.
    """
    shell.prefix("set -euo pipefail; exec ")  # exec: a job is one process, which can be killed
    usual = signal.getsignal(signal.SIGINT)

    def stop(number, frame):
        if _is_logging(frame):
            threading.Timer(0.05, os.kill, (os.getpid(), number)).start()
            return
        signal.signal(number, usual)
        _say()
        logger.addFilter(lambda record: False)
        threading.Thread(target=_end_jobs, daemon=True).start()
        usual(number, frame)

    signal.signal(signal.SIGINT, stop)


def hide_ctrl_c(executor):
    """Let the jobs of a local executor be started with SIGINT blocked.

    A thread begins with the blocked signals of the one that made it, and so does a process: there is no moment at
    which a job that has just been started could be ended by Ctrl-C and be reported as failed.
    """
    run = executor.run_jobs

    def run_jobs(jobs):
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            run(jobs)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    executor.run_jobs = run_jobs


def _end_jobs():
    """End the jobs as long as this process lives: it waits for them, and one of them may only be starting."""
    while True:
        for job in psutil.Process().children(recursive=True):
            with suppress(psutil.NoSuchProcess):
                job.terminate()
        time.sleep(0.1)


def _is_logging(frame):
    """Whether an exception now could damage the queue of log records, so that its reader would wait for ever."""
    while frame is not None:
        if str(frame.f_globals.get("__name__")).split(".")[0] in ("logging", "queue"):
            return True
        frame = frame.f_back
    return False


def _say():
    """Past Snakemake's logger and Python's streams, whose locks the interrupted code may hold."""
    with suppress(OSError):  # the terminal may be closed
        os.write(2, f"{CLEAR_LINE if os.isatty(2) else ''}{SENTENCE}\n".encode())
