"""Model selection on your own (A, y): the path of fits, their degrees of freedom, a criterion, the chosen model.

    c_p = err_train + 2 sigma^2 df,   err_train = ||y - yhat||^2 / M,   df = (1/(M sigma^2)) sum_mu Cov(y_mu, yhat_mu)

estimates the prediction error at the same A. As everywhere in this package df is a fraction of M, like
delta = |support| / M; M df is the number that regression tables call degrees of freedom.
"""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from sparsegdf.checks import as_floats, require_integer, require_number
from sparsegdf.penalties.base import Penalty
from sparsegdf.penalties.l0 import L0
from sparsegdf.penalties.registry import as_penalty
from sparsegdf.selection.criteria import CRITERIA, Setting, choose, require_criterion
from sparsegdf.selection.cross_validation import repeated_cross_validation
from sparsegdf.selection.fits import EXACT_COLUMNS, default_path, fit_path, is_convex
from sparsegdf.selection.problem import make_problem
from sparsegdf.selection.resampling import SAMPLES, bootstrapped, doubt, stein_df
from sparsegdf.selection.result import Selection
from sparsegdf.threads import one_blas_thread

_BLOCK = 1_000_000  # The standard deviations of the columns are computed for about this many values at a time.


@one_blas_thread
def select(
    A: Any,
    y: Any,
    penalty: str | Penalty | Sequence[str | Penalty],
    sigma2: float | None = None,
    etas: Any = None,
    *,
    criterion: str = "cp",
    ebic_gamma: float = 1.0,
    folds: int = 10,
    repeats: int = 1,
    standardise: bool = True,
    intercept: bool = True,
    sample_weight: Any = None,
    penalty_weights: Any = None,
    bootstrap: int | None = None,
    seed: int = 0,
    jobs: int = 1,
    progress: bool | None = None,
    eta_min: float | None = None,
    levels: int | None = None,
) -> Selection:
    """Minimise ||y - A x||^2 / 2 + r(x; eta) from sparse to dense, and choose the eta with the smallest criterion.

    Parameters
    ----------
    A, y : arrays or DataFrame and Series, (M, N) and (M,)
        Finite, no constant column.
    penalty : str, Penalty or a list of them
        A name with default parameters, such as "scad", or a penalty, such as SCAD(a=8, lam=1). L0 is solved by exact
        search up to 30 columns and by swaps beyond. The best of a list is chosen, with the same sigma2 and folds.
    sigma2 : float, optional
        The noise variance. None estimates it (least squares, or the lasso where N is not well below M).
    etas : array, optional
        Decreasing. None: from sparse to dense in equal steps of the logarithm of the threshold at which a column
        enters; for a convex penalty with more levels where the criterion is smallest (C_p for cv and cv1se), so that
        it is within 0.1 % of the minimum over all eta; for l0 one eta for each size that is optimal at some eta.
    eta_min, levels : float and int, optional
        For the grid when etas is None: its last eta (by default where the threshold is a tenth of a standard error or
        less) and its number of levels (100).
    criterion : {"cp", "aic", "bic", "ebic", "gcv", "cv", "cv1se"}
        See selection/criteria.py for the formulas. All that follow from df are columns of the path; cv and its
        standard error are there if one of the last two is asked for.
    ebic_gamma : float
        The gamma of EBIC, from 0 (BIC) to 1.
    folds, repeats : int
        Of the cross-validation.
    standardise : bool
        Scale the columns to norm 1 and y to units of sigma, so that x_i is in units of its own standard error, and
        eta, lam and eta2 are pure numbers. False: use A and y unchanged.
    intercept : bool
        Fitted, not penalised; its 1/M is part of df.
    sample_weight : array (M,), optional
        Relative: the noise variance of row i is sigma2 / w_i, with w scaled to mean 1. err_train is weighted too.
        Rows of weight 0 are left out.
    penalty_weights : array (N,), optional
        The penalty of predictor i is r(w_i x_i; eta): its slope at zero is w_i times as large, as with the
        penalty.factor of glmnet (not rescaled) and ncvreg. For l1 it is the same penalty. For others the shape
        differs: the quadratic part of the elastic net has w_i^2 (glmnet: w_i), and SCAD and MCP become flat at
        1/w_i times the usual |x_i| (ncvreg: w_i times). With 0 it is never penalised, as there: it is always in the
        model and adds 1/M to df.
    bootstrap : int, optional
        The number of samples from which df is computed as a covariance, with its standard error. None: 50 if the
        penalty is not convex, so that the fit may jump as y changes; otherwise 0. With 0 df is Stein's divergence,
        unbiased where the fit is continuous in y and too small where it jumps; under a penalty that is not convex ten
        samples then check the chosen level, and a warning says if the full df is larger by more than 5 % (for l0
        there is a warning in any case).
    seed, jobs : int
        Random seed and number of processes of the bootstrap.
    progress : bool, optional
        A progress bar on stderr: None after five seconds and on a terminal only.

    Returns
    -------
    Selection

    Examples
    --------
    >>> import numpy as np
    >>> import sparsegdf
    >>> rng = np.random.default_rng(0)
    >>> A = rng.normal(size=(100, 20))
    >>> y = A[:, 0] - 2 * A[:, 3] + 0.1 * rng.normal(size=100)
    >>> chosen = sparsegdf.select(A, y, "scad", criterion="bic")
    >>> np.flatnonzero(chosen.coef)
    array([0, 3])
    >>> chosen.coef[[0, 3]].round(1)
    array([ 1., -2.])
    """
    penalties = [penalty] if isinstance(penalty, str | Penalty) or not isinstance(penalty, Sequence) else penalty
    penalties = [as_penalty(one) for one in penalties]
    if not penalties:
        raise ValueError("penalty is an empty list; allowed: at least one penalty")
    options = _Options(
        criterion=require_criterion(criterion),
        gamma=require_number("ebic_gamma", ebic_gamma, at_least=0, at_most=1),
        folds=require_integer("folds", folds, at_least=2),
        repeats=require_integer("repeats", repeats, at_least=1),
        etas=etas,
        **_grid_options(etas, eta_min, levels),
        bootstrap=_samples(bootstrap),
        resampling={
            "seed": require_integer("seed", seed, at_least=0),
            "jobs": require_integer("jobs", jobs, at_least=1),
            "progress": progress,
        },
    )
    if hasattr(A, "toarray"):
        raise ValueError("A is sparse, but centred columns are not: give A.toarray(), if it fits into memory")
    _require_same_order(A, y)
    names = [str(name) for name in getattr(A, "columns", range(np.shape(A)[1] if np.ndim(A) == 2 else 0))]
    _require_weights_for(penalties, penalty_weights)
    problem = make_problem(
        A,
        y,
        sigma2=sigma2,
        standardise=standardise,
        intercept=intercept,
        sample_weight=sample_weight,
        penalty_weights=penalty_weights,
        warn=partial(warnings.warn, stacklevel=5),
    )
    spread = _spread(np.asarray(A, dtype=float))
    found = [_select_one(problem, one, options, names, spread) for one in penalties]
    return found[0] if len(found) == 1 else _best_of(found)


