"""The lowest minimum of a chain, exactly, where the objective of chain.py is not convex and descent may miss it.

With u_i = x_i + c u_{i-1}, x^T Sigma x = (1 - c^2) sum_i u_i^2 + c^2 u_n^2: the sites interact with their neighbours
alone. Let W_i(s) be the least cost of the sites from i on, plus s^2/2, given s = c u_{i-1}. Then

    W_i(s) = min_u (1 - c^2) u^2/2 + W_{i+1}(c u) + rho(u - s) - b_i (u - s),   W_{n+1}(s) = s^2/2,

from the last site to the first, and x from the first to the last. rho is quadratic on each segment of the penalty, so
that W_i is piecewise quadratic: the lower envelope of one quadratic for each piece of W_{i+1} and each segment.
"""

import numpy as np

from sparsegdf.compiled import njit

_PIECES = 1000  # room for those of one W; there are 10 at c = 0.5, and a new quadratic can cut each into three
_LOWER = 1e-11  # by so much one quadratic has to be lower than another
_FAR = 4.0  # u is sought up to so many times the largest |u| without a penalty

# The columns of a piece: where it begins; W = CURVE s^2/2 + SLOPE s + LEVEL; u = SHARE s + SHIFT at the minimum. This
# is on the segment |SIGNED| - 1 with the sign of SIGNED, or at x = 0 if that is zero.
_BEGIN, _CURVE, _SLOPE, _LEVEL, _SHARE, _SHIFT, _SIGNED = range(7)


def quadratics(penalty, Q_hat, eta):
    """(low, high, d, e, f): r(x)/Q_hat = d x^2/2 + e x + f for low < x < high on each segment of the estimate."""
    start, slope, intercept = (column[:, 0] for column in penalty.segments(np.array([Q_hat]), np.array([eta])))
    slope = slope * Q_hat
    low, high = (slope * field / Q_hat + intercept for field in (start, np.append(start[1:], np.inf)))
    d, e = 1 / slope - 1, -intercept / slope
    inside = np.where(np.isfinite(high), (low + high) / 2, low + 1)
    return low, high, d, e, penalty.value(inside, eta) / Q_hat - (d * inside / 2 + e) * inside


@njit(cache=True)
def lowest_minimum(b, c, low, high, d, e, f, x, piece):
    """Set x to the lowest minimum and find the segment of each x_i; 0 < c < 1. Whether the pieces had room."""
    n, limit = b.size, abs(b[-1])
    for i in range(n - 1):
        limit = max(limit, abs(b[i] - c * b[i + 1]))
    limit *= _FAR / (1 - c * c)
    W, ahead, spare, row = np.empty((_PIECES, 7)), np.empty((_PIECES, 7)), np.empty((_PIECES, 7)), np.empty(7)
    kept, first, used = np.empty((16 * n, 4)), np.empty(n + 1, np.int64), 0  # how u depends on s at each site
    W[0] = 0.0
    W[0, _BEGIN], W[0, _CURVE], size = -np.inf, 1.0, 1
    for i in range(n - 1, -1, -1):
        pieces = _stretched(W, size, c, limit, ahead)
        W[:pieces], size = ahead[:pieces], pieces  # x = 0
        for p in range(pieces):
            end = ahead[p + 1, _BEGIN] if p + 1 < pieces else limit
            for k in range(d.size):
                for sign in (1, -1):
                    span = (low[k], high[k]) if sign > 0 else (-high[k], -low[k])
                    begin, stop = _candidate(ahead, p, end, span, d[k], sign * e[k] - b[i], f[k], row)
                    if begin < stop:
                        if 3 * size + 2 > _PIECES:
                            return False
                        row[_SIGNED] = sign * (k + 1)
                        new = _insert(W, size, row, begin, stop, spare)
                        if new > 0:
                            W, spare, size = spare, W, new
        if used + size > kept.shape[0]:
            wider = np.empty((2 * kept.shape[0], 4))
            wider[:used] = kept[:used]
            kept = wider
        first[i] = used
        for p in range(size):
            kept[used, 0] = W[p, _BEGIN]
            kept[used, 1:] = W[p, _SHARE:]
            used += 1
        W[:size, _LEVEL] -= W[0, _LEVEL]
    s, last = 0.0, used
    for i in range(n):
        k = first[i]
        while k + 1 < last and kept[k + 1, 0] <= s:
            k += 1
        u = kept[k, 1] * s + kept[k, 2]
        piece[i] = int(abs(kept[k, 3])) - 1
        x[i] = u - s if piece[i] >= 0 else 0.0
        s, last = c * u, first[i]
    return True


