"""Fixed points over samples of a design: one row per sample and eta."""

import logging
import time

import numpy as np
import pandas as pd

from sparsegdf import dof
from sparsegdf.designs import sample_of
from sparsegdf.penalties import make_penalty

log = logging.getLogger(__name__)


def simulate(solve, *, design, M, N, penalty, etas, samples, seed, mean, variance):
    """Rows (sample, eta) of solve(A, y, penalty, etas) -> FixedPoints on these samples of a design.

    `design` and `penalty` are blocks {kind, parameters}. A row depends on its own sample alone.
    """
    made, started, tables = make_penalty(**penalty), time.monotonic(), []
    for done, index in enumerate(samples, start=1):
        A, y = sample_of(design, M, N, index, seed, mean=mean, variance=variance)
        tables.append(rows(A, y, solve(A, y, made, etas), mean=mean, variance=variance))
        tables[-1].insert(0, "sample", index)
        elapsed, total = time.monotonic() - started, len(samples)
        failed = int((~tables[-1].converged).sum())
        note = f", {failed} of {len(etas)} levels not converged" if failed else ""
        log.info("sample %d (%d of %d), %.0f s left%s", index, done, total, elapsed / done * (total - done), note)
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame({"sample": [], "eta": []})


def rows(A, y, found, *, mean, variance):
    """One row per eta for one (A, y) and its fixed points. Levels without an estimate have NaN, never a stand-in."""
    M = A.shape[0]
    table = []
    for k, eta in enumerate(found.etas):
        x, chi, Q_hat = found.x[:, k], found.chi[:, k], found.Q_hat[:, k]
        usable = bool(found.converged[k])
        table.append(
            {
                "eta": eta,
                "delta": found.delta[k],
                "covariance": dof.covariance(y, A @ x, mean=mean, variance=variance),
                "noise": dof.noise_level(y, mean=mean, variance=variance),
                "err_train": float(np.square(y - A @ x).mean()),
                "chi": chi.sum() / M,
                "Q_hat": Q_hat.mean(),
                "effective": found.effective[k],
                "stein": dof.stein_divergence(A, x, dof.curvature(x, chi, Q_hat)) if usable else np.nan,
                "converged": usable,
                "status": found.status[k],
                "steps": found.steps[k],
                "residual": found.residual[k],
                "kkt": found.kkt[k],
                "damping": found.damping[k],
            }
        )
    return pd.DataFrame(table)
