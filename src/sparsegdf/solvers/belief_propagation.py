"""Belief propagation for one (A, y) over a whole grid of eta, built for throughput on one thread.

The map is that of the paper with its misprints corrected (plain_bp.py is the plain form):

    Q_i = sum_mu A_mu_i^2 V_mu,   V_mu = 1 / (1 + sigma_mu^2),   sigma_mu^2 = sum_i A_mu_i^2 chi_i
    x*_i, chi_i = estimate(h_i; Q_i),   h_i = Q_i x_i + sum_mu A_mu_i R_mu
    x_i  <- x_i + gamma (x*_i - x_i)
    R_mu <- R_mu + rho [(y_mu - (A x)_mu + sigma_mu^2 R_mu) / (1 + sigma_mu^2) - R_mu]
          = R_mu + rho V_mu (y_mu - (A x)_mu - R_mu)

with weights gamma on the new x and rho on the new R. The following makes it fast and does not change a fixed point:

Working set.  Coordinates with x_i = chi_i = 0 enter neither A x nor sigma^2. Most steps use only the columns that are
in the support or may soon enter it. All columns are checked at intervals, and before a level counts as converged.

One pass, increments.  A step reads each column once, for its product with the change of R, the scalar update and its
part of the change of A x. Changes shrink with the residual, so single precision is enough for their products. A^T R
and A x themselves are kept in double precision and are recomputed whenever all columns are checked.

Variances.  (Q, V, chi) depend on x only through the segment of the estimator that each coordinate is on, and the x of
a fixed point does not depend on them. They are updated when a segment has changed, and iterated to convergence at the
end.

Damping.  At fixed variances a mode u of x - x_fixed, with curvature g of ||y - A x||^2 / 2 + r(x) in units where
chi V = 1, obeys
    u'' = u' - gamma rho g u' + (1 - rho v)(1 - gamma c)(u' - u),   v = mean V,   c = mean of chi r'' over the mode,
which is the heavy-ball method. (Undamped BP on an iid matrix under l1 is the optimal heavy ball for its spectrum,
which is why it is fast.) For other matrices gamma and rho are set to the optimum for the range [mu, L] of curvatures.
L comes from power iteration, mu and c from the Rayleigh quotient of the moves that BP makes.
"""

import numpy as np
from numpy.typing import ArrayLike

from sparsegdf.checks import require_data, require_etas, require_integer, require_number
from sparsegdf.compiled import njit
from sparsegdf.penalties.base import Penalty, require_penalty
from sparsegdf.solvers.fixed_points import FixedPoints, kkt_violation
from sparsegdf.threads import one_blas_thread

_FAST = {"reassoc", "contract"}  # These flags allow vectorised sums; NaN and infinity keep their meaning.
_MARGINS = (1.1, 2.2, 4.4, 8.8)  # Factors on the estimate of L; the next one is tried when a run has diverged.
_PATIENCE = 2000  # A run cycles if its residual has not fallen by 10 % in this many steps.
_NO_PRECISION = 1e-20  # If V, which is 1 at chi = 0, is below this, Q is falling to zero.
_SETTLED = 1e-2  # Once the relative change of Q is below this, variances are updated only when a segment changes.


@njit(cache=True, fastmath=_FAST)
def _dot4(AT, work, b, v, out):
    """out[k] = column work[b+k] . v"""
    r0, r1, r2, r3 = AT[work[b]], AT[work[b + 1]], AT[work[b + 2]], AT[work[b + 3]]
    s0 = s1 = s2 = s3 = v[0] * np.float32(0)
    for m in range(v.size):
        s0 += r0[m] * v[m]
        s1 += r1[m] * v[m]
        s2 += r2[m] * v[m]
        s3 += r3[m] * v[m]
    out[0], out[1], out[2], out[3] = s0, s1, s2, s3


