"""How the cost grows with N at M = N/2: a BP step, the direct path, the generation of an AR(1) matrix.

python benchmarks/bench_growth.py [--quick]
"""

from functools import cache

import numpy as np
import pandas as pd

from sparsegdf.ensembles.ar1 import AR1
from sparsegdf.ensembles.ensemble import Ensemble
from sparsegdf.ensembles.iid import IID
from sparsegdf.penalties.l1 import L1
from sparsegdf.penalties.scad import SCAD
from sparsegdf.solvers.belief_propagation import belief_propagation
from sparsegdf.solvers.direct import stationary_path
from sparsegdf.theory.replica_symmetric import rs_curve
from timing import SEED, Comparison, alone, seconds, spread

_PRODUCTS = 12  # with the squared support, to find the variances of one level: six steps of two products


@cache
def machine_rates():
    """(flops of dgemm in a second, bytes that dgemv reads in a second), the best of a few calls."""
    A = np.random.default_rng(SEED).standard_normal((1000, 1000))
    calls = (lambda: A @ A, lambda: [A @ A[0] for _ in range(50)])
    product, vectors = (min(seconds(call)[0] for _ in range(5)) for call in calls)
    return 2e9 / product, 50 * A.nbytes / vectors


def least_seconds(A, sizes):
    """An estimate of what a direct path with supports of these sizes needs at least (see `how` of the table)."""
    (M, N), (flops, bytes_) = A.shape, machine_rates()
    work = M * sizes.max() ** 2 + (sizes**3).sum() / 3
    read = 8 * M * (_PRODUCTS * sizes.sum() + 2 * N * sizes.size)
    return work / flops + read / bytes_


def etas(penalty, deltas):
    """RS theory says which eta gives which delta at large N, so every N has the same levels."""
    return rs_curve(penalty, alpha=0.5, deltas=deltas).eta.to_numpy()


def bp_step(A, y):
    used, fixed = seconds(belief_propagation, A, y, L1(), etas(L1(), [0.5]))
    return used / fixed.steps[0], fixed.kkt[0], np.nan


def direct(penalty):
    def whole(A, y):
        used, fixed = seconds(stationary_path, A, y, penalty, etas(penalty, np.linspace(0.05, 0.8, 20)))
        return used, np.nanmax(fixed.kkt), least_seconds(A, np.count_nonzero(np.nan_to_num(fixed.x), axis=0))

    return whole


def generation(A, y):
    return seconds(AR1(0.5).draw, *A.shape, np.random.default_rng(SEED))[0], np.nan, np.nan


WORK = {
    "BP step, l1, δ = 0.5": bp_step,
    "direct path, l1": direct(L1()),
    "direct path, SCAD a=8": direct(SCAD(8, 1)),
    "AR(1) generation": generation,
}


def growth(quick):
    sizes, samples = ((60, 120), 2) if quick else ((250, 500, 1000, 2000, 4000), 3)
    for task in WORK.values():
        task(*Ensemble(IID(), 30, 60, seed=SEED).sample(0))  # compile
    rows = []
    for N in sizes:
        problems = [Ensemble(IID(), N // 2, N, seed=SEED).sample(index) for index in range(samples)]
        for name, task in WORK.items():
            spent, kkt, least = zip(*(task(A, y) for A, y in problems), strict=True)
            of_limit = np.median(np.divide(least, spent))
            rows.append({"work": name, "N": N, **spread(spent), "KKT": np.max(kkt), "of limit": of_limit})
        print(f"  N = {N}", flush=True)
    frame = pd.DataFrame(rows).sort_values(["work", "N"], key=_as_listed, ignore_index=True)
    change = frame.groupby("work", sort=False)[["ms", "N"]].transform(lambda column: np.log(column).diff())
    return frame.assign(exponent=change.ms / change.N)


def _as_listed(column):
    return column.map(list(WORK).index) if column.name == "work" else column


def fitted(frame):
    """The exponent of each kind of work over all N, by least squares of log time on log N."""
    groups = frame.groupby("work", sort=False)
    return {name: np.polyfit(np.log(group.N), np.log(group.ms), 1)[0] for name, group in groups}


def reading(frame):
    last, limit = frame[frame.N == frame.N.max()].set_index("work").exponent, frame["of limit"].dropna()
    fits = (f"{name} {power:.2f} ({last[name]:.2f})" for name, power in fitted(frame).items())
    return (
        f"A direct path reaches {limit.min():.2g} to {limit.max():.2g} of the estimated limit of its speed. "
        f"Time ∝ N^p, p fitted over N = {frame.N.min()} to {frame.N.max()} (in brackets the last step of N alone): "
        + ("; ".join(fits) + ".")
    )


COMPARISONS = [
    Comparison(
        "growth",
        "Growth with N",
        "iid, M = N/2, l1 and SCAD (a = 8, λ = 1): median CPU ms over three samples. BP step: a run at one η from "
        "x = 0 to 1e-10, all included, divided by its steps. Direct path: 20 levels, δ from 0.05 to 0.8. exponent: "
        "log of the time over log of N, from the row above. A has N²/2 entries: 2 is the least that a step that "
        "reads the matrix, or makes it, can do. of limit: the estimated least time of a direct path over its time. "
        "It counts the Gram matrix of the largest support and one Cholesky factor per level at the speed of dgemm, "
        "and per level the gradient, all Q̂ and six steps of the variances on the support at the speed of dgemv.",
        growth,
        reading,
    )
]

if __name__ == "__main__":
    alone(COMPARISONS, __doc__)
