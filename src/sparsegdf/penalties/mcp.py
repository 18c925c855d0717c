"""The minimax concave penalty (Zhang 2010)."""

from dataclasses import dataclass

import numpy as np

from sparsegdf.checks import require_number
from sparsegdf.penalties.base import Penalty, Segments, parameter


@dataclass(frozen=True)
class MCP(Penalty):
    """r(x) = eta (lam |x| - x^2/(2a)) up to |x| = a lam, flat beyond (Zhang's minimax concave penalty).

    For Q_hat > eta/a the estimate is continuous: firm thresholding, from zero at lam eta to h/Q_hat at a lam Q_hat.
    For smaller Q_hat the parabola is never the global maximum, and the estimate jumps from zero to h/Q_hat at
    h* = lam sqrt(a eta Q_hat).

    Examples
    --------
    >>> from sparsegdf import MCP
    >>> x, slope = MCP(a=3, lam=1).estimate([0.5, 2.0, 3.0, 9.0], Q_hat=1.0, eta=1.0)
    >>> x
    array([0. , 1.5, 3. , 9. ])
    """

    label, colour, marker = "MCP", "#56B4E9", "v"

    a: float = parameter("> 0: the penalty is flat beyond |x| = a lam", 8.0)
    lam: float = parameter("> 0: the scale of x", 1.0, symbol=r"\lambda")

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
        continuous = eta / a < Q_hat
        curvature = np.where(continuous, Q_hat - eta / a, Q_hat)
        jump = lam * np.sqrt(a * eta * Q_hat)
        return Segments.of(
            (np.where(continuous, lam * eta, jump), 1 / curvature, np.where(continuous, -lam * eta / curvature, 0)),
            (np.where(continuous, a * lam * Q_hat, jump), 1 / Q_hat, 0),
        )

    def threshold(self, Q_hat, eta):
        return self.lam * np.minimum(eta, np.sqrt(self.a * eta * Q_hat))

    def eta_at(self, threshold, Q_hat):
        edge = self.a * Q_hat
        return np.where(threshold <= self.lam * edge, threshold / self.lam, threshold**2 / (self.lam**2 * edge))