@njit(cache=True, fastmath=_FAST)
def _axpy4(AT, work, b, a, out):
    """out += sum_k a[k] column work[b+k]"""
    r0, r1, r2, r3 = AT[work[b]], AT[work[b + 1]], AT[work[b + 2]], AT[work[b + 3]]
    a0, a1, a2, a3 = a[0], a[1], a[2], a[3]
    for m in range(out.size):
        out[m] += (a0 * r0[m] + a1 * r1[m]) + (a2 * r2[m] + a3 * r3[m])


@njit(cache=True, fastmath=_FAST)
def _mean_steps(
    AT, work, n, y, V, Q, start, slope, intercept, x, field, segment, move, R, fit, gamma, rho, tol, limit, count
):
    """Up to `count` steps of (x, R) at fixed variances over columns work[:n]; returns (steps, last residual).

    R is computed from the x of the step before, at variances that may have changed since. field = A^T R and fit = A x
    are updated by increments. segment[i] is the segment that h_i is on, -1 where the estimate is zero.
    """
    dR, dfit = np.empty(y.size, AT.dtype), np.empty(y.size, AT.dtype)
    g, dx = np.empty(4, AT.dtype), np.empty(4, AT.dtype)
    step, worst = 0, 0.0
    while step < count:
        step += 1
        for m in range(y.size):
            dR[m] = rho * V[m] * (y[m] - fit[m] - R[m])
            R[m] += dR[m]
        dfit[:] = 0
        worst = 0.0
        for b in range(0, n, 4):
            _dot4(AT, work, b, dR, g)
            dx[:] = 0
            for k in range(min(4, n - b)):
                i, j = work[b + k], b + k
                field[i] += g[k]
                h = Q[i] * x[i] + field[i]
                size = abs(h)
                on = -1
                for s in range(start.shape[0]):
                    if size > start[s, j]:
                        on = s
                estimate = 0.0 if on < 0 else np.copysign(slope[on, j] * size + intercept[on, j], h)
                segment[i] = on
                change = estimate - x[i]
                if not abs(change) <= worst:
                    worst = abs(change)
                dx[k] = gamma * change
                move[i] = dx[k]
                x[i] += move[i]
                if on < 0 and abs(x[i]) < 1e-6 * tol:
                    x[i] = 0.0  # with damping x_i would decay for ever and never be exactly zero
            if dx[0] != 0 or dx[1] != 0 or dx[2] != 0 or dx[3] != 0:
                _axpy4(AT, work, b, dx, dfit)
        for m in range(y.size):
            fit[m] += dfit[m]
        if worst < tol or not worst < limit:
            break
    return step, worst


@njit(cache=True, fastmath=_FAST)
def _variance_steps(AT, work, n, curvature, V, Q, chi, tol, count):
    """Up to `count` updates of (chi, V, Q) over columns work[:n] at fixed segments; returns the last change of log Q.

    On one segment r'' is a constant d_i and chi_i = 1/(Q_i + d_i); d_i is infinite where the estimate is zero. If the
    equations have no solution, Q falls towards zero or a chi_i is no longer positive; then infinity is returned.
    """
    change = np.inf
    for _ in range(count):
        for j in range(n):
            if not Q[work[j]] + curvature[j] > 0.0:
                return np.inf
        V[:] = 1.0
        for j in range(n):
            i = work[j]
            chi[i] = 1.0 / (Q[i] + curvature[j])
            if chi[i] > 0.0:
                row = AT[i]
                for m in range(V.size):
                    V[m] += chi[i] * row[m] * row[m]
        for m in range(V.size):
            V[m] = 1.0 / V[m]
        if not V.min() > _NO_PRECISION:
            return np.inf
        change = 0.0
        for j in range(n):
            i = work[j]
            row = AT[i]
            q = 0.0
            for m in range(V.size):
                q += V[m] * row[m] * row[m]
            change = max(change, abs(q - Q[i]) / q)
            Q[i] = q
        if change < tol:
            break
    return change


