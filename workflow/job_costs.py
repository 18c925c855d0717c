"""Records what a job cost: its CPU time to the very end, its wall time and its memory, in a file named as its log.

Snakemake's own measurement (`benchmark:`) is a sample every 30 s, and wall time on a busy machine is not work.
"""

import atexit
import os
import re
import resource
import sys
import time
from pathlib import Path

STARTED = time.monotonic()


def leave_at_exit(rule, log, outputs):
    """When the process ends and its outputs are there, write its costs to the file that belongs to its log."""
    atexit.register(_write, rule, costs_file(log), outputs)


def costs_file(log):
    """results/<run>/benchmarks/<name>.tsv for results/<run>/logs/<name>.log"""
    parts = list(Path(log).with_suffix(".tsv").parts)
    parts[parts.index("logs")] = "benchmarks"
    return Path(*parts)


def _write(rule, file, outputs):
    if not all(map(os.path.exists, outputs)):
        return
    own, children = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    costs = {
        "rule": rule,
        "cpu_seconds": round(own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime, 2),
        "wall_seconds": round(time.monotonic() - STARTED, 2),
        "memory_mb": round(max(_own_peak(own), children.ru_maxrss / _PER_MB), 1),
    }
    file.parent.mkdir(parents=True, exist_ok=True)
    temporary = file.with_name(f".{file.name}")
    temporary.write_text("\t".join(costs) + "\n" + "\t".join(map(str, costs.values())) + "\n", encoding="utf-8")
    temporary.replace(file)


# getrusage counts in bytes on macOS, in kB elsewhere.
_PER_MB = 1e6 if sys.platform == "darwin" else 1e3


def _own_peak(usage):
    """In MB. On Linux getrusage starts at the size of the parent, which is Snakemake; VmHWM does not."""
    try:
        status = Path("/proc/self/status").read_text()
    except OSError:
        return usage.ru_maxrss / _PER_MB
    return int(re.search(r"VmHWM:\s*(\d+) kB", status)[1]) / _PER_MB
