"""A penalty is defined by its scalar estimator

    x*(h; Q_hat) = argmax_x { -Q_hat x^2 / 2 + h x - r(x; eta) },

which for every penalty here is odd and piecewise linear in h, possibly with jumps. A penalty returns the list of its
linear segments. Theory, belief propagation and the trace formulas are written once and use only that list.

Each of the other files in this folder defines one penalty. registry.py finds it; no other step is needed.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

# A step of x* at the start of a segment counts as a jump above this relative size; a smaller step is rounding error.
_JUMP = 1e-9


class Segments(NamedTuple):
    """x*(h) = sign(h) (slope[k] |h| + intercept[k]) for start[k] < |h| <= start[k+1]; zero up to start[0].

    Arrays have shape (K, ...), the trailing shape being that of Q_hat and eta broadcast. A segment that a
    regime does not have is given zero width (start[k] == start[k+1]).

    Examples
    --------
    >>> from sparsegdf import L1
    >>> segments = L1().segments(Q_hat=0.5, eta=1.0)
    >>> segments.start, segments.slope, segments.intercept
    (array([1.]), array([2.]), array([-2.]))
    """

    start: np.ndarray
    slope: np.ndarray
    intercept: np.ndarray

    @classmethod
    def of(cls, *rows: tuple[ArrayLike, ArrayLike, ArrayLike]) -> "Segments":
        """Build the segments from one row (start, slope, intercept) each, broadcast against each other."""
        shape = np.broadcast_shapes(*(np.shape(entry) for row in rows for entry in row))
        columns = np.empty((3, len(rows), *shape))
        for k, row in enumerate(rows):
            for column, entry in zip(columns, row, strict=True):
                column[k] = entry
        return cls(*columns)

    def jumps(self) -> np.ndarray:
        """The height of the jump of x* at each start, shape (K, ...); exactly zero where x* is continuous."""
        start, slope, intercept = self
        before = np.zeros_like(start)
        before[1:] = slope[:-1] * start[1:] + intercept[:-1]
        step = slope * start + intercept - before
        return np.where(step > _JUMP * (np.abs(slope * start) + np.abs(intercept)), step, 0.0)


def parameter(about, default, symbol=None):
    """A field of a penalty, with its default value, its help text on the command line and its LaTeX symbol."""
    return field(default=default, metadata={"about": about} | ({"symbol": symbol} if symbol else {}))


@dataclass(frozen=True)
class Penalty(ABC):
    """r(x; eta) with r(0) = 0, even in x. All methods broadcast over numpy arrays.

    label, colour and marker set how figures show the penalty; with None the figure chooses.

    Examples
    --------
    >>> from sparsegdf import MCP
    >>> penalty = MCP(a=3, lam=1)
    >>> penalty.value([0, 1, 5], eta=2.0)
    array([0.        , 1.66666667, 3.        ])
    >>> x, slope = penalty.estimate([0.5, 2.5, 9.0], Q_hat=1.0, eta=2.0)
    >>> x
    array([0. , 1.5, 9. ])
    """

    label: ClassVar[str | None] = None
    colour: ClassVar[str | None] = None
    marker: ClassVar[str | None] = None

    @abstractmethod
    def value(self, x: ArrayLike, eta: ArrayLike) -> np.ndarray:
        """r(x; eta)."""

    @abstractmethod
    def derivative(self, x: ArrayLike, eta: ArrayLike) -> np.ndarray:
        """r'(|x|; eta); at x = 0 the derivative from the right. Zero is stationary while |gradient| <= r'(0)."""

    @abstractmethod
    def segments(self, Q_hat: ArrayLike, eta: ArrayLike) -> Segments:
        """The linear segments of x*(h; Q_hat)."""

    @abstractmethod
    def eta_at(self, threshold: ArrayLike, Q_hat: ArrayLike) -> np.ndarray:
        """The eta for which the estimate leaves zero at |h| = threshold: the inverse of `threshold`."""

    def threshold(self, Q_hat: ArrayLike, eta: ArrayLike) -> np.ndarray:
        """The |h| up to which the estimate is zero: segments(...).start[0], if there is no shorter way to it."""
        return self.segments(Q_hat, eta).start[0]

    def estimate(self, h: ArrayLike, Q_hat: ArrayLike, eta: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
        """x*(h; Q_hat) and its derivative dx*/dh off the jumps (the chi_i of belief propagation)."""
        size = np.abs(h)
        x, chi = np.zeros(np.shape(h)), np.zeros(np.shape(h))
        for start, slope, intercept in zip(*self.segments(Q_hat, eta), strict=True):
            beyond = size > start
            x = np.where(beyond, slope * size + intercept, x)
            chi = np.where(beyond, slope, chi)
        return np.sign(h) * x, chi


def require_penalty(penalty):
    """Raise ValueError unless `penalty` is an instance of Penalty; a class is not enough."""
    if not isinstance(penalty, Penalty):
        raise ValueError(f"penalty = {penalty!r} is not a sparsegdf penalty (allowed: e.g. L1(), SCAD(a=8, lam=1))")
