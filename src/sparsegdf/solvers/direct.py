"""The fixed points of belief propagation, found directly: first a stationary x, then its variances.

At a fixed point R = y - A x, and x is a stationary point of ||y - A x||^2 / 2 + r(x; eta):

    x_i = estimate(h_i; Q_i),   h_i = Q_i x_i + g_i,   g = A^T (y - A x),

for all Q_i at which the estimate does not jump; Q_i = ||A_i||^2 is coordinate descent. A piece is a segment of the
estimator with a sign, or zero. On the pieces that the h_i are on (support S, signs s, r'(x_i) = d_i |x_i| + b_i) x
solves linear equations,

    (A_S^T A_S + D) x_S = A_S^T y - s b,

so it only remains to find the pieces. From one eta to the next, sparse to dense:

1. Walk.  If few h_i leave their pieces along the tangent of the path, walk there, one piece at a time (walk.py).
2. Sweeps.  Otherwise a few sweeps of coordinate descent from the tangent find most of the new pieces.
3. Newton.  Solve the equations on these pieces. If the solution lies on them, it is stationary, exact to rounding.
4. Walk.  If it does not, walk from the swept x. If the matrix is not positive definite (a concave penalty, dependent
   columns), sweep more first; then the walk drives the columns that cause this until they are stationary.

No walk passes a point where the estimate of a single h_i jumps; there only sweeps are used. The last resort is a walk
all the way from x = 0, as in LARS.

All steps use the Gram matrix of the columns that have been near the support, which is extended as needed. The other
columns are checked before x is accepted.

The variances follow from the pieces (variances.py). A stationary point is not a fixed point of belief propagation if
its variances do not exist, or if the estimate at Q_hat_i < ||A_i||^2 jumps to another x.
"""

from functools import cached_property

import numpy as np
from numba import njit
from numpy.typing import ArrayLike

from sparsegdf.checks import require_data, require_etas
from sparsegdf.penalties.base import Penalty, require_penalty
from sparsegdf.solvers.cholesky import bent_trace, new_factor, refactor, solve
from sparsegdf.solvers.fixed_points import FixedPoints, violation
from sparsegdf.solvers.variances import variances_at_rest
from sparsegdf.solvers.walk import DRIVEN, Problem, curvature, follow, gradient, join, mismatch, offset, walk
from sparsegdf.threads import one_blas_thread

_SWEEPS = 10  # The first round makes this many sweeps, each further round twice as many as the last.
_PATIENCE = 160  # After a round of at least this many sweeps, a walk may start with driven columns.
_MAX_SWEEPS = 10_000  # A round makes at most this many sweeps.
_FEW = 10  # Up to this many changes of pieces, a walk is faster than sweeps.
_SMALL = 300  # Up to this many columns, the whole Gram matrix is computed at once.
_NEAR = 0.9  # Columns above this fraction of their threshold are added to the Gram matrix.
_TIE = 1e-13  # Thresholds are raised by this fraction of max |A^T y|: rounding must not decide between duplicates.
_ROUNDING = 1e-15  # The rounding error of h_i, relative to the terms of its sum.
_TOLERANCE = 1e-10  # At a fixed point, one more step of belief propagation changes x and chi by less (relative).


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
def _fit_factor(problem, pieces, factor):
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
    _fit_factor(problem, same, factor)
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
def _ahead(problem, x, g, pieces, factor):
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
    whole = _fit_factor(problem, pieces, factor)
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
def _settle(problem, x, g, pieces, factor, scale):
    """Find a stationary point from x with its g and pieces: (x, g, pieces, steps), with steps = 0 if it failed."""
    known, steps = _fit_factor(problem, pieces, factor), 1
    swept, at, on = x.copy(), g.copy(), pieces.copy()
    if known:
        e, dx, changes = _ahead(problem, x, g, pieces, factor)
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
    _fit_factor(problem, nowhere, factor)
    solution, there, walked, events = _arrive(problem, np.zeros(x.size), nowhere, factor, problem.c)
    return solution, there, walked, steps + events if events >= 0 else 0