@njit(cache=True, fastmath=_FAST)
def _curvature_product(AT, work, n, V, root_chi, p):
    """K p for K = sqrt(chi) A^T V A sqrt(chi) over columns work[:n]."""
    fit = np.zeros(V.size, AT.dtype)
    a = np.zeros(4, AT.dtype)
    out = np.zeros(n)
    for b in range(0, n, 4):
        a[:] = 0
        for k in range(min(4, n - b)):
            a[k] = root_chi[b + k] * p[b + k]
        _axpy4(AT, work, b, a, fit)
    for m in range(V.size):
        fit[m] *= V[m]
    for b in range(0, n, 4):
        _dot4(AT, work, b, fit, a)
        for k in range(min(4, n - b)):
            out[b + k] = root_chi[b + k] * a[k]
    return out


class _Path:
    """The state of a run: messages, variances and working set, carried from level to level."""

    def __init__(self, A, y, penalty, tol, max_steps, damping):
        self.A, self.A2, self.y, self.penalty = A, A**2, y, penalty
        self.AT = np.ascontiguousarray(A.T)
        self.AT32 = self.AT.astype(np.float32)
        self.tol, self.max_steps, self.damping = tol, max_steps, damping
        M, N = A.shape
        self.x, self.R, self.fit, self.field = np.zeros(N), y.copy(), np.zeros(M), A.T @ y
        self.V, self.Q, self.chi = np.ones(M), self.A2.sum(axis=0), np.zeros(N)
        self.on_segment, self.move, self.mode = np.full(N, -1), np.zeros(N), np.ones(N)
        self.threshold = np.full(N, np.abs(self.field).max())
        self.limit = 1e3 * self.threshold[0] / self.Q.min() or 1.0
        self.mu, self.bend = np.inf, 0.0

    def _snapshot(self):
        names = ("x", "R", "fit", "field", "V", "Q", "chi", "on_segment")
        return {name: getattr(self, name).copy() for name in names}

    def _restore(self, saved):
        for name, value in saved.items():
            setattr(self, name, value.copy())

    def _visit(self, mask, eta):
        """Make `mask` the working set, padded to a multiple of four, the number of columns in one product."""
        self.mask, self.members = mask, np.flatnonzero(mask)
        self.work = np.concatenate([self.members, np.repeat(self.members[-1:], -self.members.size % 4)])
        self.move[~mask], self.chi[~mask], self.on_segment[~mask] = 0, 0, -1
        self.segments = self.penalty.segments(self.Q[self.members], eta)

    def _step(self, tol, count):
        """Up to `count` steps of x and R, fewer if the residual falls below tol."""
        messages = (self.x, self.field, self.on_segment, self.move, self.R, self.fit)
        variances, n = (self.V, self.Q, *self.segments), self.members.size
        weights = (self.gamma, self.rho)
        steps, self.residual = _mean_steps(
            self.AT32, self.work, n, self.y, *variances, *messages, *weights, tol, self.limit, count
        )
        self.steps += steps

    def _follow(self, eta, tol, count):
        """Update the variances at the current segments; returns the last relative change of Q."""
        self.held, n = self.on_segment.copy(), self.members.size
        on, Q = self.on_segment[self.members], self.Q[self.members]
        curvature = np.where(on >= 0, 1 / self.segments.slope[on, np.arange(n)] - Q, np.inf)
        change = _variance_steps(self.AT, self.work, n, curvature, self.V, self.Q, self.chi, tol, count)
        self.segments = self.penalty.segments(self.Q[self.members], eta)
        return change

    def _look(self, eta):
        """Recompute A x, A^T R, Q and the outcome x*, chi for all columns, and choose the working set anew.

        The working set gets the columns that are in the support or may soon enter it. Returns whether a column of the
        support was missing from the old one.
        """
        self.fit, self.field, self.Q = self.A @ self.x, self.A.T @ self.R, self.A2.T @ self.V
        h = self.Q * self.x + self.field
        self.outcome = estimate, _ = self.penalty.estimate(h, self.Q, eta)
        missed = ((estimate != 0) & ~self.mask).any()
        near = np.abs(h) > 0.9 * self.penalty.segments(self.Q, eta).start[0]
        self._visit((self.x != 0) | (estimate != 0) | near, eta)
        return missed

    def _tune(self, margin, entering=False):
        """Set gamma and rho to the optimal heavy ball for the support (`entering` a level: for the working set)."""
        Q, chi, n = self.Q[self.members], self.chi[self.members], self.members.size
        bend = np.where(chi > 0, 1 - chi * Q, 0)  # chi r''
        if entering:
            chi = np.where(chi > 0, chi, 1 / Q)
        if not chi.any():
            return
        root, v = np.sqrt(chi), self.V.mean()
        product = (self.AT32, self.work, n, self.V, root)
        p, lone = np.where(chi > 0, self.mode[self.members], 0), 1.0 * (np.arange(n) == chi.argmax())
        for _ in range(4):
            p = p if p.any() else lone  # with opposite columns A p may be exactly zero
            p = _curvature_product(*product, p / np.linalg.norm(p))
        p = p if p.any() else lone
        self.mode[self.members] = np.where(chi > 0, p, self.mode[self.members])
        L = margin * np.linalg.norm(p) + v * max(0, bend.max())
        p = self.move[self.members] * np.where(chi > 0, chi, np.inf) ** -0.5
        if not entering and p.any():
            p /= np.linalg.norm(p)
            mu = 0.9 * (p @ _curvature_product(*product, p) + v * bend @ p**2)
            if mu <= 1.5 * self.mu:
                # BP leaves a saddle (mu < 0) by itself; until then any small curvature will do.
                self.mu, self.bend = mu if mu > 0 else 1e-4 * L, bend @ p**2
            else:
                # With too much momentum all modes decay alike, and the quotient overestimates the smallest.
                self.mu *= 1.5
        mu = min(self.mu, L)
        step = 4 / (np.sqrt(L) + np.sqrt(mu)) ** 2
        momentum = ((np.sqrt(L) - np.sqrt(mu)) / (np.sqrt(L) + np.sqrt(mu))) ** 2
        # gamma rho = step and (1 - rho v)(1 - gamma c) = momentum
        half = (1 + step * v * self.bend - momentum) / 2
        self.rho = min(1.0, (half + np.sqrt(max(0, half**2 - step * v * self.bend))) / v)
        self.gamma = min(1.0, step / self.rho)

    def _run(self, eta, margin):
        """Run at one eta until one of the statuses applies, and return it."""
        h = np.abs(self.Q * self.x + self.field)
        start = self.penalty.segments(self.Q, eta).start[0]
        self._visit((self.x != 0) | (h > start - np.maximum(self.threshold - start, 0) / 2), eta)
        self.gamma, self.rho = self.damping or 1.0, 1.0
        if self.damping is None:
            self._tune(margin, entering=True)
        first, next_look = self.steps, self.steps + 16
        best, best_at = np.inf, self.steps
        goal, tol, change = 0.01, self.tol, np.inf
        while self.steps < self.max_steps:
            # With a fixed damping the variances are updated undamped in every step, as in plain_bp.py, for the first
            # 64 steps. Adapted damping works better with fewer updates.
            pace = 32 if change < _SETTLED else 8 if self.damping is None or self.steps - first > 64 else 1
            target = max(goal, tol)
            self._step(target, min(pace, next_look - self.steps, self.max_steps - self.steps))
            if not self.residual < self.limit:
                return "diverged"
            if change > _SETTLED or (self.on_segment != self.held).any():
                change = self._follow(eta, 0.0, 1)
            if self.residual < 0.9 * best:
                best, best_at = self.residual, self.steps
            elif self.steps - best_at > _PATIENCE:
                return "cycling"
            if self.residual >= target and self.steps < next_look:
                continue
            at_rest = self.residual < tol
            if at_rest:
                change = self._follow(eta, 1e-13, 10_000)
            missed = self._look(eta)
            if at_rest and not missed:
                estimate, chi = self.outcome
                self.residual = np.abs(estimate - self.x).max()
                settled = np.allclose(chi, self.chi, rtol=1e-10, atol=0) and self.residual < self.tol
                if settled and kkt_violation(self.A, self.y, estimate, self.penalty, eta) <= 10 * self.tol:
                    return "converged"
                tol /= 2
            if self.damping is None:
                self._tune(margin)
            # The next look at all columns: when the residual has fallen a thousandfold, or after as many steps again.
            goal = 1e-3 * self.residual
            next_look = self.steps + min(max(16, self.steps - first), 256)
        return "max_steps"

    def level(self, eta):
        """The outcome at one eta, starting from the last level that converged.

        A run that diverges is repeated from there with the next margin; a run that cycles after that is continued.
        """
        saved, self.steps = self._snapshot(), 0
        for margin in _MARGINS if self.damping is None else (1.0,):
            status = self._run(eta, margin)
            if status == "diverged":
                self._restore(saved)
            elif status != "cycling" or margin == _MARGINS[0]:
                break  # a run that cycles without having diverged has no fixed point nearby at any margin
        if status == "diverged":
            x, chi, Q = (np.full(self.x.size, np.nan) for _ in range(3))
        else:
            if status != "converged":
                self._look(eta)
            (x, chi), Q = self.outcome, self.Q.copy()
        if status == "converged":
            self.threshold = self.penalty.segments(Q, eta).start[0]
        else:
            self._restore(saved)
        level = {"x": x, "chi": chi, "Q_hat": Q, "status": status, "steps": self.steps}
        return level | {"residual": self.residual, "damping": self.gamma}


