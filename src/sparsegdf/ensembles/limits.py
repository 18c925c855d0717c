"""What the theory knows of predictors as N grows at fixed alpha = M/N: a spectrum, or a population covariance.

Each object here goes to solve_rs as predictors=, and so does a design, whose limit(alpha) is one of them.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from sparsegdf.checks import as_floats, require_finite, require_number


class Limit:
    """Predictors in the limit: what a design's limit(alpha) returns, and what stands for itself."""

    def limit(self, alpha: float) -> "Limit":
        """This object, checked at this alpha."""
        return self


class Spectrum(Limit):
    """A = U S V^T with Haar U and V, of which only the eigenvalues of A^T A matter: N of them, or some with weights.

    Eigenvalues that are zero up to rounding are taken as zero. Those that are equal are kept once.

    Examples
    --------
    >>> from sparsegdf import L1, Spectrum, solve_rs
    >>> predictors = Spectrum([0, 2], weights=[0.5, 0.5])
    >>> round(solve_rs(L1(), alpha=0.5, delta=0.3, predictors=predictors).df, 6)
    0.3
    """

    def __init__(self, eigenvalues: ArrayLike, weights: ArrayLike | None = None) -> None:
        values = _floats("eigenvalues", eigenvalues)
        weights = np.ones(values.size) if weights is None else _floats("weights", weights)
        if weights.shape != values.shape or (weights < 0).any() or not weights.sum() > 0:
            found = f"{weights.size} numbers from {weights.min():g} to {weights.max():g}"
            raise ValueError(f"weights are {found} (allowed: {values.size} numbers >= 0, not all zero)")
        zero = values.size * np.finfo(float).eps * np.abs(values).max()
        if (values < -zero).any():
            raise ValueError(f"eigenvalues contains {values.min():g} (allowed: numbers >= 0, as those of A^T A are)")
        values = np.where(np.abs(values) <= zero, 0.0, values)
        if not (values * weights).any():
            raise ValueError("eigenvalues are all zero (allowed: at least one above zero)")
        self.eigenvalues, place = np.unique(values[weights > 0], return_inverse=True)
        self.weights = np.bincount(place, weights[weights > 0]) / weights.sum()

    @classmethod
    def of(cls, A: ArrayLike) -> "Spectrum":
        """The spectrum of a matrix."""
        A = as_floats("A", A)
        if A.ndim != 2 or min(A.shape) < 1:
            raise ValueError(f"A has shape {A.shape}; allowed: (M, N) with M, N >= 1")
        require_finite("A", A)
        values = np.linalg.svd(A, compute_uv=False) ** 2
        return cls(np.concatenate([values, np.zeros(A.shape[1] - values.size)]))

    def limit(self, alpha):
        rank = self.weights[self.eigenvalues > 0].sum()
        if rank > alpha * (1 + 1e-9):
            raise ValueError(
                f"alpha = {alpha:g} is out of range (allowed: >= {rank:g}, the share of eigenvalues above zero: "
                "the rank of A is at most M)"
            )
        return self

    def __repr__(self):
        low, high = self.eigenvalues[[0, -1]]
        return f"Spectrum({self.eigenvalues.size} eigenvalues from {low:g} to {high:g})"


@dataclass(frozen=True)
class Groups(Limit):
    """Rows iid N(0, Sigma)/sqrt(M), where Sigma acts on a share of the columns as scale times the identity.

    One tuple (share, scale) per group. Directions whose eigenvalue grows with N are finite in number and only pin
    the sum of x over their columns at zero.
    """

    groups: tuple[tuple[float, float], ...] = ((1.0, 1.0),)

    def __post_init__(self):
        kept = [(share, require_number("scale", scale, above=0)) for share, scale in self.groups if share != 0]
        total = sum(require_number("share", share, above=0) for share, _ in kept)
        if abs(total - 1) > 1e-12:
            raise ValueError(f"the shares of the groups add up to {total:g} (allowed: 1)")
        object.__setattr__(self, "groups", tuple(kept))


@dataclass(frozen=True)
class Chain(Limit):
    """Rows iid N(0, Sigma)/sqrt(M) with Sigma_ij = c^|i-j|."""

    c: float


def _floats(name, values):
    values = as_floats(name, values)
    if values.ndim != 1 or values.size == 0:
        raise ValueError(f"{name} has shape {values.shape} (allowed: a list of at least one number)")
    if not np.isfinite(values).all():
        raise ValueError(f"{name} contains {values[~np.isfinite(values)][0]} (allowed: finite numbers)")
    return values
