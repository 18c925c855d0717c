"""Averages over samples, with standard errors and counts, as plotted in the figures of simulations."""

from collections import defaultdict

import numpy as np
import pandas as pd

from sparsegdf.estimators.monte_carlo import Moments
from sparsegdf.paper.experiments.by_penalty import by_penalty
from sparsegdf.paper.experiments.chunks import require_finite

# The columns of iterated.iterated_rows that `convergence` uses
ITERATED = ("eta", "converged", "steps", "kkt_bp", "direct", "same", "x_gap", "chi_gap", "Q_hat_gap")
AVERAGED = ("delta", "covariance", "noise", "err_train", "chi", "Q_hat", "delta_eff_sum", "stein")
STATIONARY = ("delta", "covariance", "noise")  # what a stationary x has, whether or not its variances exist


def summarise(chunks, iterated=()):
    """One row per eta: the estimators averaged over the samples that have a fixed point, and how many those were.

    `chunks` is an iterable of tables from simulation.simulate; one is in memory at a time. `iterated` are tables from
    iterated.iterated_samples, from which `convergence` takes its columns.
    gdf is the covariance estimate with the ||y||^2 control variate, gdf_plain without. gap_* are the differences
    GDF - (other estimator) on the same samples, so that their standard errors are those of the difference.
    Where a sample has no fixed point, the direct solver still has a stationary x. delta_stationary and gdf_stationary
    are averages over the `stationary` samples with one: no sample is left out of them for what its variances are.
    A converged row with a NaN is an error, since it would make the whole level NaN.
    """
    levels = defaultdict(_Level)
    for rows in chunks:
        for eta, group in rows.groupby("eta", sort=False):
            levels[eta].add(group)
    by_bp = pd.concat(iterated) if iterated else pd.DataFrame(columns=ITERATED)
    return pd.DataFrame(
        [{"eta": eta} | level.row() | convergence(by_bp[by_bp.eta == eta]) for eta, level in levels.items()]
    )


def convergence(rows):
    """How iterating belief propagation ended on the samples of one level, and what the direct solver found there.

    fraction_bp of the `iterated` samples converged, `bp` in number, between fraction_bp_low and fraction_bp_high with
    95 % confidence (Clopper and Pearson). On `direct` of them the direct solver has a fixed point, on `both` both
    have, and other_state of these are not the same. The gaps are the largest where they are.
    """
    n, bp, direct, same = len(rows), *(rows[name].astype(bool) for name in ("converged", "direct", "same"))
    low, high = proportion_interval(int(bp.sum()), n) if n else (np.nan, np.nan)
    return {
        "iterated": n,
        "fraction_bp": bp.sum() / n if n else np.nan,
        "fraction_bp_low": low,
        "fraction_bp_high": high,
        "steps_median": float(rows.steps.median()),
        "steps_median_se": median_error(rows.steps),
        "steps_95": float(rows.steps.quantile(0.95)),
        "bp": int(bp.sum()),
        "direct": int(direct.sum()),
        "both": int((bp & direct).sum()),
        "other_state": int((bp & direct & ~same).sum()),
        "kkt_bp": float(rows.kkt_bp[bp].max()),
        **rows[["x_gap", "chi_gap", "Q_hat_gap"]].max().astype(float),
    }


def proportion_interval(k, n):
    """Where the probability of an event that happened k times of n is, with 95 % confidence (Clopper and Pearson)."""
    from scipy.stats import binomtest  # half of the time of a summary, and most do not need it

    return binomtest(k, n).proportion_ci()


def median_error(values):
    """Standard error of a median by its order-statistics interval (Price and Bonett); NaN below 8 values.

    The median lies between the c-th smallest and the c-th largest of n values unless fewer than c of them are on one
    side of it, which has a binomial probability, whatever the distribution. A normal error that is as often beyond
    the interval is its width over 2 z. c is that of a probability of 1 % or less.
    """
    values = np.sort(np.asarray(values, dtype=float))
    if not values.size:
        return np.nan
    from scipy.stats import binom, norm

    c = int(binom.ppf(0.005, values.size, 0.5))
    if c < 1:
        return np.nan
    z = norm.isf(binom.cdf(c - 1, values.size, 0.5))
    return float((values[-c] - values[c - 1]) / (2 * z))


