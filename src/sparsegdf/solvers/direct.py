"""The fixed points of belief propagation, found directly: first where x comes to rest, then its variances.

At rest R = y - A x, and x is a stationary point of ||y - A x||^2 / 2 + r(x; eta):

    x_i = estimate(h_i; Q_i),   h_i = Q_i x_i + g_i,   g = A^T (y - A x),

whatever the Q_i at which the estimate does not jump; Q_i = ||A_i||^2 is coordinate descent. On the linear pieces that
the h_i are on (support S, signs s, r'(x_i) = d_i |x_i| + b_i) x solves linear equations,

    (A_S^T A_S + D) x_S = A_S^T y - s b,

so the only question is which pieces. From one eta to the next, sparse to dense:

Predictor.  A Newton step at the new eta with the last Cholesky factor: the tangent of the path.
Sweeps.  A few of coordinate descent settle most pieces.
Newton.  Solve on these pieces. If the solution lies on them it is stationary, exact to rounding.
Walk.  If not, deform the problem that the swept x is stationary for into the problem wanted, one piece at a time.
If that fails too (the matrix is singular, or a concave penalty makes it indefinite), there are more sweeps first; in
the end the walk goes the whole way from x = 0, as LARS does.

All this happens in the Gram matrix of the columns that have been near the support, computed as they come; the others
are looked at before x counts as found.

The variances follow from the pieces (variances.py). A stationary point where they do not exist, or where the estimate
at Q_hat_i < ||A_i||^2 jumps elsewhere, is no fixed point of belief propagation.
"""

import numpy as np
from numba import njit
from scipy.linalg import lapack

from sparsegdf.checks import require_data, require_etas
from sparsegdf.penalties.base import require_penalty
from sparsegdf.solvers.fixed_points import FixedPoints, violation
from sparsegdf.solvers.variances import variances_at_rest
from sparsegdf.threads import one_blas_thread

_FAST = {"reassoc", "contract"}  # lets sums be vectorised; NaN and infinity keep their meaning
_SWEEPS = 10  # the first time, twice as many each time after
_MAX_SWEEPS = 10_000
_NEAR = 0.9  # columns above this fraction of their threshold join the Gram matrix
_TIE = 1e-13  # relative to max |A^T y|: duplicated columns tie, and rounding is not to decide between them
_TOLERANCE = 1e-10  # relative change of x and chi by one more step of belief propagation


@njit(cache=True)
def _piece(size, start):
    """The piece that |h| = size is on: 0 for the zero estimate, else 1 + the number of its segment."""
    piece = 0
    for k in range(start.size):
        if size > start[k]:
            piece = k + 1
    return piece


@njit(cache=True)
def _pieces(Q, start, x, g):
    """The signed piece of every h_i: sign(h_i) times its piece."""
    out = np.zeros(x.size, np.int64)
    for j in range(x.size):
        h = Q[j] * x[j] + g[j]
        out[j] = _piece(abs(h), start[j]) * (1 if h > 0 else -1)
    return out


@njit(cache=True)
def _sweep(gram, Q, start, slope, intercept, x, g, pieces, count):
    """`count` sweeps of coordinate descent on (x, g, pieces); returns the largest move of the last."""
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
def _hessian(gram, S, d):
    """The lower triangle of A_S^T A_S + D."""
    H = np.empty((S.size, S.size))
    for a in range(S.size):
        row = gram[S[a]]
        for b in range(a + 1):
            H[a, b] = row[S[b]]
        H[a, a] += d[a]
    return H


@njit(cache=True, fastmath=_FAST)
def _add_outer(P, u, weight):
    """P += weight u u^T."""
    for a in range(u.size):
        scaled = weight * u[a]
        for b in range(u.size):
            P[a, b] += scaled * u[b]


@njit(cache=True, fastmath=_FAST)
def _next_event(tau, Q, start, x, g, e, dx, dg, pieces):
    """How far tau can grow before some h_j leaves its piece: (step, j, its next piece); j = -1 if none does."""
    step, event, towards = 1.0 - tau, -1, 0
    for j in range(x.size):
        h, rate = Q[j] * x[j] + g[j] - (1.0 - tau) * e[j], Q[j] * dx[j] + dg[j] + e[j]
        if rate == 0.0:
            continue
        p = abs(pieces[j])
        s = 1 if pieces[j] > 0 or (p == 0 and rate > 0) else -1
        if s * rate < 0:
            t, then = (s * h - start[j, p - 1]) / -(s * rate), s * (p - 1)
        elif p < start.shape[1]:
            t, then = (start[j, p] - s * h) / (s * rate), s * (p + 1)
        else:
            continue
        if t < step:
            step, event, towards = max(t, 0.0), j, then
    return step, event, towards


