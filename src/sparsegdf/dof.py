"""Estimators of the generalized degrees of freedom from samples (A, y), each with its standard error.

Conventions: y has known mean m_y and variance sigma_y^2 in every component, yhat = A x.
"""

from typing import NamedTuple

import numpy as np
from scipy import linalg


class Line(NamedTuple):
    """limit + slope t fitted to points with errors; chi2 over dof tells whether a straight line fits."""

    limit: float
    limit_se: float
    slope: float
    chi2: float
    dof: int


class Estimate(NamedTuple):
    """A Monte Carlo mean, its standard error and the number of samples behind it."""

    value: float
    se: float
    samples: int


def covariance(y, fit, *, mean, variance):
    """(y - m_y) . yhat / (M sigma_y^2): one sample's unbiased value of df, the definition of the paper."""
    return float((y - mean) @ fit / (len(y) * variance))


def noise_level(y, *, mean, variance):
    """||y - m_y||^2 / (M sigma_y^2), of expectation 1: the control variate of `covariance`."""
    return float((y - mean) @ (y - mean) / (len(y) * variance))


def curvature(x, chi, Q_hat):
    """r''(x_i) on the support of x, from dx*/dh = chi_i = 1/(Q_hat_i + r''); exactly zero where that is rounding."""
    support = x != 0
    bends = np.zeros_like(x)
    bends[support] = 1 / chi[support] - Q_hat[support]
    bends[np.abs(bends) < 1e-9 * Q_hat] = 0
    return bends


def stein_divergence(A, x, curvature):
    """tr A_S (A_S^T A_S + D)^-1 A_S^T / M, S the support of x and D the curvature r''(x_i) on S.

    The divergence sum_mu d yhat_mu / d y_mu of the fit, exact while no component changes its piece of the estimator.
    D = 0 (l1) gives |S|/M, D = eta_2 (elastic net) the trace formula of Zou. NaN where D != 0 and A_S^T A_S + D is
    singular.
    """
    S = np.flatnonzero(x)
    M, D = A.shape[0], np.broadcast_to(curvature, x.shape)[S]
    if not D.any():
        return S.size / M
    hessian = A[:, S].T @ A[:, S]
    hessian[np.diag_indices(S.size)] += D
    bent = np.flatnonzero(D)  # tr (G + D)^-1 G = |S| - sum_i D_i [(G + D)^-1]_ii
    try:
        columns = linalg.solve(hessian, np.eye(S.size)[:, bent], assume_a="sym")
    except linalg.LinAlgError:
        return float("nan")
    return float((S.size - D[bent] @ columns[bent, np.arange(bent.size)]) / M)


def mean_estimate(values) -> Estimate:
    """The mean of independent values."""
    values = np.asarray(values, dtype=float)
    n = values.size
    se = values.std(ddof=1) / np.sqrt(n) if n > 1 else float("nan")
    return Estimate(float(values.mean()) if n else float("nan"), float(se), n)


def controlled_estimate(values, control, expectation) -> Estimate:
    """The mean of `values`, with the part explained by `control` (of known expectation) taken out by regression."""
    values, control = np.asarray(values, float), np.asarray(control, float)
    if values.size < 4 or control.std() == 0:
        return mean_estimate(values)
    slope = np.cov(values, control)[0, 1] / control.var(ddof=1)
    left = values - slope * (control - expectation)
    se = left.std(ddof=2) / np.sqrt(values.size)
    return Estimate(float(left.mean()), float(se), values.size)


def weighted_line(t, values, se) -> Line:
    """values = limit + slope t by least squares with weights 1/se^2."""
    t, values, se = (np.asarray(v, dtype=float) for v in (t, values, se))
    X = np.column_stack([np.ones_like(t), t]) / se[:, None]
    covariance = np.linalg.inv(X.T @ X)
    limit, slope = covariance @ X.T @ (values / se)
    chi2 = np.square((values - limit - slope * t) / se).sum()
    return Line(float(limit), float(np.sqrt(covariance[0, 0])), float(slope), float(chi2), len(t) - 2)