@njit(cache=True)
def _divergence(problem, pieces, factor):
    """tr A_S H^-1 A_S^T = |S| - tr D H^-1 with H = A_S^T A_S + D; NaN if H is not positive definite."""
    if _fit_factor(problem, pieces, factor):
        return factor.size[0] - bent_trace(factor, problem.Q)
    return np.nan


@njit(cache=True)
def _pieces_of(problem, x):
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
def _levels(gram, Q, c, segments, factor, scale, stein, begin):
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
            x, pieces = begin[k], _pieces_of(problem, begin[k])
            g = gradient(problem, x, np.flatnonzero(x))
        at, g_at, on, steps = _settle(problem, x, g, pieces, factor, scale)
        if steps:
            x, g, pieces = at, g_at, on
            points[k] = x
            if stein:
                divergence[k] = _divergence(problem, pieces, factor)
    return points, divergence


class _Path:
    """The state carried from level to level. `near` lists the columns in the Gram matrix, in the same order."""

    def __init__(self, A, y, penalty):
        self.y, self.penalty = y, penalty
        self.AT = np.ascontiguousarray(A.T)
        N, M = self.AT.shape
        self.Q, self.c = np.square(self.AT).sum(axis=1), self.AT @ y
        self.scale = np.abs(self.c).max()
        self.near, self.columns, self.gram = np.empty(0, np.int64), np.empty((0, M)), np.empty((0, 0))
        self.factor = new_factor(0)
        self.x, self.g, self.pieces, self.Q_hat = np.zeros(N), self.c, np.zeros(N, np.int64), self.Q
        self.steps = 0
        if N <= _SMALL:
            self._admit(np.arange(N))

    @cached_property
    def AT32(self):
        """A^T in single precision, enough to foresee which columns are near their threshold."""
        return self.AT.astype(np.float32)

    @cached_property
    def AT2(self):
        return np.square(self.AT)

    def _admit(self, new):
        """Extend the Gram matrix by the columns `new`."""
        n, total = self.near.size, self.near.size + new.size
        if total > len(self.columns):
            N, M = self.AT.shape
            size = min(N, max(2 * total, 64))
            columns, gram = np.empty((size, M)), np.empty((size, size))
            columns[:n], gram[:n, :n] = self.columns[:n], self.gram[:n, :n]
            self.columns, self.gram, self.factor = columns, gram, new_factor(size)
        self.columns[n:total] = self.AT[new]
        self.gram[n:total, :total] = self.columns[n:total] @ self.columns[:total].T
        self.gram[:n, n:total] = self.gram[n:total, :n].T
        self.near = np.concatenate([self.near, new])

    def _gradient(self, x):
        """A^T (y - A x) for all columns; x is zero off `near`."""
        return self.AT @ self._residual(x)

    def _residual(self, x):
        return self.y - x[self.near] @ self.columns[: self.near.size]

    def _segments(self, eta):
        """start, slope and intercept at Q, with the segments on the last axis; eta is a number or a column vector."""
        start, slope, intercept = (np.moveaxis(v, 0, -1).copy() for v in self.penalty.segments(self.Q, eta))
        return start + _TIE * self.scale, slope, intercept

    def _problem(self):
        """The problem over the columns in `near`."""
        near = self.near
        return Problem(
            self.gram, self.Q[near], self.c[near], self.start[near], self.slope[near], self.intercept[near]
        )

    def _predict(self):
        """x moved along the tangent of the path; an x_i whose sign would change is set to zero."""
        x, problem, pieces = self.x.copy(), self._problem(), self.pieces[self.near]
        if pieces.any() and _fit_factor(problem, pieces, self.factor):
            dx = _ahead(problem, x[self.near], self.g[self.near], pieces, self.factor)[1]
            moved = x[self.near] + dx
            x[self.near] = np.where(moved * pieces > 0, moved, 0)
        return x

    def stationary(self, eta):
        """(x, pieces, g) of a stationary point at eta, or None."""
        self.start, self.slope, self.intercept = self._segments(eta)
        x, g, pieces = self.x.copy(), self.g.copy(), self.pieces.copy()
        away = np.ones(x.size, bool)
        away[self.near] = False
        if away.any():
            ahead = self.AT32 @ self._residual(self._predict()).astype(np.float32)
            self._admit(np.flatnonzero(away & (np.abs(ahead) > _NEAR * self.start[:, 0])))
        while True:
            away[self.near] = False
            *found, steps = _settle(
                self._problem(), x[self.near], g[self.near], pieces[self.near], self.factor, self.scale
            )
            self.steps += steps
            if not steps:
                return None
            x[self.near], g[self.near], pieces[self.near] = found
            if not away.any():
                return x, pieces, g
            g = self._gradient(x)
            if not (away & (np.abs(g) > self.start[:, 0])).any():
                return x, pieces, g
            self._admit(np.flatnonzero(away & (np.abs(g) > _NEAR * self.start[:, 0])))

    def points(self, etas, stein, begin=None):
        """(x, divergence over M) at each eta; without `stein` every divergence is NaN.

        Level k starts from begin[k] or, if that is not given, from the last point found.
        """
        if self.x.size <= _SMALL:
            begin = np.empty((0, self.x.size)) if begin is None else begin
            segments = self._segments(etas[:, None])
            points, divergence = _levels(self.gram, self.Q, self.c, segments, self.factor, self.scale, stein, begin)
            return points, divergence / self.y.size
        points, divergence = np.full((etas.size, self.x.size), np.nan), np.full(etas.size, np.nan)
        for k, eta in enumerate(etas):
            if begin is not None:
                self.x, self.g = begin[k], self._gradient(begin[k])
                self.pieces = _pieces_of(Problem(self.gram, self.Q, self.c, *self._segments(eta)), self.x)
            found = self.stationary(eta)
            if found is not None:
                points[k], self.pieces, self.g = found
                self.x = points[k]
                if stein:
                    divergence[k] = self._stein()
        return points, divergence

    def _variances(self, x, pieces, g, eta):
        """(chi, Q_hat, residual) at x, or None."""
        i = np.flatnonzero(pieces)
        d = 1 / self.slope[i, np.abs(pieces[i]) - 1] - self.Q[i]
        d[np.abs(d) < 1e-12 * self.Q[i]] = 0  # removes rounding errors: d >= 0 needs no test of stability
        B = self.AT2[i]
        Q_S = variances_at_rest(B, d, self.Q_hat[i], self.Q[i])
        if Q_S is None:
            return None
        before = np.zeros(x.size)
        before[i] = 1 / (Q_S + d)
        Q_hat = self.AT2 @ (1 / (1 + before[i] @ B))
        h = Q_hat * x + g
        h = np.where(pieces != 0, h, np.sign(h) * np.maximum(np.abs(h) - _TIE * self.scale, 0))
        estimate, chi = self.penalty.estimate(h, Q_hat, eta)
        return chi, Q_hat, max(np.abs(estimate - x).max(), np.abs(chi - before).max())

    def _stein(self):
        """Stein's divergence at the last point over M, from the Cholesky factor at hand."""
        return _divergence(self._problem(), self.pieces[self.near], self.factor) / self.y.size

    def level(self, eta, stein=False):
        """The outcome at one eta, starting from the last level that converged."""
        unknown, self.steps = np.full(self.x.size, np.nan), 0
        level = {"x": unknown, "chi": unknown, "Q_hat": unknown, "residual": np.inf, "damping": np.nan, "kkt": np.nan}
        found, status = self.stationary(eta), "max_steps"
        if found is not None:
            x, pieces, g = found
            if self.near.size == x.size:
                g = self._gradient(x)  # the other one is made of differences of Gram matrices
            status, level["x"], level["kkt"] = "no_fixed_point", x, violation(g, x, self.penalty, eta)
            variances = self._variances(x, pieces, g, eta)
            if variances is not None:
                chi, Q_hat, level["residual"] = variances
                if level["residual"] < _TOLERANCE * max(1, np.abs(x).max(), chi.max()):
                    status, level["chi"], level["Q_hat"] = "converged", chi, Q_hat
        if status == "converged":
            (self.x, self.pieces, self.g), self.Q_hat = found, Q_hat
            if stein:
                level["stein"] = self._stein()
        return level | {"status": status, "steps": self.steps}


