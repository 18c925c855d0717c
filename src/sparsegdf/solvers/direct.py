"""The fixed points of belief propagation, found directly: first a stationary x, then its variances.

At a fixed point R = y - A x, and x is a stationary point of ||y - A x||^2 / 2 + r(x; eta):

    x_i = estimate(h_i; Q_i),   h_i = Q_i x_i + g_i,   g = A^T (y - A x),

for all Q_i at which the estimate does not jump; Q_i = ||A_i||^2 is coordinate descent. From one eta to the next,
sparse to dense, settle.py finds the pieces of the estimator that the h_i are on, and x by linear equations on them.

All steps use the Gram matrix of the columns that have been near the support, which is extended as needed. The other
columns are checked before x is accepted.

The variances follow from the pieces (variances.py). A stationary point is not a fixed point of belief propagation if
its variances do not exist, or if the estimate at Q_hat_i < ||A_i||^2 jumps to another x.
"""

from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from sparsegdf.checks import require_data, require_etas
from sparsegdf.penalties.base import Penalty, require_penalty
from sparsegdf.solvers.cholesky import new_factor
from sparsegdf.solvers.fixed_points import FixedPoints, violation
from sparsegdf.solvers.settle import divergence_of, fit_factor, pieces_of, settle, settle_levels, step_ahead
from sparsegdf.solvers.variances import variances_at_rest
from sparsegdf.solvers.walk import Problem
from sparsegdf.threads import one_blas_thread

_SMALL = 300  # Up to this many columns, the whole Gram matrix is computed at once.
_NEAR = 0.9  # Columns above this fraction of their threshold are added to the Gram matrix.
_TIE = 1e-13  # Thresholds are raised by this fraction of max |A^T y|: rounding must not decide between duplicates.
_TOLERANCE = 1e-10  # At a fixed point, one more step of belief propagation changes x and chi by less (relative).


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
        if pieces.any() and fit_factor(problem, pieces, self.factor):
            dx = step_ahead(problem, x[self.near], self.g[self.near], pieces, self.factor)[1]
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
            *found, steps = settle(
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

        Level k starts from begin[k] or, if that is not given, from the last point found. begin[k] is zero off `near`.
        """
        if self.x.size <= _SMALL:
            begin = np.empty((0, self.x.size)) if begin is None else begin
            segments = self._segments(etas[:, None])
            points, divergence = settle_levels(
                self.gram, self.Q, self.c, segments, self.factor, self.scale, stein, begin
            )
            return points, divergence / self.y.size
        points, divergence = np.full((etas.size, self.x.size), np.nan), np.full(etas.size, np.nan)
        for k, eta in enumerate(etas):
            if begin is not None:
                self.x, self.g = begin[k], self._gradient(begin[k])
                self.pieces = pieces_of(Problem(self.gram, self.Q, self.c, *self._segments(eta)), self.x)
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
        return divergence_of(self._problem(), self.pieces[self.near], self.factor) / self.y.size

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
    was used before already has its Gram matrix. `begin` (N, n_eta) has points nearby, to start each level from, on
    columns that are non-zero in points of this path; under a convex penalty the result does not depend on it.
    """
    begin = None if begin is None else np.ascontiguousarray(begin.T)
    points, divergence = path.points(require_etas(etas), stein=True, begin=begin)
    return points.T.copy(), divergence
