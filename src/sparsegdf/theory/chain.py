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
lattice make a set of sixteen chains. Each has a solution of its own; the result is their mean and its standard error.

The least eigenvalue of Sigma is (1 - |c|)/(1 + |c|), and the objective is convex if r''/Q_hat is nowhere below minus
this. Elsewhere a chain may have several minima. If descent comes to the same one from x = 0 and from the x without a
penalty, and if that is the lowest one (chain_minimum.py), x* is followed by descent from there. If not, x* is the
lowest minimum throughout, and it jumps where another one becomes the lowest. Then E tr K^-1 is less than
E[w^T x*]/sqrt(v), which counts the jumps, and AT is infinite.
"""

from functools import lru_cache

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtri

from sparsegdf.compiled import njit
from sparsegdf.penalties.l0 import L0
from sparsegdf.penalties.l1 import L1
from sparsegdf.theory.chain_minimum import lowest_minimum, quadratics

# A prime, and a primitive root of it whose lattices in up to seven dimensions are among the best of 1200 tried.
_PERIOD, _MULTIPLIER = 16381, 8786
_SHIFTS = 16
_SEED = 2018
_MARGIN = 64  # sites beyond both ends, which are left out of the averages
_SWEEPS = 1000  # to and fro
_FEW, _JUMPS = 0.02, 20  # the share of segments that may have changed before a jump, and the number of jumps
_PIVOT = 0.02  # smaller ones are near a saddle
_REST, _SAME = 1e-7, 1e-5  # of x in one sweep, and between two descents, relative to sqrt(v)


class NoMinimum(ValueError):
    """No minimum was found."""


@njit(cache=True)
def _estimate(h, start, slope, intercept):
    k = -1
    for j in range(start.size):
        if abs(h) > start[j]:
            k = j
    return (np.copysign(slope[k] * abs(h) + intercept[k], h), k) if k >= 0 else (0.0, k)


@njit(cache=True)
def _on_pieces(b, powers, slope, intercept, x, piece):
    """Set x to the minimum on its segments: (1 + T D) x = T (b + sign(x) intercept/slope), T = Sigma_SS^-1.

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


def _without_penalty(b, c):
    """Sigma^-1 b."""
    x = (1 + c * c) * b
    x[1:] -= c * b[:-1]
    x[:-1] -= c * b[1:]
    x[[0, -1]] -= c * c * b[[0, -1]]
    return x / (1 - c * c)


@lru_cache(maxsize=4)
def _fields(c, which=0):
    """w of each chain of this set, and c^k; the noise goes on around the period beyond both ends."""
    points = np.empty(_PERIOD - 1)
    points[0] = 1
    for i in range(1, points.size):
        points[i] = points[i - 1] * _MULTIPLIER % _PERIOD
    points = np.concatenate([points[-_MARGIN:], points, points[:_MARGIN]]) / _PERIOD
    shifts = np.random.default_rng(_SEED).random((which + 1, _SHIFTS))[which]
    return [_markov(ndtri((points + shift) % 1), c) for shift in shifts], c ** np.arange(points.size)


