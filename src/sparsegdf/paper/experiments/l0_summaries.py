"""GDF of the exact l0 estimate, at fixed size and at fixed eta, and its limit N -> infinity.

With m_y = 0 the direction and the length of y are independent, so at fixed size df(K) = E[max ||P_S y||^2/||y||^2]
exactly. This mean of R^2 has a much smaller error than the covariance ||P_S y||^2/(M sigma_y^2), which is kept as a
check.
"""

import numpy as np
import pandas as pd

from sparsegdf.estimators.monte_carlo import controlled_estimate, mean_estimate, weighted_line


def fixed_size(rows, *, M, variance):
    """One row per K: df by R^2 and by the plain covariance, with standard errors."""
    table = []
    for K, group in rows.groupby("K"):
        df = mean_estimate(group.explained / group.norm2)
        plain = mean_estimate(group.explained / (M * variance))
        table.append({"K": K, "delta": K / M, "df": df.value, "df_se": df.se, "df_plain": plain.value,
                      "df_plain_se": plain.se, "samples": df.samples})  # fmt: skip
    return pd.DataFrame(table)


def fixed_eta(rows, etas, *, M, N, variance):
    """One row per eta: K minimises RSS_K/2 + eta K in each sample; delta and df averaged over samples.

    truncated is the fraction of samples whose minimiser is the largest size searched although larger sizes exist. A
    row with such samples is biased.
    """
    explained = rows.pivot(index="sample", columns="K", values="explained").to_numpy()
    norm2 = rows.groupby("sample").norm2.first().to_numpy()
    sizes = np.arange(explained.shape[1])
    table = []
    for eta in etas:
        chosen = np.argmax(explained / 2 - eta * sizes, axis=1)
        taken = explained[np.arange(len(explained)), chosen]
        delta = mean_estimate(chosen / M)
        df = controlled_estimate(taken / (M * variance), norm2 / (M * variance), 1.0)
        truncated = float(np.mean(chosen == sizes[-1])) if sizes[-1] < min(M, N) else 0.0
        table.append({"eta": eta, "delta": delta.value, "delta_se": delta.se, "df": df.value, "df_se": df.se,
                      "samples": df.samples, "truncated": truncated})  # fmt: skip
    return pd.DataFrame(table)


# How df may approach its limit; the theory does not say which.
FORMS = {
    "1/N": lambda N: 1 / N,
    "ln N/N": lambda N: np.log(N) / N,
    "N^(-2/3)": lambda N: N ** (-2 / 3),
    "N^(-1/2)": lambda N: N**-0.5,
}


def extrapolate(points):
    """The limit N -> infinity of df(N) = df_inf + b f(N) by weighted least squares, for each form f.

    `points` has N, df, df_se. One row per form: limit, its standard error, chi2 and degrees of freedom of the fit.
    """
    N, table = points.N.to_numpy(float), []
    for form, shape in FORMS.items():
        line = weighted_line(shape(N), points.df, points.df_se)
        table.append({"form": form} | line._asdict())
    return pd.DataFrame(table)


def limits(sizes, deltas):
    """The limit N -> infinity at each delta, from the exact points that have exactly this delta.

    `sizes` holds the tables of fixed_size for several N, with columns N and exact.
    """
    tables = []
    for delta in deltas:
        points = sizes[(np.abs(sizes.delta - delta) < 1e-9) & sizes.exact]
        if len(points) >= 3:
            tables.append(
                extrapolate(points).assign(delta=delta, smallest_N=points.N.min(), largest_N=points.N.max())
            )
    empty = pd.DataFrame(columns=["form", "limit", "limit_se", "slope", "chi2", "dof", "delta"])
    return pd.concat(tables, ignore_index=True) if tables else empty
