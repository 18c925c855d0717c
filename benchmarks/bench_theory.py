"""The theory curves of Figures 2 and 8, and single RS points: seconds and residuals.

python benchmarks/bench_theory.py [--quick]
"""

import numpy as np
import pandas as pd

from sparsegdf.penalties.elastic_net import ElasticNet
from sparsegdf.penalties.l0 import L0
from sparsegdf.penalties.l1 import L1
from sparsegdf.penalties.scad import SCAD
from sparsegdf.theory.one_step_rsb import l0_1rsb_curve
from sparsegdf.theory.replica_symmetric import rs_curve, solve_rs
from timing import Comparison, alone, interleaved, spread

PENALTIES = {"l1": L1(), "elastic net": ElasticNet(0.1), "l0": L0(), "SCAD a=8": SCAD(8, 1), "SCAD a=5": SCAD(5, 1)}


def curves(quick):
    points, steps, repeat = (20, 3, 2) if quick else (400, 200, 5)
    deltas, short = np.linspace(0.005, 1, points), np.linspace(0.002, 0.6, steps)
    ways = {
        f"RS, {name}": lambda penalty=penalty: rs_curve(penalty, alpha=0.5, deltas=deltas)
        for name, penalty in PENALTIES.items()
    }
    spent, found = interleaved(ways, repeat)
    one_step = {"one-step RSB, l0": lambda: l0_1rsb_curve(alpha=0.5, deltas=short)}
    slow = interleaved(one_step, min(repeat, 3))
    spent, found = spent | slow[0], found | slow[1]
    return pd.DataFrame(
        {"curve": name, "points": len(curve), **spread(spent[name])}
        | {"residual": curve.residual.max(), "converged": f"{curve.converged.sum()}/{len(curve)}"}
        for name, curve in found.items()
    )


def reading(frame):
    worst = frame.loc[frame.residual.idxmax()]
    slowest = frame.loc[frame.ms.idxmax()]
    return (
        f"All {len(frame)} curves take {frame.ms.sum() / 1000:.2g} s together, the longest is {slowest.curve} "
        f"({slowest.ms / slowest.points:.2g} ms a point); the largest residual is {worst.residual:.0e} "
        f"({worst.curve})."
    )


def points(quick):
    """One call of solve_rs at an eta or a delta that no other call has."""
    calls, rng = (3 if quick else 50), np.random.default_rng(0)
    asked = {"eta": rng.uniform(0.2, 2, calls), "delta": rng.uniform(0.02, 0.7, calls)}
    rows = []
    for by, values in asked.items():
        for name, penalty in PENALTIES.items():
            ways = {
                k: lambda penalty=penalty, by=by, value=value: solve_rs(penalty, alpha=0.5, **{by: value})
                for k, value in enumerate(values)
            }
            spent, found = interleaved(ways, 1)
            rows.append(
                {
                    "point": f"{name}, by {by}",
                    "calls": calls,
                    **spread([ms for each in spent.values() for ms in each]),
                }
                | {"residual": max(point.residual for point in found.values())}
            )
    return pd.DataFrame(rows)


def points_reading(frame):
    slowest = frame.loc[frame.ms.idxmax()]
    return f"The slowest kind of point, {slowest.point}, takes {slowest.ms:.2g} ms."


COMPARISONS = [
    Comparison(
        "theory",
        "Theory curves",
        "α = 0.5: RS at 400 δ (Figure 2), one-step RSB with the first-moment bound at 200 δ (Figure 8). CPU ms of a "
        "whole curve; residual: largest violation of the saddle point equations along it.",
        curves,
        reading,
    ),
    Comparison(
        "theory_points",
        "Single RS points",
        "α = 0.5: one call of solve_rs, by a random η in 0.2 .. 2 or a random δ in 0.02 .. 0.7. CPU ms of a call.",
        points,
        points_reading,
    ),
]

if __name__ == "__main__":
    alone(COMPARISONS, __doc__)
