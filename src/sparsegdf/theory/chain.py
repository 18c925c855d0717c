"""RS theory of rows with the covariance Sigma_ij = c^|i-j| (Example 1), by sampled chains of sites.

The single-body problem is a correlated one. With v = Q + s2 = chi_hat/Q_hat^2,

    x* = argmin_x x^T Sigma x / 2 - sqrt(v) w^T x + r(x)/Q_hat,   w ~ N(0, Sigma),

for n sites in place of N. With K = 1 + D Sigma_SS^-1 on the support S, D = diag r''(x_i)/Q_hat and m = alpha n,

    v = s2 + E[x*^T Sigma x*]/m,   1 - Q_hat = E[w^T x*]/(m sqrt(v)),   AT: E tr K^-2 / m > 1.

The second is E tr K^-1 / m by partial integration, but it is continuous in v, Q_hat and eta, so that Newton's method
finds the root for one w. Sigma x is a sum from the left and one from the right, and Sigma_SS^-1 is tridiagonal: a
sweep of coordinate descent and the trace take O(n) steps. The parameter of the curve is v, as in saddle_points.py.

The noise that drives w is not random. It is the whole period of a congruential generator, so that the windows of
neighbouring sites form a lattice, which fills space more evenly than random numbers do. Sixteen random shifts of the
lattice make sixteen chains. Each has a solution of its own; the result is their mean and its standard error.

Where the objective is not convex, x* is the minimum that descent comes to from x = 0, or from a solution nearby.
"""

from functools import lru_cache

import numpy as np
from numba import njit
from scipy.special import ndtri

# A prime, and a primitive root of it whose lattices in up to seven dimensions are among the best of 1200 tried.
_PERIOD, _MULTIPLIER = 16381, 8786
_SHIFTS = 16
_SEED = 2018
_MARGIN = 64  # sites beyond both ends, which are left out of the averages
_SWEEPS = 1000  # to and fro
_FEW, _JUMPS = 0.02, 20  # the share of segments that may have changed before a jump, and the number of jumps
_PIVOT = 0.02  # smaller ones are near a saddle
_REST = 1e-7  # of x in one sweep, relative to sqrt(v)


class NoMinimum(ValueError):
    """Descent does not end, as can be where the objective is far from convex, or the estimate jumps."""


@njit(cache=True)
def _estimate(h, start, slope, intercept):
    k = -1
    for j in range(start.size):
        if abs(h) > start[j]:
            k = j
    return (np.copysign(slope[k] * abs(h) + intercept[k], h), k) if k >= 0 else (0.0, k)


@njit(cache=True)
def _on_pieces(b, powers, slope, intercept, x, piece):
    """Put x to the minimum on its segments: (1 + T D) x = T (b + sign(x) intercept/slope), T = Sigma_SS^-1.

    x stays where it is if it is near a saddle.
    """
    S = np.flatnonzero(piece >= 0)
    k = S.size
    d, field, diagonal, off, right = np.empty(k), np.empty(k), np.ones(k), np.zeros(k + 1), np.empty(k)
    for a in range(k):
        j = piece[S[a]]
        d[a] = 1 / slope[j] - 1
        field[a] = b[S[a]] + (intercept[j] if x[S[a]] > 0 else -intercept[j]) / slope[j]
    for a in range(1, k):
        r = powers[S[a] - S[a - 1]]
        off[a] = -r / (1 - r * r)
        diagonal[a - 1] -= r * off[a]
        diagonal[a] -= r * off[a]
    for a in range(k):
        right[a] = diagonal[a] * field[a]
        if a > 0:
            right[a] += off[a] * field[a - 1]
        if a < k - 1:
            right[a] += off[a + 1] * field[a + 1]
    diagonal = 1 + diagonal * d
    for a in range(1, k):
        ratio = off[a] * d[a - 1] / diagonal[a - 1]
        diagonal[a] -= ratio * off[a] * d[a]
        right[a] -= ratio * right[a - 1]
        if diagonal[a] < _PIVOT:
            return
    for a in range(k - 1, -1, -1):
        if a < k - 1:
            right[a] -= off[a + 1] * d[a + 1] * x[S[a + 1]]
        x[S[a]] = right[a] / diagonal[a]


@njit(cache=True)
def _descend(b, powers, start, slope, intercept, x, piece, tolerance):
    """Bring x to a minimum and find the segment of each x_i; whether that came to an end.

    Coordinate descent to and fro. When few segments have changed, x jumps to the minimum on its segments, from where
    only the neighbours of a wrong one have to move.
    """
    n, c, side, jumps = x.size, powers[1], np.empty(x.size), 0
    for _ in range(_SWEEPS):
        total = 0.0
        for i in range(n - 1, -1, -1):
            side[i] = total
            total = c * (total + x[i])
        for direction in range(2):
            moved, changes, total = 0.0, 0, 0.0
            for m in range(n):
                i = m if direction == 0 else n - 1 - m
                new, k = _estimate(b[i] - (total + side[i]), start, slope, intercept)
                changes += k != piece[i]
                moved = max(moved, abs(new - x[i]))
                x[i], piece[i], side[i] = new, k, total
                total = c * (total + new)
        if moved <= tolerance:
            return True
        if changes <= _FEW * n and jumps < _JUMPS:
            _on_pieces(b, powers, slope, intercept, x, piece)
            jumps += 1
    return False


