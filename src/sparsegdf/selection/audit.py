"""The degrees of freedom of any regression method, by perturbing y (Ye, JASA 93, 1998).

    df = E_z[z . yhat(y + tau sigma z)] / (M tau sigma),   z ~ N(0, 1),   tau = 1/2.

Its mean over y is the df of the definition, sum_mu Cov(y_mu, yhat_mu) / (M sigma^2), exactly, for noise of variance
(1 + tau^2) sigma^2 around the unknown mean. Nothing is assumed of the method: it may choose its parameters by
cross-validation, select columns, or jump. For tau -> 0 it would be Stein's divergence, which does not see jumps.
"""

import pickle
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from sparsegdf.checks import as_floats, require_finite, require_integer, require_number
from sparsegdf.estimators.bootstrap import mapped, sample_noise
from sparsegdf.estimators.monte_carlo import estimate_with_controls
from sparsegdf.progress import with_bar
from sparsegdf.selection.criteria import CRITERIA, Setting
from sparsegdf.selection.noise import estimate_noise_variance

_TAU = 0.5  # The perturbation in units of sigma; Ye recommends 0.5 to 1.
_EVERY = 10  # Jumps are looked for in one sample of this many.
_HALVINGS = 10  # The way from y to the sample is halved this many times.
_JUMP = 3.0  # The fit jumps if it moves by more than this many times the change of y.


@dataclass(frozen=True)
class Audit:
    """The result of `audit`.

    Attributes
    ----------
    df, df_se : float
        Degrees of freedom as a fraction of the rows, and the standard error; rows * df is a number of parameters.
    nonzeros : int or None
        The non-zero entries of coef_ of the fit to y, if it has coef_.
    err_train, cp, aic, bic, gcv : float
        ||y - yhat||^2 / M, and the criteria of `select` with this df.
    jumps : float
        The fraction of samples on the way to which, from y, the fit jumps: the way is halved ten times, always taking
        the half in which the fit moves more, and a jump is a move of more than three times the change of y in the
        end. One sample in ten is looked at. Where it is not 0, no derivative of the fit gives its df.
    sigma2, rows, samples : float, int, int
        The noise variance, the number of rows, and the samples that were drawn.

    Examples
    --------
    >>> import numpy as np
    >>> import sparsegdf
    >>> X, y = np.eye(20), np.random.default_rng(0).normal(size=20)
    >>> audit = sparsegdf.audit(lambda y: 0.5 * y, X, y, sigma2=1.0)
    >>> round(audit.df, 1), audit.jumps, audit.samples
    (0.5, 0.0, 200)
    """

    df: float
    df_se: float
    nonzeros: int | None
    err_train: float
    cp: float
    aic: float
    bic: float
    gcv: float
    jumps: float
    sigma2: float
    rows: int
    samples: int

    def __repr__(self):
        sizes = "" if self.nonzeros is None else f", {self.nonzeros} non-zeros"
        parameters = f"{self.rows * self.df:.2f} +- {self.rows * self.df_se:.2f} parameters"
        return (
            f"Audit: {parameters}{sizes}; df = {self.df:.4g} +- {self.df_se:.2g} of {self.rows} rows\n"
            f"  err_train {self.err_train:.6g}, C_p {self.cp:.6g}, AIC {self.aic:.6g}, BIC {self.bic:.6g}, "
            f"GCV {self.gcv:.6g} (sigma2 {self.sigma2:.6g})\n"
            f"  {self.samples} samples; the fit jumps on the way to {100 * self.jumps:.0f} % of those looked at"
        )


def audit(
    estimator: Any,
    X: Any,
    y: Any,
    sigma2: float | None = None,
    samples: int = 200,
    jobs: int = 1,
    *,
    seed: int = 0,
    progress: bool | None = None,
) -> Audit:
    """The degrees of freedom of a fitting method, with its criteria.

    Parameters
    ----------
    estimator : estimator or function
        Anything with fit(X, y) and predict(X), such as a scikit-learn estimator, pipeline or search, which is copied
        and not changed; or a function y -> yhat, which does not use X.
    X, y : (M, N) and (M,)
        The data. X is handed to the estimator as it is; y has to be finite and not constant.
    sigma2 : float, optional
        The noise variance. None estimates it from a linear model of y on X, which has to be numeric then.
    samples : int
        The estimator is fitted about twice for each.
    jobs : int
        Processes. A function must be importable then, not a lambda.
    seed : int
        Random seed of the samples.
    progress : bool, optional
        A progress bar on stderr: None after five seconds and on a terminal only.

    Returns
    -------
    Audit

    Examples
    --------
    >>> import numpy as np
    >>> import sparsegdf
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(50, 4))
    >>> y = X[:, 0] + rng.normal(size=50)
    >>> hat = X @ np.linalg.pinv(X)
    >>> audit = sparsegdf.audit(lambda y: hat @ y, X, y, sigma2=1.0)
    >>> abs(50 * audit.df - 4) < 4 * 50 * audit.df_se  # least squares uses four parameters
    True
    """
    samples = require_integer("samples", samples, at_least=2)
    jobs, seed = require_integer("jobs", jobs, at_least=1), require_integer("seed", seed, at_least=0)
    y = _require_target(y)
    sigma2 = _noise_variance(X, y) if sigma2 is None else require_number("sigma2", sigma2, above=0)
    nonzeros = None
    if callable(estimator) and not hasattr(estimator, "fit"):
        fit = partial(_call, estimator)
    elif hasattr(estimator, "fit") and hasattr(estimator, "predict") and not isinstance(estimator, type):
        fit = partial(_fit_and_predict, estimator, X)
        nonzeros = _nonzeros(_copy(estimator).fit(X, y))
    else:
        what = "is a class" if isinstance(estimator, type) else "has no fit and predict"
        raise ValueError(f"estimator = {estimator!r} {what} (allowed: an estimator such as Ridge(), or y -> yhat)")
    if jobs > 1:
        _require_pickled(estimator)
    sigma, yhat = np.sqrt(sigma2), fit(y)
    one = partial(_one_sample, fit, y, yhat, _TAU * sigma, seed)
    rows = list(with_bar(mapped(one, samples, jobs), "audit", samples, progress))
    covariance, noise, jumped = np.transpose(rows)
    df = estimate_with_controls(covariance, noise[:, None] - 1)
    err = float(np.square(y - yhat).mean())
    setting = Setting(sigma2, y.size, np.shape(X)[1] if np.ndim(X) == 2 else 1, 1.0)
    return Audit(
        df=df.value,
        df_se=df.se,
        nonzeros=nonzeros,
        err_train=err,
        **{name: float(CRITERIA[name].value(err, df.value, setting)) for name in ("cp", "aic", "bic", "gcv")},
        jumps=float(np.nanmean(jumped)),
        sigma2=sigma2,
        rows=y.size,
        samples=samples,
    )


