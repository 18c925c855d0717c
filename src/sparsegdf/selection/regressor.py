"""`select` as a scikit-learn estimator. The rest of `selection` works without scikit-learn."""

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pandas as pd

try:
    from sklearn.base import BaseEstimator, RegressorMixin
    from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data
except ImportError as missing:
    raise ImportError(
        "SparseRegressor needs scikit-learn 1.6 or newer: pip install 'sparsegdf[sklearn]' (select works without it)"
    ) from missing

from sparsegdf.penalties.base import Penalty
from sparsegdf.penalties.registry import PENALTIES, as_penalty
from sparsegdf.selection.select import select


class SparseRegressor(RegressorMixin, BaseEstimator):
    """Linear regression under a sparse penalty, with eta chosen by C_p = err_train + 2 sigma2 df.

    Parameters
    ----------
    penalty : str, Penalty or a list of them
        As for `sparsegdf.select`. The parameters of a single penalty can be searched, as penalty__a.
    criterion : {"cp", "aic", "bic", "ebic", "gcv", "cv", "cv1se"}
        What the chosen model minimises.
    ebic_gamma : float
        The gamma of EBIC, from 0 (BIC) to 1.
    folds, repeats : int
        Of the cross-validation.
    sigma2 : float, optional
        The noise variance. None estimates it.
    etas : array, optional
        Decreasing. None chooses them.
    eta_min, levels : float and int, optional
        The last eta and the number of levels, when etas is None.
    standardise, intercept : bool
        Scale the columns to norm 1; fit a constant term.
    penalty_weights : array (n_features,), optional
        The penalty of feature i is r(w_i x_i; eta); with 0 it is never penalised.
    bootstrap : int, optional
        Samples for df. None: 50 if the penalty is not convex, otherwise 0, which is Stein's divergence.
    seed, jobs : int
        Random seed and number of processes of the bootstrap.

    Attributes
    ----------
    coef_, intercept_ : array (n_features,) and float
        Of the chosen model. Constant columns get coefficient 0.
    df_, eta_, sigma2_ : float
        Its degrees of freedom as a fraction of the rows, its eta, the noise variance.
    path_ : DataFrame
        The whole path.
    selection_ : Selection
        With its plot() and repr.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsegdf import SparseRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 20))
    >>> y = X[:, 0] - 2 * X[:, 3] + 0.1 * rng.normal(size=100)
    >>> model = SparseRegressor("mcp", criterion="bic").fit(X, y)
    >>> np.flatnonzero(model.coef_)
    array([0, 3])
    >>> model.predict(X[:2]).shape
    (2,)
    """

    def __init__(
        self,
        penalty: str | Penalty | Sequence[str | Penalty] = "l1",
        criterion: str = "cp",
        ebic_gamma: float = 1.0,
        folds: int = 10,
        repeats: int = 1,
        sigma2: float | None = None,
        etas: Any = None,
        eta_min: float | None = None,
        levels: int | None = None,
        standardise: bool = True,
        intercept: bool = True,
        penalty_weights: Any = None,
        bootstrap: int | None = None,
        seed: int = 0,
        jobs: int = 1,
    ) -> None:
        self.penalty = penalty
        self.criterion = criterion
        self.ebic_gamma = ebic_gamma
        self.folds = folds
        self.repeats = repeats
        self.sigma2 = sigma2
        self.etas = etas
        self.eta_min = eta_min
        self.levels = levels
        self.standardise = standardise
        self.intercept = intercept
        self.penalty_weights = penalty_weights
        self.bootstrap = bootstrap
        self.seed = seed
        self.jobs = jobs

    def get_params(self, deep: bool = True) -> dict:
        """The parameters of this estimator.

        Parameters
        ----------
        deep : bool
            Also those of the penalty, as penalty__a.

        Returns
        -------
        dict
            Value by name.
        """
        params = super().get_params(deep=deep)
        known = isinstance(self.penalty, str) and self.penalty in PENALTIES
        if deep and (known or isinstance(self.penalty, Penalty)):
            penalty = as_penalty(self.penalty)
            params |= {f"penalty__{field.name}": getattr(penalty, field.name) for field in fields(penalty)}
        return params

    def set_params(self, **params: Any) -> "SparseRegressor":
        """Set parameters. A penalty cannot be changed, so penalty__a replaces it by one with another a.

        Parameters
        ----------
        **params
            Value by name, as in `get_params`.

        Returns
        -------
        SparseRegressor
            Itself.
        """
        own = {key.removeprefix("penalty__"): params.pop(key) for key in list(params) if key.startswith("penalty__")}
        super().set_params(**params)
        if own:
            penalty = as_penalty(self.penalty)
            if unknown := own.keys() - {field.name for field in fields(penalty)}:
                raise ValueError(f"{sorted(unknown)[0]!r} is not a parameter of {penalty!r}")
            self.penalty = replace(penalty, **own)
        return self

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "SparseRegressor":
        """Choose the model.

        Parameters
        ----------
        X, y : (n_samples, n_features) and (n_samples,)
            Finite. Constant columns are left out.
        sample_weight : array (n_samples,), optional
            The noise variance of a row is sigma2 / sample_weight, as in `select`: weights are relative precisions,
            and a weight of 2 is not the same as a row that is there twice.

        Returns
        -------
        SparseRegressor
            Itself.
        """
        X, y = validate_data(self, X, y, y_numeric=True, ensure_min_samples=2, dtype=np.float64)
        if sample_weight is not None:
            sample_weight = _check_sample_weight(sample_weight, X)
        used = np.ptp(X, axis=0) > 0  # a fold of a cross-validation may lack a rare category
        if not used.any():
            raise ValueError("every column of X is constant: there is nothing to select")
        arguments = {key: value for key, value in self.get_params(deep=False).items() if key != "penalty"}
        if self.penalty_weights is not None:
            arguments["penalty_weights"] = self._used_weights(used)
        names = getattr(self, "feature_names_in_", np.arange(X.shape[1]))
        A = pd.DataFrame(X[:, used], columns=names[used])
        self.selection_ = select(A, y, self.penalty, sample_weight=sample_weight, progress=False, **arguments)
        self.coef_ = np.zeros(X.shape[1])
        self.coef_[used] = self.selection_.coef
        self.intercept_ = self.selection_.intercept
        best = self.selection_.best
        self.df_, self.eta_ = float(best.df), float(best.eta)
        self.sigma2_ = self.selection_.sigma2
        return self

    def _used_weights(self, used):
        weights = np.asarray(self.penalty_weights, float)
        if weights.shape != used.shape:
            raise ValueError(f"penalty_weights has shape {weights.shape}; allowed: {used.shape}")
        return weights[used]

    @property
    def path_(self) -> pd.DataFrame:
        """The path of the selection."""
        return self.selection_.path

    def predict(self, X: Any) -> np.ndarray:
        """X coef_ + intercept_.

        Parameters
        ----------
        X : (n_samples, n_features)
            With the features of the fit.

        Returns
        -------
        array (n_samples,)
        """
        check_is_fitted(self)
        return validate_data(self, X, reset=False, dtype=np.float64) @ self.coef_ + self.intercept_
