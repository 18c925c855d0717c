"""RS theory of rows with the covariance Sigma_ij = c^|i-j| (Example 1), by one long sample of the chain.

The single-body problem is a correlated one,

    x* = argmin_x (Q_hat/2) x^T Sigma x - sqrt(chi_hat) w^T x + r(x),   w ~ N(0, Sigma),

with n sites in place of N. On the support S, with D = diag r''(x_i) and K = Q_hat + D Sigma_SS^-1,

    chi = E tr K^-1 / M,   Q = E[x*^T Sigma x*] / M,   AT: Q_hat^2 E tr K^-2 / M > 1,   M = alpha n,

and Q_hat, chi_hat, df and err_train follow from chi and Q as for iid predictors. Sigma x is a sum from the left and
one from the right, and Sigma_SS^-1 is tridiagonal: a sweep of coordinate descent and both traces take O(n) steps.

The averages are over w of a fixed seed, so that the equations have a root, and their errors are those of means over
batches of sites, carried through the equations. Where the objective is not convex, x* is the minimum that descent
comes to from the last one.
"""

import numpy as np
from numba import njit

_SITES = 2**19
_BATCHES = 64
_SEED = 2018
_SWEEPS = 1000
_TOLERANCE = 1e-9  # of x in one sweep, relative to sqrt(chi_hat)/Q_hat
_COUNTS = 5  # sites more or less on the support: delta, and chi of l1, do not change by less than one
_SLOPE = 1e-2  # the change of a logarithm for the first slopes
_STEPS = 40


@njit(cache=True)
def _estimate(h, start, slope, intercept):
    k = -1
    for j in range(start.size):
        if abs(h) > start[j]:
            k = j
    return (np.copysign(slope[k] * abs(h) + intercept[k], h), k) if k >= 0 else (0.0, k)


@njit(cache=True)
def _descend(b, Q_hat, c, start, slope, intercept, x, piece, tolerance, sweeps):
    """Coordinate descent on x, and the segment of each x_i, to and fro, until none moves by more; whether it did."""
    n, side = x.size, np.empty(x.size)
    total = 0.0
    for i in range(n - 1, -1, -1):
        side[i] = total
        total = c * (total + x[i])
    for sweep in range(sweeps):
        moved, total = 0.0, 0.0
        for m in range(n):
            i = m if sweep % 2 == 0 else n - 1 - m
            new, piece[i] = _estimate(b[i] - Q_hat * (total + side[i]), start, slope, intercept)
            moved = max(moved, abs(new - x[i]))
            x[i], side[i] = new, total
            total = c * (total + new)
        if moved <= tolerance:
            return True
    return False


@njit(cache=True)
def _site_terms(x, piece, Q_hat, c, curvature):
    """Of each site [K^-1]_ii, -d/dQ_hat of it (which add up to tr K^-1 and tr K^-2), and x_i (Sigma x)_i."""
    n = x.size
    trace, square, energy = np.zeros(n), np.zeros(n), np.zeros(n)
    total = 0.0
    for i in range(n):
        energy[i] = x[i] * (x[i] + total)
        total = c * (total + x[i])
    total = 0.0
    for i in range(n - 1, -1, -1):
        energy[i] += x[i] * total
        total = c * (total + x[i])
    S = np.flatnonzero(piece >= 0)
    k = S.size
    if k == 0:
        return trace, square, energy
    d, diagonal, product = np.empty(k), np.ones(k), np.zeros(k + 1)
    for a in range(k):
        d[a] = curvature[piece[S[a]]]
    for a in range(1, k):  # product[a] is K_{a-1,a} K_{a,a-1}
        r = c ** (S[a] - S[a - 1])
        diagonal[a - 1] += r * r / (1 - r * r)
        diagonal[a] += r * r / (1 - r * r)
        product[a] = d[a - 1] * d[a] * (r / (1 - r * r)) ** 2
    diagonal = Q_hat + d * diagonal
    left, left_slope = np.empty(k), np.empty(k)  # what the sites before leave of the diagonal, and its d/dQ_hat
    left[0], left_slope[0] = diagonal[0], 1.0
    for a in range(1, k):
        left[a] = diagonal[a] - product[a] / left[a - 1]
        left_slope[a] = 1 + product[a] * left_slope[a - 1] / left[a - 1] ** 2
    right, right_slope = diagonal[k - 1], 1.0
    for a in range(k - 1, -1, -1):
        if a < k - 1:
            ratio = product[a + 1] / right
            right, right_slope = diagonal[a] - ratio, 1 + ratio * right_slope / right
        pivot = left[a] + right - diagonal[a]
        trace[S[a]] = 1 / pivot
        square[S[a]] = (left_slope[a] + right_slope - 1) / pivot**2
    return trace, square, energy


@njit(cache=True)
def _markov(noise, c):
    """w with covariance c^|i-j|."""
    w, scale = noise.copy(), np.sqrt(1 - c * c)
    for i in range(1, w.size):
        w[i] = c * w[i - 1] + scale * noise[i]
    return w