@njit(cache=True, fastmath=_FAST)
def _walk(gram, Q, start, slope, intercept, c, x, pieces, S, P, limit, whole=False):
    """Deform the problem that x is stationary for into the one wanted, changing x and pieces; returns the number of
    events, or -1 where the way ends.

    With A^T y - (1 - tau) e in place of A^T y, the mismatch e = g - s r'(x) makes the x given stationary at tau = 0;
    tau = 1 is the problem wanted. In between x is linear in tau until some h_j passes to the next piece, and then
    P = (A_S^T A_S + D)^-1 changes by rank one. The way ends where P stops being positive definite or x would jump.
    The `whole` way starts from x = 0 with e = A^T y, as if y were zero.
    """
    n, k = x.size, S.size
    room, members, place = np.zeros((n + 1, n + 1)), np.empty(n + 1, np.int64), np.full(n, -1)
    room[:k, :k], members[:k], place[S] = P, S, np.arange(k)
    g, e, dx, dg = c.copy(), np.zeros(n), np.zeros(n), np.zeros(n)
    for i in S:
        g -= x[i] * gram[i, :n]
    for j in range(n):
        p = abs(pieces[j]) - 1
        if whole:
            e[j] = c[j]
        elif p >= 0:
            e[j] = g[j] - x[j] * (1 / slope[j, p] - Q[j]) + np.sign(pieces[j]) * intercept[j, p] / slope[j, p]
        elif abs(g[j]) > start[j, 0]:
            e[j] = g[j] - np.copysign(start[j, 0], g[j])
    tau, before = 0.0, -1
    for events in range(limit):
        dx[:] = 0.0
        dg[:] = 0.0
        for a in range(k):
            total = 0.0
            for b in range(k):
                total += room[a, b] * e[members[b]]
            dx[members[a]] = total
            row = gram[members[a]]
            for j in range(n):
                dg[j] -= total * row[j]
        step, j, towards = _next_event(tau, Q, start, x, g, e, dx, dg, pieces)
        tau += step
        for i in range(n):
            x[i] += step * dx[i]
            g[i] += step * dg[i]
        if j < 0:
            return events
        if j == before and step == 0.0:
            return -1  # there and back: neither piece leads on
        old, new, border = abs(pieces[j]) - 1, abs(towards) - 1, start[j, max(abs(pieces[j]), abs(towards)) - 1]
        pieces[j], before = towards, j
        left = slope[j, old] * border + intercept[j, old] if old >= 0 else 0.0
        right = slope[j, new] * border + intercept[j, new] if new >= 0 else 0.0
        if abs(left - right) > 1e-9 * (1.0 + border):
            return -1
        if old < 0:  # j enters: border P by its row
            members[k], place[j] = j, k
            u = np.zeros(k + 1)
            schur = gram[j, j] + 1 / slope[j, 0] - Q[j]
            for a in range(k):
                for b in range(k):
                    u[a] += room[a, b] * gram[j, members[b]]
                schur -= u[a] * gram[j, members[a]]
            u[k] = -1.0
            room[k, : k + 1] = 0.0
            room[: k + 1, k] = 0.0
            k += 1
            if not schur > 1e-10 * gram[j, j]:
                return -1
            _add_outer(room, u, 1 / schur)
        elif new < 0:  # j leaves: its place goes to the last
            a = place[j]
            u = room[a, :k].copy()
            _add_outer(room, u, -1 / u[a])
            k -= 1
            x[j], place[j], place[members[k]], members[a] = 0.0, -1, a, members[k]
            room[a, :k], room[:k, a] = room[k, :k], room[:k, k]
            room[a, a] = room[k, k]
        else:  # j stays in the support with another d_j
            u = room[place[j], :k].copy()
            change = 1 / slope[j, new] - 1 / slope[j, old]
            scale = 1 + change * u[place[j]]
            if not scale > 1e-10:
                return -1
            _add_outer(room, u, -change / scale)
    return -1


