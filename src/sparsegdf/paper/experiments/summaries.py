"""Averages over samples, with standard errors and counts, as plotted in the figures of simulations."""

from collections import defaultdict

import numpy as np
import pandas as pd

from sparsegdf.estimators.monte_carlo import Moments
from sparsegdf.paper.experiments.chunks import require_finite

AVERAGED = ("delta", "covariance", "noise", "err_train", "chi", "Q_hat", "effective", "stein")


def combine(bp, direct):
    """The rows of belief propagation, replaced by those of the direct solver where only that one converged.

    `direct` has only the samples that belief propagation left without a fixed point. The column `solver` names the
    solver of a row; `steps` are always those of belief propagation. A solver that was not run is given as None.
    """
    if bp is None:
        return direct.assign(solver="direct", steps=np.nan)
    if direct is None:
        return bp.assign(solver="bp")
    key = ["sample", "eta"]
    both, other = bp.assign(solver="bp").set_index(key), direct.assign(solver="direct").set_index(key)
    if not other.index.isin(both.index).all():
        raise ValueError("the direct solver has other samples or levels than belief propagation")
    if len(other):
        failed = both.index[~both.converged]
        found = other.index[other.converged].intersection(failed)
        both.loc[found] = other.loc[found].assign(steps=both.loc[found, "steps"])
    return both.reset_index()


def summarise(chunks):
    """One row per eta: the estimators averaged over the samples that converged, and how many those were.

    `chunks` is an iterable of tables from simulation.simulate, with the column `solver`; one is in memory at a time.
    fraction_bp of all samples have a fixed point by belief propagation, fraction_converged by either solver. `steps`
    are those of belief propagation. If it was not run, `steps` and fraction_bp are NaN.
    gdf is the covariance estimate with the ||y||^2 control variate, gdf_plain without. gap_* are the differences
    GDF - (other estimator) on the same samples, so that their standard errors are those of the difference.
    A converged row with a NaN is an error, since it would make the whole level NaN.
    """
    levels = defaultdict(_Level)
    for rows in chunks:
        for eta, group in rows.groupby("eta", sort=False):
            levels[eta].add(group)
    return pd.DataFrame([{"eta": eta} | level.row() for eta, level in levels.items()])


class _Level:
    """The running sums over the samples at one eta."""

    def __init__(self):
        self.moments, self.steps, self.kkt_max, self.by_bp = Moments(AVERAGED), [], np.nan, 0

    def add(self, group):
        used = group[group.converged]
        require_finite(used, AVERAGED)
        self.moments.add(used)
        self.by_bp += int((used.solver == "bp").sum())
        self.steps.append(group.steps.to_numpy(float))
        self.kkt_max = np.fmax(self.kkt_max, used.kkt.max())

    def row(self):
        m, steps = self.moments, np.concatenate(self.steps)
        ran = np.isfinite(steps).all()
        estimates = {
            "delta": m.estimate({"delta": 1}),
            "gdf_plain": m.estimate({"covariance": 1}),
            "gdf": m.controlled({"covariance": 1}, "noise", 1.0),
            "delta_eff": m.product("chi", "Q_hat"),
            "effective": m.estimate({"effective": 1}),
            "stein": m.estimate({"stein": 1}),
            "err_train": m.estimate({"err_train": 1}),
        }
        product = {name: -weight for name, weight in m.linear_product("chi", "Q_hat").items()}
        gap = m.controlled({"covariance": 1} | product, "noise", 1.0)
        estimates["gap_delta_eff"] = gap._replace(value=gap.value + m["chi"] * m["Q_hat"])
        for name in ("effective", "stein"):
            estimates[f"gap_{name}"] = m.controlled({"covariance": 1, name: -1}, "noise", 1.0)
        columns = {}
        for name, estimate in estimates.items():
            columns |= {name: estimate.value, f"{name}_se": estimate.se}
        return columns | {
            "samples": len(steps),
            "converged": m.n,
            "fraction_converged": m.n / len(steps),
            "fraction_bp": self.by_bp / len(steps) if ran else np.nan,
            "solver": "bp" if ran and self.by_bp == m.n else "both" if self.by_bp else "direct",
            "steps_median": float(np.median(steps)),
            "steps_95": float(np.quantile(steps, 0.95)),
            "kkt_max": float(self.kkt_max),
        }


def convergence_table(summaries):
    """Fraction of BP runs that converged, and their steps, per (figure, penalty) and eta."""
    columns = ["eta", "delta", "delta_se", "samples", "fraction_converged", "fraction_bp"]
    columns += ["steps_median", "steps_95", "kkt_max"]
    parts = [table[columns].assign(figure=figure, penalty=name) for (figure, name), table in summaries.items()]
    return pd.concat(parts, ignore_index=True)[["figure", "penalty", *columns]]