@njit(cache=True)
def _products(x, w, c, margin):
    """(x^T Sigma x, w^T x) of the sites inside."""
    n, energy, response = x.size, 0.0, 0.0
    total = 0.0
    for i in range(n):
        if margin <= i < n - margin:
            energy += x[i] * (x[i] + total)
            response += w[i] * x[i]
        total = c * (total + x[i])
    total = 0.0
    for i in range(n - 1, -1, -1):
        if margin <= i < n - margin:
            energy += x[i] * total
        total = c * (total + x[i])
    return energy, response


@njit(cache=True)
def _traces(piece, powers, curvature, margin):
    """(tr K^-1, tr K^-2) over the sites inside."""
    S = np.flatnonzero(piece >= 0)
    k = S.size
    if k == 0:
        return 0.0, 0.0
    d, diagonal, product = np.empty(k), np.ones(k), np.zeros(k + 1)
    for a in range(k):
        d[a] = curvature[piece[S[a]]]
    for a in range(1, k):  # product[a] is K_{a-1,a} K_{a,a-1}
        r = powers[S[a] - S[a - 1]]
        diagonal[a - 1] += r * r / (1 - r * r)
        diagonal[a] += r * r / (1 - r * r)
        product[a] = d[a - 1] * d[a] * (r / (1 - r * r)) ** 2
    diagonal = 1 + d * diagonal
    # What the sites before leave of the diagonal, and the slope of that when a number is added to K.
    left, left_slope = np.empty(k), np.empty(k)
    left[0], left_slope[0] = diagonal[0], 1.0
    for a in range(1, k):
        left[a] = diagonal[a] - product[a] / left[a - 1]
        left_slope[a] = 1 + product[a] * left_slope[a - 1] / left[a - 1] ** 2
    right, right_slope = diagonal[k - 1], 1.0
    trace, square = 0.0, 0.0
    for a in range(k - 1, -1, -1):
        if a < k - 1:
            ratio = product[a + 1] / right
            right, right_slope = diagonal[a] - ratio, 1 + ratio * right_slope / right
        if margin <= S[a] < piece.size - margin:
            pivot = left[a] + right - diagonal[a]
            trace += 1 / pivot
            square += (left_slope[a] + right_slope - 1) / pivot**2
    return trace, square


@njit(cache=True)
def _markov(noise, c):
    """w with covariance c^|i-j|."""
    w, scale = noise.copy(), np.sqrt(1 - c * c)
    for i in range(1, w.size):
        w[i] = c * w[i - 1] + scale * noise[i]
    return w


@lru_cache(maxsize=4)
def _fields(c):
    """w of each chain, and c^k; the noise goes on around the period beyond both ends."""
    points = np.empty(_PERIOD - 1)
    points[0] = 1
    for i in range(1, points.size):
        points[i] = points[i - 1] * _MULTIPLIER % _PERIOD
    points = np.concatenate([points[-_MARGIN:], points, points[:_MARGIN]]) / _PERIOD
    shifts = np.random.default_rng(_SEED).random(_SHIFTS)
    return [_markov(ndtri((points + shift) % 1), c) for shift in shifts], c ** np.arange(points.size)


class Sites:
    """One chain and one penalty; x is what the last search came to, and the next one starts from it."""

    def __init__(self, w, powers, penalty, alpha, s2):
        self.w, self._powers, self.penalty, self.s2 = w, powers, penalty, s2
        self.rows = alpha * (w.size - 2 * _MARGIN)
        self.x, self.piece = np.zeros(w.size), np.full(w.size, -1)

    def find(self, v, Q_hat, eta):
        """Bring x to the minimum; returns r''/Q_hat on each segment of the penalty."""
        segments = self.penalty.segments(np.array([Q_hat]), np.array([eta]))
        if segments.jumps().any():
            raise NoMinimum(
                f"penalty = {self.penalty!r} has an estimate that jumps at eta = {eta:g} (allowed for AR1: one that "
                "is continuous there, since descent does not find the minimum elsewhere)"
            )
        start, slope, intercept = (column[:, 0].copy() for column in segments)
        scaled = start / Q_hat, slope * Q_hat, intercept
        tolerance = _REST * np.sqrt(v)
        if not _descend(np.sqrt(v) * self.w, self._powers, *scaled, self.x, self.piece, tolerance):
            raise NoMinimum(f"descent does not come to rest at eta = {eta:g}")
        return 1 / scaled[1] - 1

    def values(self, v, Q_hat, eta):
        """The right less the left sides of the equations for v, relative to v, and Q_hat; delta and AT."""
        curvature = self.find(v, Q_hat, eta)
        energy, response = _products(self.x, self.w, self._powers[1], _MARGIN)
        trace, square = _traces(self.piece, self._powers, curvature, _MARGIN)
        nonzero = np.count_nonzero(self.piece[_MARGIN:-_MARGIN] >= 0)
        df = response / (self.rows * np.sqrt(v))
        right = (self.s2 + energy / self.rows) / v - 1, df - (1 - Q_hat)
        ratio = df / trace if trace > 0 else 0.0
        return np.array([*right, nonzero * ratio, square * ratio])

    def counts(self, pieces):
        """How many sites are on each segment."""
        inside = self.piece[_MARGIN:-_MARGIN]
        return np.bincount(inside[inside >= 0], minlength=pieces)

    def penalty_mean(self, eta):
        """The mean of r(x)."""
        return self.penalty.value(self.x[_MARGIN:-_MARGIN], eta).mean()


def all_sites(c, penalty, alpha, s2):
    """The chains with this c."""
    fields, powers = _fields(c)
    return [Sites(w, powers, penalty, alpha, s2) for w in fields]
