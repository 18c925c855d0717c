"""The data in working units, and the way back to the units of the user.

The columns without penalty are removed, rows and columns are weighted and scaled, y is in units of sigma:

    A_i <- (1 - P) sqrt(w) A_i / s_i,   y <- (1 - P) sqrt(w) y / sigma,   s_i = v_i ||(1 - P) sqrt(w) A_i||,

with the sample weights w (mean 1), the penalty weights v and the projection P of unpenalised.py. So the penalty of
x_i is r(v_i x_i; eta) in units of the standard error of x_i.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from sparsegdf.checks import as_floats, require_data, require_number
from sparsegdf.selection.noise import NoiseVariance, estimate_noise_variance
from sparsegdf.selection.tall import with_few_rows
from sparsegdf.selection.unpenalised import regress

_EXACT = 1e-20  # A sigma^2 below this fraction of the variance of y is rounding error.
_GONE = 1e-9  # Relative. A column that is shorter than this without its unpenalised part is a combination of others.


@dataclass(frozen=True)
class Problem:
    """A, y in working units; with standardise the noise variance is 1 there."""

    A: np.ndarray  # (M, n), the penalised columns
    y: np.ndarray
    free: np.ndarray  # (M, f), the columns without penalty, with the weights of the rows
    free_rank: int
    penalised: np.ndarray  # the places of the penalised columns among all N
    intercept: bool
    plain: bool  # the constant is the only column without penalty, if there is one, and all rows count the same
    scale: np.ndarray  # s_i
    sigma: float  # the unit of y
    noise: NoiseVariance  # in the units of the user
    shift: np.ndarray  # the coefficients of the columns on `free`, (f, n), in the units of the user
    mean: np.ndarray  # those of y, (f,)

    @property
    def rows(self) -> int:
        """M."""
        return len(self.y)

    @property
    def variance(self) -> float:
        """The noise variance in working units."""
        return self.noise.value / self.sigma**2

    @cached_property
    def few(self) -> tuple[np.ndarray, np.ndarray]:
        """(A, y) with few rows, for the fits."""
        return with_few_rows(self.A, self.y)

    @property
    def err_unit(self) -> float:
        """err_train in the units of the user, over the mean square of the rows of `few` in working units."""
        return self.sigma**2 * len(self.few[1]) / self.rows

    def in_user_units(self, x: np.ndarray, columns: int) -> tuple[np.ndarray, np.ndarray]:
        """(coefficients (columns, levels), intercepts (levels,)) of x, (n, levels)."""
        own = x * self.sigma / self.scale[:, None]
        free = self.mean[:, None] - self.shift @ own
        coefficients = np.zeros((columns, x.shape[1]))
        coefficients[self.penalised] = own
        coefficients[np.setdiff1d(np.arange(columns), self.penalised)] = free[int(self.intercept) :]
        return coefficients, free[0] if self.intercept else np.zeros(x.shape[1])


def make_problem(
    A: Any,
    y: Any,
    *,
    sigma2: float | None,
    standardise: bool,
    intercept: bool,
    sample_weight: Any,
    penalty_weights: Any,
    warn: Callable[[str], None],
) -> Problem:
    """The Problem of (A, y); `warn` is called with a message if sigma2 cannot be estimated well."""
    A, y = _require_variation(A, y, intercept)
    root = np.sqrt(_row_weights(sample_weight, len(y)))
    if not root.all():
        A, y = _require_variation(A[root > 0], y[root > 0], intercept)
        root = root[root > 0]
    M, N = A.shape
    weights = _column_weights(penalty_weights, N)
    penalised = np.flatnonzero(weights > 0)
    # In columns, so that the solver does not copy the transpose.
    work = np.array(A if penalised.size == N else A[:, penalised], order="F")
    free = np.hstack([np.ones((M, int(intercept))), A[:, weights == 0]])
    plain = free.shape[1] == int(intercept) and sample_weight is None
    if not plain:
        work, y, free = work * root[:, None], y * root, free * root[:, None]
        work = np.asfortranarray(work)
    shift, mean = np.zeros((0, penalised.size)), np.zeros(0)
    if free.shape[1]:
        shift, mean = regress(free, work), regress(free, y[:, None])[:, 0]
        before = _norms(work)
        work -= free @ shift if not plain else shift
        y = y - free @ mean
        if free.shape[1] > 1 and (gone := np.flatnonzero(_norms(work) <= _GONE * before)).size:
            raise ValueError(f"column {penalised[gone[0]]} of A is a combination of the columns of penalty weight 0")
    unpenalised = None if plain else free
    noise = _noise(work, y, intercept and plain, unpenalised, sigma2, warn)
    scale, sigma = (_norms(work), np.sqrt(noise.value)) if standardise else (np.ones(penalised.size), 1.0)
    scale = scale * weights[penalised]
    work /= scale
    rank = int(np.linalg.matrix_rank(free)) if free.shape[1] else 0
    return Problem(
        A=work, y=y / sigma, free=free, free_rank=rank, penalised=penalised, intercept=intercept, plain=plain,
        scale=scale, sigma=float(sigma), noise=noise, shift=shift, mean=mean,
    )  # fmt: skip


def _norms(A):
    return np.sqrt(np.einsum("ij,ij->j", A, A))


def _require_variation(A, y, intercept):
    """require_data, and raise ValueError unless there are at least two rows and y is not constant."""
    A, y = require_data(A, y)
    if len(y) < 2:
        raise ValueError("A has 1 row (n_samples = 1); allowed: at least 2")
    if not y.any() or (intercept and np.ptp(y) == 0):
        raise ValueError(f"y is constant ({y[0]:g}): there is nothing to select")
    return A, y


def _row_weights(weights, M):
    """The sample weights, of mean 1 over the rows with a weight above 0."""
    if weights is None:
        return np.ones(M)
    weights = _weights("sample_weight", weights, M)
    if not weights.any():
        raise ValueError("sample_weight is 0 for every row")
    return weights / weights[weights > 0].mean()


def _column_weights(weights, N):
    if weights is None:
        return np.ones(N)
    weights = _weights("penalty_weights", weights, N)
    if not weights.any():
        raise ValueError("penalty_weights are all 0: there is nothing to select")
    return weights


def _weights(name, weights, size):
    weights = as_floats(name, weights)
    if weights.shape != (size,):
        raise ValueError(f"{name} has shape {weights.shape}; allowed: ({size},)")
    if not np.isfinite(weights).all() or (weights < 0).any():
        bad = weights[~np.isfinite(weights) | (weights < 0)][0]
        raise ValueError(f"{name} has {bad:g}; allowed: finite numbers >= 0")
    return weights


def _noise(A, y, intercept, unpenalised, sigma2, warn):
    if sigma2 is not None:
        return NoiseVariance(require_number("sigma2", sigma2, above=0), "given")
    noise = estimate_noise_variance(A, y, intercept, unpenalised)
    floor = _EXACT * np.square(y).mean()
    if noise.value > floor:
        if noise.saturated:
            warn(
                "the lasso from which sigma2 is estimated has a coefficient for each row: give sigma2 if it is known"
            )
        return noise
    warn("A fits y exactly, so sigma2 cannot be estimated: it is taken as rounding error")
    return NoiseVariance(float(floor), "rounding error: A fits y exactly")
