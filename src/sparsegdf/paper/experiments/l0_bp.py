"""Belief propagation for l0. The paper says that it does not converge; here is how often it does, by damping."""

import numpy as np
import pandas as pd

from sparsegdf.ensembles.ensemble import Ensemble
from sparsegdf.ensembles.iid import IID
from sparsegdf.estimators.monte_carlo import mean_estimate
from sparsegdf.paper.experiments.samples import over_samples
from sparsegdf.penalties.l0 import L0
from sparsegdf.solvers.belief_propagation import belief_propagation


def l0_bp_table(*, M, N, samples, etas, dampings, mean, variance, seed, tol, max_steps):
    """One row per damping and eta: how many runs converged, and to which delta. Each level starts from x = 0.

    `pairs` is the number of samples that converged at this damping and at one before it in the list. `other_support`
    is the fraction of them whose support differs from that at the first of those dampings. A state that depends on
    the damping is a stationary point, but not *the* solution.
    """
    supports, rows = {}, []
    for index, A, y in over_samples(Ensemble(IID(), M, N, mean, variance, seed), range(samples)):
        for damping in dampings:
            for eta in etas:
                found = belief_propagation(A, y, L0(), [eta], tol=tol, max_steps=max_steps, damping=damping)
                ended = {"damping": damping, "eta": eta, "status": found.status[0], "steps": found.steps[0]}
                rows.append(ended | {"converged": bool(found.converged[0]), "delta": found.delta[0]})
                if found.converged[0]:
                    support = frozenset(np.flatnonzero(found.x[:, 0]).tolist())
                    if (index, eta) in supports:
                        rows[-1]["other_support"] = float(supports[index, eta] != support)
                    else:
                        supports[index, eta] = support
    runs = pd.DataFrame(rows)
    if "other_support" not in runs:
        runs["other_support"] = np.nan
    return pd.DataFrame(
        [_row(damping, eta, group) for (damping, eta), group in runs.groupby(["damping", "eta"], sort=False)]
    )


def _row(damping, eta, group):
    used = group[group.converged]
    delta = mean_estimate(used.delta)
    return {
        "damping": float(damping),
        "eta": float(eta),
        "samples": len(group),
        "fraction_converged": len(used) / len(group),
        "fraction_cycling": float((group.status == "cycling").mean()),
        "steps_median": float(group.steps.median()),
        "delta": delta.value,
        "delta_se": delta.se,
        "pairs": int(used.other_support.count()),
        "other_support": float(used.other_support.mean()),
    }
