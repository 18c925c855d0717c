"""The elastic net: the l1 penalty plus a squared term."""

from dataclasses import dataclass

import numpy as np

from sparsegdf.checks import require_number
from sparsegdf.penalties.base import Penalty, Segments, parameter


@dataclass(frozen=True)
class ElasticNet(Penalty):
    """r(x) = eta |x| + eta2 x^2 / 2; the paper's eta_1 is eta, and eta_2 is a fixed property of the penalty.

    Examples
    --------
    >>> from sparsegdf import ElasticNet
    >>> x, slope = ElasticNet(eta2=0.5).estimate([0.5, 2.0, 3.0, 9.0], Q_hat=1.0, eta=1.0)
    >>> x
    array([0.        , 0.66666667, 1.33333333, 5.33333333])
    """

    label, colour, marker = "elastic net", "#009E73", "s"

    eta2: float = parameter(">= 0: the strength of the square term", 0.1, symbol=r"\eta_2")

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
