"""Estimators of the noise variance sigma^2 in y = mu + noise from one (A, y), without knowing mu."""

from typing import NamedTuple

import numpy as np

from sparsegdf.penalties.l1 import L1
from sparsegdf.selection.cross_validation import cross_validation
from sparsegdf.selection.tall import with_few_rows
from sparsegdf.selection.unpenalised import free_columns
from sparsegdf.solvers.direct import stationary_points

_SHARE = 0.2  # Least squares is used if this fraction of the rows remains as residual degrees of freedom.
_LEVELS = 50  # The number of levels of eta per two decades.
_DECADES = 8  # The grid of eta has at most this many decades; below them is rounding error.
_FEWEST_ROWS = 4  # From fewer rows sigma^2 is not estimated.


class NoiseVariance(NamedTuple):
    value: float
    source: str  # how it was obtained, in words
    saturated: bool = False  # whether the fit has as many coefficients as there are rows


def estimate_noise_variance(
    A: np.ndarray, y: np.ndarray, intercept: bool, unpenalised: np.ndarray | None = None
) -> NoiseVariance:
    """sigma^2 from the residuals of a fit. A and y must be orthogonal to the columns without penalty (free_columns).

    Least squares on all columns, ||y - A x||^2 / (M - rank - 1), which is unbiased, if at least a fifth of the rows
    remains. Otherwise the lasso estimate of Reid, Tibshirani and Friedman (Statistica Sinica 26, 2016),
    ||y - A x(eta)||^2 / (M - |support| - 1), with eta chosen by 10-fold cross-validation (folds are drawn with a
    fixed seed). The grid of eta is extended until the error on the rows left out rises again, since sigma may be far
    below the signal. The 1 is for the intercept; with other columns without penalty it is the rank of them all.
    """
    M, N = A.shape
    if M < _FEWEST_ROWS:
        raise ValueError(f"sigma2 cannot be estimated from {M} rows (at least {_FEWEST_ROWS}); give it")
    spent = int(np.linalg.matrix_rank(free_columns(M, intercept, unpenalised)))
    few, target = with_few_rows(A, y)
    few = few / np.linalg.norm(few, axis=0)  # otherwise a column in large units would make the rank too small
    rank = np.linalg.matrix_rank(few) if N <= M else M
    if M - rank - spent >= _SHARE * M:
        left = target - few @ np.linalg.lstsq(few, target, rcond=None)[0]
        return NoiseVariance(float(np.square(left).sum() / (M - rank - spent)), "least squares on all columns")
    A = A / np.linalg.norm(A, axis=0)
    top, decades = np.abs(A.T @ y).max(), 2 if N >= M else 3
    while True:
        etas = top * np.geomspace(0.999, 10.0**-decades, 1 + _LEVELS * decades // 2)
        try:
            lowest = int(np.argmin(cross_validation(A, y, L1(), etas, intercept, unpenalised)))
        except ValueError as error:
            raise ValueError(f"sigma2 cannot be estimated, give it: {error}") from None
        if lowest < etas.size - 1 or decades >= _DECADES:
            break
        decades += 2
    best = etas[: 1 + lowest]
    x = stationary_points(A, y, L1(), best)[:, -1]
    left = M - np.count_nonzero(x) - spent
    value = float(np.square(y - A @ x).sum() / max(left, 1))
    return NoiseVariance(value, "lasso with eta by 10-fold cross-validation", saturated=bool(left < 1))
