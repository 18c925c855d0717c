"""The effective fraction of non-zeros, corrected for a known covariance of the predictors, over samples."""

import numpy as np
import pandas as pd

from sparsegdf.estimators import degrees_of_freedom as dof
from sparsegdf.estimators.cavity import delta_eff_corrected
from sparsegdf.estimators.monte_carlo import mean_estimate
from sparsegdf.paper.experiments.samples import over_samples
from sparsegdf.solvers.direct import stationary_path

COLUMNS = ("eta", "corrected", "corrected_se", "corrected_stein", "corrected_stein_se", "corrected_samples")


def corrected_fraction(simulation, samples):
    """One row per eta: means over the first `samples` samples of a simulation, with their standard errors.

    corrected is delta_eff_corrected at the fixed points of belief propagation, and corrected_stein is Stein's
    divergence less corrected on the same samples. A level where Sigma has no stable root is left out of the means. A
    design whose covariance is not known has no rows.
    """
    ensemble, found = simulation.ensemble, []
    try:
        ensemble.design.covariance(range(2))
    except ValueError:
        return pd.DataFrame(columns=list(COLUMNS))
    for _, A, y in over_samples(ensemble, range(samples)):
        path = stationary_path(A, y, simulation.penalty, simulation.etas)
        for k in np.flatnonzero(path.converged):
            x, d = path.x[:, k], dof.curvature(path.x[:, k], path.chi[:, k], path.Q_hat[:, k])
            S = np.flatnonzero(x)
            corrected = delta_eff_corrected(ensemble.design.covariance(S), d[S], len(y))
            found.append((path.etas[k], corrected, dof.stein_divergence(A, x, d) - corrected))
    found = pd.DataFrame(found, columns=["eta", "corrected", "corrected_stein"]).dropna()
    rows = []
    for eta in simulation.etas:
        level = found[found.eta == eta]
        value, difference = (mean_estimate(level[name]) for name in ("corrected", "corrected_stein"))
        rows.append((eta, value.value, value.se, difference.value, difference.se, value.samples))
    return pd.DataFrame(rows, columns=list(COLUMNS))