def _one_sample(fit, y, yhat, step, seed, index):
    """z . (yhat(y*) - yhat) / (M step), ||z||^2 / M, and whether the fit jumps on the way to y* = y + step z."""
    z = sample_noise(y.size, seed, index)
    fitted = fit(y + step * z)
    jumps = np.nan if index % _EVERY else _jumps_between(fit, y, y + step * z, yhat, fitted)
    return z @ (fitted - yhat) / (y.size * step), z @ z / y.size, jumps


def _jumps_between(fit, start, end, fit_start, fit_end):
    """Whether the fit jumps on the straight way from start to end; see Audit.jumps."""
    for _ in range(_HALVINGS):
        middle = (start + end) / 2
        fit_middle = fit(middle)
        if np.linalg.norm(fit_middle - fit_start) > np.linalg.norm(fit_end - fit_middle):
            end, fit_end = middle, fit_middle
        else:
            start, fit_start = middle, fit_middle
    return float(np.linalg.norm(fit_end - fit_start) > _JUMP * np.linalg.norm(end - start))


def _fit_and_predict(estimator, X, y):
    return _one_value_per_row(_copy(estimator).fit(X, y).predict(X), y)


def _call(function, y):
    return _one_value_per_row(function(y.copy()), y)


def _one_value_per_row(yhat, y):
    yhat = np.asarray(yhat, dtype=float)
    if yhat.shape == (y.size, 1):
        yhat = yhat[:, 0]
    if yhat.shape != y.shape or not np.isfinite(yhat).all():
        raise ValueError(f"the fit has shape {yhat.shape}; allowed: {y.shape}, finite numbers")
    return yhat


def _copy(estimator):
    """An unfitted copy."""
    if hasattr(estimator, "get_params"):
        from sklearn.base import clone

        return clone(estimator)
    return deepcopy(estimator)


def _nonzeros(fitted):
    """The non-zeros of coef_ of an estimator, of the best one of a search, or of the last step of a pipeline."""
    fitted = getattr(fitted, "best_estimator_", fitted)
    if hasattr(fitted, "steps"):
        return _nonzeros(fitted.steps[-1][1])
    coef = getattr(fitted, "coef_", None)
    return None if coef is None else int(np.count_nonzero(coef))


def _require_target(y):
    y = as_floats("y", y)
    if y.ndim != 1 or y.size < 2:
        raise ValueError(f"y has shape {y.shape}; allowed: (M,) with M >= 2")
    require_finite("y", y)
    if np.ptp(y) == 0:
        raise ValueError(f"y is constant ({y[0]:g}): there is nothing to fit")
    return y


def _require_pickled(estimator):
    try:
        pickle.dumps(estimator)
    except Exception as error:
        raise ValueError(f"estimator cannot be sent to other processes ({error}); allowed: jobs = 1") from None


def _noise_variance(X, y):
    """sigma2 from a linear model of y on X, if X is a table of numbers."""
    unfit = None
    try:
        A = np.asarray(X.toarray() if hasattr(X, "toarray") else X, dtype=float)
    except (TypeError, ValueError) as error:
        unfit = f"X does not hold numbers alone ({error})"
    else:
        if A.ndim != 2 or len(A) != y.size:
            unfit = f"X has shape {A.shape}, not ({y.size}, N)"
        elif not np.isfinite(A).all():
            i, j = np.argwhere(~np.isfinite(A))[0]
            unfit = f"X[{i}, {j}] = {A[i, j]}"
    if unfit:
        raise ValueError(f"sigma2 cannot be estimated, give it: {unfit}")
    A = A[:, np.ptp(A, axis=0) > 0]
    return estimate_noise_variance(A - A.mean(axis=0), y - y.mean(), True).value
