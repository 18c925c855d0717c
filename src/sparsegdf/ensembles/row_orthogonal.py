"""Predictors with orthogonal rows."""

from dataclasses import dataclass

import numpy as np

from sparsegdf.ensembles.base import Design, haar_columns
from sparsegdf.ensembles.limits import Spectrum


@dataclass(frozen=True)
class RowOrthogonal(Design):
    """M rows of a Haar orthogonal matrix times sqrt(N/M), so that A A^T = (N/M) I; for M > N, A^T A = I.

    Examples
    --------
    >>> from sparsegdf import Ensemble, RowOrthogonal
    >>> A, y = Ensemble(RowOrthogonal(), M=2, N=6).sample(0)
    >>> abs((A @ A.T).round(6))
    array([[3., 0.],
           [0., 3.]])
    """

    label = "row-orthogonal"

    def draw(self, M, N, rng):
        tall = haar_columns(max(M, N), min(M, N), rng)
        return tall if M >= N else np.sqrt(N / M) * tall.T

    def limit(self, alpha):
        return Spectrum([1 / alpha, 0], [alpha, 1 - alpha]) if alpha < 1 else Spectrum([1.0])