@one_blas_thread
def stationary_path(
    A: ArrayLike, y: ArrayLike, penalty: Penalty, etas: ArrayLike, *, stein: bool = False
) -> FixedPoints:
    """The fixed points that belief_propagation converges to, without iterating it, for a decreasing grid of eta.

    Parameters
    ----------
    A, y : (M, N) and (M,)
    penalty : Penalty
    etas : array
        Decreasing.
    stein : bool
        Compute Stein's divergence of the fit; for the elastic net it takes as long as x.

    Returns
    -------
    FixedPoints
        With x exact to rounding. These fields differ from those of belief_propagation:
        status    "no_fixed_point": x is stationary, but the variances of belief propagation do not exist there, or
                  its estimate at Q_hat is not x; chi and Q_hat are NaN. "max_steps": no stationary x was found.
        steps     sweeps of coordinate descent, factorisations and changes of one piece
        residual  the largest change of an x_i or chi_i in one plain step of belief propagation; infinite without chi
        damping   NaN: nothing is iterated

    Notes
    -----
    Under a non-convex penalty the point is the one reached from x = 0 along the grid; each level starts from the last
    that converged. Of duplicated columns under l1 only one enters; belief propagation splits x between them.

    Examples
    --------
    >>> import numpy as np
    >>> import sparsegdf
    >>> A, y = sparsegdf.Ensemble(sparsegdf.IID(), M=50, N=100).sample(0)
    >>> direct = sparsegdf.stationary_path(A, y, sparsegdf.L1(), etas=[2.0, 1.5, 1.0])
    >>> points = sparsegdf.belief_propagation(A, y, sparsegdf.L1(), etas=[2.0, 1.5, 1.0])
    >>> bool(np.abs(direct.x - points.x).max() < 1e-8)
    True
    """
    require_penalty(penalty)
    A, y = require_data(A, y)
    etas = require_etas(etas)
    path = _Path(A, y, penalty)
    return FixedPoints.from_levels(A, y, penalty, etas, [path.level(eta, stein) for eta in etas])


