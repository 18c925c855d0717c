"""The walk from a point that is stationary for a modified problem to a stationary point of the given problem.

A piece is a segment of the estimator with a sign, or zero. On the pieces that the h_i are on (support S, signs s,
r'(x_i) = d_i |x_i| + b_i) a stationary x solves

    (A_S^T A_S + D) x_S = A_S^T y - s b.

Replace A^T y by A^T y - (1 - tau) e with the mismatch e = g - s r'(x) of the starting point x. Then x is stationary
at tau = 0, and tau = 1 is the given problem. In between x is linear in tau until some h_j reaches the next piece.
There the Cholesky factor changes by one row, as in LARS.

Folds.  If the matrix stops being positive definite when j enters or changes its piece, the path turns back in tau.
The walk then keeps tau fixed and drives x_j on in its direction, and the support follows. The objective decreases
until other columns have left their pieces and x_j is stationary, at a minimum again. The same step resolves linearly
dependent columns: x moves along their null direction with the fit unchanged, until one of them is zero.
"""

from collections import namedtuple

import numpy as np

from sparsegdf.compiled import njit
from sparsegdf.solvers.cholesky import FAST, SINGULAR, append, backward, border, change, remove, solve

_STILL = 1e-13  # A relative rate below this is rounding error, e.g. for a duplicate that stays on its threshold.
DRIVEN = -2  # The place of a column that is being driven or is waiting for it.

# The problem over n columns; start, slope and intercept are the segments at (Q, eta), one row per column.
Problem = namedtuple("Problem", "gram Q c start slope intercept")


@njit(cache=True)
def curvature(problem, j, p):
    """d_j = r'' on piece p."""
    return 1 / problem.slope[j, p - 1] - problem.Q[j]


@njit(cache=True)
def offset(problem, j, p):
    """b_j on piece p, where r'(x) = d_j |x| + b_j."""
    return -problem.intercept[j, p - 1] / problem.slope[j, p - 1]


@njit(cache=True, fastmath=FAST)
def gradient(problem, x, members):
    """g = A^T (y - A x), where x is zero off `members`."""
    g = problem.c.copy()
    for i in members:
        row, xi = problem.gram[i, : g.size], x[i]
        for j in range(g.size):
            g[j] -= xi * row[j]
    return g


@njit(cache=True)
def mismatch(problem, x, g, pieces):
    """e = g - s r'(x) on these pieces; on the zero piece, the part of g beyond the threshold."""
    e = np.zeros(x.size)
    for j in range(x.size):
        p = abs(pieces[j])
        if p > 0:
            e[j] = g[j] - curvature(problem, j, p) * x[j] - np.sign(pieces[j]) * offset(problem, j, p)
        elif abs(g[j]) > problem.start[j, 0]:
            e[j] = g[j] - np.copysign(problem.start[j, 0], g[j])
    return e


@njit(cache=True, fastmath=FAST)
def follow(problem, factor, force, dx, dg):
    """Set dx_S = (A_S^T A_S + D)^-1 force_S and dg = -A^T A dx; entries of dx off S are kept and count in dg."""
    k, n = factor.size[0], dx.size
    v = np.empty(k)
    for a in range(k):
        v[a] = force[factor.members[a]]
    solve(factor, v)
    for a in range(k):
        dx[factor.members[a]] = v[a]
    if 2 * k < n:
        dg[:] = 0.0
        for i in range(n):
            if dx[i] != 0.0:
                row, move = problem.gram[i], dx[i]
                for j in range(n):
                    dg[j] -= move * row[j]
        return
    for j in range(n):
        a = factor.place[j]
        if a >= 0:  # known from the equations of dx_S
            dg[j] = factor.d[a] * v[a] - force[j]
            continue
        row, total = problem.gram[j], 0.0
        for i in range(n):
            total -= row[i] * dx[i]
        dg[j] = total


@njit(cache=True)
def _edge(problem, j, p, outwards):
    """|x_j| where piece p ends on this side."""
    if outwards:
        if p == problem.start.shape[1]:
            return np.inf
        return problem.slope[j, p - 1] * problem.start[j, p] + problem.intercept[j, p - 1]
    return problem.slope[j, p - 1] * problem.start[j, p - 1] + problem.intercept[j, p - 1]


