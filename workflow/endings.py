"""SIGTERM and a closed terminal end a run as Ctrl-C does. The next run removes what a killed one left behind."""

import fcntl
import re
import signal
import time
from contextlib import suppress
from pathlib import Path

DAY = 86_400  # s; no job takes as long
# Of paper.tables.atomic, and of job_costs.
_TEMPORARY = re.compile(r"\..+\.[0-9a-z_]{8}\.\w+|\..+\.tsv")
_open = []


def end_as_ctrl_c():
    """SIGTERM and SIGHUP become Ctrl-C, with all that interrupt.py or cancel_all.py do then.

    A terminal that is closed, as by a lost connection, sends SIGHUP; nohup makes a run ignore it.
    """

    def end(number, frame):
        ignore_closed_terminal()
        signal.raise_signal(signal.SIGINT)

    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) != signal.SIG_IGN:
            with suppress(ValueError):  # not in the main thread: somebody else's program plans this workflow
                signal.signal(number, end)


def ignore_closed_terminal():
    """From now on SIGHUP ends neither this process nor one that it starts, such as scancel.

    A terminal sends it twice: the shell in it does, then the system to all that runs in front. A second Ctrl-C
    would end the run before its jobs are cancelled.
    """
    signal.signal(signal.SIGHUP, signal.SIG_IGN)


def remove_leftovers(folders, *, local, state=".snakemake"):
    """Remove temporary files below `folders` and in Snakemake's folder, unless another run is going on here.

    After a run on a cluster was killed its jobs may go on: then only what is older than a day is removed.
    """
    if not _alone(Path(state) / "running"):
        return
    found = [file for folder in folders for file in Path(folder).rglob(".*") if _TEMPORARY.fullmatch(file.name)]
    found += [*Path(state).glob("scripts/tmp*"), *Path(state).glob(".plan.json.*"), *Path(state).glob("tmp.*/*")]
    found += Path(state).glob("tmp.*")  # folders, empty by now
    newest = time.time() - (0 if local else DAY)
    for path in found:
        with suppress(OSError):
            if path.stat().st_mtime <= newest:
                path.rmdir() if path.is_dir() else path.unlink()


def _alone(file):
    """Whether no other run has this file open. It stays open, and so locked, until this process ends in any way."""
    handle = file.open("a")
    _open.append(handle)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        alone = True
    except OSError:
        alone = False
    with suppress(OSError):  # on a file system without locks nobody is known to be alone
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    return alone