@one_blas_thread
def stationary_points(A, y, penalty, etas):
    """Stationary points of ||y - A x||^2 / 2 + r(x; eta) along the grid, (N, n_eta), NaN at a level without one.

    No variances are computed, which is much cheaper. Each level starts from the last point found, whether or not
    belief propagation has a fixed point there. For a convex objective the result is the x of stationary_path.
    """
    return new_path(A, y, penalty).points(require_etas(etas), stein=False)[0].T.copy()


def new_path(A, y, penalty):
    """A new path at x = 0, for points_and_divergence."""
    require_penalty(penalty)
    return _Path(*require_data(A, y), penalty)


@one_blas_thread
def points_and_divergence(path, etas, begin=None):
    """The x of stationary_points and Stein's divergence of the fit over M, sum_mu d yhat_mu / d y_mu / M.

    The divergence is tr A_S (A_S^T A_S + D)^-1 A_S^T / M, NaN unless A_S^T A_S + D is positive definite. A path that
    was used before already has its Gram matrix. `begin` (N, n_eta) has points nearby, to start each level from; under
    a convex penalty the result does not depend on it.
    """
    begin = None if begin is None else np.ascontiguousarray(begin.T)
    points, divergence = path.points(require_etas(etas), stein=True, begin=begin)
    return points.T.copy(), divergence