class Sites:
    """The sites of one sampled chain, under one penalty; x is the minimum that the last search found.

    `unique` says whether it is the only minimum that was seen, `jumps` what jumps add to df, where it is not.
    """

    def __init__(self, w, powers, penalty, alpha, s2):
        self.w, self.powers, self.penalty, self.s2 = w, powers, penalty, s2
        self.rows = alpha * (w.size - 2 * _MARGIN)
        self.x, self.piece = np.zeros(w.size), np.full(w.size, -1)
        self.unique = self.smooth = self.convex = True
        self.jumps, self._found = 0.0, None

    def find(self, v, Q_hat, eta):
        """Bring x to the minimum; returns r''/Q_hat on each segment of the penalty."""
        if self._found != (v, Q_hat, eta):
            self._found, self._curvature = None, self._search(v, Q_hat, eta)
            self._found = v, Q_hat, eta
        return self._curvature

    def _search(self, v, Q_hat, eta):
        segments = self.penalty.segments(np.array([Q_hat]), np.array([eta]))
        start, slope, intercept = (column[:, 0].copy() for column in segments)
        curvature, c, b = 1 / (slope * Q_hat) - 1, self.powers[1], np.sqrt(v) * self.w
        jumps = bool(segments.jumps().any())
        self.convex = not jumps and curvature.min() >= -(1 - abs(c)) / (1 + abs(c))
        if self.convex or c == 0:
            places = [None]  # x as it is
        else:
            places = [_without_penalty(b, c), 0.0] if self.smooth and not jumps else []
        ends, rest = [], True
        for place in places:
            if place is not None:
                self.x[:], self.piece[:] = place, -2
            scaled = start / Q_hat, slope * Q_hat, intercept
            rest &= _descend(b, self.powers, *scaled, self.x, self.piece, _REST * np.sqrt(v))
            ends.append(self.x.copy())
        same = rest and len(ends) > 0 and self._same(ends[0], v)
        self.unique = same and not jumps
        if not same:
            self._lower(v, Q_hat, eta)
        return curvature

    def _same(self, x, v):
        return np.abs(self.x - x).max() <= _SAME * np.sqrt(v)

    def _lower(self, v, Q_hat, eta):
        """Bring x to the lowest minimum."""
        c = self.powers[1]
        signs = np.where(np.arange(self.w.size) % 2, np.sign(c), 1.0)  # (-1)^i x_i is a chain with -c
        b = np.sqrt(v) * signs * self.w
        if c == 0 or not lowest_minimum(b, abs(c), *quadratics(self.penalty, Q_hat, eta), self.x, self.piece):
            raise NoMinimum(f"no minimum was found at eta = {eta:g}")
        self.x *= signs

    def settle(self, v, Q_hat, eta):
        """Find out whether the minimum is unique here.

        It decides how to search near this point and how to take averages, which would not be continuous otherwise.
        """
        self.smooth, self._found = True, None
        self.find(v, Q_hat, eta)
        if self.unique and not self.convex:
            x = self.x.copy()
            self._lower(v, Q_hat, eta)
            self.unique = self._same(x, v)
        self.smooth = self.unique

    def values(self, v, Q_hat, eta):
        """The right less the left sides of the equations for v, relative to v, and Q_hat; delta and AT.

        Without jumps df is E tr K^-1, and the ratio of the two takes most of the noise out of delta and AT.
        """
        curvature = self.find(v, Q_hat, eta)
        energy, response = _products(self.x, self.w, self.powers[1], _MARGIN)
        trace, square = _traces(self.piece, self.powers, curvature, _MARGIN)
        nonzero = np.count_nonzero(self.piece[_MARGIN:-_MARGIN] >= 0)
        df = response / (self.rows * np.sqrt(v))
        right = (self.s2 + energy / self.rows) / v - 1, df - (1 - Q_hat)
        ratio = df / trace if self.smooth and trace > 0 else 1 / self.rows
        self.jumps = 0.0 if self.smooth else df - trace / self.rows
        return np.array([*right, nonzero * ratio, square * ratio])

    def energy(self):
        """x^T Sigma x / m."""
        return _products(self.x, self.w, self.powers[1], _MARGIN)[0] / self.rows

    def counts(self, pieces):
        """How many sites are on each segment."""
        inside = self.piece[_MARGIN:-_MARGIN]
        return np.bincount(inside[inside >= 0], minlength=pieces)

    def penalty_mean(self, eta):
        """The mean of r(x)."""
        return self.penalty.value(self.x[_MARGIN:-_MARGIN], eta).mean()


def densest_l0(chain):
    """(delta, eta) of l0 where Q diverges: in units of sqrt(v), v = s2 + x^T Sigma x/m is 1 = x^T Sigma x/m.

    That is where every penalty ends that is constant at large x, if its Q diverges. l0 has v Q_hat = s2 all along.
    """
    limit = Sites(chain.w, chain.powers, L0(), 1.0, 0.0)
    limit.rows = chain.rows

    def excess(log_eta):
        limit.find(1.0, 1.0, np.exp(log_eta))
        return limit.energy() - 1

    log_eta = brentq(excess, np.log(1e-4), np.log(20), xtol=1e-4)
    return limit.counts(1)[0] / chain.rows, np.exp(log_eta) * chain.s2


def all_sites(c, penalty, alpha, s2, which=0):
    """The chains with this c, of this set."""
    fields, powers = _fields(c, which)
    return [Sites(w, powers, penalty, alpha, s2) for w in fields]


def l1_noise(c, alpha, which, v, Q_hat, eta):
    """E[w^T x*]/(m sqrt(v)) - E tr K^-1/m of l1 on each chain of this set: zero, but for sampling."""
    noise = []
    for chain in all_sites(c, L1(), alpha, 1.0, which):
        chain.find(v, Q_hat, eta)
        _, response = _products(chain.x, chain.w, c, _MARGIN)
        noise.append((response / np.sqrt(v) - chain.counts(1)[0]) / chain.rows)
    return np.array(noise)
