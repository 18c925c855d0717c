"""The Cholesky factor of a Hessian of changing size: U^T U = A_S^T A_S + D in the order of `members`.

Adding or removing one row costs O(k^2), a new factorisation O(k^3).

Inner loops run over slices from 0 to their size: numba vectorises them, which it does not with indices that it cannot
prove to be non-negative.
"""

from collections import namedtuple

import numpy as np

from sparsegdf.compiled import njit

FAST = {"reassoc", "contract"}  # These flags allow vectorised sums; NaN and infinity keep their meaning.
SINGULAR = 1e-13  # A pivot below this fraction of its diagonal element is rounding error.

# U        (room, room), upper triangular in the first k rows and columns
# members  (room,): the columns in S, in the order of U
# place    (room,): the position of a column in `members`, -1 if it is not there
# d        (room,): the diagonal of D, in the order of U
# size     (1,): k
Factor = namedtuple("Factor", "U members place d size")


def new_factor(room):
    """An empty Factor for up to `room` columns."""
    empty = np.zeros(room, np.int64)
    return Factor(np.empty((room, room)), empty, np.full(room, -1), np.zeros(room), np.zeros(1, np.int64))


@njit(cache=True, fastmath=FAST)
def forward(U, k, v, first=0):
    """v <- U^-T v, where the entries of v before `first` are zero. Four rows at a time: v is read less often."""
    i = first
    while i + 4 <= k:
        v0 = v[i] / U[i, i]
        v1 = (v[i + 1] - v0 * U[i, i + 1]) / U[i + 1, i + 1]
        v2 = (v[i + 2] - v0 * U[i, i + 2] - v1 * U[i + 1, i + 2]) / U[i + 2, i + 2]
        v3 = (v[i + 3] - v0 * U[i, i + 3] - v1 * U[i + 1, i + 3] - v2 * U[i + 2, i + 3]) / U[i + 3, i + 3]
        v[i], v[i + 1], v[i + 2], v[i + 3] = v0, v1, v2, v3
        i += 4
        row0, row1, row2, row3, rest = U[i - 4, i:k], U[i - 3, i:k], U[i - 2, i:k], U[i - 1, i:k], v[i:k]
        for j in range(rest.size):
            rest[j] -= v0 * row0[j] + v1 * row1[j] + v2 * row2[j] + v3 * row3[j]
    for a in range(i, k):
        v[a] /= U[a, a]
        for b in range(a + 1, k):
            v[b] -= v[a] * U[a, b]


@njit(cache=True, fastmath=FAST)
def backward(U, k, v):
    """v <- U^-1 v, four rows at a time."""
    end = k
    while end >= 4:
        i = end - 4
        row0, row1, row2, row3, known = U[i, end:k], U[i + 1, end:k], U[i + 2, end:k], U[i + 3, end:k], v[end:k]
        v0, v1, v2, v3 = v[i], v[i + 1], v[i + 2], v[i + 3]
        for j in range(known.size):
            v0 -= row0[j] * known[j]
            v1 -= row1[j] * known[j]
            v2 -= row2[j] * known[j]
            v3 -= row3[j] * known[j]
        v3 /= U[i + 3, i + 3]
        v2 = (v2 - v3 * U[i + 2, i + 3]) / U[i + 2, i + 2]
        v1 = (v1 - v3 * U[i + 1, i + 3] - v2 * U[i + 1, i + 2]) / U[i + 1, i + 1]
        v0 = (v0 - v3 * U[i, i + 3] - v2 * U[i, i + 2] - v1 * U[i, i + 1]) / U[i, i]
        v[i], v[i + 1], v[i + 2], v[i + 3] = v0, v1, v2, v3
        end = i
    for a in range(end - 1, -1, -1):
        for b in range(a + 1, k):
            v[a] -= U[a, b] * v[b]
        v[a] /= U[a, a]


@njit(cache=True)
def solve(factor, v):
    """v <- (A_S^T A_S + D)^-1 v, v in the order of `members`."""
    forward(factor.U, factor.size[0], v)
    backward(factor.U, factor.size[0], v)


@njit(cache=True, fastmath=FAST)
def _rank_one(U, first, k, v, sign):
    """U^T U <- U^T U + sign v v^T, v zero before `first`; overwrites v. The result must be positive definite."""
    for i in range(first, k):
        old, vi = U[i, i], v[i]
        U[i, i] = np.sqrt(old * old + sign * vi * vi)
        c, s, inverse = U[i, i] / old, vi / old, old / U[i, i]
        row, rest = U[i, i + 1 : k], v[i + 1 : k]
        for j in range(rest.size):
            row[j] = (row[j] + sign * s * rest[j]) * inverse
            rest[j] = c * rest[j] - s * row[j]