class _NotAtRest(Exception):
    """Descent does not end, as can be where the objective is far from convex."""


class SampledChain:
    """The chain of one c, with the x* found last, from which the next one starts."""

    sampled = True
    column = 1.0  # the mean square length of a column

    def __init__(self, limit, alpha, s2):
        self.alpha, self.s2, self.c, self.w = alpha, s2, limit.c, None

    def curvatures(self, penalty, Q_hat, eta, chi_hat):
        """(probability, r''(x)) of the pieces of the penalty on which x* != 0 can be."""
        _, slope, _ = self._find(penalty, Q_hat, eta, chi_hat)
        counts = np.bincount(self.piece[self.piece >= 0], minlength=slope.size)
        return np.stack([counts / self.w.size, 1 / slope - Q_hat])

    def solve(self, penalty, start, *, delta=None, eta=None):
        """The numbers of the saddle point at this delta or eta, from a guess (chi, Q, eta); None if not found."""
        guess = np.log(start if eta is None else start[:2])
        means = {}

        def equations(logs):
            chi, Q, here = np.exp([*logs, *([] if eta is None else [np.log(eta)])])
            Q_hat, chi_hat = 1 / (1 + chi), (Q + self.s2) / (1 + chi) ** 2
            batches = self._means(penalty, Q_hat, here, chi_hat)
            chi_new, Q_new, delta_new, square = batches.mean(axis=1)
            means.update(batches=batches, chi=chi, Q=Q, eta=here, delta=delta_new, Q_hat=Q_hat, chi_hat=chi_hat)
            means.update(at=Q_hat**2 * square, penalty_mean=penalty.value(self.x, here).mean())
            right = [chi_new / chi, Q_new / Q] + ([] if delta is None else [delta_new / delta])
            return np.log(np.maximum(right, 1e-300))

        try:
            slopes, residual = _broyden(equations, guess, lambda: _COUNTS / np.count_nonzero(self.x))
        except _NotAtRest:
            slopes = None
        if slopes is None:
            return None
        noise = means["batches"][: guess.size] / means["batches"][: guess.size].mean(axis=1, keepdims=True)
        spread = np.linalg.solve(slopes, noise)[0].std(ddof=1) / np.sqrt(_BATCHES)  # of ln chi
        df = 1 - means["Q_hat"]
        return means | {"df": df, "df_error": df * (1 - df) * spread, "residual": np.abs(residual).max()}

    def _find(self, penalty, Q_hat, eta, chi_hat):
        """Bring x to the minimum; returns the segments of the penalty."""
        if self.w is None:
            noise = np.random.default_rng(_SEED).standard_normal(_SITES)
            self.w = _markov(noise / np.sqrt(np.mean(noise**2)), self.c)  # its variance need not fluctuate
            self.x, self.piece = np.zeros(_SITES), np.full(_SITES, -1)
        segments = penalty.segments(np.array([Q_hat]), np.array([eta]))
        if segments.jumps().any():
            raise ValueError(
                f"penalty = {penalty!r} has an estimate that jumps at eta = {eta:g} (allowed for AR1: one that is "
                "continuous there, since descent does not find the minimum elsewhere)"
            )
        segments = [column[:, 0].copy() for column in segments]
        field = np.sqrt(chi_hat)
        tolerance = _TOLERANCE * field / Q_hat
        if not _descend(field * self.w, Q_hat, self.c, *segments, self.x, self.piece, tolerance, _SWEEPS):
            raise _NotAtRest
        return segments

    def _means(self, penalty, Q_hat, eta, chi_hat):
        """chi, Q, delta and E tr K^-2 / M, each in batches: shape (4, batches)."""
        _, slope, _ = self._find(penalty, Q_hat, eta, chi_hat)
        trace, square, energy = _site_terms(self.x, self.piece, Q_hat, self.c, 1 / slope - Q_hat)
        sites = np.stack([trace, energy, self.piece >= 0, square])
        return sites.reshape(4, _BATCHES, -1).mean(axis=2) / self.alpha


def _broyden(f, x, allowed):
    """(slopes, f) at a root of f near x, or (None, f): Newton's method with slopes that each step corrects."""
    x, value = x.copy(), f(x)
    slopes = np.empty((x.size, x.size))
    for k in range(x.size):
        step = np.zeros(x.size)
        step[k] = _SLOPE
        slopes[:, k] = (f(x + step) - value) / _SLOPE
    for _ in range(_STEPS):
        if (np.abs(value) <= allowed()).all():
            return slopes, value
        step = -np.linalg.solve(slopes, value)
        step *= min(1, 0.5 / np.abs(step).max())
        before, value = value, f(x + step)
        x += step
        if np.abs(step).max() > 1e-3:  # a small step has the steps of delta in its difference
            slopes += np.outer(value - before - slopes @ step, step) / (step @ step)
    return None, value