@one_blas_thread
def belief_propagation(
    A: ArrayLike,
    y: ArrayLike,
    penalty: Penalty,
    etas: ArrayLike,
    tol: float = 1e-10,
    max_steps: int = 100_000,
    damping: float | None = None,
) -> FixedPoints:
    """BP fixed points of ||y - A x||^2 / 2 + r(x; eta) for a decreasing grid of eta.

    Parameters
    ----------
    A, y : (M, N) and (M,)
        The columns of A should have a length of order 1, since tol is in units of x and of the gradient.
    penalty : Penalty
    etas : array
        Decreasing. Each level starts from the last one that converged, the first from x = 0.
    tol : float
        A level has converged when max_i |x*_i - x_i| < tol for the step *before* damping (a damped step would be
        smaller by gamma), one more step changes the variances by less than 1e-10, no column outside the working set
        would enter, and the thresholded output x* violates stationarity by at most 10 tol.
    max_steps : int
        At each level.
    damping : float, optional
        A fixed weight 0 < gamma <= 1 on the new x (rho = 1, as in plain_bp.py). None adapts gamma and rho.

    Returns
    -------
    FixedPoints

    Notes
    -----
    A run whose residual grows without bound has "diverged"; one whose residual has not fallen by 10 % in 2000 steps
    is "cycling". With adapted damping a run that diverges is repeated with shorter steps.

    Examples
    --------
    >>> import sparsegdf
    >>> A, y = sparsegdf.Ensemble(sparsegdf.IID(), M=50, N=100).sample(0)
    >>> points = sparsegdf.belief_propagation(A, y, sparsegdf.L1(), etas=[2.0, 1.5, 1.0])
    >>> points.converged
    array([ True,  True,  True])
    >>> points.delta
    array([0.04, 0.18, 0.32])
    """
    require_penalty(penalty)
    A, y = require_data(A, y)
    etas = require_etas(etas)
    tol = require_number("tol", tol, above=0)
    max_steps = require_integer("max_steps", max_steps, at_least=1)
    if damping is not None:
        damping = require_number("damping", damping, above=0, at_most=1)
    path = _Path(A, y, penalty, tol, max_steps, damping)
    return FixedPoints.from_levels(A, y, penalty, etas, [path.level(eta) for eta in etas])
