"""The curve S1 of the sampled chain (chain.py), points of it, and where it becomes unstable or ends.

The unknowns are y = (ln v, Q_hat, eta/Q_hat), the two equations are those of chain.py, and a third says which point
is meant: it has this eta, this delta, or lies on the AT line. The curve is followed with v as its parameter on one
chain. From there a point is found on each chain by itself, which gives a mean and its standard error.

Where the minimum jumps, the standard error of df with one set of chains can be above 1e-3. What l1 has of noise on
the same chains is then taken out, and sets are added until it is not.
"""

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq
from scipy.special import erfcinv

from sparsegdf.ensembles.limits import Groups
from sparsegdf.theory.chain import NoMinimum, all_sites, densest_l0, l1_noise
from sparsegdf.theory.predictors import Covariance
from sparsegdf.theory.saddle_points import TINY, SaddlePoints

_WANTED, _SETS = 1e-3, 12  # the standard error of df, and how many sets of chains there are for it
_ELSEWHERE = 1.5  # times the standard error before: a set that raises it so much has points of another kind
_FAR = 1e9  # x where r is constant, if it is anywhere
_STEPS = 30
_SOLVED = 1e-5  # before the last step
_STEPPED = 5e-4  # delta and AT change in steps
_SLACK = 10  # times these, at a second try
_JUMPED = 1e-3  # so do the equations themselves, where the minimum jumps
_AT_SLACK = 1e-6  # l1 sits on the AT line at its end
_SLOPE = 0.02  # the change of an unknown for the slopes
_FIRST = (0.01, 0.03, 0.1, 0.2, 0.4)  # delta of the first node: the first one at which the estimate does not jump
_STRIDE, _SHORTEST = 0.12, 0.01  # from node to node in ln(Q/s2); twice as long where the minimum jumps
_LARGE, _LARGEST = 4.5, 9.0  # of ln(Q/s2): beyond the second Q is taken as infinite, for l0 beyond the first
_TURNED = 1.5  # times its smallest value: an eta that has grown so much goes on to S3
_LOWEST = np.array([-np.inf, TINY, 1e-9])  # of the unknowns


class SampledChain:
    """The limit Chain at one alpha."""

    sampled = True
    column = 1.0  # the mean square length of a column

    def __init__(self, limit, alpha, s2):
        self.c, self.alpha, self.s2 = limit.c, alpha, s2

    def curve(self, penalty):
        return _curve(penalty, self.c, self.alpha, self.s2)

    def curvatures(self, penalty, Q_hat, eta, chi_hat):
        """(probability, r''(x)) of the pieces of the penalty on which x* != 0 can be."""
        counts, sites = 0, all_sites(self.c, penalty, self.alpha, self.s2)
        for chain in sites:
            curvature = chain.find(chi_hat / Q_hat**2, Q_hat, eta)
            counts = counts + chain.counts(curvature.size)
        return np.stack([counts * self.alpha / (len(sites) * sites[0].rows), Q_hat * curvature])


class Points(NamedTuple):
    """One point of the curve on every chain: arrays with an entry per chain."""

    v: np.ndarray
    Q_hat: np.ndarray
    eta: np.ndarray
    delta: np.ndarray
    at: np.ndarray
    penalty_mean: np.ndarray
    residual: np.ndarray
    unique: np.ndarray  # whether it is the only minimum that was seen
    df_jumps: np.ndarray  # what jumps add to df


@dataclass(frozen=True)
class _Node:
    """A point of the curve, with the slopes of Sites.values in the unknowns."""

    y: np.ndarray
    values: np.ndarray
    slopes: np.ndarray
    unique: bool

    @property
    def eta(self):
        return self.y[1] * self.y[2]


def _arguments(y):
    """v, Q_hat and eta."""
    return np.exp(y[0]), y[1], y[1] * y[2]


def _values(chain, y):
    return chain.values(*_arguments(y))


# What a third equation is: its value at y, its slopes, and how large it may remain.


def _with_eta(eta):
    return lambda y, values: y[1] * y[2] / eta - 1, lambda node: [0, node.y[2] / eta, node.y[1] / eta], _SOLVED


def _with_delta(delta):
    return lambda y, values: values[2] - delta, lambda node: node.slopes[2], _STEPPED


