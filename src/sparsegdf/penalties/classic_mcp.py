"""MCP as Zhang (2010) states it, with a knot that moves with the path."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sparsegdf.checks import require_number
from sparsegdf.penalties.base import Penalty, Segments, parameter
from sparsegdf.penalties.mcp import MCP


@dataclass(frozen=True)
class ClassicMCP(Penalty):
    """r(x) = eta |x| - x^2/(2a) up to |x| = a eta, flat beyond.

    This is the penalty of ncvreg and skglm, whose lambda is eta. MCP has a fixed knot and the factor eta instead. As
    r(x; eta) = eta^2 r(x / eta; 1), the estimate is that of MCP(a, lam=1) at eta = 1 in units of eta,

        x*(h; Q_hat, eta) = eta x*_1(h / eta; Q_hat),

    so whether it jumps depends on Q_hat and a alone, not on eta.

    Examples
    --------
    >>> from sparsegdf import ClassicMCP
    >>> x, slope = ClassicMCP(a=3).estimate([0.5, 2.0, 3.0, 9.0], Q_hat=1.0, eta=1.0)
    >>> x
    array([0. , 1.5, 3. , 9. ])
    """

    label, colour, marker = "classic MCP", "#44AA99", ">"

    a: float = parameter("> 0: the penalty is flat beyond |x| = a eta", 3.0)

    def __post_init__(self):
        require_number("ClassicMCP a", self.a, above=0)

    def value(self, x, eta):
        x = np.minimum(np.abs(x), self.a * eta)
        return eta * x - x**2 / (2 * self.a)

    def derivative(self, x, eta):
        return np.maximum(eta - np.abs(x) / self.a, 0)

    @cached_property
    def _unit(self):
        return MCP(self.a, 1.0)

    def segments(self, Q_hat, eta):
        start, slope, intercept = self._unit.segments(Q_hat, np.ones_like(eta, dtype=float))
        return Segments(eta * start, slope, eta * intercept)

    def threshold(self, Q_hat, eta):
        return eta * self._unit.threshold(Q_hat, 1.0)

    def eta_at(self, threshold, Q_hat):
        return threshold / self._unit.threshold(Q_hat, 1.0)
