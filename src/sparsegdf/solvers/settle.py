"""A stationary point of one problem at one eta, from a point nearby.

A piece is a segment of the estimator with a sign, or zero. On the pieces that the h_i = Q_i x_i + g_i are on (support
S, signs s, r'(x_i) = d_i |x_i| + b_i) x solves linear equations,

    (A_S^T A_S + D) x_S = A_S^T y - s b,

so it only remains to find the pieces:

1. Walk.  If few h_i leave their pieces along the tangent of the path, walk there, one piece at a time (walk.py).
2. Sweeps.  Otherwise a few sweeps of coordinate descent from the tangent find most of the new pieces.
3. Newton.  Solve the equations on these pieces. If the solution lies on them, it is stationary, exact to rounding.
4. Walk.  If it does not, walk from the swept x. If the matrix is not positive definite (a concave penalty, dependent
   columns), sweep more first; then the walk drives the columns that cause this until they are stationary.

No walk passes a point where the estimate of a single h_i jumps; there only sweeps are used. The last resort is a walk
all the way from x = 0, as in LARS.
"""

import numpy as np

from sparsegdf.compiled import njit
from sparsegdf.solvers.cholesky import bent_trace, refactor, solve
from sparsegdf.solvers.walk import DRIVEN, Problem, curvature, follow, gradient, join, mismatch, offset, walk

_SWEEPS = 10  # The first round makes this many sweeps, each further round twice as many as the last.
_PATIENCE = 160  # After a round of at least this many sweeps, a walk may start with driven columns.
_MAX_SWEEPS = 10_000  # A round makes at most this many sweeps.
_FEW = 10  # Up to this many changes of pieces, a walk is faster than sweeps.
_ROUNDING = 1e-15  # The rounding error of h_i, relative to the terms of its sum.


@njit(cache=True)
def _piece(size, start):
    """The piece that |h| = size is on: 0 for the zero estimate, else 1 + the index of its segment."""
    piece = 0
    for k in range(start.size):
        if size > start[k]:
            piece = k + 1
    return piece


@njit(cache=True)
def _sweep(problem, x, g, pieces, count):
    """Make `count` sweeps of coordinate descent on (x, g, pieces); returns the largest move of the last one."""
    gram, Q, _, start, slope, intercept = problem
    worst = np.inf
    for _ in range(count):
        worst = 0.0
        for j in range(x.size):
            h = Q[j] * x[j] + g[j]
            p = _piece(abs(h), start[j])
            pieces[j] = p if h > 0 else -p
            move = -x[j]
            if p > 0:
                move += np.copysign(slope[j, p - 1] * abs(h) + intercept[j, p - 1], h)
            if move != 0.0:
                x[j] += move
                row = gram[j]
                for i in range(x.size):
                    g[i] -= move * row[i]
                worst = max(worst, abs(move))
        if worst == 0.0:
            break
    return worst


@njit(cache=True)
def fit_factor(problem, pieces, factor):
    """Compute the factor of the pieces; returns False if their matrix is not positive definite."""
    S = np.flatnonzero(pieces)
    d = np.empty(S.size)
    for a in range(S.size):
        d[a] = curvature(problem, S[a], abs(pieces[S[a]]))
    return refactor(problem.gram, S, d, factor)


@njit(cache=True)
def _fit_part(problem, pieces, sure, factor):
    """Compute the factor of the pieces, without the columns that would make the matrix not positive definite.

    Those columns are marked as driven. Pieces that agree with `sure` are added first, and all at once if possible.
    """
    same = np.where(pieces == sure, pieces, 0)
    fit_factor(problem, same, factor)
    for first in (same, pieces):
        for j in range(pieces.size):
            if first[j] != 0 and factor.place[j] == -1:
                join(problem, factor, j, abs(pieces[j]))


@njit(cache=True)
def _on_pieces(problem, x, g, pieces):
    """Whether every h_i = Q_i x_i + g_i is on its piece, up to rounding. The sign of x_i must be exact."""
    size = 0.0
    for j in range(x.size):
        size += np.sqrt(problem.Q[j]) * abs(x[j])
    for j in range(x.size):
        p, h = abs(pieces[j]), problem.Q[j] * x[j] + g[j]
        slack = _ROUNDING * np.sqrt(problem.Q[j]) * size
        h = abs(h) if p == 0 else h * np.sign(pieces[j])
        if p > 0 and not h > problem.start[j, p - 1] - (slack if p > 1 else 0.0):
            return False
        if p < problem.start.shape[1] and not h <= problem.start[j, p] + slack:
            return False
    return True


@njit(cache=True)
def _newton(problem, pieces, factor):
    """(x, g) of the linear equations on these pieces, whose factor is given; with one step of refinement."""
    x, rest = np.zeros(problem.c.size), np.zeros(problem.c.size)
    members = factor.members[: factor.size[0]]
    g = problem.c.copy()
    for _ in range(2):
        for a in range(members.size):
            j = members[a]
            rest[a] = g[j] - factor.d[a] * x[j] - np.sign(pieces[j]) * offset(problem, j, abs(pieces[j]))
        solve(factor, rest)
        for a in range(members.size):
            x[members[a]] += rest[a]
        g = gradient(problem, x, members)
    return x, g


