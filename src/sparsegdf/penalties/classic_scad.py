"""SCAD as Fan and Li (2001) state it, with knots that move with the path."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sparsegdf.checks import require_number
from sparsegdf.penalties.base import Penalty, Segments, parameter
from sparsegdf.penalties.scad import SCAD


@dataclass(frozen=True)
class ClassicSCAD(Penalty):
    """r(x) = SCAD_{eta,a}(x): eta |x| up to |x| = eta, a parabola up to a eta, flat beyond.

    This is the penalty of ncvreg and skglm, whose lambda is eta. SCAD has fixed knots and the factor eta instead. As
    SCAD_{eta,a}(x) = eta^2 SCAD_{1,a}(x / eta), the estimate is that of SCAD(a, lam=1) at eta = 1 in units of eta,

        x*(h; Q_hat, eta) = eta x*_1(h / eta; Q_hat),

    so whether it jumps depends on Q_hat and a alone, not on eta.

    Examples
    --------
    >>> from sparsegdf import ClassicSCAD
    >>> x, slope = ClassicSCAD(a=3.7).estimate([0.5, 2.0, 3.0, 9.0], Q_hat=1.0, eta=1.0)
    >>> x
    array([0.        , 1.        , 2.58823529, 9.        ])
    """

    label, colour, marker = "classic SCAD", "#882255", "<"

    a: float = parameter("> 1: the penalty is flat beyond |x| = a eta", 3.7)

    def __post_init__(self):
        require_number("ClassicSCAD a", self.a, above=1)

    def value(self, x, eta):
        x, a = np.abs(x), self.a
        middle = -(x**2 - 2 * a * eta * x + eta**2) / (2 * (a - 1))
        return np.where(x <= eta, eta * x, np.where(x <= a * eta, middle, (a + 1) * eta**2 / 2))

    def derivative(self, x, eta):
        return np.clip((self.a * eta - np.abs(x)) / (self.a - 1), 0, eta)

    @cached_property
    def _unit(self):
        return SCAD(self.a, 1.0)

    def segments(self, Q_hat, eta):
        start, slope, intercept = self._unit.segments(Q_hat, np.ones_like(eta, dtype=float))
        return Segments(eta * start, slope, eta * intercept)

    def threshold(self, Q_hat, eta):
        return eta * self._unit.threshold(Q_hat, 1.0)

    def eta_at(self, threshold, Q_hat):
        return threshold / self._unit.threshold(Q_hat, 1.0)