@dataclass(frozen=True)
class _Options:
    """The checked arguments of `select` that do not concern the data."""

    criterion: str
    gamma: float
    folds: int
    repeats: int
    etas: Any
    eta_min: float | None
    levels: int | None
    bootstrap: int | None
    resampling: dict


def _spread(A):
    """The standard deviation of each column, for a few columns at a time: np.std makes copies."""
    step = max(1, _BLOCK // len(A))
    return np.concatenate([np.std(A[:, first : first + step], axis=0) for first in range(0, A.shape[1], step)])


def _select_one(problem, penalty, options, names, spread):
    """The Selection under one penalty."""
    A, y = problem.few
    setting = Setting(problem.noise.value, problem.rows, A.shape[1], options.gamma)
    if options.etas is None:
        wanted = CRITERIA[options.criterion]
        value = (wanted if wanted.from_df else CRITERIA["cp"]).value
        fits = default_path(
            A, y, penalty, problem.variance,
            lambda err, stein: value(problem.err_unit * err, stein_df(problem, stein), setting),
            eta_min=options.eta_min, levels=options.levels,
        )  # fmt: skip
    else:
        fits = fit_path(A, y, penalty, options.etas, np.sqrt(problem.variance))
    coefficients, intercepts = problem.in_user_units(fits.x, len(names))
    levels = _levels(problem, fits, coefficients)
    if not CRITERIA[options.criterion].from_df:
        levels |= _cross_validated(problem, penalty, fits, options)
    levels |= _criteria(levels, setting)
    samples = options.bootstrap
    if samples is None:
        samples = 0 if is_convex(A, penalty, fits.etas) else SAMPLES
    chosen, frequency, df_source = _choose(levels, options.criterion), None, "Stein divergence"
    if samples:
        # The samples are drawn around the model that C_p with Stein's df chooses, whatever the criterion: df does not
        # depend on it, and a sparser model would leave out predictors that the fits to y have.
        centre = _choose(levels, "cp")
        df, se, often = bootstrapped(problem, penalty, fits, centre, samples, **options.resampling)
        levels |= {"df": df, "df_se": se, "df_stein": levels["df"]}
        levels["converged"] = levels["converged"] & np.isfinite(df)
        levels |= _criteria(levels, setting)
        chosen, df_source = _choose(levels, options.criterion), f"bootstrap covariance, {samples} samples"
        frequency = np.ones(coefficients.shape)
        frequency[problem.penalised] = often
    elif note := doubt(problem, penalty, fits, chosen, levels["df"][chosen], options.resampling["seed"]):
        warnings.warn(f"{note}; a bootstrap of 200 samples estimates the full df", stacklevel=5)
    return Selection(
        levels=levels,
        coefficients=coefficients,
        intercepts=intercepts,
        chosen=chosen,
        penalty=penalty,
        criterion=options.criterion,
        setting=setting,
        sigma2_source=problem.noise.source,
        df_source=df_source,
        names=names,
        spread=spread,
        problem=problem,
        frequency=frequency,
        certified=not (isinstance(penalty, L0) and A.shape[1] > EXACT_COLUMNS),
    )


def _levels(problem, fits, coefficients):
    """The columns of Selection.path except the criteria, with Stein's df."""
    nonzeros, df = np.count_nonzero(coefficients, axis=0), stein_df(problem, fits.stein)
    return {
        "eta": fits.etas,
        "nonzeros": nonzeros,
        "delta": np.where(np.isfinite(fits.err), nonzeros / problem.rows, np.nan),
        "df": df,
        "err_train": problem.err_unit * fits.err,
        "kkt": fits.kkt,
        "converged": np.isfinite(df),
        "jumps": fits.jumps,
    }


def _criteria(levels, setting):
    """The columns of the criteria that follow from df."""
    err, df = levels["err_train"], levels["df"]
    return {name: one.value(err, df, setting) for name, one in CRITERIA.items() if one.from_df}


def _cross_validated(problem, penalty, fits, options):
    """The columns cv and cv_se."""
    F = None if problem.plain else problem.free
    cv, se = repeated_cross_validation(
        problem.A, problem.y, penalty, fits.etas, problem.intercept and problem.plain, F, options.folds,
        options.repeats, options.resampling["progress"],
    )  # fmt: skip
    return {"cv": problem.sigma**2 * cv, "cv_se": problem.sigma**2 * se}


def _choose(levels, criterion):
    se = levels["cv_se"] if criterion == "cv1se" else None
    return choose(criterion, levels[CRITERIA[criterion].column], levels["converged"], se)


def _best_of(found):
    """The best of several selections, with a table of all."""
    column = CRITERIA[found[0].criterion].column
    values = [one.levels[column][one.chosen] for one in found]
    order = np.argsort(values, kind="stable")
    table = pd.DataFrame([found[i].best for i in order])[["eta", "nonzeros", "df", column]]
    table.insert(0, "penalty", [repr(found[i].penalty) for i in order])
    table["behind"] = np.sort(values) - min(values)
    return replace(found[order[0]], candidates=table.reset_index(drop=True))


def _require_same_order(A, y):
    """Rows are matched by position, so labels in another order are a mistake."""
    rows, own = (getattr(getattr(data, "index", None), "array", None) for data in (A, y))
    if rows is None or own is None or len(rows) != len(own) or A.index.equals(y.index):
        return
    if A.index.is_unique and set(rows) == set(own):
        raise ValueError(
            "A and y have the same index in a different order; allowed: y.loc[A.index], or y.to_numpy() if the rows "
            "are in the same order all the same"
        )


def _require_weights_for(penalties, weights):
    """l0 counts, so a weight other than 0 and 1 has no meaning for it."""
    if weights is not None and any(isinstance(one, L0) for one in penalties):
        weights = np.ravel(as_floats("penalty_weights", weights))
        if (other := weights[~np.isin(weights, (0, 1))]).size:
            raise ValueError(f"penalty_weights has {other[0]:g}, which has no meaning for L0; allowed: 0 and 1")


def _samples(bootstrap):
    if bootstrap is None:
        return None
    bootstrap = require_integer("bootstrap", bootstrap, at_least=0)
    if bootstrap == 1:
        raise ValueError("bootstrap = 1 has no standard error (allowed: 0 or >= 2)")
    return bootstrap


def _grid_options(etas, eta_min, levels):
    """eta_min and levels, checked."""
    if etas is not None and (eta_min is not None or levels is not None):
        raise ValueError("etas cannot be combined with eta_min or levels (allowed: etas, or eta_min and levels)")
    if eta_min is not None:
        eta_min = require_number("eta_min", eta_min, above=0)
    if levels is not None:
        levels = require_integer("levels", levels, at_least=2)
    return {"eta_min": eta_min, "levels": levels}