@njit(cache=True)
def step_ahead(problem, x, g, pieces, factor):
    """The mismatch at x, the Newton step that removes it, and how many h_i leave their pieces along the step."""
    e = mismatch(problem, x, g, pieces)
    dx, dg = np.zeros(x.size), np.zeros(x.size)
    follow(problem, factor, e, dx, dg)
    changes = 0
    for j in range(x.size):
        h = problem.Q[j] * (x[j] + dx[j]) + g[j] + dg[j]
        p = _piece(abs(h), problem.start[j])
        changes += (p if h > 0 else -p) != pieces[j]
    return e, dx, changes


@njit(cache=True)
def _arrive(problem, x, pieces, factor, e):
    """Walk from x on these pieces, whose factor is given: (x, g, pieces, events), with events = -1 if it failed."""
    walked = pieces.copy()
    events = walk(problem, x.copy(), walked, factor, e, 4 * x.size + 1)
    if events >= 0:
        solution, g = _newton(problem, walked, factor)
        if _on_pieces(problem, solution, g, walked):
            return solution, g, walked, events
    return x, x, pieces, -1


@njit(cache=True)
def _swept(problem, x, g, pieces, sure, factor, count, scale):
    """Sweep x, then try Newton and a walk: (x, g, pieces, steps, whether x is stationary)."""
    moved = _sweep(problem, x, g, pieces, count)
    at_rest = moved <= 1e-15 * scale / problem.Q.max()
    whole = fit_factor(problem, pieces, factor)
    if whole:
        solution, at = _newton(problem, pieces, factor)
        if _on_pieces(problem, solution, at, pieces):
            return solution, at, pieces, count + 1, True
    elif at_rest or count >= _PATIENCE:
        _fit_part(problem, pieces, sure, factor)
    if whole or at_rest or count >= _PATIENCE:
        e = mismatch(problem, x, gradient(problem, x, np.flatnonzero(x)), pieces)
        for j in range(x.size):
            if factor.place[j] == DRIVEN:
                e[j] = 0.0
        solution, at, walked, events = _arrive(problem, x, pieces, factor, e)
        if events >= 0:
            return solution, at, walked, count + 1 + events, True
    return x, g, pieces, count + 1, at_rest


@njit(cache=True)
def settle(problem, x, g, pieces, factor, scale):
    """Find a stationary point from x with its g and pieces: (x, g, pieces, steps), with steps = 0 if it failed."""
    known, steps = fit_factor(problem, pieces, factor), 1
    swept, at, on = x.copy(), g.copy(), pieces.copy()
    if known:
        e, dx, changes = step_ahead(problem, x, g, pieces, factor)
        if changes <= _FEW:
            solution, there, walked, events = _arrive(problem, x, pieces, factor, e)
            if events >= 0:
                return solution, there, walked, steps + events
        for j in range(x.size):
            moved = x[j] + dx[j]
            swept[j] = moved if moved * pieces[j] > 0 else 0.0
        at = gradient(problem, swept, np.flatnonzero(swept))
    count = _SWEEPS
    while count <= _MAX_SWEEPS:
        solution, there, walked, spent, found = _swept(problem, swept, at, on, pieces, factor, count, scale)
        steps += spent
        if found:
            return solution, there, walked, steps
        count *= 2
    nowhere = np.zeros_like(pieces)
    fit_factor(problem, nowhere, factor)
    solution, there, walked, events = _arrive(problem, np.zeros(x.size), nowhere, factor, problem.c)
    return solution, there, walked, steps + events if events >= 0 else 0


@njit(cache=True)
def divergence_of(problem, pieces, factor):
    """tr A_S H^-1 A_S^T = |S| - tr D H^-1 with H = A_S^T A_S + D; NaN if H is not positive definite."""
    if fit_factor(problem, pieces, factor):
        return factor.size[0] - bent_trace(factor, problem.Q)
    return np.nan


@njit(cache=True)
def pieces_of(problem, x):
    """The pieces of x: the last segment whose estimates begin below |x_i|."""
    pieces = np.zeros(x.size, np.int64)
    for j in range(x.size):
        if x[j] != 0.0:
            p = 1
            for k in range(1, problem.start.shape[1]):
                if abs(x[j]) > problem.slope[j, k] * problem.start[j, k] + problem.intercept[j, k]:
                    p = k + 1
            pieces[j] = p if x[j] > 0 else -p
    return pieces


@njit(cache=True)
def settle_levels(gram, Q, c, segments, factor, scale, stein, begin):
    """(x, divergence) at each level, NaN where no point was found; segments are three arrays (levels, N, K).

    Level k starts from begin[k] or, if `begin` is empty, from the last level. Without `stein` the divergence is NaN.
    """
    start, slope, intercept = segments
    levels, N = start.shape[:2]
    points, divergence = np.full((levels, N), np.nan), np.full(levels, np.nan)
    x, g, pieces = np.zeros(N), c, np.zeros(N, np.int64)
    for k in range(levels):
        problem = Problem(gram, Q, c, start[k], slope[k], intercept[k])
        if len(begin):
            x, pieces = begin[k], pieces_of(problem, begin[k])
            g = gradient(problem, x, np.flatnonzero(x))
        at, g_at, on, steps = settle(problem, x, g, pieces, factor, scale)
        if steps:
            x, g, pieces = at, g_at, on
            points[k] = x
            if stein:
                divergence[k] = divergence_of(problem, pieces, factor)
    return points, divergence