_ON_AT_LINE = lambda y, values: values[3] - 1, lambda node: node.slopes[3], 2 * _STEPPED


def _with_unknown(k, value):
    return lambda y, values: y[k] - value, lambda node: np.eye(3)[k], _SOLVED


def _solution(slopes, right):
    """The shortest solution: where x* jumps and few sites are on the support, an unknown may change nothing."""
    return np.linalg.lstsq(slopes, right, rcond=1e-10)[0]


def _newton(chain, node, y, third, slack=1):
    """(y, values, residual) at a root near y, by Newton's method with the slopes of a node, which steps correct.

    Without a root, the index of the unknown that is at its lowest value, or None. `slack` allows so much more to be
    left of the equations.
    """
    equation, gradient, allowed = third
    slopes, solved = np.array([*node.slopes[:2], gradient(node)]), _SOLVED if chain.smooth else _JUMPED
    allowed = np.array([solved, solved, max(solved, allowed)]) * slack
    before = step = None
    for _ in range(_STEPS):
        try:
            values = _values(chain, y)
        except NoMinimum:
            return None
        f = np.array([*values[:2], equation(y, values)])
        if before is not None and np.abs(step).max() > 1e-3:  # a small step has the steps of delta in its difference
            slopes += np.outer(f - before - slopes @ step, step) / (step @ step)
        step = -_solution(slopes, f)
        if (np.abs(f) <= allowed).all():  # what is left of the equations is linear
            return y + step, values + node.slopes @ step, np.abs(f).max()
        step *= min(1, 0.3 / np.abs(step).max())
        wanted = y + step
        y, before, step = np.maximum(wanted, _LOWEST), f, np.maximum(wanted, _LOWEST) - y
        if not step.any():
            break
    below = np.flatnonzero(y <= _LOWEST)
    return int(below[0]) if below.size else None


def _df_error(points):
    """The standard error of df = 1 - Q_hat."""
    return points.Q_hat.std(ddof=1) / np.sqrt(points.Q_hat.size)


def _without(noise, sets):
    """The points of all sets, each quantity less its regression on the noise, which has mean zero.

    The scatter that is left is scaled so that n - 1 in a standard error stands for the n - 2 of a regression.
    """
    noise = np.concatenate(noise)
    points = Points(*np.concatenate(sets, axis=1))
    from_mean = noise - noise.mean()
    scale = np.sqrt((noise.size - 1) / (noise.size - 2))

    def corrected(values):
        slope = from_mean @ values / (from_mean @ from_mean)
        mean = values.mean() - slope * noise.mean()
        return mean + scale * (values - values.mean() - slope * from_mean)

    as_found = {"residual": points.residual, "unique": points.unique}
    return Points(*(corrected(values) for values in points))._replace(**as_found)


@lru_cache(maxsize=16)
def _curve(penalty, c, alpha, s2):
    return ChainCurve(penalty, c, alpha, s2)


