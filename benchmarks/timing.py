"""What every comparison shares: one thread, CPU seconds of interleaved repetitions, and the record of the machine."""

import argparse
import os
import platform
import time
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import NamedTuple

import numba
import numpy as np
import pandas as pd
from threadpoolctl import threadpool_info, threadpool_limits

SEED = 20240101
# Read by what is loaded from here on; one_thread() holds what is loaded already.
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
os.environ.update(dict.fromkeys(THREADS, "1"))
PACKAGES = ("sparsegdf", "numpy", "scipy", "numba", "llvmlite", "pandas", "scikit-learn", "skglm", "celer", "adelie")


class Comparison(NamedTuple):
    """A table of results: what it shows, how it was measured, and the sentence that its numbers make true."""

    name: str
    title: str
    how: str
    measure: Callable[[bool], pd.DataFrame]  # of quick
    reading: Callable[[pd.DataFrame], str]
    draw: Callable[[pd.DataFrame, Path], None] | None = None  # its picture, where there is one


def seconds(function, *args, **kwargs):
    """CPU seconds of this process, which a busy machine disturbs less than the wall clock, and the result."""
    begin = time.process_time()
    result = function(*args, **kwargs)
    return time.process_time() - begin, result


def interleaved(ways, repeat):
    """Seconds of each of `ways` {name: function} and its last result.

    The ways take turns, so that a slow spell of the machine is shared by all.
    """
    spent, results = {name: [] for name in ways}, {}
    for _ in range(repeat):
        for name, way in ways.items():
            used, results[name] = seconds(way)
            spent[name].append(used)
    return spent, results


def spread(spent, per=1):
    """The columns ms, min and max of repeated `spent` seconds, of one in `per` parts."""
    ms = 1000 * np.asarray(spent) / per
    return {"ms": np.median(ms), "min": ms.min(), "max": ms.max()}


def one_thread():
    """Hold every thread pool that is loaded to one thread."""
    threadpool_limits(1)
    numba.config.reload_config()


def check_threads():
    pools = {pool["internal_api"]: pool["num_threads"] for pool in threadpool_info()}
    wide = {name: n for name, n in (pools | {"numba": numba.config.NUMBA_NUM_THREADS}).items() if n != 1}
    if wide:
        raise RuntimeError(f"more than one thread was allowed: {wide}; set {', '.join(THREADS)} to 1")


def reason(error):
    """Why a peer could not be timed, in one line."""
    return f"not available ({type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''})"


def faster(*ratios):
    """In words, for ratios of their time to ours: from the worst to the best."""
    (low, which), (high, word) = (
        (f"{max(r, 1 / r):.3g}", "faster" if r >= 1 else "slower") for r in (min(ratios), max(ratios))
    )
    if which != word:
        return f"{low} times slower to {high} times faster"
    return f"{low} times {word}" if low == high else f"{low} to {high} times {word}"


def machine():
    """CPU, load and versions; nothing that names the machine."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        cpu = next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        cpu = platform.processor() or platform.machine()
    pools = {f"{p['internal_api']} {p['version']}" for p in threadpool_info() if p["user_api"] == "blas"}
    versions = {"python": platform.python_version()}
    for name in PACKAGES:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            versions[name] = "not installed"
    return {
        "cpu": cpu,
        "system": f"{platform.system()} {platform.machine()}",
        "load": round(os.getloadavg()[0], 2),
        "blas": sorted(pools),
        "versions": versions,
    }


def markdown(frame):
    """The table for readers: three digits, a dash where there is no number."""

    def cell(value):
        if isinstance(value, float) and not np.isfinite(value):
            return "–"
        if isinstance(value, float) and (value == 0 or 1e-3 <= abs(value) < 1e6):
            return np.format_float_positional(value, 3, fractional=False, trim="-")
        return f"{value:.1e}" if isinstance(value, float) else str(value).replace("|", r"\|")

    rows = [list(frame.columns), *frame.astype(object).to_numpy().tolist()]
    lines = [f"| {' | '.join(map(cell, row))} |" for row in rows]
    return "\n".join([lines[0], "|" + "---|" * frame.shape[1], *lines[1:]])


def run(comparison, quick):
    """The table of a comparison, measured on one thread."""
    one_thread()
    frame = comparison.measure(quick)
    check_threads()
    return frame


def alone(comparisons, description):
    """The command line of a module that is run by itself."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="small sizes, to see that it works")
    quick = parser.parse_args().quick
    for comparison in comparisons:
        frame = run(comparison, quick)
        print(f"\n{comparison.title}\n\n{markdown(frame)}\n\n{comparison.reading(frame)}", flush=True)
    return quick
