"""Belief propagation for one (A, y) over a whole grid of eta, built for throughput on one thread.

The map is that of the paper with its misprints corrected (bp_reference.py is the plain form):

    Q_i = sum_mu A_mu_i^2 V_mu,   V_mu = 1 / (1 + sigma_mu^2),   sigma_mu^2 = sum_i A_mu_i^2 chi_i
    x*_i, chi_i = estimate(h_i; Q_i),   h_i = Q_i x_i + sum_mu A_mu_i R_mu
    x_i  <- x_i + gamma (x*_i - x_i)
    R_mu <- R_mu + rho [(y_mu - (A x)_mu + sigma_mu^2 R_mu) / (1 + sigma_mu^2) - R_mu]
          = R_mu + rho V_mu (y_mu - (A x)_mu - R_mu)

with weights gamma on the new x and rho on the new R. What makes it fast, none of which moves a fixed point:

Working set.  Coordinates with x_i = chi_i = 0 enter neither A x nor sigma^2. Only columns that are, or are about to
be, in the support are visited; all columns are looked at now and then, and before a level counts as converged.

One pass, increments.  A step reads each column once, for its product with the change of R, the scalar update and its
share in the change of A x. Changes shrink with the residual, so single precision is enough for their products;
A^T R and A x themselves are kept in double precision and computed afresh at every look at all columns.

Variances.  (Q, V, chi) depend on x only through the branch of the estimator that each coordinate is on, and where x
comes to rest does not depend on them. They follow when a branch has changed, and are brought to rest at the end.

Damping.  At fixed variances an eigenmode of curvature g (in units where chi V = 1) obeys
    u'' = u' - gamma rho g u' + (1 - rho v)(1 - gamma c)(u' - u),   v = mean V,   c = mean of chi r'' over the mode,
a heavy ball. (Undamped BP on an iid matrix under l1 is the optimal one for its spectrum: that is why it is fast.)
For other matrices gamma and rho are set to the optimum for the range [mu, L] of curvatures: L by power iteration, mu
and c from the Rayleigh quotient of the moves that BP itself makes.
"""

import numpy as np
from numba import njit

from sparsegdf.checks import require_data, require_etas, require_number
from sparsegdf.fixed_points import FixedPoints, kkt_violation

_FAST = {"reassoc", "contract"}  # lets sums be vectorised; NaN and infinity keep their meaning
_MARGINS = (1.0, 2.0, 4.0, 8.0)  # factors on L, tried in turn when a run diverges or stalls
_PATIENCE = 1000  # steps without a 10 % smaller residual that count as a stall


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
    AT, work, n, y, V, Q, start, slope, intercept, x, field, branch, move, R, fit, dR, gamma, rho, tol, limit, count
):
    """Up to `count` steps of (x, R) at fixed variances over columns work[:n]; returns (steps, last residual).

    field = A^T R and fit = A x are carried along by increments; dR is the change of R not yet in field.
    """
    dfit = np.empty_like(dR)
    g, dx = np.empty(4, dR.dtype), np.empty(4, dR.dtype)
    step, worst = 0, 0.0
    while step < count:
        step += 1
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
                piece = -1
                for s in range(start.shape[0]):
                    if size > start[s, j]:
                        piece = s
                estimate = 0.0 if piece < 0 else np.copysign(slope[piece, j] * size + intercept[piece, j], h)
                branch[i] = piece
                change = estimate - x[i]
                if not abs(change) <= worst:
                    worst = abs(change)
                dx[k] = gamma * change
                if piece < 0 and abs(x[i]) < 1e-3 * tol:
                    dx[k] = -x[i]  # damping alone would never end the decay of a coordinate that has left
                move[i] = dx[k]
                x[i] += move[i]
                if piece < 0 and abs(x[i]) < 1e-9 * tol:
                    x[i] = 0.0
            if dx[0] != 0 or dx[1] != 0 or dx[2] != 0 or dx[3] != 0:
                _axpy4(AT, work, b, dx, dfit)
        for m in range(y.size):
            fit[m] += dfit[m]
            dR[m] = rho * V[m] * (y[m] - fit[m] - R[m])
            R[m] += dR[m]
        if worst < tol or not worst < limit:
            break
    return step, worst


