"""The RS theory of a design in a figure: what is asked for, and its lines."""

import numpy as np

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


def draw_limit(ax, points, y, *, color, width=1.2, zorder=1.5, label=None):
    """y of the rows of one penalty against delta, from the empty model: solid, and dashed beyond the AT line."""
    points = points[np.isfinite(points[y].to_numpy(float))].sort_values("eta", ascending=False)
    if points.empty:
        return
    delta, values = (np.append(0, points[name].to_numpy(float)) for name in ("delta", y))
    unstable = np.flatnonzero(~points.rs_stable.to_numpy(bool))
    if unstable.size:
        k = unstable[0] + 1
        border = np.nan_to_num(points.at_delta.iloc[0])  # l0 has no AT line: RS is nowhere stable
        border = np.clip(border, *np.sort(delta[k - 1 : k + 1]))
        values = np.insert(values, k, np.interp(border, delta[k - 1 : k + 1], values[k - 1 : k + 1]))
        delta = np.insert(delta, k, border)
        ax.plot(delta[k:], values[k:], color=color, linestyle=style.RSB, linewidth=width, zorder=zorder)
        delta, values = delta[: k + 1], values[: k + 1]
    ax.plot(delta, values, color=color, linestyle=style.RS, linewidth=width, zorder=zorder, label=label)