class ChainCurve:
    """S1 of one problem on nodes.

    `beyond` is the branch that follows: "S2", "S3", "" where S1 ends at eta = 0, and "unknown" where no next node was
    found.
    """

    def __init__(self, penalty, c, alpha, s2):
        self.penalty, self.alpha, self.s2 = penalty, alpha, s2
        self._problem = c, penalty, alpha, s2
        self._iid = SaddlePoints(penalty, Covariance(Groups(), alpha, s2))
        self.nodes, self.beyond = self._follow(all_sites(*self._problem)[0])

    def goes_beyond(self, *, delta=np.nan, eta=np.nan):
        """Whether this delta or this eta is in S3."""
        return self.beyond == "S3" and bool(delta > np.mean(self.largest_delta) or eta < np.mean(self.lowest_eta))

    def solve(self, *, delta=None, eta=None, beyond_turning=False):
        """The first point with this delta or eta, or the second with this delta; None if a chain has none."""
        sign = -1 if eta is not None or beyond_turning else 1
        column = np.array([node.values[2] if eta is None else node.eta for node in self.nodes])
        asked = sign * (column - (delta if eta is None else eta))
        first = int(column.argmax()) + 1 if beyond_turning else 0
        reached = np.flatnonzero(asked[first:] >= 0)
        if reached.size == 0 or (beyond_turning and column.max() < delta):
            return None
        k = first + int(reached[0])
        if k == 0:
            start = self._iid_unknowns(delta=delta, eta=eta)
        else:
            low, high = self.nodes[k - 1 : k + 1]
            start = low.y + (high.y - low.y) * asked[k - 1] / (asked[k - 1] - asked[k])
        return self._precisely(k, start, _with_delta(delta) if eta is None else _with_eta(eta))

    def stable_delta(self):
        """delta on each chain where AT first exceeds 1, or at the last node before the minimum jumps.

        The largest delta if neither happens; None if a chain has no such point, or none that is stable.
        """
        unstable = np.array([not node.unique or node.values[3] > 1 + _AT_SLACK for node in self.nodes])
        if not unstable.any():
            return self.largest_delta
        k = int(unstable.argmax())
        if k == 0:
            return None
        if not self.nodes[k].unique and self.nodes[k].values[3] <= 1:
            points = self._on_each(k - 1, self.nodes[k - 1].y, _with_unknown(0, self.nodes[k - 1].y[0]))
        else:
            points = self._on_each(k, (self.nodes[k - 1].y + self.nodes[k].y) / 2, _ON_AT_LINE)
        return None if points is None else points.delta

    def end(self):
        """delta on each chain where Q_hat or eta vanishes, or Q diverges; None if S1 was not followed so far."""
        if self.beyond == "S3":
            return self._densest()[0]
        if self.beyond == "unknown":
            return None
        points = self._on_each(-1, self.nodes[-1].y, _with_unknown(*self._end))
        return None if points is None else points.delta

    @cached_property
    def largest_delta(self):
        """delta on each chain where it turns, or at the end."""
        turn = self._turn([-node.values[2] for node in self.nodes])
        if turn is None:
            return self.end()
        return np.maximum(turn.delta, self.end()) if self.beyond == "S3" else turn.delta

    @cached_property
    def lowest_eta(self):
        """eta on each chain where it turns, or at the end; None if S1 was not followed so far."""
        if self.beyond in ("S2", ""):
            return np.zeros(2)
        turn = self._turn([node.eta for node in self.nodes])
        if turn is None and self.beyond == "S3":
            return np.array([self._with_height(eta) for eta in self._densest()[1]])  # eta of l0 is r at large x
        return None if turn is None else turn.eta

    def _with_height(self, height):
        """The eta at which r(x) has this height at large x, with which it grows."""
        eta = 1.0
        while self.penalty.value(_FAR, eta) < height:
            eta *= 2
        return brentq(lambda eta: self.penalty.value(_FAR, eta) - height, 0.0, eta, xtol=1e-15)

    def _densest(self):
        """delta and eta of l0 on each chain where Q diverges."""
        return np.transpose([densest_l0(chain) for chain in all_sites(*self._problem)])

    def _turn(self, column):
        """The point at the v of the minimum of `column` over the nodes, by the parabola through three."""
        k = int(np.argmin(column))
        if k in (0, len(self.nodes) - 1):
            return None
        a, b, _ = np.polyfit([node.y[0] for node in self.nodes[k - 1 : k + 2]], column[k - 1 : k + 2], 2)
        return self._on_each(k, self.nodes[k].y, _with_unknown(0, -b / (2 * a)))

    def _precisely(self, k, start, third):
        """The point near node k, on as many sets of chains as df_error needs; None if the first set has none."""
        found = self._on_each(k, start, third)
        if found is None or _df_error(found) <= _WANTED:
            return found
        sets, c = [found], self._problem[0]
        middle = np.array([np.log(found.v.mean()), found.Q_hat.mean(), found.eta.mean() / found.Q_hat.mean()])
        noise = [l1_noise(c, self.alpha, 0, *_arguments(middle))]
        points = _without(noise, sets)
        while _df_error(points) > _WANTED and len(sets) < _SETS:
            found = self._on_each(k, middle, third, which=len(sets))
            if found is None:
                break
            noise.append(l1_noise(c, self.alpha, len(sets), *_arguments(middle)))
            sets.append(found)
            more = _without(noise, sets)
            if _df_error(more) > _ELSEWHERE * _df_error(points):  # near a fold chains can come to its other side
                break
            points = more
        return points

    def _on_each(self, k, start, third, which=0):
        """The point near node k on each chain of a set; None if one has none."""
        rows = []
        for chain in all_sites(*self._problem, which):
            chain.settle(*_arguments(start))
            found = _newton(chain, self.nodes[k], start, third)
            if found is None and chain.smooth:  # steps of delta can keep it from a root by a little
                found = _newton(chain, self.nodes[k], start, third, _SLACK)
            if not isinstance(found, tuple):
                return None
            (log_v, Q_hat, ratio), (_, _, delta, at), residual = found
            row = np.exp(log_v), Q_hat, ratio * Q_hat, delta, at, chain.penalty_mean(ratio * Q_hat), residual
            rows.append((*row, chain.unique, chain.jumps))
        return Points(*np.transpose(rows))

    def _iid_unknowns(self, *, delta=None, eta=None):
        """y for iid predictors."""
        if eta is None:
            t = np.sqrt(2) * erfcinv(self.alpha * np.array([delta]))
            (v,), (u,), _ = self._iid.at_t(t)
            eta = self._iid.predictors.eta_at(self.penalty, t, t * np.sqrt(v) * u, np.array([u]))[0]
        else:
            v, u, _ = self._iid.at_eta(eta)
        return np.array([np.log(v), u, eta / u])

    def _follow(self, chain):
        """(nodes, beyond), from where few sites are on the support, until eta vanishes, has turned, or r is l0."""
        nodes, stride = [self._first(chain)], _STRIDE
        q = np.log(np.exp(nodes[0].y[0]) / self.s2 - 1)
        while q < _LARGEST and nodes[-1].eta < _TURNED * min(node.eta for node in nodes):
            last = nodes[-1]
            segments = self.penalty.segments(*(np.array([value]) for value in _arguments(last.y)[1:]))
            if segments.start[0] == segments.start[-1] and segments.intercept[-1] == 0 and q > _LARGE:
                break  # the estimate is that of l0
            y0 = np.log(self.s2 * (1 + np.exp(q + stride)))
            tangent = _solution(np.array([*last.slopes[:2], [1, 0, 0]]), [0, 0, 1])
            ahead = np.maximum(last.y + tangent * (y0 - last.y[0]), _LOWEST)
            found = _newton(chain, last, ahead, _with_unknown(0, y0))
            if isinstance(found, tuple):
                nodes.append(self._node(chain, found[0]))
                q, stride = q + stride, _STRIDE if chain.smooth else 2 * _STRIDE
            elif found is not None:
                self._end = found, _LOWEST[found]
                found = _newton(chain, last, last.y, _with_unknown(*self._end))
                if isinstance(found, tuple):
                    nodes.append(self._node(chain, found[0]))
                    return nodes, {1: "S2", 2: ""}[self._end[0]]
                stride /= 2
            else:
                stride /= 2
            if stride < _SHORTEST:
                return nodes, "unknown"
        return nodes, "S3"

    def _first(self, chain):
        """The first node, near the solution for iid predictors, at the smallest delta that has no jump."""
        for delta in _FIRST:
            start = self._iid_unknowns(delta=min(delta, 0.9 / self.alpha))
            if not np.isfinite(start).all():
                break
            _, Q_hat, eta = _arguments(start)
            if not self.penalty.segments(np.array([Q_hat]), np.array([eta])).jumps().any():
                found = _newton(chain, self._node(chain, start), start, _with_unknown(0, start[0]))
                if isinstance(found, tuple):
                    return self._node(chain, found[0])
        raise NoMinimum(
            f"penalty = {self.penalty!r} has an estimate that jumps in sparse models, or no solution there "
            "(allowed for AR1: one that is continuous)"
        )

    @staticmethod
    def _node(chain, y):
        chain.settle(*_arguments(y))
        unique, values = chain.unique, _values(chain, y)
        columns = []
        for k in range(3):
            step = np.zeros(3)
            step[k] = _SLOPE if k != 1 or y[1] < 0.5 else -_SLOPE  # Q_hat is at most 1
            columns.append((_values(chain, y + step) - values) / step[k])
        return _Node(y, values, np.transpose(columns), unique)