@njit(cache=True)
def _stretched(W, size, c, limit, ahead):
    """Put the pieces of (1 - c^2) u^2/2 + W(c u) with |u| < limit into `ahead`; returns their number."""
    m = 0
    for p in range(size):
        begin, end = W[p, _BEGIN] / c, (W[p + 1, _BEGIN] / c if p + 1 < size else np.inf)
        if end <= -limit or begin >= limit:
            continue
        ahead[m, _BEGIN] = max(begin, -limit)
        ahead[m, _CURVE] = 1 - c * c + c * c * W[p, _CURVE]
        ahead[m, _SLOPE], ahead[m, _LEVEL] = c * W[p, _SLOPE], W[p, _LEVEL]
        ahead[m, _SHARE], ahead[m, _SHIFT], ahead[m, _SIGNED] = 1.0, 0.0, 0.0
        m += 1
    return m


@njit(cache=True)
def _between(low, high, factor, shift):
    """The interval of s in which factor s + shift is between low and high."""
    if factor == 0:
        return (-np.inf, np.inf) if low <= shift <= high else (0.0, 0.0)
    one, other = (low - shift) / factor, (high - shift) / factor
    return (one, other) if factor > 0 else (other, one)


@njit(cache=True)
def _candidate(ahead, p, end, span, d, e, f, row):
    """Put the minimum over u of piece p and d x^2/2 + e x + f, x = u - s, into `row`; returns where both hold."""
    curve, slope = ahead[p, _CURVE], ahead[p, _SLOPE] + e
    total = curve + d
    if total <= 0:
        return 0.0, 0.0
    share, shift = d / total, -slope / total
    begin, stop = _between(ahead[p, _BEGIN], end, share, shift)
    if begin < stop:
        x_begin, x_stop = _between(span[0], span[1], -curve / total, shift)
        begin, stop = max(begin, x_begin), min(stop, x_stop)
    row[_CURVE], row[_SLOPE] = curve * share, share * slope - e
    row[_LEVEL] = ahead[p, _LEVEL] + f + slope * shift / 2
    row[_SHARE], row[_SHIFT] = share, shift
    return begin, stop


@njit(cache=True)
def _difference(row, other, s):
    return ((row[_CURVE] - other[_CURVE]) / 2 * s + row[_SLOPE] - other[_SLOPE]) * s + row[_LEVEL] - other[_LEVEL]


@njit(cache=True)
def _crossings(row, other):
    """The two s at which these quadratics are equal, in order; infinite if there are none."""
    a, b, c = (row[_CURVE] - other[_CURVE]) / 2, row[_SLOPE] - other[_SLOPE], row[_LEVEL] - other[_LEVEL]
    root = b * b - 4 * a * c
    if root < 0 or (a == 0 and b == 0):
        return np.inf, np.inf
    q = -(b + np.copysign(np.sqrt(root), b)) / 2
    one, other_one = c / q if q != 0 else 0.0, q / a if a != 0 else np.inf
    return min(one, other_one), max(one, other_one)


@njit(cache=True)
def _put(row, begin, out, m):
    for k in range(1, 7):
        out[m, k] = row[k]
    out[m, _BEGIN] = begin
    return m + 1


@njit(cache=True)
def _insert(W, size, row, begin, stop, out):
    """Put the lower of W and `row`, which holds from begin to stop, into `out`; its size, or 0 if that is W."""
    m, lower = 0, False
    for p in range(size):
        left, right = W[p, _BEGIN], (W[p + 1, _BEGIN] if p + 1 < size else np.inf)
        if right <= begin or left >= stop:
            m = _put(W[p], left, out, m)
            continue
        low, high = max(left, begin), min(right, stop)
        one, other = _crossings(row, W[p])
        borders = left, low, min(max(one, low), high), min(max(other, low), high), high, right
        begins = True  # whether the piece of W has to begin here
        for k in range(5):
            z, end = borders[k], borders[k + 1]
            if z >= end:
                continue
            if z == -np.inf:
                middle = end - 1 - abs(end) if end < np.inf else 0.0
            else:
                middle = (z + end) / 2 if end < np.inf else z + 1 + abs(z)
            if 0 < k < 4 and _difference(row, W[p], middle) < -_LOWER:
                goes_on = m and out[m - 1, _LEVEL] == row[_LEVEL] and out[m - 1, _SIGNED] == row[_SIGNED]
                m = m if goes_on else _put(row, z, out, m)
                lower = begins = True
            elif begins:
                m = _put(W[p], z, out, m)
                begins = False
    return m if lower else 0
