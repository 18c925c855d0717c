"""Example 2 at finite T: the single-body problem of a block of T columns, sampled.

In a block Sigma = (1 + 1 1^T)/2, and the field on component i is sqrt(chi_hat/2) (w_0 + eps_i) - Q_hat m/2, where
m = sum_i x_i, at precision Q_hat/2. The theory drops what the components of a block share, w_0 and m, because it is of
order 1/T. Here it is kept: m is the root of m = sum_i x_i(m), whose right side falls with m.
"""

import numpy as np
from scipy.optimize import fsolve

from sparsegdf import solve_rs
from sparsegdf.theory.predictors import known_predictors


def _estimate(segments, h):
    """(x, dx/dh) of the estimate."""
    (start, slope, intercept), size = (column[:, 0] for column in segments), np.abs(h)
    piece = np.searchsorted(start, size) - 1
    x = np.copysign(slope[piece] * size + intercept[piece], h)
    return np.where(piece >= 0, x, 0.0), np.where(piece >= 0, slope[piece], 0.0)


def _block_differences(penalty, point, T, blocks, rng):
    """Per block, tr[Sigma_SS (Q_hat Sigma_SS + D)^-1], x^T Sigma x, |S|, less those without what a block shares."""
    Q_hat, scale = point.Q_hat, np.sqrt(point.chi_hat / 2)
    segments = penalty.segments(np.array([Q_hat / 2]), np.array([point.eta]))
    assert not segments.jumps().any()
    eps, w_0 = rng.standard_normal((blocks, T)), rng.standard_normal((blocks, 1))
    x, slope = _estimate(segments, scale * eps)
    alone = np.array([slope.sum(1) / 2, (x**2).sum(1) / 2, (x != 0).sum(1)])
    low, high = np.full((blocks, 1), -1e3 * T), np.full((blocks, 1), 1e3 * T)
    m = np.zeros((blocks, 1))
    for _ in range(100):  # Newton's method, kept in a bracket
        x, slope = _estimate(segments, scale * (w_0 + eps) - Q_hat * m / 2)
        excess = m - x.sum(1, keepdims=True)
        if np.abs(excess).max() < 1e-9:
            break
        low, high = np.where(excess < 0, m, low), np.where(excess > 0, m, high)
        step = m - excess / (1 + Q_hat / 2 * slope.sum(1, keepdims=True))
        m = np.where((step > low) & (step < high), step, (low + high) / 2)
    assert np.abs(excess).max() < 1e-9
    # (diag(1/slope) + Q_hat 1 1^T/2)^-1 by Sherman and Morrison
    total = slope.sum(1)
    trace = (total + (total - Q_hat / 2 * (slope**2).sum(1)) / (1 + Q_hat / 2 * total)) / 2
    return np.array([trace, ((x**2).sum(1) + m[:, 0] ** 2) / 2, (x != 0).sum(1)]) - alone


def finite_block_shift(penalty, *, alpha, eta, predictors, T, N, blocks, seed=0):
    """(shift, standard error) of (df, delta): at finite T less the limit."""
    point = solve_rs(penalty, alpha=alpha, eta=eta, predictors=predictors)
    known = known_predictors(predictors, alpha, 1.0)
    differences = _block_differences(penalty, point, T, blocks, np.random.default_rng(seed)) * 3 / (N * alpha)

    def shift(added):
        def equations(unknown):
            chi, Q = unknown
            Q_hat = 1 / (1 + chi)
            mean = known.averages(penalty, np.array([Q_hat]), np.array([eta]), np.array([(Q + 1) * Q_hat**2]))
            return chi - mean.response[0] / alpha - added[0], Q - mean.square[0] / alpha - added[1]

        (chi, Q), _, status, message = fsolve(equations, [point.chi, point.Q], xtol=1e-12, full_output=True)
        assert status == 1, message
        Q_hat = 1 / (1 + chi)
        mean = known.averages(penalty, np.array([Q_hat]), np.array([eta]), np.array([(Q + 1) * Q_hat**2]))
        return np.array([chi * Q_hat - point.df, mean.nonzero[0] / alpha + added[2] - point.delta])

    parts = np.array([shift(part.mean(axis=1)) for part in np.array_split(differences, 10, axis=1)])
    return shift(differences.mean(axis=1)), parts.std(axis=0, ddof=1) / np.sqrt(len(parts))
