"""Predictors of a given condition number."""

from dataclasses import dataclass

import numpy as np

from sparsegdf.checks import require_number
from sparsegdf.ensembles.base import Design, haar_columns
from sparsegdf.ensembles.limits import Spectrum


@dataclass(frozen=True)
class IllConditioned(Design):
    """Haar singular vectors and a geometric sequence of singular values, the largest `condition` times the smallest.

    The mean square length of the columns is 1.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsegdf import Ensemble, IllConditioned
    >>> A, y = Ensemble(IllConditioned(condition=10), M=20, N=40).sample(0)
    >>> float(np.linalg.cond(A).round(6))
    10.0
    """

    condition: float

    @property
    def label(self) -> str:
        """Its name in figures."""
        return f"condition {self.condition:g}"

    def __post_init__(self):
        require_number("ill_conditioned condition", self.condition, at_least=1)

    def draw(self, M, N, rng):
        small, large = sorted((M, N))
        values = np.geomspace(1, 1 / self.condition, small)
        left, right = (haar_columns(size, small, rng) for size in (small, large))
        A = np.sqrt(N / (values @ values)) * (left * values) @ right.T
        return A if M <= N else A.T

    def limit(self, alpha):
        """ln(lambda) is uniform over 2 ln(condition); Gauss's quadrature has it to rounding."""
        nodes, weights = np.polynomial.legendre.leggauss(128)
        rank, values = min(alpha, 1.0), self.condition ** (nodes - 1)
        values *= 2 / (rank * (weights @ values))
        return Spectrum([*values, 0], [*(rank * weights / 2), 1 - rank])