class _Level:
    """The running sums over the samples at one eta."""

    def __init__(self):
        self.moments, self.samples, self.found_direct = Moments(AVERAGED), 0, 0
        self.stationary = Moments(STATIONARY)
        self.kkt_max = self.residual_max = np.nan

    def add(self, group):
        used = group[group.converged]
        require_finite(used, AVERAGED)
        self.moments.add(used)
        self.stationary.add(group[group.converged | (group.status == "no_fixed_point")])
        self.samples += len(group)
        self.found_direct += int((used.solver == "direct").sum())
        self.kkt_max = np.fmax(self.kkt_max, used.kkt.max())
        self.residual_max = np.fmax(self.residual_max, used.residual.max())

    def row(self):
        m = self.moments
        estimates = {
            "delta": m.estimate({"delta": 1}),
            "gdf_plain": m.estimate({"covariance": 1}),
            "gdf": m.controlled({"covariance": 1}, "noise", 1.0),
            "delta_eff": m.product("chi", "Q_hat"),
            "delta_eff_sum": m.estimate({"delta_eff_sum": 1}),
            "stein": m.estimate({"stein": 1}),
            "err_train": m.estimate({"err_train": 1}),
            "delta_stationary": self.stationary.estimate({"delta": 1}),
            "gdf_stationary": self.stationary.controlled({"covariance": 1}, "noise", 1.0),
        }
        product = {name: -weight for name, weight in m.linear_product("chi", "Q_hat").items()}
        gap = m.controlled({"covariance": 1} | product, "noise", 1.0)
        estimates["gap_delta_eff"] = gap._replace(value=gap.value + m["chi"] * m["Q_hat"])
        for name in ("delta_eff_sum", "stein"):
            estimates[f"gap_{name}"] = m.controlled({"covariance": 1, name: -1}, "noise", 1.0)
        columns = {}
        for name, estimate in estimates.items():
            columns |= {name: estimate.value, f"{name}_se": estimate.se}
        return columns | {
            "samples": self.samples,
            "converged": m.n,
            "fraction_converged": m.n / self.samples,
            "stationary": self.stationary.n,
            "found_direct": self.found_direct,
            "kkt_max": float(self.kkt_max),
            "residual_max": float(self.residual_max),
        }


def convergence_table(summaries):
    """Where fixed points exist, and where iterating belief propagation finds them, per figure, penalty and eta.

    `summaries` are those of runs by the name of the figure.
    """
    columns = ["penalty", "eta", "delta", "delta_se", "samples", "fraction_converged", "kkt_max", "residual_max"]
    columns += ["iterated", "fraction_bp", "fraction_bp_low", "fraction_bp_high", "steps_median", "steps_95"]
    parts = [table[columns].assign(figure=figure) for figure, table in summaries.items()]
    return pd.concat(parts, ignore_index=True)[["figure", *columns]]


def agreement_table(summaries):
    """Belief propagation and the direct solver on the same samples: one row per run and penalty, over all levels.

    `summaries` are those of runs by name.
    """
    rows = []
    tables = [(run, *part) for run, table in summaries.items() for part in by_penalty(table).items()]
    for run, penalty, table in tables:
        counts = table[["bp", "direct", "both", "other_state"]].sum().to_dict()
        largest = table[["x_gap", "chi_gap", "Q_hat_gap", "kkt_bp"]].max().to_dict()
        where = {"run": run, "penalty": penalty, "samples": table.iterated.max(), "levels": table.iterated.sum()}
        rows.append(where | counts | largest | {"delta": table.delta[table.both > 0].max()})
    return pd.DataFrame(rows)
