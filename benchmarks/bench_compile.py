"""What numba takes to compile the kernels, once per machine; no other table has it in its times.

python benchmarks/bench_compile.py [--quick]
"""

import json
import os
import subprocess
import sys
import tempfile

import numpy as np
import pandas as pd

from sparsegdf.ensembles.ensemble import Ensemble
from sparsegdf.ensembles.iid import IID
from sparsegdf.penalties.l1 import L1
from sparsegdf.solvers.belief_propagation import belief_propagation
from sparsegdf.solvers.best_subset import best_subsets
from sparsegdf.solvers.direct import stationary_path
from timing import SEED, Comparison, alone, seconds


def first_calls(quick):
    """CPU ms of the first call of each kernel in this process."""
    A, y = Ensemble(IID(), 40, 80, seed=SEED).sample(0)
    etas = np.abs(A.T @ y).max() * np.geomspace(0.9, 0.1, 10)
    calls = {
        "belief_propagation": (belief_propagation, A, y, L1(), etas),
        "stationary_path": (stationary_path, A, y, L1(), etas),
        "best_subsets": (best_subsets, A[:, :20], y, 5),
    }
    chosen = list(calls.items())[: 1 if quick else None]
    return {name: 1000 * seconds(*call)[0] for name, call in chosen}


def compilation(quick):
    words = [sys.executable, __file__, "--first-calls", *(["--quick"] if quick else [])]
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {"NUMBA_CACHE_DIR": folder}
        runs = [
            json.loads(subprocess.run(words, env=environment, capture_output=True, text=True, check=True).stdout)
            for _ in range(2)
        ]
    return pd.DataFrame({"kernel": name, "compile ms": runs[0][name], "load ms": runs[1][name]} for name in runs[0])


def reading(frame):
    return (
        f"Compiling takes {frame['compile ms'].sum() / 1000:.2g} s in all the first time on a machine; later "
        f"processes load the code in {frame['load ms'].sum() / 1000:.2g} s."
    )


COMPARISONS = [
    Comparison(
        "compile",
        "Compilation, left out of all other tables",
        "CPU ms of the first call (a problem that takes milliseconds) in a new process: with an empty cache, then "
        "with what the first process left in it.",
        compilation,
        reading,
    )
]

if __name__ == "__main__":
    if "--first-calls" in sys.argv:
        print(json.dumps(first_calls("--quick" in sys.argv)))
    else:
        alone(COMPARISONS, __doc__)
