"""Ten-fold cross-validation of the path of fits. C_p is compared with it, and noise.py chooses eta by it."""

import numpy as np

from sparsegdf.selection.fits import fit_coefficients

_FOLDS = 10


def cross_validation(A, y, penalty, etas, intercept):
    """The mean squared error on the rows left out, at each eta; infinite where a fold has no fit.

    Folds are drawn with a fixed seed. The training rows are scaled up so that their loss has the weight of all rows,
    and an eta means the same in every fold. A column is left out of a fold in which it is constant.
    """
    M = len(y)
    fold = np.random.default_rng(0).permutation(M) % min(_FOLDS, M)
    error = np.zeros(len(etas))
    for k in range(fold.max() + 1):
        train, test = fold != k, fold == k
        used = np.ptp(A[train], axis=0) > 0
        if not used.any():
            raise ValueError(f"no cross-validation: without fold {k} of {fold.max() + 1} every column is constant")
        columns, target = A[:, used], y[train]
        shift, mean = (columns[train].mean(axis=0), target.mean()) if intercept else (0.0, 0.0)
        scale = np.sqrt(M / train.sum())
        x = fit_coefficients(scale * (columns[train] - shift), scale * (target - mean), penalty, etas)
        error += np.square(y[test, None] - mean - (columns[test] - shift) @ x).sum(axis=0)
    return np.where(np.isfinite(error), error / M, np.inf)
