"""GDF and Stein's divergence at the stationary points of samples of one design, for several penalties."""

import pandas as pd

from sparsegdf.ensembles.ensemble import Ensemble
from sparsegdf.ensembles.registry import make_design
from sparsegdf.estimators import degrees_of_freedom as dof
from sparsegdf.estimators.monte_carlo import Moments
from sparsegdf.paper.experiments.samples import over_samples
from sparsegdf.penalties.registry import make_penalty
from sparsegdf.solvers.direct import new_path, points_and_divergence

_AVERAGED = ("delta", "covariance", "noise", "stein", "err_train")


def predictor_points(*, design, M, N, mean, variance, samples, seed, penalties):
    """One row per penalty and eta: means over samples with their standard errors.

    `penalties` is {name: {penalty, etas}}. The points are those of stationary_points, whether or not belief
    propagation has a fixed point there. The means are over the samples that have a divergence, `converged` of them.
    """
    ensemble = Ensemble(make_design(**design), M, N, mean, variance, seed)
    levels = {(name, eta): Moments(_AVERAGED) for name, block in penalties.items() for eta in block["etas"]}
    for _, A, y in over_samples(ensemble, range(samples)):
        for name, block in penalties.items():
            x, stein = points_and_divergence(new_path(A, y, make_penalty(**block["penalty"])), block["etas"])
            rows = pd.DataFrame([_row(A, y, column, mean, variance) for column in x.T]).assign(stein=stein)
            for k, eta in enumerate(block["etas"]):
                levels[name, eta].add(rows.iloc[[k]].dropna())
    return pd.DataFrame([_means(*level, samples, moments) for level, moments in levels.items()])


def _row(A, y, x, mean, variance):
    fit = A @ x
    return {
        "delta": (x != 0).mean() * A.shape[1] / A.shape[0],
        "covariance": dof.covariance(y, fit, mean=mean, variance=variance),
        "noise": dof.noise_level(y, mean=mean, variance=variance),
        "err_train": ((y - fit) ** 2).mean(),
    }


def _means(penalty, eta, samples, m):
    """delta, df and err_train move with the noise of y, whose mean is known."""
    estimates = {
        "delta": m.controlled({"delta": 1}, "noise", 1.0),
        "gdf": m.controlled({"covariance": 1}, "noise", 1.0),
        "stein": m.controlled({"stein": 1}, "noise", 1.0),
        "err_train": m.controlled({"err_train": 1}, "noise", 1.0),
        "gap_stein": m.controlled({"covariance": 1, "stein": -1}, "noise", 1.0),
    }
    row = {"penalty": penalty, "eta": eta}
    for name, estimate in estimates.items():
        row |= {name: estimate.value, f"{name}_se": estimate.se}
    return row | {"samples": samples, "converged": m.n, "fraction_converged": m.n / samples}
