"""The l1 penalty: the lasso."""

from dataclasses import dataclass

import numpy as np

from sparsegdf.penalties.base import Penalty, Segments


@dataclass(frozen=True)
class L1(Penalty):
    """r(x) = eta |x|.

    Examples
    --------
    >>> from sparsegdf import L1
    >>> x, slope = L1().estimate([0.5, 2.0, 3.0, 9.0], Q_hat=1.0, eta=1.0)
    >>> x
    array([0., 1., 2., 8.])
    """

    label, colour, marker = r"$\ell_1$", "#0072B2", "o"

    def value(self, x, eta):
        return eta * np.abs(x)

    def derivative(self, x, eta):
        return eta * np.ones_like(x, dtype=float)

    def segments(self, Q_hat, eta):
        return Segments.of((eta, 1 / Q_hat, -eta / Q_hat))

    def eta_at(self, threshold, Q_hat):
        return threshold
