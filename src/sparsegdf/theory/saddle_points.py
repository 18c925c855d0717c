"""The solutions of the RS saddle-point equations as one curve, on which v = Q + s2 is the parameter.

With h = sqrt(chi_hat) z and chi_hat = v Q_hat^2 the equations of replica_symmetric.py are, for iid predictors,

    v - s2 = E[x*^2] / alpha        and        1 - Q_hat = Q_hat E[dx*/dh] / alpha.

Other predictors (predictors.py) have the same two equations with df(u) in place of 1 - Q_hat, where Q_hat(u) and
chi_hat/Q_hat^2 = spread(v, u) are functions of a second unknown u, which is Q_hat for iid predictors. For them v is
Q + unit, where unit is s2 over the mean square length of a column, and q below is ln(Q/unit).

Let t be the field at which the estimate leaves zero, in units of sqrt(chi_hat). At fixed v the first right side falls
with t, since a stronger penalty makes every |x*| smaller. So each v has one t, one Q_hat and one eta, while the
same eta, or the same delta (which is t), may belong to several v. The curve starts at v = s2, eta = infinity:

    S1  goes on while u > 0. It ends in S2, where u, Q_hat and eta vanish; in S3, where v diverges; or at eta = 0
        with every component non-zero.
    S2  may follow, with chi infinite, eta = 0 and v finite.
"""

from dataclasses import dataclass

import numpy as np

from sparsegdf.theory.roots import bracketed_roots, newton_pairs

# u in the limit chi -> infinity: every quantity reported there has lost its dependence on it.
TINY = 1e-12
# At this t the fraction of non-zeros, erfc(t/sqrt 2), is 1e-299, near the smallest double.
T_MAX = 37.0
# The nodes in q = ln(Q/unit): as -t^2/2 where the solution is sparse, even where it is dense, up to Q = 1e10 unit.
_SPARSE = np.concatenate([np.linspace(36, 8, 70, endpoint=False), np.linspace(8, 0, 60, endpoint=False)])
_NODES = np.concatenate([-(_SPARSE**2) / 2, np.linspace(0, 6, 50, endpoint=False), np.linspace(6, 23, 60)])
# An interval between nodes is divided like this, again and again. After so many rounds it is as short as rounding
# allows; a minimum needs only half the digits.
_DIVISION = np.linspace(0, 1, 100)
_ROUNDS, _ROUNDS_OF_A_MINIMUM = 9, 3
# How well the equations hold at a node, and at a point that is handed out.
_NODE, _POINT = 1e-8, 1e-14


@dataclass(frozen=True)
class Nodes:
    """Points of the curve in the order of v. Where v is beyond eta = 0 there is none, and t = -1, eta = 0."""

    q: np.ndarray
    v: np.ndarray
    t: np.ndarray
    u: np.ndarray
    eta: np.ndarray

    def __getitem__(self, which):
        return Nodes(self.q[which], self.v[which], self.t[which], self.u[which], self.eta[which])

    def replaced(self, k, other):
        """These nodes with those of `other` in place of node k."""
        pairs = zip(vars(self).values(), vars(other).values(), strict=True)
        return Nodes(*(np.concatenate([mine[:k], theirs, mine[k + 1 :]]) for mine, theirs in pairs))


