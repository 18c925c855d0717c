"""Fixed points over samples of an ensemble, one row per sample and eta."""

import logging

import numpy as np
import pandas as pd

from sparsegdf.estimators import degrees_of_freedom as dof
from sparsegdf.paper.config.simulation import Simulation
from sparsegdf.paper.experiments.samples import over_samples

log = logging.getLogger(__name__)


def simulate(solve, simulation: Simulation, samples):
    """Rows (sample, eta) of solve(A, y, penalty, etas) -> FixedPoints on these samples of a simulation.

    A row depends only on its own sample.
    """
    ensemble, tables = simulation.ensemble, []
    for index, A, y in over_samples(ensemble, samples):
        found = solve(A, y, simulation.penalty, simulation.etas)
        tables.append(rows(A, y, found, mean=ensemble.mean, variance=ensemble.variance))
        tables[-1].insert(0, "sample", index)
        if failed := int((~found.converged).sum()):
            log.info("sample %d: %d of %d levels not converged", index, failed, len(found.etas))
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame({"sample": [], "eta": []})


def rows(A, y, found, *, mean, variance):
    """One row per eta for one (A, y) and its fixed points. Levels without an estimate have NaN."""
    M, fit = A.shape[0], A @ found.x
    table = []
    for k, eta in enumerate(found.etas):
        x, chi, Q_hat = found.x[:, k], found.chi[:, k], found.Q_hat[:, k]
        usable = bool(found.converged[k])
        table.append(
            {
                "eta": eta,
                "delta": found.delta[k],
                "covariance": dof.covariance(y, fit[:, k], mean=mean, variance=variance),
                "noise": dof.noise_level(y, mean=mean, variance=variance),
                "err_train": float(np.square(y - fit[:, k]).mean()),
                "chi": chi.sum() / M,
                "Q_hat": Q_hat.mean(),
                "effective": found.effective[k],
                "stein": _stein(A, x, chi, Q_hat, found.stein[k]) if usable else np.nan,
                "converged": usable,
                "status": found.status[k],
                "steps": found.steps[k],
                "residual": found.residual[k],
                "kkt": found.kkt[k],
                "damping": found.damping[k],
            }
        )
    return pd.DataFrame(table)


def _stein(A, x, chi, Q_hat, known):
    """Stein's divergence, unless the solver knows it."""
    return known if np.isfinite(known) else dof.stein_divergence(A, x, dof.curvature(x, chi, Q_hat))