class _Path:
    """The state carried from level to level. `near` lists the columns in the Gram matrix, in the order they came."""

    def __init__(self, A, y, penalty):
        self.y, self.penalty = y, penalty
        self.AT = np.ascontiguousarray(A.T)
        self.AT2 = self.AT**2
        N, M = self.AT.shape
        self.Q, self.c = self.AT2.sum(axis=1), self.AT @ y
        self.scale = np.abs(self.c).max()
        self.near, self.columns, self.gram = np.empty(0, np.int64), np.empty((0, M)), np.empty((0, 0))
        self.x, self.g, self.pieces, self.Q_hat = np.zeros(N), self.c, np.zeros(N, np.int64), self.Q
        self.factored = np.empty(0, np.int64), np.empty(0), np.empty((0, 0))  # S, d and the Cholesky factor
        self.steps = 0

    def _admit(self, new):
        """Extend the Gram matrix by the columns `new`."""
        n, total = self.near.size, self.near.size + new.size
        if total > len(self.columns):
            size = min(self.AT.shape[0], max(2 * total, 64))
            columns, gram = np.empty((size, self.AT.shape[1])), np.empty((size, size))
            columns[:n], gram[:n, :n] = self.columns[:n], self.gram[:n, :n]
            self.columns, self.gram = columns, gram
        self.columns[n:total] = self.AT[new]
        self.gram[n:total, :total] = self.columns[n:total] @ self.columns[:total].T
        self.gram[:n, n:total] = self.gram[n:total, :n].T
        self.near = np.concatenate([self.near, new])

    def _gradient(self, x):
        """A^T (y - A x) for all columns; x is zero off `near`."""
        return self.AT @ (self.y - x[self.near] @ self.columns[: self.near.size])

    def _linear(self, pieces):
        """(S, d, s b) on pieces given over `near`."""
        S = np.flatnonzero(pieces)
        i, k = self.near[S], np.abs(pieces[S]) - 1
        slope = self.slope[i, k]
        return S, 1 / slope - self.Q[i], -np.sign(pieces[S]) * self.intercept[i, k] / slope

    def _predict(self):
        """x moved along the tangent of the path, as far as no sign changes."""
        x, (S, d, sb) = self.x.copy(), self._linear(self.pieces[self.near])
        if S.size and np.array_equal(S, self.factored[0]):
            i = self.near[S]
            moved = x[i] + lapack.dpotrs(self.factored[2], self.g[i] - d * x[i] - sb)[0]
            x[i] = np.where(np.sign(moved) == np.sign(self.pieces[i]), moved, 0)
        return x

    def _newton(self, pieces):
        """The x over `near` that solves the linear equations on these pieces and whether it lies on them; x is None
        where their matrix is not positive definite.
        """
        n, (S, d, sb) = self.near.size, self._linear(pieces)
        c, x = self.c[self.near], np.zeros(self.near.size)
        if S.size:
            if not (np.array_equal(S, self.factored[0]) and np.array_equal(d, self.factored[1])):
                factor, failed = lapack.dpotrf(_hessian(self.gram, S, d).T, clean=0, overwrite_a=1)
                if failed or np.diag(factor).min() ** 2 < 1e-12 * self.Q.max():
                    return None, False
                self.factored = S, d, factor
            x[S] = lapack.dpotrs(self.factored[2], c[S] - sb)[0]
        g = c - self.gram[:n, :n] @ x
        return x, np.array_equal(_pieces(self.Q[self.near], self.start[self.near], x, g), pieces)

    def _settle(self, x, g, pieces, count):
        """A stationary point over `near`, from x with its g, first by `count` sweeps: (x, pieces), or None."""
        n, Q, c = self.near.size, self.Q[self.near], self.c[self.near]
        segments = self.start[self.near], self.slope[self.near], self.intercept[self.near]
        while count <= _MAX_SWEEPS:
            moved = _sweep(self.gram, Q, *segments, x, g, pieces, count)
            self.steps += count + 1
            solution, found = self._newton(pieces)
            if found:
                return solution, pieces
            if solution is not None:
                S = np.flatnonzero(pieces)
                P = np.triu(lapack.dpotri(self.factored[2])[0]) if S.size else np.empty((0, 0))
                walked = pieces.copy()
                events = _walk(self.gram, Q, *segments, c, x.copy(), walked, S, P + np.triu(P, 1).T, 4 * n)
                solution, found = self._newton(walked) if events >= 0 else (None, False)
                self.steps += max(events, 0)
                if found:
                    return solution, walked
            if moved <= 1e-15 * self.scale / Q.max():
                return x, pieces  # coordinate descent got there alone, e.g. among dependent columns
            count = max(2 * count, _SWEEPS)
        x[:], pieces[:] = 0, 0
        nothing = np.flatnonzero(pieces), np.empty((0, 0))
        events = _walk(self.gram, Q, *segments, c, x, pieces, *nothing, 4 * n, True)
        self.steps += max(events, 0)
        solution, found = self._newton(pieces) if events >= 0 else (None, False)
        return (solution, pieces) if found else None

    def stationary(self, eta):
        """(x, pieces, g) of a stationary point at eta, or None."""
        start, slope, intercept = (v.T.copy() for v in self.penalty.segments(self.Q, eta))
        self.start, self.slope, self.intercept = start + _TIE * self.scale, slope, intercept
        x, pieces, count = self._predict(), self.pieces.copy(), _SWEEPS
        g, away = self._gradient(x), np.ones(x.size, bool)
        while True:
            away[self.near] = False
            self._admit(np.flatnonzero(away & (np.abs(g) > _NEAR * self.start[:, 0])))
            away[self.near] = False
            settled = self._settle(x[self.near], g[self.near], pieces[self.near], count)
            if settled is None:
                return None
            x[self.near], pieces[self.near] = settled
            g = self._gradient(x)
            if not (away & (np.abs(g) > self.start[:, 0])).any():
                return x, pieces, g
            count = 0  # only the columns that were missing are off: a walk brings them in

    def _variances(self, x, pieces, g, eta):
        """(chi, Q_hat, residual) at x, or None."""
        S, d, _ = self._linear(pieces[self.near])
        i = self.near[S]
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

    def level(self, eta):
        """The outcome at one eta, starting from the last level that converged."""
        unknown, factored, self.steps = np.full(self.x.size, np.nan), self.factored, 0
        level = {"x": unknown, "chi": unknown, "Q_hat": unknown, "residual": np.inf, "damping": np.nan, "kkt": np.nan}
        found, status = self.stationary(eta), "max_steps"
        if found is not None:
            x, _, g = found
            status, level["x"], level["kkt"] = "no_fixed_point", x, violation(g, x, self.penalty, eta)
            variances = self._variances(*found, eta)
            if variances is not None:
                chi, Q_hat, level["residual"] = variances
                if level["residual"] < _TOLERANCE * max(1, np.abs(x).max(), chi.max()):
                    status, level["chi"], level["Q_hat"] = "converged", chi, Q_hat
        if status == "converged":
            (self.x, self.pieces, self.g), self.Q_hat = found, Q_hat
        else:
            self.factored = factored
        return level | {"status": status, "steps": self.steps}


