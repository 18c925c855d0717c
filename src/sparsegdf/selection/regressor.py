"""`select` as a scikit-learn estimator. The only module that needs scikit-learn."""

import numpy as np
import pandas as pd

try:
    from sklearn.base import BaseEstimator, RegressorMixin
    from sklearn.utils.validation import check_is_fitted, validate_data
except ImportError as missing:
    raise ImportError(
        "SparseRegressor needs scikit-learn 1.6 or newer: pip install 'sparsegdf[sklearn]' (select works without it)"
    ) from missing

from sparsegdf.penalties.l1 import L1
from sparsegdf.selection.select import select


class SparseRegressor(RegressorMixin, BaseEstimator):
    """Linear regression under a sparse penalty, with eta chosen by C_p = err_train + 2 sigma2 df.

    Parameters are those of `sparsegdf.select`; penalty=None is L1(). Constant columns get coefficient 0.

    coef_, intercept_   of the chosen model
    df_, eta_, sigma2_  its degrees of freedom as a fraction of the rows, its eta, the noise variance
    path_, selection_   the whole path as a DataFrame, and the Selection with its plot() and repr
    """

    def __init__(
        self,
        penalty=None,
        criterion="cp",
        sigma2=None,
        etas=None,
        eta_min=None,
        levels=None,
        standardise=True,
        intercept=True,
        bootstrap=0,
        seed=0,
        jobs=1,
    ):
        self.penalty = penalty
        self.criterion = criterion
        self.sigma2 = sigma2
        self.etas = etas
        self.eta_min = eta_min
        self.levels = levels
        self.standardise = standardise
        self.intercept = intercept
        self.bootstrap = bootstrap
        self.seed = seed
        self.jobs = jobs

    def fit(self, X, y):
        """Choose the model for X (n_samples, n_features) and y (n_samples,)."""
        X, y = validate_data(self, X, y, y_numeric=True, ensure_min_samples=2, dtype=np.float64)
        used = np.ptp(X, axis=0) > 0  # a fold of a cross-validation may lack a rare category
        if not used.any():
            raise ValueError("every column of X is constant: there is nothing to select")
        arguments = {key: value for key, value in self.get_params(deep=False).items() if key != "penalty"}
        names = getattr(self, "feature_names_in_", np.arange(X.shape[1]))
        A = pd.DataFrame(X[:, used], columns=names[used])
        self.selection_ = select(A, y, L1() if self.penalty is None else self.penalty, **arguments)
        self.coef_ = np.zeros(X.shape[1])
        self.coef_[used] = self.selection_.coef
        self.intercept_ = self.selection_.intercept
        best = self.selection_.table.iloc[self.selection_.chosen]
        self.df_, self.eta_ = float(best.df), float(best.eta)
        self.sigma2_ = self.selection_.sigma2
        return self

    @property
    def path_(self):
        return self.selection_.path

    def predict(self, X):
        """X coef_ + intercept_."""
        check_is_fitted(self)
        return validate_data(self, X, reset=False, dtype=np.float64) @ self.coef_ + self.intercept_
