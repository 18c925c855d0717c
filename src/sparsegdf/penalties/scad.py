"""Smoothly clipped absolute deviation (Fan and Li 2001)."""

from dataclasses import dataclass

import numpy as np

from sparsegdf.checks import require_number
from sparsegdf.penalties.base import Penalty, Segments, parameter


@dataclass(frozen=True)
class SCAD(Penalty):
    """r(x) = eta SCAD_{lam,a}(x): lam |x| near zero, flat beyond a lam, a parabola in between.

    For Q_hat > eta/(a-1) the estimate is continuous, as printed in the paper. For smaller Q_hat the parabola is more
    concave than the quadratic term is convex. The middle segment is then never the global maximum, and the estimate
    jumps:
      eta/(a+1) <= Q_hat <= eta/(a-1): l1-like up to h* = lam ((a+1) Q_hat + eta)/2, then h/Q_hat
      Q_hat < eta/(a+1):               zero up to h* = lam sqrt((a+1) eta Q_hat), then h/Q_hat

    Examples
    --------
    >>> from sparsegdf import SCAD
    >>> x, slope = SCAD(a=3.7, lam=1).estimate([0.5, 2.0, 3.0, 9.0], Q_hat=1.0, eta=1.0)
    >>> x
    array([0.        , 1.        , 2.58823529, 9.        ])
    """

    label, colour, marker = "SCAD", "#CC79A7", "^"

    a: float = parameter("> 1: the penalty is flat beyond |x| = a lam", 8.0)
    lam: float = parameter("> 0: the scale of x", 1.0, symbol=r"\lambda")

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
        concavity = eta / (a - 1)  # -r'' of the parabola
        continuous, hard = concavity < Q_hat, eta > (a + 1) * Q_hat
        jump = np.where(hard, lam * np.sqrt((a + 1) * eta * Q_hat), lam * ((a + 1) * Q_hat + eta) / 2)
        curvature = np.where(continuous, Q_hat - concavity, Q_hat)
        return Segments.of(
            (np.where(hard, jump, lam * eta), 1 / Q_hat, np.where(hard, 0, -lam * eta / Q_hat)),
            (
                np.where(continuous, lam * (Q_hat + eta), jump),
                1 / curvature,
                np.where(continuous, -a * lam * concavity / curvature, 0),
            ),
            (np.where(continuous, a * lam * Q_hat, jump), 1 / Q_hat, 0),
        )

    def threshold(self, Q_hat, eta):
        return self.lam * np.minimum(eta, np.sqrt((self.a + 1) * eta * Q_hat))

    def eta_at(self, threshold, Q_hat):
        a, lam = self.a, self.lam
        edge = (a + 1) * Q_hat
        return np.where(threshold <= lam * edge, threshold / lam, threshold**2 / (lam**2 * edge))