class SaddlePoints:
    """The curve of one problem on coarse nodes; a solution between two of them is computed when it is asked for.

    `s1` holds the nodes of S1 and the first one beyond its end, if there is any; `all` those of S2 as well. `beyond`
    is the branch that S1 goes over into: "S2", "S3", or "" where it ends at eta = 0.
    """

    def __init__(self, penalty, predictors):
        self.penalty, self.predictors = penalty, predictors
        self.alpha, self.s2 = predictors.alpha, predictors.s2
        self._proportional = self._is_proportional()
        nodes = self._nodes(_NODES)
        lost = nodes.eta == 0
        last = int(lost.argmax()) if lost.any() else lost.size - 1
        self.s1 = self.all = nodes[: last + 1]
        self.beyond = "S3" if not lost.any() else "S2" if nodes.t[last] >= 0 else ""
        if self.beyond == "S2":
            finite_again = ~lost & (np.arange(lost.size) > last)  # a solution that S1 is not connected with
            self.all = nodes[: int(finite_again.argmax())] if finite_again.any() else nodes
        # Where eta turns, its minimum is a node, so that no eta is missed between two. Rounding of u is no turn.
        change, noise = np.diff(self.s1.eta), 1e-13 * (self.s1.eta / self.s1.u)[1:]
        for k in np.flatnonzero((change[:-1] < 0) & (change[1:] > noise[1:])):
            self.s1 = self.s1.replaced(k + 1, self._lowest("eta", self.s1, k + 1))

    def at_t(self, t):
        """(v, u, branch) at each t of a 1-d array, the first point of the curve with it. In S3 v is infinite."""
        nodes = self.all if t.min() >= self.all.t.min() else self._with_turning_point(self.all)
        reached = nodes.t <= t[:, None]
        return self._between(nodes, t, np.where(reached.any(axis=1), reached.argmax(axis=1), -1))

    def at_t_beyond_turning(self, t):
        """(v, u, branch) at each t, the second point of S1 that has it; branch is "" where there is none."""
        nodes = self._with_turning_point(self.s1)
        turn = int(nodes.t.argmin())
        reached = (nodes.t >= t[:, None]) & (np.arange(nodes.t.size) > turn) & (t[:, None] >= nodes.t[turn])
        v, u, branch = self._between(nodes, t, np.where(reached.any(axis=1), reached.argmax(axis=1), -1))
        return v, u, np.where(branch == "S1", branch, "")

    def at_eta(self, eta):
        """(v, u, branch) at eta > 0, the first point of the curve that has it. In S3 v is infinite."""
        nodes, reached = self.s1, self.s1.eta <= eta
        if not reached.any():
            return np.inf, TINY, "S3"
        if reached[0]:
            return self.predictors.unit, 1.0, "S1"  # the fraction of non-zeros is below 1e-280

        def equations(x):
            v, u = x
            Q_hat = self.predictors.Q_hat(u)
            chi_hat = self.predictors.spread(v, u) * Q_hat**2
            mean = self.predictors.averages(self.penalty, Q_hat, np.full(v.shape, eta), chi_hat)
            square, response = mean.square / self.alpha, mean.response / self.alpha
            return np.array([1 - (self.predictors.unit + square) / v, self.predictors.df(u) - Q_hat * response])

        for _ in range(_ROUNDS):
            k = int((nodes.eta <= eta)[1:].argmax()) + 1
            low, high = nodes[k - 1], nodes[k]
            weight = (low.eta - eta) / (low.eta - high.eta) if high.t >= 0 else 0.0
            start = [[low.v + weight * (high.v - low.v)], [low.u + weight * (high.u - low.u)]]
            ((v,), (u,)), found = newton_pairs(equations, start, _POINT)
            if found[0] and low.v * (1 - 1e-14) <= v <= high.v * (1 + 1e-14):
                break
            nodes = self._divided(low, high)
        return v, u, "S1" if u > TINY else "S2"

    def end(self):
        """(v, t) at which S1 ends."""
        if self.beyond == "S3":
            return self.s1.v[-1], self.s1.t[-1]
        if self.beyond == "":
            return self.at_t(np.zeros(1))[0][0], 0.0
        low, high = self.s1[-2], self.s1[-1]
        for _ in range(_ROUNDS):
            nodes = self._divided(low, high)
            k = int((nodes.eta == 0)[1:].argmax()) + 1
            low, high = nodes[k - 1], nodes[k]
        return low.v, low.t

    def smallest_t(self):
        """The smallest t of S1, at its largest delta."""
        return min(self._with_turning_point(self.s1).t[:-1].min(), self.end()[1])

    def _with_turning_point(self, nodes):
        """The nodes with the smallest t among them, unless that is at their first or last."""
        k = int(nodes.t.argmin())
        return nodes if k in (0, nodes.t.size - 1) else nodes.replaced(k, self._lowest("t", nodes, k))

    def _lowest(self, column, nodes, k):
        """The point where t or eta is least, between the neighbours of node k."""
        for _ in range(_ROUNDS_OF_A_MINIMUM):
            nodes = self._divided(nodes[max(k - 1, 0)], nodes[min(k + 1, nodes.q.size - 1)])
            k = int(getattr(nodes, column).argmin())
        return nodes[k : k + 1]

    def _divided(self, low, high):
        return self._nodes(low.q + (high.q - low.q) * _DIVISION)

    def _nodes(self, q):
        """The points of the curve at each q = ln(Q/unit); eta = 0 stands for u = 0, too."""
        v = self._v(q)
        if self._proportional:
            t = self._t(q)
            u = self._u(np.maximum(t, 0), v)
        else:
            t, u = self._t_and_u(q, v)
        eta = self._eta(np.maximum(t, 0), v, u)
        return Nodes(q, v, t, u, np.where((t >= 0) & (u > TINY), eta, 0.0))

    def _t(self, q):
        """t at each q, -1 where the first equation has none."""
        t = np.full(q.shape, -1.0)
        there = self._square_equation(np.zeros(q.shape), q) >= 0
        top = np.full(there.sum(), T_MAX)
        t[there] = bracketed_roots(lambda t: self._square_equation(t, q[there]), 0.0, top)
        return t

    def _t_and_u(self, q, v):
        """t and u at each q where they do not separate: two equations, solved together."""
        t = np.sqrt(2 * np.logaddexp(0, -q))  # exact enough where few components are non-zero
        (t, u), found = newton_pairs(lambda x: self._equations(*x, q, v), [t, np.full(q.shape, 0.5)], _NODE)
        lost = ~found
        if lost.any():
            t[lost] = self._t(q[lost])
            u[lost] = self._u(np.maximum(t[lost], 0), v[lost])
        return t, u

    def _between(self, nodes, t, k):
        """(v, u, branch) at t between the nodes k - 1 and k; k = -1 says that there is no such point."""
        v, u = np.where(k < 0, np.inf, self.predictors.unit), np.where(k < 0, TINY, 1.0)
        inside = k > 0
        low, high = nodes[k[inside] - 1], nodes[k[inside]]
        q, u[inside] = self._q_and_u(low, high, t[inside])
        v[inside] = self._v(q)
        return v, u, np.where(k < 0, "S3", np.where(u > TINY, "S1", "S2"))

    def _q_and_u(self, low, high, t):
        """q and u at each t between two nodes."""
        if self._proportional:
            q = bracketed_roots(lambda q: self._square_equation(t, q), low.q, high.q)
            return q, self._u(t, self._v(q))

        def equations(x):  # q as a positive number, counted from the lower node
            return self._equations(t, x[1], low.q + x[0], self._v(low.q + x[0]))

        (above, u), found = newton_pairs(equations, [(high.q - low.q) / 2, low.u], _POINT)
        q, lost = low.q + above, ~found | (above > high.q - low.q)
        if lost.any():
            q[lost] = bracketed_roots(lambda q: self._square_equation(t[lost], q), low.q[lost], high.q[lost])
            u[lost] = self._u(t[lost], self._v(q[lost]))
        return q, u

    def _v(self, q):
        return self.predictors.unit * (1 + np.exp(q))

    def _equations(self, t, u, q, v):
        """The logarithm of right over left side of the first equation, and the left less the right of the second."""
        Q_hat = self.predictors.Q_hat(u)
        mean = self._state(t, v, u)
        with np.errstate(divide="ignore"):
            # Rounding can make a vanishing square negative.
            square = np.log(np.maximum(mean.square, 0)) - q - np.log(self.alpha * self.predictors.unit)
        return np.array([square, self.predictors.df(u) - Q_hat * mean.response / self.alpha])

    def _eta(self, t, v, u):
        """The eta at which the estimate leaves zero at t."""
        Q_hat = self.predictors.Q_hat(u)
        return self.predictors.eta_at(self.penalty, t, t * np.sqrt(self.predictors.spread(v, u)) * Q_hat, Q_hat)

    def _state(self, t, v, u):
        """Averages where the estimate leaves zero at t."""
        with np.errstate(divide="ignore", invalid="ignore"):  # t = 0 is a limit, at which a penalty may form 0/0
            eta = self._eta(t, v, u)
        Q_hat = self.predictors.Q_hat(u)
        return self.predictors.averages(self.penalty, Q_hat, eta, self.predictors.spread(v, u) * Q_hat**2)

    def _square_equation(self, t, q):
        """The first of _equations with the u that solves the second; it falls with t."""
        v = self._v(q)
        u = np.ones(q.shape) if self._proportional else self._u(t, v)
        return self._equations(t, u, q, v)[0]

    def _u(self, t, v):
        """The root of the second equation at each (t, v); TINY where there is none above it."""

        def equation(u, t=t, v=v):
            response = self._state(t, v, u).response / self.alpha
            return self.predictors.df(u) - self.predictors.Q_hat(u) * response

        if self._proportional:
            return np.maximum(1 + equation(np.ones(t.shape)), TINY)
        u = np.full(t.shape, TINY)
        there = equation(u) > 0
        if there.any():
            u[there] = bracketed_roots(lambda u: equation(u, t[there], v[there]), u[there], np.ones(there.sum()))
        return u

    def _is_proportional(self):
        """Whether the equations separate: u is Q_hat, and E[x*^2] and Q_hat E[dx*/dh] at (t, v) do not depend on it.

        This is so if r is proportional to eta. It is tried at ten points.
        """
        if not self.predictors.separates:
            return False
        t, v = np.meshgrid([0.3, 2.0], self.s2 * np.geomspace(1, 1e8, 5))
        values = []
        for Q_hat in (1.0, 0.4, 0.01):
            mean = self._state(t, v, np.full(t.shape, Q_hat))
            values.append([mean.square, Q_hat * mean.response])
        return all(np.allclose(values[0], other, rtol=1e-11, atol=0) for other in values[1:])
