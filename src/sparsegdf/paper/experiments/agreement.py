"""Do belief propagation and the direct solver find the same fixed points? One row per sample of a design."""

import numpy as np
import pandas as pd

from sparsegdf.paper.experiments.samples import over_samples
from sparsegdf.solvers.belief_propagation import belief_propagation
from sparsegdf.solvers.direct import stationary_path

_SAME = 1e-3  # Two states of one (A, y) differ by whole components, one state found twice by far less than this.


def agreement_samples(simulation, samples, *, tol, max_steps):
    """agreement_row for these samples of a simulation; tol and max_steps are those of belief propagation."""
    problem = {"penalty": simulation.penalty, "etas": simulation.etas, "tol": tol, "max_steps": max_steps}
    return pd.DataFrame(
        {"sample": index} | agreement_row(A, y, **problem)
        for index, A, y in over_samples(simulation.ensemble, samples)
    )


def agreement_row(A, y, penalty, etas, *, tol, max_steps):
    """How the two solvers agree on one (A, y), over the levels of eta.

    levels, bp, direct, both   number of levels, and of those where BP, the direct solver and both converged
    other_state                levels where both converged, but to different stationary points (non-convex penalties)
    x_gap, chi_gap, Q_hat_gap  largest differences over the levels where both converged to the same point
    kkt, kkt_bp                largest violation of stationarity where each converged
    delta                      largest |support| / M among `both`
    """
    direct = stationary_path(A, y, penalty, etas)
    bp = belief_propagation(A, y, penalty, etas, tol=tol, max_steps=max_steps)
    both = direct.converged & bp.converged
    x_gap, chi_gap, Q_hat_gap = (
        np.abs(getattr(direct, name) - getattr(bp, name)).max(axis=0) for name in ("x", "chi", "Q_hat")
    )
    same = both & (x_gap < _SAME)
    return {
        "levels": len(direct.etas),
        "bp": int(bp.converged.sum()),
        "direct": int(direct.converged.sum()),
        "both": int(both.sum()),
        "other_state": int((both & ~same).sum()),
        "x_gap": _largest(x_gap[same]),
        "chi_gap": _largest(chi_gap[same]),
        "Q_hat_gap": _largest(Q_hat_gap[same]),
        "kkt": _largest(direct.kkt[direct.converged]),
        "kkt_bp": _largest(bp.kkt[bp.converged]),
        "delta": _largest(direct.delta[both]),
    }


def _largest(values):
    return float(values.max()) if values.size else float("nan")


def agreement_table(panels):
    """One row per (run, penalty) of `panels`: the sums of the counts and the largest gaps."""
    rows = []
    for (run, penalty), table in panels.items():
        counts = table[["levels", "bp", "direct", "both", "other_state"]].sum().to_dict()
        largest = table[["x_gap", "chi_gap", "Q_hat_gap", "kkt", "kkt_bp", "delta"]].max().to_dict()
        rows.append({"run": run, "penalty": penalty, "samples": len(table)} | counts | largest)
    return pd.DataFrame(rows)