@njit(cache=True, fastmath=_FAST)
def _variance_steps(AT, work, n, curvature, V, Q, chi, weight, momentum, tol, count):
    """Up to `count` updates of (chi, V, Q) over columns work[:n] with their branches held; last change of log Q.

    On one branch r'' is a constant d_i and chi_i = 1/(Q_i + d_i); d_i is infinite where the estimate is zero.
    """
    change = np.inf
    last = Q.copy()
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
        change = 0.0
        for j in range(n):
            i = work[j]
            row = AT[i]
            q = 0.0
            for m in range(V.size):
                q += V[m] * row[m] * row[m]
            change = max(change, abs(q - Q[i]) / q)
            q = Q[i] + weight * (q - Q[i]) + momentum * (Q[i] - last[i])
            last[i] = Q[i]
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

LOG=None
C1,C2,TH,HB=8,32,1e-3,False

class _Path:
    """The state of a run: messages, variances and working set, carried from level to level."""

    def __init__(self, A, y, penalty, tol, max_steps, damping):
        self.A, self.A2, self.y, self.penalty = A, A**2, y, penalty
        self.AT = np.ascontiguousarray(A.T)
        self.AT32 = self.AT.astype(np.float32)
        self.tol, self.max_steps, self.damping = tol, max_steps, damping
        M, N = A.shape
        self.x, self.R, self.fit, self.dR = np.zeros(N), y.copy(), np.zeros(M), np.zeros(M, np.float32)
        self.V, self.Q, self.chi = np.ones(M), self.A2.sum(axis=0), np.zeros(N)
        self.field = A.T @ y
        self.branch, self.move, self.mode = np.full(N, -1), np.zeros(N), np.ones(N)
        self.threshold = np.full(N, np.abs(self.field).max())
        self.limit = 1e3 * self.threshold[0] / self.Q.min()
        self.mu, self.bend = np.inf, 0.0

    def _snapshot(self):
        names = ("x", "R", "fit", "dR", "V", "Q", "chi", "field", "branch", "threshold")
        return {name: getattr(self, name).copy() for name in names}

    def _restore(self, saved):
        for name, value in saved.items():
            setattr(self, name, value.copy())

    def _visit(self, mask, eta):
        """Make `mask` the working set; its length is padded to the four columns that a product takes at once."""
        members = np.flatnonzero(mask)
        self.mask, self.n, self.members = mask, members.size, members
        self.work = np.concatenate([members, np.repeat(members[-1:], -members.size % 4)])
        self.move[~mask], self.chi[~mask], self.branch[~mask] = 0, 0, -1
        self._linearise(eta)

    def _linearise(self, eta):
        """The segments of the scalar estimator at the present Q."""
        self.segments = self.penalty.segments(self.Q[self.members], eta)

    def _follow(self, eta, tol, count):
        """Update the variances on the branches that the coordinates are on now; the last relative change of Q."""
        self.held = self.branch.copy()
        piece = self.branch[self.members]
        slope = self.segments.slope[piece, np.arange(self.n)]
        curvature = np.where(piece >= 0, 1 / slope - self.Q[self.members], np.inf)
        args = (self.AT, self.work, self.n, curvature, self.V, self.Q, self.chi)
        a,b=1.0,0.0
        if HB and count>1:
            lam=min(.999,((self.chi*self.Q)**2).sum()/self.y.size)
            q=np.sqrt(1-lam); a,b=4/(1+q)**2,((1-q)/(1+q))**2
        change = _variance_steps(*args, a, b, tol, count)
        self._linearise(eta)
        return change

    def _tune(self, margin, candidates=False):
        """Set gamma and rho to the optimal heavy ball for the present support, or for the whole working set."""
        Q, chi = self.Q[self.members], self.chi[self.members]
        bend = np.where(chi > 0, 1 - chi * Q, 0)  # chi r''
        if candidates:
            chi = np.where(chi > 0, chi, 1 / Q)
        root, v = np.sqrt(chi), self.V.mean()
        if not root.any():
            return
        product = (self.AT32, self.work, self.n, self.V, root)
        p = np.where(root > 0, self.mode[self.members], 0)
        for _ in range(4):
            p = _curvature_product(*product, p / np.linalg.norm(p))
        self.mode[self.members] = np.where(root > 0, p, self.mode[self.members])
        L = margin * 1.1 * np.linalg.norm(p) + v * max(0, bend.max())
        p = np.where(root > 0, self.move[self.members] / np.where(root > 0, root, 1), 0)
        if not candidates and p.any():
            p /= np.linalg.norm(p)
            mu = p @ _curvature_product(*product, p) + v * bend @ p**2
            if mu<=0: self.mu = 1e-4*L; self.bend = bend@p**2
            elif 0.9*mu <= 1.5*self.mu:
                self.mu, self.bend = 0.9*mu, bend@p**2
            else:
                self.mu *= 1.5
        mu = min(self.mu, L)
        step = 4 / (np.sqrt(L) + np.sqrt(mu)) ** 2
        beta = ((np.sqrt(L) - np.sqrt(mu)) / (np.sqrt(L) + np.sqrt(mu))) ** 2
        half = (1 + step * v * self.bend - beta) / 2
        rho_v = half + np.sqrt(max(0, half**2 - step * v * self.bend))
        self.rho = min(1.0, rho_v / v)
        self.gamma = min(1.0, step / self.rho)

    def _look(self, eta, closeness):
        """Compute A x, A^T R and Q afresh for all columns, and visit those that are or may soon be in the support."""
        self.fit, self.field, self.Q = self.A @ self.x, self.A.T @ self.R, self.A2.T @ self.V
        self.dR[:] = 0
        h = self.Q * self.x + self.field
        estimate, chi = self.penalty.estimate(h, self.Q, eta)
        start = self.penalty.segments(self.Q, eta).start[0]
        missed = (estimate != 0) & ~self.mask
        self._visit((self.x != 0) | (estimate != 0) | (np.abs(h) > closeness * start), eta)
        return estimate, chi, missed.any()

    def _run(self, eta, margin):
        """BP steps at one eta until one of the statuses applies."""
        start = self.penalty.segments(self.Q, eta).start[0]
        h = np.abs(self.Q * self.x + self.field)
        self._visit((self.x != 0) | (h > start - 0.5*np.maximum(self.threshold - start, 0)), eta)
        self.gamma, self.rho = self.damping or 1.0, 1.0
        if not self.damping:
            self._tune(margin, candidates=True)
        goal, tol, unsettled = 1e-2, self.tol, np.inf
        best, best_at = np.inf, self.steps
        begin = self.steps
        next_look = self.steps + 16
        while self.steps < self.max_steps:
            ahead = min(next_look, self.max_steps) - self.steps
            state = (self.x, self.field, self.branch, self.move, self.R, self.fit, self.dR)
            done, self.residual = _mean_steps(
                self.AT32, self.work, self.n, self.y, self.V, self.Q, *self.segments, *state,
                self.gamma, self.rho, max(goal, tol), self.limit, min(ahead, C1 if unsettled > TH else C2))
            self.steps += done
            if LOG is not None: LOG.append((eta, self.steps,self.residual,self.gamma,self.rho,self.n, margin, self.mu))
            if not self.residual < self.limit:
                return "diverged"
            if unsettled > TH or (self.branch != self.held).any():
                unsettled = self._follow(eta, 0, 1)
            if self.residual < 0.9 * best:
                best, best_at = self.residual, self.steps
            elif self.steps - best_at > _PATIENCE:
                return "cycling"
            if self.residual < max(goal, tol) or self.steps >= next_look:
                final = self.residual < tol
                if final:
                    unsettled = self._follow(eta, 1e-13, 10_000)
                estimate, chi, missed = self._look(eta, 0.9)
                if final and not missed:
                    self.residual = np.abs(estimate - self.x).max()
                    ok = (self.residual < self.tol and np.allclose(chi, self.chi, rtol=1e-10, atol=0)
                        and kkt_violation(self.A, self.y, estimate, self.penalty, eta) <= 10 * self.tol)
                    if ok:
                        return "converged"
                    tol *= 0.5
                goal = 1e-3 * self.residual
                if not self.damping:
                    self._tune(margin)
                next_look = self.steps + min(max(16, self.steps - begin), 256)
        return "max_steps"

    def level(self, eta):
        """The fixed point at one eta as an entry of FixedPoints, starting from the last level that converged."""
        saved, self.steps = self._snapshot(), 0
        for margin in _MARGINS if self.damping is None else (1.0,):
            status = self._run(eta, margin)
            if status in ("converged", "max_steps"):
                break
            if status == "diverged":
                self._restore(saved)
        if status == "diverged":
            x = chi = Q = np.full(self.x.size, np.nan)
        else:
            Q = self.A2.T @ self.V
            x, chi = self.penalty.estimate(Q * self.x + self.A.T @ self.R, Q, eta)
        if status == "converged":
            self.threshold = self.penalty.segments(self.Q, eta).start[0]
        else:
            self._restore(saved)
        level = {"x": x, "chi": chi, "Q_hat": Q, "status": status, "steps": self.steps}
        return level | {"residual": self.residual, "damping": self.gamma}


def belief_propagation(A, y, penalty, etas, tol=1e-10, max_steps=100_000, damping=None):
    A, y = require_data(A, y)
    etas = require_etas(etas)
    path = _Path(A, y, penalty, tol, max_steps, damping)
    return FixedPoints.from_levels(A, y, penalty, etas, [path.level(eta) for eta in etas])
