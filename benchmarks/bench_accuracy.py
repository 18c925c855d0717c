"""Time against accuracy of a whole l1 path: each solver at several tolerances.

python benchmarks/bench_accuracy.py [--quick]
"""

import numpy as np
import pandas as pd
from bench_path import DESIGNS, adelie, celer, enet, grid, lars, points, skglm

from sparsegdf.ensembles.ensemble import Ensemble
from sparsegdf.ensembles.registry import make_design
from sparsegdf.paper.figures.style import PALETTE, new_figure
from sparsegdf.penalties.l1 import L1
from sparsegdf.solvers.fixed_points import kkt_violation
from timing import SEED, Comparison, alone, seconds

OURS = "stationary_points"
# The tolerances of each solver, None where it has none. They do not mean the same thing: the picture is against KKT.
SOLVERS = {
    OURS: (points, [None]),
    "scikit-learn lars_path": (lars, [None]),
    "scikit-learn enet_path": (enet, 10.0 ** -np.arange(2, 14, 2)),
    "celer": (celer, 10.0 ** -np.arange(2, 14, 2)),
    "skglm": (skglm, 10.0 ** -np.arange(3, 14, 2)),
    "adelie": (adelie, 10.0 ** -np.arange(4, 18, 2)),
}
STRICT = 1e-4  # the violation below which the reading compares


def accuracy(quick):
    M, N, levels, samples = (60, 120, 5, 2) if quick else (500, 1000, 20, 3)
    rows = []
    for design in ("iid",) if quick else DESIGNS:
        etas = grid(design, L1(), M, N, levels)
        problems = [
            Ensemble(make_design(design, **DESIGNS[design]), M, N, seed=SEED).sample(i) for i in range(samples)
        ]
        for solver, (solve, tolerances) in SOLVERS.items():
            try:
                solve(*problems[0], etas[:2], L1())  # compiles
            except ImportError:
                continue  # the table of whole paths names it
            for tol in tolerances:
                given = {} if tol is None else {"tol": tol}
                spent, kkt = [], []
                for A, y in problems:
                    used, x = seconds(solve, A, y, etas, L1(), **given)
                    spent.append(1000 * used)
                    path = zip(x.T, etas, strict=True)
                    kkt.append(max(kkt_violation(A, y, level, L1(), eta) for level, eta in path))
                rows.append({"design": design, "solver": solver, "tol": tol, "ms": np.median(spent), "KKT": max(kkt)})
        print(f"  {design}", flush=True)
    frame = pd.DataFrame(rows)
    ours = frame[frame.solver == OURS].set_index("design").ms
    return frame.assign(ratio=frame.ms / frame.design.map(ours))


def reading(frame):
    strict = frame[(frame.KKT < STRICT) & (frame.solver != OURS)]
    loose = frame[(frame.ratio < 1) & (frame.solver != OURS)]
    text = f"x alone has a KKT violation of at most {frame.KKT[frame.solver == OURS].max():.0e}. "
    if len(strict):
        best = strict.loc[strict.ratio.idxmin()]
        text += f"Of the runs of peers with a violation below {STRICT:g} the fastest, {best.solver} on {best.design} "
        text += f"({best.KKT:.0e}), takes {best.ratio:.3g} times as long"
    if loose.empty:
        return text + "; no run is faster than ours."
    return text + f"; the runs that are faster than ours have violations of {loose.KKT.min():.0e} or more."


def draw(frame, file):
    """CPU ms against the violation of stationarity, one panel for each design."""
    designs = list(frame.design.unique())
    figure = new_figure(2.6 * len(designs) + 0.6, 2.8)
    axes = figure.subplots(1, len(designs), sharex=True, sharey=True, squeeze=False)[0]
    for axis, design in zip(axes, designs, strict=True):
        for solver, part in frame[frame.design == design].groupby("solver", sort=False):
            colour = PALETTE[list(SOLVERS).index(solver)]
            axis.plot(part.KKT, part.ms, "*-" if solver == OURS else "o-", color=colour, label=solver)
        axis.set(xscale="log", yscale="log", title=design, xlabel="largest KKT violation")
    axes[0].set_ylabel("CPU ms of a path")
    axes[-1].legend()
    figure.savefig(file, metadata={"Date": None})


COMPARISONS = [
    Comparison(
        "accuracy",
        "Time against accuracy",
        "The l1 paths of the table above, each solver at several of its tolerances: median CPU ms over three samples "
        "and the largest violation of stationarity (KKT). ratio: over the time of stationary_points, x alone. "
        "stationary_points and lars_path are exact and have no tolerance.",
        accuracy,
        reading,
        draw,
    )
]

if __name__ == "__main__":
    alone(COMPARISONS, __doc__)
