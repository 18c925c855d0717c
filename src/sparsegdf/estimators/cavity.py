"""The effective fraction of non-zeros of one sample with variances that hold for any predictors.

S is the support of x, D the curvature r''(x_i) on S, H = A_S^T A_S + D. With the other components free to answer, x_i
sees a scalar problem of precision Q_i, and its response is chi_i = 1/(Q_i + D_i). This gives

    chi_i = [H^-1]_ii,   Q_i = 1/chi_i - D_i,   (1/M) sum_i chi_i Q_i = (1/M) sum_i (1 - D_i [H^-1]_ii),

and the sum is Stein's divergence of the fit, degrees_of_freedom.stein_divergence, for every A: an identity. Belief
propagation solves an approximation of these variances that is right for independent columns.

Where the covariance Sigma of the rows is known, A_S^T A_S can be averaged over A at fixed S and D: chi is the root of

    chi = (1/M) tr[Sigma_SS (Sigma_SS/(1 + chi) + D)^-1],   df = chi/(1 + chi).
"""

import numpy as np
from scipy import linalg

from sparsegdf.theory.effective_fraction import effective_fraction


def delta_eff_corrected(Sigma, D, M):
    """df of a fit on M rows from Sigma and D of its support; NaN without a stable root."""
    # With Sigma = L L^T the trace is over (1/(1 + chi) + L^-1 D L^-T)^-1.
    if not np.any(D):
        return len(Sigma) / M if len(Sigma) < M else float("nan")
    L = linalg.cholesky(Sigma, lower=True)
    left = linalg.solve_triangular(L, np.diag(D), lower=True)
    poles = linalg.eigvalsh(linalg.solve_triangular(L, left.T, lower=True))
    return effective_fraction(np.full(poles.size, 1 / M), poles)
