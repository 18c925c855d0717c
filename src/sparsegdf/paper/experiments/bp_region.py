"""Where belief propagation should converge by linear stability, compared with where it does."""

import logging

import numpy as np
import pandas as pd

from sparsegdf.estimators.monte_carlo import mean_estimate
from sparsegdf.paper.experiments.samples import over_samples
from sparsegdf.solvers.direct import stationary_path
from sparsegdf.solvers.stability import linear_stability

log = logging.getLogger(__name__)


def region_table(simulations, measured, *, samples, every, dampings, tol):
    """Predicted and measured convergence of belief propagation, for each simulation and every `every`-th level.

    `simulations` are Simulation objects by (figure, penalty), and `measured` their summaries. Measured are
    fraction_bp, the fraction of the `iterated` samples that converged, and steps_median. Predicted, from the
    fraction_converged of `samples` that have a fixed point, are radius_<damping>, the mean spectral radius with that
    damping; radius_variances, that of the block which does not depend on the damping; and steps, the median number
    of steps with the best of these dampings.
    """
    table = []
    for (figure, penalty), simulation in simulations.items():
        etas = np.array(simulation.etas)
        shown = np.unique(np.append(np.arange(0, len(etas), every), len(etas) - 1))
        radii = {k: [] for k in shown}
        log.info("%s, %s", figure, penalty)
        for _, A, y in over_samples(simulation.ensemble, range(samples)):
            found = stationary_path(A, y, simulation.penalty, etas)
            for k in shown[found.converged[shown]]:
                point = found.x[:, k], found.chi[:, k], found.Q_hat[:, k]
                radii[k].append([linear_stability(A, *point, damping, tol) for damping in dampings])
        for k in shown:
            summary = measured[figure, penalty].iloc[k]
            row = {"figure": figure, "penalty": penalty, "eta": etas[k], "delta": summary.delta,
                   "delta_se": summary.delta_se, "iterated": int(summary.iterated),
                   "fraction_bp": summary.fraction_bp, "steps_median": summary.steps_median,
                   "samples": samples, "fraction_converged": len(radii[k]) / samples}  # fmt: skip
            means = {f"radius_{d:g}": [point[j].radius for point in radii[k]] for j, d in enumerate(dampings)}
            means["radius_variances"] = [point[0].variances for point in radii[k]]
            for column, values in means.items():
                estimate = mean_estimate(values)
                row |= {column: estimate.value, f"{column}_se": estimate.se}
            best = [min(stability.steps for stability in point) for point in radii[k]]
            table.append(row | {"steps": float(np.median(best)) if best else float("nan")})
    return pd.DataFrame(table)
