"""Penalties. A penalty *is* its scalar estimator

    x*(h; Q_hat) = argmax_x { -Q_hat x^2 / 2 + h x - r(x; eta) },

which for every penalty here is odd and piecewise linear in h, perhaps with jumps. A penalty hands over the list
of its linear segments; theory, belief propagation and the trace formulas are written once, from that list.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from sparsegdf.checks import require_number

# A relative step of x* at a segment's start that rounding alone does not make.
_JUMP = 1e-9


class Segments(NamedTuple):
    """x*(h) = sign(h) (slope[k] |h| + intercept[k]) for start[k] < |h| <= start[k+1]; zero up to start[0].

    Arrays have shape (K, ...), the trailing shape being that of Q_hat and eta broadcast. A segment that a
    regime does not have is given zero width (start[k] == start[k+1]).
    """

    start: np.ndarray
    slope: np.ndarray
    intercept: np.ndarray

    @classmethod
    def of(cls, *rows):
        """From one row (start, slope, intercept) per segment, broadcast against each other."""
        shape = np.broadcast_shapes(*(np.shape(entry) for row in rows for entry in row))
        columns = np.empty((3, len(rows), *shape))
        for k, row in enumerate(rows):
            for column, entry in zip(columns, row, strict=True):
                column[k] = entry
        return cls(*columns)

    def jumps(self):
        """The height of the jump of x* at each start, shape (K, ...); exactly zero where x* is continuous."""
        start, slope, intercept = self
        before = np.zeros_like(start)
        before[1:] = slope[:-1] * start[1:] + intercept[:-1]
        step = slope * start + intercept - before
        return np.where(step > _JUMP * (np.abs(slope * start) + np.abs(intercept)), step, 0.0)


def parameter(about, usual):
    """A field of a penalty, with what the command line says of it and the value that it takes if none is given."""
    return field(metadata={"about": about, "usual": usual})


@dataclass(frozen=True)
class Penalty(ABC):
    """r(x; eta) with r(0) = 0, even in x. All methods broadcast over numpy arrays."""

    @abstractmethod
    def value(self, x, eta):
        """r(x; eta)."""

    @abstractmethod
    def derivative(self, x, eta):
        """r'(|x|; eta), at x = 0 the derivative from the right: zero is stationary while |gradient| <= r'(0)."""

    @abstractmethod
    def segments(self, Q_hat, eta) -> Segments:
        """The linear pieces of x*(h; Q_hat)."""

    @abstractmethod
    def eta_at(self, threshold, Q_hat):
        """The eta for which the estimate leaves zero at |h| = threshold: the inverse of segments(...).start[0]."""

    def estimate(self, h, Q_hat, eta):
        """x*(h; Q_hat) and its derivative dx*/dh off the jumps (the chi_i of belief propagation)."""
        size = np.abs(h)
        x, chi = np.zeros(np.shape(h)), np.zeros(np.shape(h))
        for start, slope, intercept in zip(*self.segments(Q_hat, eta), strict=True):
            beyond = size > start
            x = np.where(beyond, slope * size + intercept, x)
            chi = np.where(beyond, slope, chi)
        return np.sign(h) * x, chi


@dataclass(frozen=True)
class L1(Penalty):
    """r(x) = eta |x|."""

    def value(self, x, eta):
        return eta * np.abs(x)

    def derivative(self, x, eta):
        return eta * np.ones_like(x, dtype=float)

    def segments(self, Q_hat, eta):
        return Segments.of((eta, 1 / Q_hat, -eta / Q_hat))

    def eta_at(self, threshold, Q_hat):
        return threshold


@dataclass(frozen=True)
class ElasticNet(Penalty):
    """r(x) = eta |x| + eta2 x^2 / 2; the paper's eta_1 is eta, and eta_2 is a fixed property of the penalty."""

    eta2: float = parameter(">= 0: the strength of the square term", 0.1)

    def __post_init__(self):
        require_number("ElasticNet eta2", self.eta2, at_least=0)

    def value(self, x, eta):
        return eta * np.abs(x) + self.eta2 * np.square(x) / 2

    def derivative(self, x, eta):
        return eta + self.eta2 * np.abs(x)

    def segments(self, Q_hat, eta):
        return Segments.of((eta, 1 / (Q_hat + self.eta2), -eta / (Q_hat + self.eta2)))

    def eta_at(self, threshold, Q_hat):
        return threshold


@dataclass(frozen=True)
class L0(Penalty):
    """r(x) = eta 1(x != 0); the estimate jumps from 0 to sqrt(2 eta / Q_hat)."""

    def value(self, x, eta):
        return eta * (np.asarray(x) != 0)

    def derivative(self, x, eta):
        return np.where(np.asarray(x) != 0, 0.0, np.inf)

    def segments(self, Q_hat, eta):
        return Segments.of((np.sqrt(2 * eta * Q_hat), 1 / Q_hat, 0))

    def eta_at(self, threshold, Q_hat):
        return threshold**2 / (2 * Q_hat)


