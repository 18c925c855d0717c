"""Estimators of the generalized degrees of freedom of one sample (A, y).

Conventions: y has known mean m_y and variance sigma_y^2 in every component, yhat = A x.
"""

import numpy as np
from scipy import linalg


def covariance(y, fit, *, mean, variance):
    """(y - m_y) . yhat / (M sigma_y^2): an unbiased estimate of df, as the paper defines it, from one sample."""
    return float((y - mean) @ fit / (len(y) * variance))


def noise_level(y, *, mean, variance):
    """||y - m_y||^2 / (M sigma_y^2), with expectation 1: the control variate of `covariance`."""
    return float((y - mean) @ (y - mean) / (len(y) * variance))


def curvature(x, chi, Q_hat):
    """r''(x_i) on the support of x, from dx*/dh = chi_i = 1/(Q_hat_i + r''); rounding errors are set to zero."""
    support = x != 0
    bends = np.zeros_like(x)
    bends[support] = 1 / chi[support] - Q_hat[support]
    bends[np.abs(bends) < 1e-9 * Q_hat] = 0
    return bends


def stein_divergence(A, x, curvature):
    """tr A_S (A_S^T A_S + D)^-1 A_S^T / M, S the support of x and D the curvature r''(x_i) on S.

    This is the divergence (1/M) sum_mu d yhat_mu / d y_mu of the fit, exact while no component changes its segment of
    the estimator. D = 0 (l1) gives |S|/M, and D = eta_2 (elastic net) gives the trace formula of Zou. The result is
    NaN where D != 0 and A_S^T A_S + D is singular.
    """
    S = np.flatnonzero(x)
    M, D = A.shape[0], np.broadcast_to(curvature, x.shape)[S]
    if not D.any():
        return S.size / M
    hessian = linalg.blas.dsyrk(1.0, A[:, S], trans=1, lower=1)
    hessian[np.diag_indices(S.size)] += D
    try:
        diagonal = _inverse_diagonal(hessian)
    except linalg.LinAlgError:
        return float("nan")
    return float((S.size - D @ diagonal) / M)  # tr (G + D)^-1 G = |S| - sum_i D_i [(G + D)^-1]_ii


def _inverse_diagonal(H):
    """The diagonal of H^-1 from the lower triangle of H = L L^T: the sums of squares of the columns of L^-1."""
    L, failed = linalg.lapack.dpotrf(H, lower=1)
    if not failed:
        return np.square(linalg.lapack.dtrtri(L, lower=1)[0]).sum(axis=0)
    return linalg.solve(H, np.eye(len(H)), lower=True, assume_a="sym").diagonal()
