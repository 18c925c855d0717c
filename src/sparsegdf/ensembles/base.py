"""A design draws the predictor matrix A, and says what the theory needs to know of it.

Each of the other files in this folder defines one design, except ensemble.py and limits.py. registry.py finds it; no
other step is needed.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike


@dataclass(frozen=True)
class Design(ABC):
    """A distribution of M x N matrices. Its parameters are its fields; `label` is its name in figures."""

    label: ClassVar[str]

    @abstractmethod
    def draw(self, M: int, N: int, rng: np.random.Generator) -> np.ndarray:
        """Draw one matrix A of shape (M, N)."""

    def require_columns(self, N: int) -> None:  # noqa: B027 (most designs allow any N)
        """Raise ValueError if N columns are too few for this design."""

    def resized(self, N: int, of: int) -> "Design":
        """The same design at N columns, where this one is meant for `of` columns."""
        return self

    def at(self, N: int) -> Any:
        """What the theory takes for this design at N columns: itself, unless a parameter counts columns, as T."""
        return self

    def limit(self, alpha: float) -> Any:
        """What the theory needs to know as N grows at fixed alpha = M/N: one of the objects of limits.py."""
        raise ValueError(f"predictors = {self!r} have no limit (allowed: designs with limit(alpha), Spectrum.of(A))")

    def covariance(self, columns: ArrayLike) -> np.ndarray:
        """Sigma of these columns (their indices), where the rows of A are iid N(0, Sigma)/sqrt(M)."""
        raise ValueError(f"the covariance of {self!r} is not known (allowed: designs with covariance(columns))")


def unit_columns(A):
    """A with every column scaled to length 1."""
    return A / np.linalg.norm(A, axis=0)


def haar_columns(rows, columns, rng):
    """The first columns of a Haar orthogonal matrix, (rows, columns), by QR with a positive diagonal of R."""
    Q, R = np.linalg.qr(rng.standard_normal((rows, columns)))
    return Q * np.sign(np.diag(R))
