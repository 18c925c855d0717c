"""The variances at a fixed point of belief propagation, for given segments of the estimator.

While x_i stays on one linear segment of the estimator, r'' is a constant d_i. The variances are at a fixed point when

    Q_hat_i = sum_mu A_mu_i^2 V_mu,   V_mu = 1 / (1 + sigma_mu^2),   sigma_mu^2 = sum_i A_mu_i^2 chi_i,
    chi_i = 1 / (Q_hat_i + d_i) on the support,   chi_i = 0 off it.

The map F: Q_hat -> Q_hat increases in every argument and is concave. Iterates that start at the top (chi = 0)
therefore decrease, either to the largest fixed point, which is the one that belief propagation converges to, or until
some Q_hat_i + d_i <= 0; then there is no fixed point. For d_i >= 0 (convex penalties) the fixed point is unique.
"""

import numpy as np

_DEPTH = 4  # Anderson mixing uses this many steps; F contracts strongly in all but a few directions.
_PRECISION = 1e-13  # Q_hat has converged when its relative change is below this.
_ZERO = 1e-7  # Q_hat + d below this fraction of the top is falling to zero, e.g. under l1 with |S| = M.
_FAR = 50.0  # Anderson mixing gives up when log Q_hat is this far from the top; exp could overflow.
_MAX_STEPS = 10_000  # The plain iteration, used when the accelerated one has failed, takes at most this many steps.


def _step(B, d, Q, Q_top):
    """F(Q) for B = A_mu_i^2 on the support, one row per column of A; None where a chi_i is negative or too large."""
    if not ((Q + d > _ZERO * Q_top) | (d > 0)).all():
        return None
    return B @ (1 / (1 + (1 / (Q + d)) @ B))


def _mix(B, d, Q, Q_top, steps):
    """Anderson mixing of log Q: a step is the combination of the last ones with the smallest predicted residual.

    Returns None if it does not converge. Near a fixed point that is barely stable, steps can be arbitrarily large.
    """
    points, residuals, best = [], [], np.inf
    for _ in range(steps):
        image = _step(B, d, Q, Q_top)
        if image is None:
            return None
        points, residuals = [*points, np.log(image)][-_DEPTH:], [*residuals, np.log(image / Q)][-_DEPTH:]
        size = np.abs(residuals[-1]).max()
        if size <= _PRECISION or (size >= best and size < 100 * _PRECISION):
            return image
        best = min(best, size)
        last = residuals[-1]
        if len(residuals) > 1:
            dF = np.stack([last - r for r in residuals[:-1]])
            dX = np.stack([points[-1] - p for p in points[:-1]])
            weights = np.linalg.lstsq(dF @ dF.T, dF @ last, rcond=1e-14)[0]
            mixed = points[-1] - weights @ dX
            if not (np.abs(mixed - np.log(Q_top)) < _FAR).all():
                return None
            Q = np.exp(mixed)
        else:
            Q = image
    return None


def _stable(B, d, Q):
    """Whether the spectral radius of dF/dQ, a matrix of positive entries, is below 1, by power iteration."""
    chi = 1 / (Q + d)
    V = 1 / (1 + chi @ B)
    p = Q.copy()
    for _ in range(200):
        image = B @ (V**2 * ((chi**2 * p) @ B))
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
    if Q is not None and ((d >= 0).all() or _stable(B, d, Q)):
        return Q
    # The plain iteration from the top is slow (rate about df) but cannot miss the largest fixed point.
    Q = Q_top
    for _ in range(_MAX_STEPS):
        image = _step(B, d, Q, Q_top)
        if image is None:
            return None
        if (np.abs(image / Q - 1) <= _PRECISION).all():
            return image
        Q = image
    return None