@one_blas_thread
def stationary_path(A, y, penalty, etas):
    """The fixed points that belief_propagation iterates to, without iterating, for a decreasing grid of eta.

    Returns FixedPoints, x to rounding. What differs in them from belief_propagation:
    status    "no_fixed_point": x is stationary, but the variances of belief propagation do not exist there, or its
              estimate at Q_hat is another x; chi and Q_hat are NaN. "max_steps": no stationary x was found.
    steps     sweeps of coordinate descent, factorisations and changes of one piece
    residual  the largest change of an x_i or chi_i by one plain step of belief propagation, infinite without chi
    damping   NaN: nothing is iterated
    Under a penalty that is not convex, the point is the one followed from x = 0 down the grid; each level starts from
    the last that converged. Of duplicated columns under l1 only one enters (belief propagation shares between them).
    """
    require_penalty(penalty)
    A, y = require_data(A, y)
    etas = require_etas(etas)
    path = _Path(A, y, penalty)
    return FixedPoints.from_levels(A, y, penalty, etas, [path.level(eta) for eta in etas])


@one_blas_thread
def stationary_points(A, y, penalty, etas):
    """Stationary points of ||y - A x||^2 / 2 + r(x; eta) along the grid, (N, n_eta), NaN at a level without one.

    No variances, so at a third of the cost; and each level starts from the last point found, whether or not belief
    propagation has a fixed point there. Of a convex objective this is the x of stationary_path.
    """
    require_penalty(penalty)
    A, y = require_data(A, y)
    etas = require_etas(etas)
    path, points = _Path(A, y, penalty), np.full((A.shape[1], etas.size), np.nan)
    for k, eta in enumerate(etas):
        found = path.stationary(eta)
        if found is not None:
            path.x, path.pieces, path.g = found
            points[:, k] = path.x
    return points
