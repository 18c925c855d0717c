"""Best subset regression: for every size K the columns S, |S| = K, that maximise ||P_S y||^2.

With G = A^T A, b = A^T y and a threshold t, the whole search uses one matrix:

    ||P_S y||^2 > t   <=>   W_S is not positive semidefinite,   W = t G - b b^T.

Choosing a column is a Schur complement of W, so a node of the depth-first search carries one matrix, and the
test needs neither y nor a division. With t the best value known (from swaps; nearly always the optimum) the
search only has to certify that no S of the given size beats it:

- where the first k candidates have a positive definite W, no subset of them can win, and only candidates from
  k on are branched on;
- the last three columns are decided in closed form. A 3 x 3 matrix of unit diagonal that is not positive
  semidefinite has an off-diagonal entry above 1/2 (Gershgorin), so only the few pairs with
  W_ij^2 > W_ii W_jj / 4 are completed to triples.

Gram matrices lose digits, so every reported value and every accepted subset is computed from orthogonalised columns.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from sparsegdf.checks import require_finite, require_integer
from sparsegdf.compiled import njit
from sparsegdf.threads import one_blas_thread

TOLERANCE = 1e-10  # To replace the best subset, another must explain this fraction of ||y||^2 more.
DEPENDENT = 1e-13  # A unit column lies in a span if its squared distance to the span is below this.


@dataclass(frozen=True)
class BestSubsets:
    """The best subset S found for each size K = 0..max_size.

    Where no further column helps (K above the rank, or y explained in full) explained stays constant and
    supports[K] is the last useful support, filled up with the unused columns of lowest index.

    Attributes
    ----------
    explained, rss : arrays (max_size + 1,)
        ||P_S y||^2 and ||y||^2 - ||P_S y||^2 by K.
    supports : tuple of arrays
        S by K: K sorted indices of columns.

    Examples
    --------
    >>> import numpy as np
    >>> import sparsegdf
    >>> rng = np.random.default_rng(0)
    >>> A = rng.normal(size=(30, 10))
    >>> y = A[:, 2] - 2 * A[:, 7] + 0.1 * rng.normal(size=30)
    >>> best = sparsegdf.best_subsets(A, y, max_size=3)
    >>> best.supports[:3]
    (array([], dtype=int64), array([7]), array([2, 7]))
    >>> bool(best.rss[2] < 0.01 * best.rss[0])
    True
    """

    explained: np.ndarray
    supports: tuple[np.ndarray, ...]
    rss: np.ndarray


@one_blas_thread
def best_subsets(A: ArrayLike, y: ArrayLike, max_size: int) -> BestSubsets:
    """max_{|S| = K} ||P_S y||^2 for every K <= max_size, exactly (to 1e-9 ||y||^2), with the maximisers.

    The same input gives the same bytes. The time grows with the number of subsets, but much more slowly where the
    bound excludes most of them.

    Parameters
    ----------
    A, y : (M, N) and (M,)
    max_size : int
        From 0 to N.

    Returns
    -------
    BestSubsets

    Examples
    --------
    >>> import numpy as np
    >>> import sparsegdf
    >>> rng = np.random.default_rng(0)
    >>> A = rng.normal(size=(30, 10))
    >>> y = A[:, 2] - 2 * A[:, 7] + 0.1 * rng.normal(size=30)
    >>> sparsegdf.best_subsets(A, y, max_size=3).supports[2]
    array([2, 7])
    """
    problem = _Problem(A, y, max_size)
    n = len(problem.order)
    rng = np.random.default_rng(0)
    total = _explained(problem.rows, np.arange(n))

    def solve(member, size):
        # Every pair is the best partner of one of its columns: all single starts make size 2 exact.
        starts = np.arange(n)[:, None] if size == 2 else _random_starts(rng, n, size, min(2**size, 256))
        value = _best_climb(problem.tableau, problem.rows, member, size, starts)
        if size > 2 and value < total - TOLERANCE:
            value = _search(problem.tableau, problem.rows, member, size, value)
        return value

    return problem.result(solve)


@one_blas_thread
def swap_search(
    A: ArrayLike, y: ArrayLike, max_size: int, restarts: int, rng: int | np.random.Generator
) -> BestSubsets:
    """A lower bound to best_subsets: for each size greedy growth and random supports, then swaps.

    A swap exchanges one column for another. The best swap is made until none explains more.

    Parameters
    ----------
    A, y : (M, N) and (M,)
    max_size : int
        From 0 to N.
    restarts : int
        The number of random supports for each size.
    rng : int or numpy Generator
        A seed, or what draws them.

    Returns
    -------
    BestSubsets

    Examples
    --------
    >>> import numpy as np
    >>> import sparsegdf
    >>> rng = np.random.default_rng(0)
    >>> A = rng.normal(size=(30, 10))
    >>> y = A[:, 2] - 2 * A[:, 7] + 0.1 * rng.normal(size=30)
    >>> sparsegdf.swap_search(A, y, max_size=3, restarts=2, rng=0).supports[2]
    array([2, 7])
    """
    problem = _Problem(A, y, max_size)
    restarts = require_integer("restarts", restarts, at_least=0)
    rng = np.random.default_rng(rng)

    def solve(member, size):
        starts = _random_starts(rng, len(problem.order), size, restarts)
        return _best_climb(problem.tableau, problem.rows, member, size, starts)

    return problem.result(solve)


class _Problem:
    """The columns of A and y as rows of unit norm, smallest |b| first, with their Gram matrix."""

    def __init__(self, A, y, max_size):
        A, y = _finite("A", A, 2), _finite("y", y, 1)
        if len(y) != len(A):
            raise ValueError(f"y has {len(y)} entries, but A has {len(A)} rows: the two must agree")
        self.max_size = require_integer("max_size", max_size, at_least=0, at_most=A.shape[1])
        rows = np.ascontiguousarray(np.vstack([A.T, y]))
        # In two steps, so that squares neither overflow nor vanish; zero columns stay zero.
        peak = np.abs(rows).max(axis=1, keepdims=True, initial=0.0)
        rows = rows / np.where(peak > 0, peak, 1.0)
        rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1.0)
        self.order = np.argsort(np.abs(rows[:-1] @ rows[-1]), kind="stable")
        self.rows = rows[np.append(self.order, len(self.order))]
        self.tableau = self.rows @ self.rows.T
        self.square = float(y @ y)

    def result(self, solve):
        """Run solve(member, K) for each K: it updates the mask of chosen columns and returns the value."""
        n = len(self.order)
        member = np.zeros(n, dtype=bool)
        explained, supports = [0.0], [np.empty(0, dtype=np.int64)]
        for size in range(1, self.max_size + 1):
            explained.append(max(explained[-1], min(solve(member, size), 1.0)))
            chosen = self.order[member]
            unused = np.setdiff1d(np.arange(n), chosen)
            supports.append(np.sort(np.append(chosen, unused[: size - len(chosen)])))
        explained = self.square * np.array(explained)
        return BestSubsets(explained, tuple(supports), self.square - explained)


def _finite(name, value, ndim):
    array = np.asarray(value)
    if array.ndim != ndim or array.dtype.kind not in "biuf":
        got = f"shape {array.shape} and dtype {array.dtype}"
        raise ValueError(f"{name} has {got}: allowed are real arrays of {ndim} dimension(s)")
    require_finite(name, array)
    return array.astype(np.float64)


def _random_starts(rng, n, size, count):
    return np.argsort(rng.random((count, n)), axis=1)[:, :size]


@njit(cache=True, fastmath=True)
def _explained(rows, support):
    """||P_S y||^2 by Gram-Schmidt, twice; columns in the span of earlier ones add nothing. rows[-1] is y."""
    m = rows.shape[1]
    basis = np.zeros((len(support), m))
    total = 0.0
    for i, s in enumerate(support):
        v = rows[s].copy()
        for q in range(2 * i):
            unit, dot = basis[q % i], 0.0
            for x in range(m):
                dot += unit[x] * v[x]
            for x in range(m):
                v[x] -= dot * unit[x]
        square = (v * v).sum()
        if square > DEPENDENT:
            basis[i] = v / np.sqrt(square)
            total += (basis[i] * rows[-1]).sum() ** 2
    return total


@njit(cache=True, fastmath=True)
def _add(tableau, support, count, k, C, P, left):
    """Add column k as number `count` of the support, and update the arrays of _climb."""
    row = tableau[k].copy()
    for s in range(count):
        factor = tableau[k, support[s]]
        for j in range(row.size):
            row[j] -= factor * C[s, j]
    pivot, slope = row[k], C[:count, k] / row[k]
    for s in range(count):
        for q in range(count):
            P[s, q] += pivot * slope[s] * slope[q]
        P[s, count] = P[count, s] = -slope[s]
        for j in range(row.size):
            C[s, j] -= slope[s] * row[j]
    P[count, count] = 1.0 / pivot
    for j in range(row.size):
        C[count, j] = row[j] / pivot
        left[0, j] -= row[j] * C[count, j]
        left[1, j] -= row[row.size - 1] * C[count, j]
    support[count] = k


@njit(cache=True, fastmath=True)
def _drop(support, count, s, C, P, left):
    """Remove number s of the support, put the last one in its place, and update the arrays of _climb."""
    row, column, v = C[s].copy(), P[s].copy(), P[s, s]
    for j in range(row.size):
        left[0, j] += row[j] * row[j] / v
        left[1, j] += row[j] * row[row.size - 1] / v
    for q in range(count):
        if q != s:
            slope = column[q] / v
            for p in range(count):
                P[q, p] -= slope * column[p]
            for j in range(row.size):
                C[q, j] -= slope * row[j]
    last = count - 1
    support[s] = support[last]
    C[s] = C[last]
    P[s, :count] = P[last, :count]
    P[:count, s] = P[:count, last]


@njit(cache=True, fastmath=True)
def _climb(tableau, member, size):
    """Grow member greedily to `size` columns (fewer if no more are independent), then swap while that helps.

    Only the parts of the regression on S that a swap needs are kept: C = P G_S with P = (G_SS)^-1 for all columns
    and, last, y; and for the residual of each column j after projection on S, its square d_j = left[0, j] and its
    product r_j = left[1, j] with y. The best swap of i in S for j maximises
    (r_j + C_ij C_iy / P_ii)^2 / (d_j + C_ij^2 / P_ii) - C_iy^2 / P_ii.
    """
    n = len(tableau) - 1
    support = np.empty(size, dtype=np.int64)
    C, P, left = np.empty((size, n + 1)), np.empty((size, size)), np.empty((2, n + 1))
    left[0], left[1] = np.diag(tableau), tableau[n]
    count = 0
    for k in range(n):
        if member[k]:
            member[k] = left[0, k] > DEPENDENT
            if member[k]:
                _add(tableau, support, count, k, C, P, left)
                count += 1
    while count < size:
        gain, new = 0.0, -1
        for j in range(n):
            if not member[j] and left[0, j] > DEPENDENT and left[1, j] ** 2 > gain * left[0, j]:
                gain, new = left[1, j] ** 2 / left[0, j], j
        if new < 0:
            return
        member[new] = True
        _add(tableau, support, count, new, C, P, left)
        count += 1
    for _ in range(100 * size):  # rounding could make near-ties cycle
        gain, old, new = TOLERANCE, -1, -1
        for s in range(size):
            slope = C[s, n] / P[s, s]
            loss = C[s, n] * slope
            for j in range(n):
                square = left[0, j] + C[s, j] ** 2 / P[s, s]
                dot = left[1, j] + C[s, j] * slope
                if not member[j] and square > DEPENDENT and dot * dot > (gain + loss) * square:
                    gain, old, new = dot * dot / square - loss, s, j
        if new < 0:
            return
        member[support[old]], member[new] = False, True
        _drop(support, size, old, C, P, left)
        _add(tableau, support, size - 1, new, C, P, left)


@njit(cache=True)
def _best_climb(tableau, rows, member, size, starts):
    """Climb from member and from each row of starts; leave the best in member and return its value."""
    _climb(tableau, member, size)
    best = _explained(rows, np.flatnonzero(member))
    for start in starts:
        trial = np.zeros_like(member)
        trial[start] = True
        _climb(tableau, trial, size)
        value = _explained(rows, np.flatnonzero(trial))
        if value > best + TOLERANCE:
            best = value
            member[:] = trial
    return best


@njit(cache=True)
def _search(tableau, rows, member, size, best):
    """Improve (member, best) until no support of this size beats it; smaller sizes have been solved."""
    support = np.empty(size, dtype=np.int64)
    top = len(member) - 1
    while True:
        value, top = _scan(tableau, rows, support, best, top)
        if value == best:
            return best
        best = value
        member[:] = False
        member[support] = True


@njit(cache=True, fastmath=True)
def _scan(tableau, rows, support, best, top):
    """Search depth first for a support that beats best and whose last column is <= top.

    Returns (value, last column) at the first one found, else (best, -1). Columns are chosen from the last to
    the first, so that the candidates of a node are always 0..k-1 and every loop starts at 0.
    """
    n, size = len(tableau) - 1, len(support)
    W = np.empty((size - 2, n, n))
    factor = np.empty((n, n))
    diagonal, u = np.empty(n), np.empty(n)
    pick = np.empty(size - 2, dtype=np.int64)  # the next column of each level
    stop = np.empty(size - 2, dtype=np.int64)  # the lowest column that each level must try
    for i in range(n):
        for j in range(n):
            W[0, i, j] = (best + TOLERANCE) * tableau[i, j] - tableau[i, n] * tableau[j, n]
        W[0, i, i] = diagonal[i] = W[0, i, i] if W[0, i, i] > DEPENDENT else 1.0
    if size == 3:
        return _triples(W[0], diagonal, n, rows, support, best, u), -1
    level = 0
    pick[0] = top
    stop[0] = max(size - 1, _definite(W[0], n, factor))
    while level >= 0:
        k = pick[level]
        if k < stop[level]:
            level -= 1
            continue
        pick[level] -= 1
        support[level] = k
        parent, child = W[level], W[level + 1]
        scale = 1.0 / np.sqrt(parent[k, k])
        for j in range(k):
            u[j] = parent[k, j] * scale
        for i in range(k):
            for j in range(k):
                child[i, j] = parent[i, j] - u[i] * u[j]
            # The row of a dependent column is zero. With a positive diagonal it is a column that adds nothing.
            child[i, i] = diagonal[i] = child[i, i] if child[i, i] > DEPENDENT else 1.0
        left = size - level - 1
        if left == 3:
            value = _triples(child, diagonal, k, rows, support, best, u)
            if value > best:
                return value, support[0]
        else:
            level += 1
            pick[level] = k - 1
            stop[level] = max(left - 1, _definite(child, k, factor))
    return best, -1


@njit(cache=True, fastmath=True)
def _definite(W, n, factor):
    """The largest k for which the leading k x k block of W is positive definite, by Cholesky."""
    for i in range(n):
        pivot = W[i, i]
        row = factor[i]
        for k in range(i):
            dot = W[i, k]
            for j in range(k):
                dot -= row[j] * factor[k, j]
            row[k] = dot * factor[k, k]  # the diagonal holds reciprocals
            pivot -= row[k] ** 2
        if pivot <= DEPENDENT:
            return i
        row[i] = 1.0 / np.sqrt(pivot)
    return n


@njit(cache=True, fastmath=True)
def _triples(W, d, n, rows, support, best, det):
    """Find three of the n candidates whose W (with diagonal d) is not positive semidefinite.

    Returns the value of support, which then ends in them, if it beats best, else best. det is working memory.
    """
    for i in range(n):
        heavy = 0
        for j in range(i):
            heavy += W[i, j] * W[i, j] > 0.25 * d[i] * d[j]
        if heavy == 0:
            continue
        for j in range(i):
            w, di, dj = W[i, j], d[i], d[j]
            if w * w <= 0.25 * di * dj:
                continue
            minor = di * dj * (1.0 + 4e-15) - w * w  # otherwise rounding lets duplicates win
            d[i] = d[j] = 1e300  # keeps k from repeating i or j without a branch
            lowest = 0.0
            for k in range(n):
                a, b = W[i, k], W[j, k]
                det[k] = d[k] * minor - di * b * b - dj * a * a + 2.0 * w * a * b
                lowest = min(lowest, det[k])
            if lowest < 0.0:
                for k in range(n):
                    if det[k] < 0.0:
                        support[-3], support[-2], support[-1] = i, j, k
                        value = _explained(rows, support)
                        if value > best + 0.5 * TOLERANCE:
                            return value
            d[i], d[j] = di, dj
    return best
