"""Example 1 of the paper: neighbouring columns are correlated."""

from dataclasses import dataclass

import numpy as np

from sparsegdf.checks import require_number
from sparsegdf.ensembles.base import Design, unit_columns
from sparsegdf.ensembles.limits import Chain, Groups


@dataclass(frozen=True)
class AR1(Design):
    """Gaussian columns with correlation c^|i-j| between columns i and j, scaled to length 1.

    They are drawn by the recursion A_i = c A_{i-1} + sqrt(1 - c^2) eps_i, without factorising an N x N covariance.

    Examples
    --------
    >>> from sparsegdf import AR1, Ensemble
    >>> A, y = Ensemble(AR1(c=0.3), M=2000, N=3).sample(0)
    >>> (A.T @ A).round(1)
    array([[1. , 0.3, 0.1],
           [0.3, 1. , 0.3],
           [0.1, 0.3, 1. ]])
    """

    c: float

    @property
    def label(self) -> str:
        """Its name in figures."""
        return f"Example 1, $c={self.c:g}$"

    def __post_init__(self):
        if not abs(require_number("ar1 c", self.c)) < 1:
            raise ValueError(f"ar1 c = {self.c!r} is out of range (allowed: -1 < c < 1)")

    def draw(self, M, N, rng):
        c = self.c
        A = np.sqrt(1 - c**2) * rng.standard_normal((M, N))
        A[:, 0] /= np.sqrt(1 - c**2)  # the recursion starts here, also with variance 1
        for i in range(1, N):
            A[:, i] += c * A[:, i - 1]
        return unit_columns(A)

    def limit(self, alpha):
        return Chain(self.c) if self.c else Groups()

    def covariance(self, columns):
        return self.c ** np.abs(np.subtract.outer(columns, columns))
