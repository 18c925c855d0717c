"""Belief propagation as a reader of the paper would write it: plain NumPy, four matrix-vector products per step.

The fast kernel of belief_propagation.py is tested and timed against it. Its switches restore the misprints of the
paper, which gives the evidence for each correction.
"""

import numpy as np

from sparsegdf.checks import require_data, require_etas, require_number
from sparsegdf.penalties.base import require_penalty
from sparsegdf.solvers.fixed_points import FixedPoints


def belief_propagation_reference(
    A,
    y,
    penalty,
    etas,
    tol=1e-10,
    max_steps=100_000,
    damping=0.5,
    *,
    onsager=True,
    sigma2_over_alpha=False,
    scad_chi_and=False,
):
    """BP fixed points for a decreasing grid of eta, each level warm-started from the last that converged.

        Q_i = sum_mu A_mu_i^2 / (1 + sigma_mu^2)
        h_i = Q_i x_i + sum_mu A_mu_i R_mu
        x*_i, chi_i = estimate(h_i; Q_i),   x_i <- x_i + damping (x*_i - x_i)
        sigma_mu^2 = sum_i A_mu_i^2 chi_i
        R_mu <- (y_mu - (A x)_mu + sigma_mu^2 R_mu) / (1 + sigma_mu^2)

    until max_i |x*_i - x_i| < tol. Three switches restore what is printed in the paper:
        onsager=False           R_mu = (y_mu - (A x)_mu) / (1 + sigma_mu^2)
        sigma2_over_alpha=True  sigma_mu^2 = (1/alpha) sum_i A_mu_i^2 chi_i
        scad_chi_and=True       SCAD's chi_i is zero on the l1-like and on the flat segment
    """
    require_penalty(penalty)
    A, y = require_data(A, y)
    etas = require_etas(etas)
    damping = require_number("damping", damping, above=0, at_most=1)
    (M, N), A2 = A.shape, A**2
    scale = N / M if sigma2_over_alpha else 1.0
    start = np.zeros(N), y.copy(), np.zeros(M)
    levels = []
    for eta in etas:
        x, R, sigma2 = (v.copy() for v in start)
        status, steps = "max_steps", 0
        while steps < max_steps:
            steps += 1
            Q = A2.T @ (1 / (1 + sigma2))
            h = Q * x + A.T @ R
            estimate, chi = penalty.estimate(h, Q, eta)
            if scad_chi_and:
                middle = (np.abs(h) > penalty.lam * (Q + eta)) & (np.abs(h) <= penalty.a * penalty.lam * Q)
                chi = np.where(middle, chi, 0)
            residual = np.max(np.abs(estimate - x))
            if not residual < 1e8:  # also NaN; x is of order 1
                status = "diverged"
                estimate, chi, Q = (np.full(N, np.nan) for _ in range(3))
                break
            x = x + damping * (estimate - x)
            sigma2 = scale * (A2 @ chi)
            R = (y - A @ x + (sigma2 * R if onsager else 0)) / (1 + sigma2)
            if residual < tol:
                status = "converged"
                start = x, R, sigma2
                break
        level = {"x": estimate, "chi": chi, "Q_hat": Q, "status": status, "steps": steps}
        levels.append(level | {"residual": residual, "damping": damping})
    return FixedPoints.from_levels(A, y, penalty, etas, levels)
