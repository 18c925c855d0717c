"""Fixed points over samples of an ensemble, one row per sample and eta."""

import logging
from functools import partial

import numpy as np
import pandas as pd

from sparsegdf.estimators import degrees_of_freedom as dof
from sparsegdf.paper.config.simulation import Simulation
from sparsegdf.paper.experiments.samples import over_samples
from sparsegdf.solvers.belief_propagation import belief_propagation
from sparsegdf.solvers.direct import stationary_path

log = logging.getLogger(__name__)


def solvers_of(solver, *, tol, max_steps):
    """The solvers that `solver` in the configuration stands for, in their order; the numbers are those of BP."""
    bp = partial(belief_propagation, tol=tol, max_steps=max_steps)
    direct = partial(stationary_path, stein=True)
    return {"direct": {"direct": direct, "bp": bp}, "bp": {"bp": bp}}[solver]


def simulate(solvers, simulation: Simulation, samples):
    """Rows (sample, eta) of the fixed points on these samples of a simulation; `solver` names who found it.

    `solvers` are functions (A, y, penalty, etas) -> FixedPoints by name. The first one solves every sample, each
    later one those on which levels are still without a fixed point, and fills in these levels. A row depends only on
    its own sample.
    """
    ensemble, tables = simulation.ensemble, []
    for index, A, y in over_samples(ensemble, samples):
        table = None
        for name, solve in solvers.items():
            found = solve(A, y, simulation.penalty, simulation.etas)
            new = rows(A, y, found, mean=ensemble.mean, variance=ensemble.variance).assign(solver=name)
            table = new if table is None else table.where(table.converged | ~new.converged, new)
            if table.converged.all():
                break
        else:
            log.info("sample %d: %d of %d levels not converged", index, (~table.converged).sum(), len(table))
        table.insert(0, "sample", index)
        tables.append(table)
    return pd.concat(tables, ignore_index=True)


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
                "delta_eff_sum": found.delta_eff_sum[k],
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
