"""Estimators of the noise variance sigma^2 in y = mu + noise from one (A, y), without knowing mu."""

from typing import NamedTuple

import numpy as np

from sparsegdf.penalties import L1
from sparsegdf.stationary import stationary_path

_SHARE = 0.2  # of the rows that least squares has to leave over to be trusted with sigma^2
_FOLDS = 10
_LEVELS = 50
_FEWEST_ROWS = 4


class NoiseVariance(NamedTuple):
    value: float
    source: str  # how it came about, for the reader


def estimate_noise_variance(A, y, intercept) -> NoiseVariance:
    """sigma^2 from the residuals of a fit (A and y centred if there is an `intercept`).

    Least squares on all columns, ||y - A x||^2 / (M - rank - 1), unbiased, where a fifth of the rows is left over.
    Else, and for N > M, the lasso of Reid, Tibshirani and Friedman (Statistica Sinica 26, 2016),
    ||y - A x(eta)||^2 / (M - |support| - 1) with eta by 10-fold cross-validation (folds are drawn with a fixed seed).
    The 1 is the intercept's.
    """
    M, N = A.shape
    if M < _FEWEST_ROWS:
        raise ValueError(f"sigma2 cannot be estimated from {M} rows (at least {_FEWEST_ROWS}); give it")
    spent = int(intercept)
    rank = np.linalg.matrix_rank(A) if N <= M else M
    if M - rank - spent >= _SHARE * M:
        x = np.linalg.lstsq(A, y, rcond=None)[0]
        return NoiseVariance(float(np.square(y - A @ x).sum() / (M - rank - spent)), "least squares on all columns")
    A = A / np.linalg.norm(A, axis=0)
    etas = np.abs(A.T @ y).max() * np.geomspace(0.999, 0.01 if N >= M else 0.001, _LEVELS)
    best = etas[: 1 + int(np.argmin(_cross_validation(A, y, etas, intercept)))]
    x = stationary_path(A, y, L1(), best).x[:, -1]
    left = max(M - np.count_nonzero(x) - spent, 1)
    return NoiseVariance(float(np.square(y - A @ x).sum() / left), "lasso with eta by 10-fold cross-validation")


def _cross_validation(A, y, etas, intercept):
    """The squared error of l1 on rows left out, summed over the folds, at each eta."""
    M = len(y)
    fold = np.random.default_rng(0).permutation(M) % min(_FOLDS, M)
    error = np.zeros(etas.size)
    for k in range(fold.max() + 1):
        train, test = fold != k, fold == k
        used = np.ptp(A[train], axis=0) > 0
        if not used.any():
            raise ValueError(f"sigma2 cannot be estimated: without fold {k} every column of A is constant; give it")
        columns, target = A[:, used], y[train]
        shift, mean = (columns[train].mean(axis=0), target.mean()) if intercept else (0.0, 0.0)
        # The loss is a sum over rows: with fewer rows, the same eta would be a larger one.
        x = stationary_path(columns[train] - shift, target - mean, L1(), etas * train.mean()).x
        error += np.square(y[test, None] - mean - (columns[test] - shift) @ x).sum(axis=0)
    return np.where(np.isfinite(error), error, np.inf)
