"""Independent predictors, as the replica theory assumes."""

from dataclasses import dataclass

import numpy as np

from sparsegdf.ensembles.base import Design
from sparsegdf.ensembles.limits import Groups


@dataclass(frozen=True)
class IID(Design):
    """Independent Gaussian entries of variance 1/M.

    Examples
    --------
    >>> from sparsegdf import IID, Ensemble
    >>> A, y = Ensemble(IID(), M=100, N=200).sample(0)
    >>> A.shape, y.shape
    ((100, 200), (100,))
    >>> float((A**2).sum(axis=0).mean().round(1))
    1.0
    """

    label = "iid"

    def draw(self, M, N, rng):
        return rng.standard_normal((M, N)) / np.sqrt(M)

    def limit(self, alpha):
        return Groups()

    def covariance(self, columns):
        return np.eye(len(columns))
