"""Does belief propagation get to a fixed point by iterating, and is it the point that the direct solver finds?

A fixed point may exist where iterating does not lead to it. Only the paper's own protocol tells: iterate, at most
max_steps times, each level from the last one that converged.
"""

import numpy as np
import pandas as pd

from sparsegdf.paper.experiments.samples import over_samples
from sparsegdf.solvers.belief_propagation import belief_propagation
from sparsegdf.solvers.direct import stationary_path

_SAME = 1e-3  # Two states of one (A, y) differ by whole components, one state found twice by far less than this.


def iterated_samples(simulation, samples, *, tol, max_steps):
    """iterated_rows for these samples of a simulation; tol and max_steps are those of belief propagation."""
    problem = {"penalty": simulation.penalty, "etas": simulation.etas, "tol": tol, "max_steps": max_steps}
    tables = []
    for index, A, y in over_samples(simulation.ensemble, samples):
        tables.append(iterated_rows(A, y, **problem))
        tables[-1].insert(0, "sample", index)
    return pd.concat(tables, ignore_index=True)


def iterated_rows(A, y, penalty, etas, *, tol, max_steps):
    """Both solvers on one (A, y), one row per eta.

    converged, status, steps, residual, damping, kkt_bp  of belief propagation
    direct, kkt                   whether the direct solver has a fixed point, and its violation of stationarity
    delta                         |support| / M of the direct solver's x
    same                          whether both have one, and it is the same: same signs, and x equal to 1e-3
    x_gap, chi_gap, Q_hat_gap     largest differences of their components, NaN unless `same`

    Belief propagation stops when it moves by less than tol. Near the edge of its region it may then be thousands of
    tol from rest, so x_gap is mostly its own error.
    """
    bp = belief_propagation(A, y, penalty, etas, tol=tol, max_steps=max_steps)
    direct = stationary_path(A, y, penalty, etas)
    gaps = {name: np.abs(getattr(direct, name) - getattr(bp, name)).max(axis=0) for name in ("x", "chi", "Q_hat")}
    same = direct.converged & bp.converged & (np.sign(direct.x) == np.sign(bp.x)).all(axis=0) & (gaps["x"] < _SAME)
    return pd.DataFrame(
        {
            "eta": bp.etas,
            "delta": direct.delta,
            "converged": bp.converged,
            "status": bp.status,
            "steps": bp.steps,
            "residual": bp.residual,
            "damping": bp.damping,
            "kkt_bp": bp.kkt,
            "direct": direct.converged,
            "kkt": direct.kkt,
            "same": same,
        }
        | {f"{name}_gap": np.where(same, gap, np.nan) for name, gap in gaps.items()}
    )
