"""The RS theory of a design in a figure: what is asked for, and its lines."""

import numpy as np
import pandas as pd

from sparsegdf.paper.figures import style
from sparsegdf.registry import block_of


def limit_of(simulations, etas_of=list):
    """The arguments of limit_points for the simulations {penalty: Simulation} of one design, at etas_of(its etas)."""
    ensemble = next(iter(simulations.values())).ensemble
    return {
        "design": block_of(ensemble.design),
        "N": ensemble.N,
        "mean": ensemble.mean,
        "variance": ensemble.variance,
        "penalties": {
            name: {
                "penalty": block_of(simulation.penalty),
                "alpha": simulation.ensemble.M / ensemble.N,
                "etas": etas_of(simulation.etas),
            }
            for name, simulation in simulations.items()
        },
    }


def draw_limit(ax, points, y, *, width=1.2, zorder=1.5, **look):
    """y of the rows of one penalty against delta, from the empty model: solid where RS is stable, dashed elsewhere.

    It may be unstable at both ends: a large eta lets the estimate of SCAD jump in a block of Example 2.
    """
    points = points[np.isfinite(points[y].to_numpy(float))].sort_values("eta", ascending=False)
    if points.empty:
        return
    curve = points[["delta", y, "rs_stable", "branch"]].astype({"rs_stable": bool})
    first = curve.iloc[:1].assign(**{"delta": 0.0, y: 0.0})
    curve = pd.concat([first, curve], ignore_index=True)
    stable, border = curve.rs_stable.to_numpy(), points.at_delta.iloc[0]
    for k in np.flatnonzero(stable[:-1] & ~stable[1:]) + 1:  # the line changes at the AT line, not at the next point
        ends = curve.iloc[k - 1 : k + 1]
        if ends.delta.min() < border < ends.delta.max():
            value = np.interp(border, *ends.sort_values("delta")[["delta", y]].to_numpy(float).T)
            between = curve.iloc[k : k + 1].assign(**{"delta": border, y: value})
            curve = pd.concat([curve[:k], between, curve[k:]], ignore_index=True)
    style.draw_rs_line(ax, curve, y, linewidth=width, zorder=zorder, **look)