@njit(cache=True)
def _support_event(problem, factor, x, dx, size, pieces, step):
    """Like _first_event, for the columns of the support. Their h_j is a function of x_j."""
    event, towards = -1, 0
    for j in factor.members[: factor.size[0]]:
        s, p = np.sign(pieces[j]), abs(pieces[j])
        if abs(dx[j]) <= _STILL * np.sqrt(problem.Q[j]) * size * problem.slope[j, p - 1]:
            continue
        outwards = s * dx[j] > 0
        t = max((_edge(problem, j, p, outwards) - s * x[j]) / (s * dx[j]), 0.0)
        if t < step or (t == step and j < event):
            step, event, towards = t, j, s * (p + 1 if outwards else p - 1)
    return step, event, towards


@njit(cache=True, fastmath=FAST)
def _h_and_rate(problem, j, x, dx):
    """g_j = h_j of a column off the support, and its rate."""
    row, h, rate = problem.gram[j], problem.c[j], 0.0
    for i in range(x.size):
        h -= row[i] * x[i]
        rate -= row[i] * dx[i]
    return h, rate


@njit(cache=True)
def _first_event(problem, factor, x, dx, pieces, e, margin, tau, pushed, speed, step):
    """The first h_j that leaves its piece within `step`: (step, j, next piece); j = -1 if none.

    Driven columns are skipped: their h is not on a piece. `margin` is a lower bound on the distance of |h_j| from the
    threshold for the columns off the support. Unless e_j pushes h_j, |dh_j| <= ||A_j|| speed with speed = ||A dx||.
    Only the h_j of columns whose margin does not cover the step are computed.
    """
    size = 0.0
    for j in range(x.size):
        size += np.sqrt(problem.Q[j]) * abs(dx[j])
    step, event, towards = _support_event(problem, factor, x, dx, size, pieces, step)
    for j in range(x.size):
        if factor.place[j] != -1 or (e[j] == 0.0 and margin[j] > speed * step * np.sqrt(problem.Q[j])):
            continue
        h, rate = _h_and_rate(problem, j, x, dx)
        h -= (1 - tau) * e[j]
        rate += pushed * e[j]
        margin[j] = problem.start[j, 0] - abs(h)
        if abs(rate) > _STILL * np.sqrt(problem.Q[j]) * size:
            s = 1 if rate > 0 else -1
            t = max((problem.start[j, 0] - s * h) / (s * rate), 0.0)
            if t < step or (t == step and j < event):
                step, event, towards = t, j, s
    return step, event, towards


@njit(cache=True)
def _jumps(problem, j, old, new):
    """Whether the estimate jumps between two neighbouring pieces.

    The rounding error that direct.py adds to the thresholds, a fraction of max |A^T y|, is no jump.
    """
    low = min(abs(old), abs(new))
    border = problem.start[j, low]
    left = problem.slope[j, low - 1] * border + problem.intercept[j, low - 1] if low > 0 else 0.0
    right = problem.slope[j, low] * border + problem.intercept[j, low]
    gap = abs(left - right)
    return gap > 1e-9 * (1.0 + border) and gap > 1e-12 * problem.slope[j, low] * np.abs(problem.c).max()


@njit(cache=True)
def join(problem, factor, j, p):
    """Add j on piece p to the factor. At a fold, mark j as a driven column instead and return False."""
    d = curvature(problem, j, p)
    column, schur = border(problem.gram, factor, j, d)
    if schur > SINGULAR * problem.gram[j, j]:
        append(factor, j, d, column, schur)
        return True
    factor.place[j] = DRIVEN
    return False


@njit(cache=True)
def _pass(problem, factor, j, old, new):
    """Move j from one piece to the next. At a fold, mark j as a driven column and return False."""
    if old == 0:
        return join(problem, factor, j, abs(new))
    if new == 0:
        remove(factor, j)
        return True
    if change(factor, j, curvature(problem, j, abs(new))):
        return True
    remove(factor, j)
    factor.place[j] = DRIVEN
    return False


@njit(cache=True)
def _push(factor, e, dx):
    """Set dx = (A_S^T A_S + D)^-1 e on S, and return ||A dx||."""
    k = factor.size[0]
    v, square = np.empty(k), 0.0
    for a in range(k):
        v[a] = e[factor.members[a]]
    solve(factor, v)
    for a in range(k):
        dx[factor.members[a]] = v[a]
        square += v[a] * (e[factor.members[a]] - factor.d[a] * v[a])
    return np.sqrt(max(square, 0.0))