@dataclass(frozen=True)
class SCAD(Penalty):
    """r(x) = eta SCAD_{lam,a}(x): lam |x| near zero, flat beyond a lam, a parabola in between.

    For Q_hat > eta/(a-1) the estimate is continuous, as printed in the paper. Below, the parabola is more concave
    than the quadratic term is convex, the middle piece is never the global maximum, and the estimate jumps:
      eta/(a+1) <= Q_hat <= eta/(a-1): l1-like up to h* = lam ((a+1) Q_hat + eta)/2, then h/Q_hat
      Q_hat < eta/(a+1):               zero up to h* = lam sqrt((a+1) eta Q_hat), then h/Q_hat
    """

    a: float = parameter("> 1: the penalty is flat beyond |x| = a lam", 8.0)
    lam: float = parameter("> 0: the scale of x", 1.0)

    def __post_init__(self):
        require_number("SCAD a", self.a, above=1)
        require_number("SCAD lam", self.lam, above=0)

    def value(self, x, eta):
        x, a, lam = np.abs(x), self.a, self.lam
        middle = -(x**2 - 2 * a * lam * x + lam**2) / (2 * (a - 1))
        return eta * np.where(x <= lam, lam * x, np.where(x <= a * lam, middle, (a + 1) * lam**2 / 2))

    def derivative(self, x, eta):
        return eta * np.clip((self.a * self.lam - np.abs(x)) / (self.a - 1), 0, self.lam)

    def segments(self, Q_hat, eta):
        a, lam = self.a, self.lam
        Q_hat, eta = np.broadcast_arrays(np.asarray(Q_hat, float), np.asarray(eta, float))
        concave = eta / (a - 1)
        smooth, sparse = concave < Q_hat, eta > (a + 1) * Q_hat
        jump = np.where(sparse, lam * np.sqrt((a + 1) * eta * Q_hat), lam * ((a + 1) * Q_hat + eta) / 2)
        gap = np.where(smooth, Q_hat - concave, Q_hat)
        return Segments.of(
            (np.where(sparse, jump, lam * eta), 1 / Q_hat, np.where(sparse, 0, -lam * eta / Q_hat)),
            (
                np.where(smooth, lam * (Q_hat + eta), jump),
                1 / gap,
                np.where(smooth, -a * lam * concave / gap, 0),
            ),
            (np.where(smooth, a * lam * Q_hat, jump), 1 / Q_hat, 0),
        )

    def eta_at(self, threshold, Q_hat):
        a, lam = self.a, self.lam
        edge = (a + 1) * Q_hat
        return np.where(threshold <= lam * edge, threshold / lam, threshold**2 / (lam**2 * edge))


@dataclass(frozen=True)
class MCP(Penalty):
    """r(x) = eta (lam |x| - x^2/(2a)) up to |x| = a lam, flat beyond (Zhang's minimax concave penalty).

    For Q_hat > eta/a the estimate is continuous: firm thresholding, from zero at lam eta to h/Q_hat at a lam Q_hat.
    Below, the parabola is never the global maximum, and the estimate jumps from zero to h/Q_hat at
    h* = lam sqrt(a eta Q_hat).
    """

    a: float = parameter("> 0: the penalty is flat beyond |x| = a lam", 8.0)
    lam: float = parameter("> 0: the scale of x", 1.0)

    def __post_init__(self):
        require_number("MCP a", self.a, above=0)
        require_number("MCP lam", self.lam, above=0)

    def value(self, x, eta):
        x = np.minimum(np.abs(x), self.a * self.lam)
        return eta * (self.lam * x - x**2 / (2 * self.a))

    def derivative(self, x, eta):
        return eta * np.maximum(self.lam - np.abs(x) / self.a, 0)

    def segments(self, Q_hat, eta):
        a, lam = self.a, self.lam
        Q_hat, eta = np.broadcast_arrays(np.asarray(Q_hat, float), np.asarray(eta, float))
        smooth = eta / a < Q_hat
        gap, jump = np.where(smooth, Q_hat - eta / a, Q_hat), lam * np.sqrt(a * eta * Q_hat)
        return Segments.of(
            (np.where(smooth, lam * eta, jump), 1 / gap, np.where(smooth, -lam * eta / gap, 0)),
            (np.where(smooth, a * lam * Q_hat, jump), 1 / Q_hat, 0),
        )

    def eta_at(self, threshold, Q_hat):
        edge = self.a * Q_hat
        return np.where(threshold <= self.lam * edge, threshold / self.lam, threshold**2 / (self.lam**2 * edge))


PENALTIES = {"l1": L1, "elastic_net": ElasticNet, "l0": L0, "scad": SCAD, "mcp": MCP}


def require_penalty(penalty):
    """Raise ValueError unless this is a penalty, an object and not its name or class."""
    if not isinstance(penalty, Penalty):
        raise ValueError(f"penalty = {penalty!r} is not a sparsegdf penalty (allowed: e.g. L1(), SCAD(a=8, lam=1))")


def make_penalty(kind, **parameters):
    """The penalty of this kind, e.g. make_penalty("scad", a=5, lam=1)."""
    if kind not in PENALTIES:
        raise ValueError(f"kind = {kind!r} is not a penalty (allowed: {', '.join(PENALTIES)})")
    return PENALTIES[kind](**parameters)
