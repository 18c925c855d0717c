"""The criteria by which a level of the path is chosen. All use the same df, a fraction of the M rows.

    cp     err_train + 2 sigma2 df                               Mallows
    aic    err_train / sigma2 + 2 df                             Akaike, with known sigma2: C_p in units of sigma2
    bic    err_train / sigma2 + ln(M) df                         Schwarz
    ebic   err_train / sigma2 + (ln(M) + 2 gamma ln(N)) df       Chen and Chen (2012), N predictors
    gcv    err_train / (1 - df)^2                                Golub, Heath and Wahba; needs no sigma2, but M > N
    cv     the mean squared error on rows left out               cross_validation.py
    cv1se  the sparsest level whose cv is within one standard error of the smallest

The usual forms of AIC and BIC are M times these, up to a constant: RSS / sigma2 + 2 p and RSS / sigma2 + ln(M) p,
where the number of parameters p = M df is the number of non-zeros only for the lasso.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

_TIE = 1e-9  # Relative. The criteria of one fit found twice differ by less than this.


class Setting(NamedTuple):
    """What a criterion knows beside the path."""

    sigma2: float
    rows: int
    columns: int  # that are penalised
    gamma: float  # of ebic


class Criterion(NamedTuple):
    symbol: str
    formula: str
    column: str  # of the path
    value: Callable | None = None  # (err_train, df, Setting) -> value

    @property
    def from_df(self) -> bool:
        """Whether it follows from df; the others come from cross-validation."""
        return self.value is not None


CRITERIA = {
    "cp": Criterion("C_p", "err_train + 2 sigma2 df", "cp", lambda err, df, s: err + 2 * s.sigma2 * df),
    "aic": Criterion("AIC", "err_train / sigma2 + 2 df", "aic", lambda err, df, s: err / s.sigma2 + 2 * df),
    "bic": Criterion(
        "BIC", "err_train / sigma2 + ln(M) df", "bic", lambda err, df, s: err / s.sigma2 + np.log(s.rows) * df
    ),
    "ebic": Criterion(
        "EBIC",
        "err_train / sigma2 + (ln(M) + 2 gamma ln(N)) df",
        "ebic",
        lambda err, df, s: err / s.sigma2 + (np.log(s.rows) + 2 * s.gamma * np.log(s.columns)) * df,
    ),
    "gcv": Criterion("GCV", "err_train / (1 - df)^2", "gcv", lambda err, df, s: _gcv(err, df)),
    "cv": Criterion("CV", "mean squared error on rows left out", "cv"),
    "cv1se": Criterion("CV", "the sparsest model within one standard error of the smallest error", "cv"),
}


def _gcv(err, df):
    """Infinite where df is 1 or more, as for a fit that interpolates."""
    left = np.maximum(1 - np.asarray(df), 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(left > 1e-9, err / np.square(left), np.inf)


def require_criterion(criterion: str) -> str:
    """The criterion, or a ValueError if it is not one of CRITERIA."""
    if not isinstance(criterion, str) or criterion not in CRITERIA:
        raise ValueError(f"criterion = {criterion!r} (allowed: {', '.join(CRITERIA)})")
    return criterion


def choose(criterion: str, values: Any, converged: Any, se: np.ndarray | None = None) -> int:
    """The row that the criterion chooses among those that converged; `se` is the standard error of cv.

    It is the row with the smallest value. If neighbouring levels have the same fit, the middle one is taken: at the
    ends the fit is about to change. For cv1se it is the first row (the sparsest) within one standard error.
    """
    usable = np.asarray(converged, bool) & np.isfinite(np.asarray(values, float))
    if not usable.any():
        raise ValueError("no level of eta has a stable fit: try a larger a or lam, larger etas, or another penalty")
    values = np.where(usable, values, np.inf)
    first = last = int(np.argmin(values))
    if criterion == "cv1se":
        return int(np.argmax(values <= values[first] + se[first]))
    tied = np.isclose(values, values[first], rtol=_TIE, atol=0)
    while first > 0 and tied[first - 1]:
        first -= 1
    while last + 1 < values.size and tied[last + 1]:
        last += 1
    return (first + last) // 2


def standard_error(criterion: str, path: pd.DataFrame, setting: Setting) -> np.ndarray | None:
    """The standard error of the criterion along the path, from that of df or from the folds; None if unknown."""
    chosen = CRITERIA[criterion]
    if not chosen.from_df:
        return path["cv_se"].to_numpy()
    if "df_se" not in path:
        return None
    err, df, se = (path[name].to_numpy() for name in ("err_train", "df", "df_se"))
    low, high = (chosen.value(err, df + sign * se, setting) for sign in (-1, 1))
    return np.abs(high - low) / 2