@njit(cache=True)
def border(gram, factor, j, d):
    """The column U^-T A_S^T A_j that j would add to U, and the square A_j^T A_j + d - |column|^2 of its pivot."""
    k = factor.size[0]
    column = np.empty(k)
    for a in range(k):
        column[a] = gram[j, factor.members[a]]
    forward(factor.U, k, column)
    return column, gram[j, j] + d - np.dot(column, column)


@njit(cache=True)
def append(factor, j, d, column, schur):
    """Add column j, whose border(...) is (column, schur)."""
    k = factor.size[0]
    for a in range(k):
        factor.U[a, k] = column[a]
    factor.U[k, k] = np.sqrt(schur)
    factor.members[k], factor.place[j], factor.d[k] = j, k, d
    factor.size[0] = k + 1


@njit(cache=True)
def remove(factor, j):
    """Remove column j: the rows after it are updated by the outer product of its own row."""
    U, members, place, d, size = factor
    a, k = place[j], size[0] - 1
    rest = np.zeros(k)
    for b in range(a, k):
        rest[b] = U[a, b + 1]
    for row in range(k):
        above, first = (row, a) if row < a else (row + 1, row)
        old, new = U[above, first + 1 : k + 1], U[row, first:k]
        for b in range(new.size):
            new[b] = old[b]
    for b in range(a, k):
        members[b], d[b] = members[b + 1], d[b + 1]
        place[members[b]] = b
    place[j] = -1
    size[0] = k
    _rank_one(U, a, k, rest, 1.0)


@njit(cache=True)
def change(factor, j, d):
    """Set the d of column j. If the matrix would not be positive definite, change nothing and return False."""
    a, k = factor.place[j], factor.size[0]
    difference = d - factor.d[a]
    v = np.zeros(k)
    v[a] = 1.0
    forward(factor.U, k, v, a)
    # The determinant changes by this factor. An update to nearly zero would lose all digits.
    if not 1 + difference * np.dot(v, v) > 1e-10:
        return False
    v[:] = 0.0
    v[a] = np.sqrt(abs(difference))
    _rank_one(factor.U, a, k, v, np.sign(difference))
    factor.d[a] = d
    return True


@njit(cache=True)
def clear(factor):
    """Remove all columns."""
    for a in range(factor.size[0]):
        factor.place[factor.members[a]] = -1
    factor.size[0] = 0


@njit(cache=True)
def factorise(gram, S, d, factor):
    """Factorise for the columns S with these d. If the matrix is not positive definite, clear and return False."""
    clear(factor)
    k = S.size
    if k == 0:
        return True
    H = np.zeros((k, k))  # the upper triangle; cholesky reads the lower one of its argument, here H.T
    for a in range(k):
        row, gathered, at = gram[S[a]], H[a, a:], S[a:]
        for b in range(at.size):
            gathered[b] = row[at[b]]
        H[a, a] += d[a]
    try:
        U = np.linalg.cholesky(H.T).T
    except Exception:  # numba can catch no other class
        return False
    for a in range(k):
        if not U[a, a] ** 2 > SINGULAR * gram[S[a], S[a]]:
            return False
    factor.U[:k, :k] = U
    factor.members[:k], factor.d[:k], factor.size[0] = S, d, k
    for a in range(k):
        factor.place[S[a]] = a
    return True


@njit(cache=True)
def refactor(gram, S, d, factor):
    """Like factorise, but row by row if at most a sixth of the rows change, which takes less work."""
    kept, wanted = 0, np.zeros(factor.place.size, np.bool_)
    for a in range(S.size):
        b = factor.place[S[a]]
        if b >= 0 and factor.d[b] == d[a]:
            wanted[S[a]] = True
            kept += 1
    if 6 * (S.size + factor.size[0] - 2 * kept) > S.size:
        return factorise(gram, S, d, factor)
    for a in range(factor.size[0] - 1, -1, -1):
        if not wanted[factor.members[a]]:
            remove(factor, factor.members[a])
    for a in range(S.size):
        if factor.place[S[a]] < 0:
            column, schur = border(gram, factor, S[a], d[a])
            if not schur > SINGULAR * gram[S[a], S[a]]:
                return factorise(gram, S, d, factor)
            append(factor, S[a], d[a], column, schur)
    return True


@njit(cache=True)
def bent_trace(factor, Q):
    """tr D (A_S^T A_S + D)^-1 = sum_i D_i |U^-T e_i|^2; a D_i below rounding error of Q_i counts as zero."""
    k, total = factor.size[0], 0.0
    for a in range(k):
        if abs(factor.d[a]) > 1e-9 * Q[factor.members[a]]:
            v = np.zeros(k)
            v[a] = 1.0
            forward(factor.U, k, v, a)
            total += factor.d[a] * np.dot(v, v)
    return total