@njit(cache=True)
def _drive(problem, factor, j, rest, p, sign, dx):
    """Set dx for x_j driven in direction `sign`; returns ||A dx|| and the distance at which x_j is stationary.

    The support follows, dx_S = -sign (A_S^T A_S + D)^-1 A_S^T A_j. Per unit of distance, rest = g_j - s r'(x_j)
    decreases by the Schur complement of j. Where that is not positive the distance is infinite.
    """
    d = curvature(problem, j, p)
    column, schur = border(problem.gram, factor, j, d)
    backward(factor.U, column.size, column)
    dx[j], square = sign, schur - d
    for a in range(column.size):
        dx[factor.members[a]] = -sign * column[a]
        square -= factor.d[a] * column[a] ** 2
    ahead = max(sign * rest / schur, 0.0) if schur > SINGULAR * problem.gram[j, j] else np.inf
    return np.sqrt(max(square, 0.0)), ahead


@njit(cache=True)
def _gradient_at(problem, j, x):
    return problem.c[j] - np.dot(problem.gram[j, : x.size], x)


@njit(cache=True)
def _walk(problem, x, pieces, factor, e, limit):
    """Like walk, but driven columns keep their mark when it ends early."""
    n = x.size
    dx, margin = np.zeros(n), problem.start[:, 0] - np.abs(gradient(problem, x, np.flatnonzero(x)) - e)
    tau, before, driven, signs, depth = 0.0, -1, np.zeros(n, np.int64), np.zeros(n), 0
    for j in range(n):
        if factor.place[j] == DRIVEN:
            driven[depth] = j
            depth += 1
    for events in range(limit):
        dx[:] = 0.0
        if depth == 0:
            speed, ahead, pushed = _push(factor, e, dx), 1 - tau, 1.0
        else:
            top, p = driven[depth - 1], abs(pieces[driven[depth - 1]])
            rest = _gradient_at(problem, top, x) - (1 - tau) * e[top] - curvature(problem, top, p) * x[top]
            rest -= np.sign(pieces[top]) * offset(problem, top, p)
            if signs[depth - 1] == 0.0:
                signs[depth - 1] = np.copysign(1.0, rest)
            sign, pushed = signs[depth - 1], 0.0
            speed, ahead = _drive(problem, factor, top, rest, p, sign, dx)
            outwards = sign * pieces[top] > 0
            room = abs(_edge(problem, top, p, outwards) - abs(x[top]))
        step, j, towards = _first_event(
            problem, factor, x, dx, pieces, e, margin, tau, pushed, speed, min(ahead, room) if depth > 0 else ahead
        )
        if depth > 0 and j < 0 and room < ahead:
            step, j, towards = room, top, np.sign(pieces[top]) * (p + 1 if outwards else p - 1)
        if step == np.inf:
            return -1
        for i in range(n):
            x[i] += step * dx[i]
            margin[i] -= step * speed * np.sqrt(problem.Q[i])
        tau += step * pushed
        if j < 0:
            if depth == 0:
                return events
            if not join(problem, factor, top, p):
                return -1
            depth -= 1
            if depth > 0:
                signs[depth - 1] = 0.0
            before = -1
            continue
        if (j == before and step == 0.0) or _jumps(problem, j, pieces[j], towards):
            return -1
        before, old = j, pieces[j]
        pieces[j] = towards
        if towards == 0:
            x[j], margin[j] = 0.0, 0.0
        if depth > 0 and j == top:
            if towards == 0:
                if sign * (_gradient_at(problem, j, x) - (1 - tau) * e[j]) > problem.start[j, 0]:  # on through zero
                    pieces[j] = np.int64(sign)
                else:
                    factor.place[j] = -1
                    depth -= 1
                    if depth > 0:
                        signs[depth - 1] = 0.0
        elif not _pass(problem, factor, j, old, towards):
            driven[depth] = j
            signs[depth] = np.sign(towards) if old == 0 else np.sign(dx[j])
            depth += 1
    return -1


@njit(cache=True)
def walk(problem, x, pieces, factor, e, limit):
    """Walk from tau = 0 to 1 and update x, pieces and their factor in place. The factor must belong to the pieces.

    Returns the number of events, or -1 if the walk fails: the estimate jumps, or `limit` events were not enough.
    """
    events = _walk(problem, x, pieces, factor, e, limit)
    if events < 0:
        for j in range(x.size):
            factor.place[j] = max(factor.place[j], -1)
    return events
