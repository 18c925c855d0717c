"""The l0 penalty: the number of non-zeros."""

from dataclasses import dataclass

import numpy as np

from sparsegdf.penalties.base import Penalty, Segments


@dataclass(frozen=True)
class L0(Penalty):
    """r(x) = eta 1(x != 0); the estimate jumps from 0 to sqrt(2 eta / Q_hat).

    Examples
    --------
    >>> from sparsegdf import L0
    >>> x, slope = L0().estimate([0.5, 2.0, 3.0, 9.0], Q_hat=1.0, eta=1.0)
    >>> x
    array([0., 2., 3., 9.])
    """

    label, colour, marker = r"$\ell_0$", "#D55E00", "D"

    def value(self, x, eta):
        return eta * (np.asarray(x) != 0)

    def derivative(self, x, eta):
        return np.where(np.asarray(x) != 0, 0.0, np.inf)

    def segments(self, Q_hat, eta):
        return Segments.of((np.sqrt(2 * eta * Q_hat), 1 / Q_hat, 0))

    def eta_at(self, threshold, Q_hat):
        return threshold**2 / (2 * Q_hat)
