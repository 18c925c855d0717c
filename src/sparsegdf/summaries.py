"""Averages over samples, with standard errors and counts: what the simulation figures plot."""

import pandas as pd

from sparsegdf import dof


def summarise(rows):
    """One row per eta: the estimators averaged over the samples that converged, and how many those were.

    gdf is the covariance estimate with the ||y||^2 control variate, gdf_plain without; gap_* are the differences
    GDF - (other estimator) of the same samples, so that their standard errors are those of the difference.
    """
    return pd.DataFrame([_summary(eta, group) for eta, group in rows.groupby("eta", sort=False)])


def _summary(eta, group):
    used = group[group.converged]
    estimates = {
        "delta": dof.mean_estimate(used.delta),
        "gdf_plain": dof.mean_estimate(used.covariance),
        "gdf": dof.controlled_estimate(used.covariance, used.noise, 1.0),
        "delta_eff": dof.product_estimate(used.chi, used.Q_hat),
        "effective": dof.mean_estimate(used.effective),
        "stein": dof.mean_estimate(used.stein),
        "err_train": dof.mean_estimate(used.err_train),
    }
    eff = used.chi * used.Q_hat.mean() + used.chi.mean() * used.Q_hat - used.chi.mean() * used.Q_hat.mean()
    for name, values in (("delta_eff", eff), ("effective", used.effective), ("stein", used.stein)):
        estimates[f"gap_{name}"] = dof.controlled_estimate(used.covariance - values, used.noise, 1.0)
    columns = {"eta": eta}
    for name, estimate in estimates.items():
        columns |= {name: estimate.value, f"{name}_se": estimate.se}
    return columns | {
        "samples": len(group),
        "converged": len(used),
        "fraction_converged": len(used) / len(group),
        "steps_median": group.steps.median(),
        "steps_95": group.steps.quantile(0.95),
        "kkt_max": used.kkt.max(),
    }


def convergence_table(summaries):
    """Fraction converged and steps per (figure, penalty) and eta."""
    columns = ["eta", "delta", "samples", "fraction_converged", "steps_median", "steps_95", "kkt_max"]
    parts = [table[columns].assign(figure=figure, penalty=name) for (figure, name), table in summaries.items()]
    return pd.concat(parts, ignore_index=True)[["figure", "penalty", *columns]]
