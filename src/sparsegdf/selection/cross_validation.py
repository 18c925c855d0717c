"""Cross-validation of the path of fits. `select` may choose eta by it, and noise.py does."""

import numpy as np

from sparsegdf.penalties.base import Penalty
from sparsegdf.progress import with_bar
from sparsegdf.selection.fits import fit_coefficients
from sparsegdf.selection.tall import with_few_rows
from sparsegdf.selection.unpenalised import free_columns, regress

_FOLDS = 10


def cross_validation(
    A: np.ndarray,
    y: np.ndarray,
    penalty: Penalty,
    etas: np.ndarray,
    intercept: bool,
    unpenalised: np.ndarray | None = None,
) -> np.ndarray:
    """The mean squared error on the rows left out of one of ten folds, at each eta; infinite where a fold has no fit.

    See `fold_errors`.
    """
    error, _ = fold_errors(A, y, penalty, etas, intercept, unpenalised)
    total = error.sum(axis=0)
    return np.where(np.isfinite(total), total / len(y), np.inf)


def repeated_cross_validation(
    A: np.ndarray,
    y: np.ndarray,
    penalty: Penalty,
    etas: np.ndarray,
    intercept: bool,
    unpenalised: np.ndarray | None,
    folds: int,
    repeats: int,
    progress: bool | None = False,
) -> tuple[np.ndarray, np.ndarray]:
    """(cv, cv_se) at each eta: the mean of cross_validation over `repeats` divisions into folds, and its error.

    The standard error is that of the mean over the folds of one division, averaged over the divisions: dividing the
    same rows again does not make them more.
    """
    means, errors = [], []
    for seed in with_bar(range(repeats), "cross-validation", repeats, progress):
        error, size = fold_errors(A, y, penalty, etas, intercept, unpenalised, folds, seed)
        mean = error.sum(axis=0) / len(y)
        spread = np.square(error / size[:, None] - mean) * (size / len(y))[:, None]
        means.append(mean)
        errors.append(np.sqrt(spread.sum(axis=0) / (size.size - 1)))
    mean, se = np.mean(means, axis=0), np.mean(errors, axis=0)
    return np.where(np.isfinite(mean), mean, np.inf), se


def fold_errors(
    A: np.ndarray,
    y: np.ndarray,
    penalty: Penalty,
    etas: np.ndarray,
    intercept: bool,
    unpenalised: np.ndarray | None = None,
    folds: int = _FOLDS,
    seed: int = 0,
) -> tuple[np.ndarray, np.ndarray]:
    """The sum of squared errors on the rows of each fold, fitted without them, (folds, etas); and the sizes of folds.

    The training rows are scaled up so that their loss has the weight of all rows, and an eta means the same in every
    fold. A column is left out of a fold in which it is constant.
    """
    M, free = len(y), free_columns(len(y), intercept, unpenalised)
    fold = np.random.default_rng(seed).permutation(M) % min(folds, M)
    errors = []
    for k in range(fold.max() + 1):
        train, test = fold != k, fold == k
        used = np.ptp(A[train], axis=0) > 0
        if not used.any():
            raise ValueError(f"no cross-validation: without fold {k} of {fold.max() + 1} every column is constant")
        columns, target, F = A[:, used], y[train], free[train]
        shift, mean = regress(F, columns[train]), regress(F, target[:, None])
        scale = np.sqrt(M / train.sum())
        rows = with_few_rows(scale * (columns[train] - F @ shift), scale * (target[:, None] - F @ mean)[:, 0])
        x = fit_coefficients(*rows, penalty, etas)
        left = y[test, None] - free[test] @ mean - (columns[test] - free[test] @ shift) @ x
        errors.append(np.square(left).sum(axis=0))
    return np.array(errors), np.bincount(fold)
