"""Do belief propagation and the direct route find the same fixed points? One row per sample of a design."""

import numpy as np
import pandas as pd

from sparsegdf.paper.experiments.samples import over_samples
from sparsegdf.solvers.belief_propagation import belief_propagation
from sparsegdf.solvers.direct import stationary_path

_SAME = 1e-3  # two states of one (A, y) differ by whole components; one state found twice by far less


def agreement_samples(simulation, samples, *, tol, max_steps):
    """agreement_row for these samples of a simulation; tol and max_steps are those of belief propagation."""
    problem = {"penalty": simulation.penalty, "etas": simulation.etas, "tol": tol, "max_steps": max_steps}
    return pd.DataFrame(
        {"sample": index} | agreement_row(A, y, **problem)
        for index, A, y in over_samples(simulation.ensemble, samples)
    )


def agreement_row(A, y, penalty, etas, *, tol, max_steps):
    """How the two agree on one (A, y), over the levels of eta.

    levels, bp, direct, both   how many there are, and where each converged, and both did
    other_state                levels where both converged to different stationary points (not convex: there are many)
    x_gap, chi_gap, Q_hat_gap  largest differences over the levels of `both` that are no other state
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
    """One row per (run, penalty) of `panels`: counts added up, largest gaps."""
    rows = []
    for (run, penalty), table in panels.items():
        counts = table[["levels", "bp", "direct", "both", "other_state"]].sum().to_dict()
        largest = table[["x_gap", "chi_gap", "Q_hat_gap", "kkt", "kkt_bp", "delta"]].max().to_dict()
        rows.append({"run": run, "penalty": penalty, "samples": len(table)} | counts | largest)
    return pd.DataFrame(rows)
