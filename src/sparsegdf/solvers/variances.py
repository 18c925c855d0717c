"""The variances at a fixed point of belief propagation, for given segments of the estimator.

While x_i stays on one linear segment of the estimator, r'' is a constant d_i. The variances are at a fixed point when

    Q_hat_i = sum_mu A_mu_i^2 V_mu,   V_mu = 1 / (1 + sigma_mu^2),   sigma_mu^2 = sum_i A_mu_i^2 chi_i,
    chi_i = 1 / (Q_hat_i + d_i) on the support,   chi_i = 0 off it.

The map F: Q_hat -> Q_hat increases in every argument and is concave. Iterates that start at the top (chi = 0)
therefore decrease, either to the largest fixed point, which is the one that belief propagation converges to, or until
some Q_hat_i + d_i <= 0; then there is no fixed point. For d_i >= 0 (convex penalties) the fixed point is unique.
"""

import numpy as np

from sparsegdf.compiled import njit

_DEPTH = 4  # Anderson mixing uses this many steps; F contracts strongly in all but a few directions.
_PRECISION = 1e-13  # Q_hat has converged when its relative change is below this.
_ZERO = 1e-7  # Q_hat + d below this fraction of the top is falling to zero, e.g. under l1 with |S| = M.
_FAR = 50.0  # Anderson mixing gives up when log Q_hat is this far from the top; exp could overflow.
_MAX_STEPS = 10_000  # The plain iteration, used when the accelerated one has failed, takes at most this many steps.


@njit(cache=True)
def _step(B, d, Q, Q_top):
    """F(Q) for B = A_mu_i^2 on the support, one row per column of A; empty where a chi_i is negative or too large."""
    chi = np.empty_like(Q)
    for i in range(Q.size):
        if not (Q[i] + d[i] > _ZERO * Q_top[i] or d[i] > 0):
            return chi[:0]
        chi[i] = 1 / (Q[i] + d[i])
    return np.dot(B, 1 / (1 + np.dot(chi, B)))


@njit(cache=True)
def _mix(B, d, Q, Q_top, steps):
    """Anderson mixing of log Q: a step is the combination of the last ones with the smallest predicted residual.

    Returns an empty array if it does not converge. Near a fixed point that is barely stable, steps can be arbitrarily
    large.
    """
    points, residuals, best = np.empty((_DEPTH, Q.size)), np.empty((_DEPTH, Q.size)), np.inf
    for step in range(steps):
        image = _step(B, d, Q, Q_top)
        if not image.size:
            return image
        now = step % _DEPTH
        points[now], residuals[now] = np.log(image), np.log(image / Q)
        size = np.abs(residuals[now]).max()
        if size <= _PRECISION or (size >= best and size < 100 * _PRECISION):
            return image
        best = min(best, size)
        known = min(step + 1, _DEPTH)
        dF, dX = residuals[now] - residuals[:known], points[now] - points[:known]
        mixed = points[now].copy()
        if known > 1:
            weights = np.linalg.lstsq(np.dot(dF, dF.T), np.dot(dF, residuals[now]), 1e-14)[0]
            mixed -= np.dot(weights, dX)
        if not (np.abs(mixed - np.log(Q_top)) < _FAR).all():
            return image[:0]
        Q = np.exp(mixed)
    return Q[:0]


@njit(cache=True)
def _stable(B, d, Q):
    """Whether the spectral radius of dF/dQ, a matrix of positive entries, is below 1, by power iteration."""
    chi = 1 / (Q + d)
    V = 1 / (1 + np.dot(chi, B))
    p = Q.copy()
    for _ in range(200):
        image = np.dot(B, V**2 * np.dot(chi**2 * p, B))
        ratio = image / p
        if ratio.max() < 1:
            return True  # Collatz-Wielandt: the radius lies between the smallest and the largest ratio
        if ratio.min() >= 1:
            return False
        p = image / image.max()
    return False


def variances_at_rest(B, d, Q_start, Q_top):
    """Q_hat on the support, or None if the equations have no stable solution.

    B        (|S|, M): squared columns A_mu_i^2 of the support S
    d        (|S|,): r'' at x_i
    Q_start  (|S|,): a first guess, e.g. the Q_hat of the last level
    Q_top    (|S|,): Q_hat at chi = 0
    """
    if not d.size:
        return Q_start
    Q = _mix(B, d, Q_start, Q_top, 50)
    if Q.size and ((d >= 0).all() or _stable(B, d, Q)):
        return Q
    # The plain iteration from the top is slow (rate about df) but cannot miss the largest fixed point.
    Q = Q_top
    for _ in range(_MAX_STEPS):
        image = _step(B, d, Q, Q_top)
        if not image.size:
            return None
        if (np.abs(image / Q - 1) <= _PRECISION).all():
            return image
        Q = image
    return None
