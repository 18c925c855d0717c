"""Model selection on your own (A, y): the path of fits, their degrees of freedom, Mallows' C_p, the chosen model.

    c_p = err_train + 2 sigma^2 df,   err_train = ||y - yhat||^2 / M,   df = (1/(M sigma^2)) sum_mu Cov(y_mu, yhat_mu)

estimates the prediction error at the same A. As everywhere in this package df is a fraction of M, like
delta = |support| / M; M df is the number that regression tables call degrees of freedom.
"""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np
import pandas as pd

from sparsegdf.checks import require_data, require_integer, require_number
from sparsegdf.estimators.bootstrap import bootstrap_df, bootstrap_excess
from sparsegdf.penalties.base import Penalty, require_penalty
from sparsegdf.penalties.l0 import L0
from sparsegdf.selection.fits import (
    default_path,
    effective_df,
    fit_coefficients,
    fit_path,
    is_convex,
    smallest_error,
    tangent,
)
from sparsegdf.selection.noise import NoiseVariance, estimate_noise_variance
from sparsegdf.threads import one_blas_thread

CRITERIA = {"cp": "C_p", "aic": "AIC"}
_PRINTED = 10  # A repr lists at most this many coefficients.
_EXACT = 1e-20  # A sigma^2 below this fraction of the variance of y is rounding error.
_SAMPLES = 10  # The bootstrap that checks whether Stein's df is too small has this many samples.
_TOO_SMALL = 0.05  # Stein's df is too small if the bootstrap exceeds it by more than this fraction.
_TIE = 1e-9  # Relative. The criteria of one fit found twice differ by less than this.


@dataclass(frozen=True, repr=False)
class Selection:
    """The result of `select`. Coefficients are in the units of the given A and y.

    path          one row per eta: nonzeros; delta = nonzeros/M; df; df_effective = (1/M) sum_i chi_i Q_hat_i of
                  belief propagation (NaN where it has no fixed point), computed when the path is first read;
                  err_train; cp; aic; kkt, the violation of stationarity; converged, whether x is a strict local
                  minimum (for l0 the global one);
                  jumps, whether the fit may jump there when y changes by its noise, which Stein's divergence ignores.
                  With a bootstrap, df is the bootstrap estimate, and there are columns df_se and df_stein.
    coefficients  (N, levels), intercepts (levels,)
    chosen        the row of `path` where the criterion is smallest among those that converged
    """

    table: pd.DataFrame  # `path` without df_effective
    effective: Callable  # () -> df_effective
    coefficients: np.ndarray
    intercepts: np.ndarray
    chosen: int
    penalty: Penalty
    criterion: str
    sigma2: float
    sigma2_source: str
    df_source: str
    names: list
    spread: np.ndarray  # the standard deviation of each column of A
    rows: int
    err_floor: float  # the smallest err_train at any eta: that of least squares on all columns, 0 for N >= M

    @cached_property
    def path(self):
        path = self.table.copy()
        path.insert(path.columns.get_loc("df") + 1, "df_effective", self.effective())
        return path

    @property
    def coef(self):
        return self.coefficients[:, self.chosen]

    @property
    def intercept(self):
        return float(self.intercepts[self.chosen])

    @property
    def best(self):
        """The chosen row of `path`."""
        return self.path.iloc[self.chosen]

    @property
    def _best(self):
        return self.table.iloc[self.chosen]

    def predict(self, A):
        """yhat = A x + intercept of the chosen model; the columns of a DataFrame are matched by name."""
        if hasattr(A, "columns"):
            A = A.set_axis([str(name) for name in A.columns], axis=1)
            if missing := [name for name in self.names if name not in A]:
                raise ValueError(f"A has no column {missing[0]!r}, one of the {len(self.names)} columns of the fit")
            A = A[self.names]
        A = np.asarray(A, dtype=float)
        if A.ndim != 2 or A.shape[1] != len(self.names):
            raise ValueError(f"A has shape {A.shape}; allowed: (M, {len(self.names)}), the columns of the fit")
        return A @ self.coef + self.intercept

    def why(self):
        """In one sentence: the choice, its criterion, and the criterion at the ends of the path."""
        best, name, symbol = self._best, self.criterion, CRITERIA[self.criterion]
        sum_ = {
            "cp": f"err_train + 2 sigma2 df = {best.err_train:.6g} + 2 x {self.sigma2:.6g} x {best.df:.4f}",
            "aic": f"err_train / sigma2 + 2 df = {best.err_train:.6g} / {self.sigma2:.6g} + 2 x {best.df:.4f}",
        }[name]
        usable = self.table[self.table.converged]
        first, last = usable.iloc[0], usable.iloc[-1]
        ends = [row for row in (first, last) if row.eta != best.eta]
        others = " and ".join(f"{row[name]:.6g} with {row.nonzeros:.0f}" for row in ends)
        end = f" This is the model at the dense end of the path, eta = {last.eta:.4g}: a smaller eta may do better."
        return (
            f"eta = {best.eta:.4g}, {best.nonzeros:.0f} of {len(self.names)} predictors: the smallest {symbol}, "
            f"{best[name]:.6g} = {sum_}"
            + (f"; it would be {others}." if others else ".")
            + (end if self._may_go_on() else "")
        )

    def _may_go_on(self):
        """Whether the chosen model is that of the last eta, and a smaller eta may lower C_p by more than 0.1 %.

        At a smaller eta, df is not smaller and err_train is not below err_floor. The path of l0 has every size.
        """
        last = self.table.iloc[-1]
        same = np.allclose(self.coef, self.coefficients[:, -1], rtol=1e-6, atol=0)
        if isinstance(self.penalty, L0) or not last.converged or last.eta == 0 or not same:
            return False
        least = self.err_floor + 2 * self.sigma2 * last.df
        return bool(least < self._best.cp - min(1e-3 * self._best.cp, 0.2 * self.sigma2 / self.rows))

    def plot(self):
        """Criterion, df and coefficients along the path, as three matplotlib axes."""
        from sparsegdf.selection.plot import plot_selection

        return plot_selection(self)

    def __repr__(self):
        best, lost = self._best, int((~self.table.converged).sum())
        order = np.argsort(-np.abs(self.coef), kind="stable")[: np.count_nonzero(self.coef)]
        shown = ", ".join(f"{self.names[i]} {self.coef[i]:.4g}" for i in order[:_PRINTED])
        more = f" and {order.size - _PRINTED} more" if order.size > _PRINTED else ""
        error = f" +- {best.df_se:.4f}" if "df_se" in best else ""
        lines = {
            "chosen": f"eta = {best.eta:.4g}, {order.size} non-zeros, {self.criterion} = {best[self.criterion]:.6g}",
            "df": f"{best.df:.4f}{error}, {self.rows * best.df:.2f} parameters ({self.df_source})",
            "sigma2": f"{self.sigma2:.6g} ({self.sigma2_source})",
            "path": f"{len(self.table)} levels of eta, {self.table.eta.iloc[0]:.4g} to {self.table.eta.iloc[-1]:.4g}"
            + (f", {lost} not converged" if lost else ""),
            "intercept": f"{self.intercept:.6g}",
            "coef": (shown or "none") + more,
        }
        title = f"Selection: {self.penalty!r}, {self.rows} rows, {len(self.names)} predictors"
        return "\n".join([title, *(f"  {key:<10}{text}" for key, text in lines.items())])


@one_blas_thread
def select(
    A,
    y,
    penalty,
    sigma2=None,
    etas=None,
    *,
    criterion="cp",
    standardise=True,
    intercept=True,
    bootstrap=0,
    seed=0,
    jobs=1,
    progress=False,
    eta_min=None,
    levels=None,
) -> Selection:
    """Minimise ||y - A x||^2 / 2 + r(x; eta) from sparse to dense, and choose the eta with the smallest criterion.

    A            (M, N), array or DataFrame; y (M,). Finite, no constant column.
    penalty      L1(), ElasticNet(eta2), SCAD(a, lam), MCP(a, lam) by stationary_points; L0() by exact search, N <= 30
    sigma2       noise variance; None estimates it (noise.estimate_noise_variance: least squares, or the lasso where
                 N is not well below M)
    etas         decreasing; None: from sparse to dense in equal steps of the logarithm of the threshold at which a
                 column enters (fits.eta_grid), with more levels around the smallest C_p for a convex
                 penalty; for l0: one eta for each size that is optimal at some eta
    eta_min, levels   for the grid when etas is None: its last eta (by default where the threshold is a tenth of a
                 standard error or less) and its number of levels (100)
    criterion    "cp" = err_train + 2 sigma2 df, or "aic" = err_train/sigma2 + 2 df: the same choice in other units
    standardise  scale the columns to norm 1 and y to units of sigma, so that x_i is in units of its own standard
                 error, and eta, lam and eta2 are pure numbers. False: use A and y unchanged.
    intercept    fitted, not penalized; its 1/M is part of df
    bootstrap    0: df is Stein's divergence of the fit, unbiased where the fit is continuous in y, too small where
                 it jumps (l0; SCAD and MCP at large eta or on correlated columns). If the penalty is not convex, a
                 bootstrap of 10 samples at the chosen level checks whether the full df is larger by more than 5 %,
                 and a warning reports it (l0 always warns). B >= 2: df is the bootstrap covariance over B samples
                 around the model that Stein's df chooses, with standard error.
    seed, jobs, progress   for the bootstrap: its random seed, the number of processes, a progress bar on stderr
    """
    require_penalty(penalty)
    if criterion not in CRITERIA:
        raise ValueError(f"criterion = {criterion!r} (allowed: {', '.join(CRITERIA)})")
    eta_min, levels = _grid_options(etas, eta_min, levels)
    bootstrap = require_integer("bootstrap", bootstrap, at_least=0)
    if bootstrap == 1:
        raise ValueError("bootstrap = 1 has no standard error (allowed: 0 or >= 2)")
    jobs, seed = require_integer("jobs", jobs, at_least=1), require_integer("seed", seed, at_least=0)
    names = [str(name) for name in getattr(A, "columns", range(np.shape(A)[1] if np.ndim(A) == 2 else 0))]
    A, y = _require_variation(A, y, intercept)

    spread = A.std(axis=0)
    shift, mean = (A.mean(axis=0), y.mean()) if intercept else (np.zeros(A.shape[1]), 0.0)
    A, y = A - shift, y - mean
    noise = _noise(A, y, intercept, sigma2)
    scale, sigma = (np.linalg.norm(A, axis=0), np.sqrt(noise.value)) if standardise else (np.ones(A.shape[1]), 1.0)
    problem = _Problem(A / scale, y / sigma, penalty, noise.value / sigma**2, intercept)

    floor = smallest_error(problem.A, problem.y)
    if etas is None:
        fits = default_path(*problem[:4], floor, eta_min=eta_min, levels=levels)
    else:
        fits = fit_path(problem.A, problem.y, penalty, etas, problem.unit)
    path, df_source = _table(problem, fits), "Stein divergence"
    chosen = _minimiser(problem.aic(path), path.converged)
    if bootstrap:
        # The samples are drawn around the model that Stein's df chooses.
        fit, fitted = partial(_fitted, problem, fits.etas), problem.A @ fits.x[:, chosen] / problem.unit
        found = bootstrap_df(fit, fitted, bootstrap, seed=seed, jobs=jobs, progress=progress)
        path["df_stein"] = path["df"]
        path["df"], path["df_se"] = [e.value for e in found], [e.se for e in found]
        path["converged"] &= np.isfinite(path["df"])
        df_source = f"bootstrap covariance, {bootstrap} samples"
    elif note := _doubt(problem, fits, chosen, path.df[chosen], seed):
        warnings.warn(f"{note}; a bootstrap of 200 samples estimates the full df", stacklevel=3)
    aic, place = problem.aic(path), path.columns.get_loc("kkt")
    path.insert(place, "aic", aic)
    path.insert(place, "cp", noise.value * aic)
    path["err_train"] *= sigma**2
    coefficients = fits.x * sigma / scale[:, None]
    return Selection(
        table=path,
        effective=partial(_effective, problem, fits.etas, fits.x),
        coefficients=coefficients,
        intercepts=mean - shift @ coefficients,
        chosen=_minimiser(aic, path.converged),
        penalty=penalty,
        criterion=criterion,
        sigma2=noise.value,
        sigma2_source=noise.source,
        df_source=df_source,
        names=names,
        spread=spread,
        rows=len(y),
        err_floor=sigma**2 * floor,
    )


class _Problem(NamedTuple):
    """The problem in working units, in which the noise variance is 1 when standardised."""

    A: np.ndarray
    y: np.ndarray
    penalty: Penalty
    variance: float
    intercept: bool

    @property
    def unit(self):
        """The standard deviation of the noise."""
        return np.sqrt(self.variance)

    def aic(self, path):
        return path.err_train / self.variance + 2 * path.df


def _grid_options(etas, eta_min, levels):
    """eta_min and levels, checked."""
    if etas is not None and (eta_min is not None or levels is not None):
        raise ValueError("etas cannot be combined with eta_min or levels (allowed: etas, or eta_min and levels)")
    if eta_min is not None:
        eta_min = require_number("eta_min", eta_min, above=0)
    if levels is not None:
        levels = require_integer("levels", levels, at_least=2)
    return eta_min, levels


def _require_variation(A, y, intercept):
    """require_data, and raise ValueError unless there are at least two rows and y is not constant."""
    A, y = require_data(A, y)
    if len(y) < 2:
        raise ValueError("A has 1 row (n_samples = 1); allowed: at least 2")
    if not y.any() or (intercept and np.ptp(y) == 0):
        raise ValueError(f"y is constant ({y[0]:g}): there is nothing to select")
    return A, y


def _doubt(problem, fits, chosen, stein, seed):
    """Why Stein's df may be too small at the chosen level, or "" if there is no sign of it."""
    A, y, penalty, _, intercept = problem
    eta, M = fits.etas[chosen], len(y)
    if isinstance(penalty, L0):
        return (
            f"the fit under {penalty!r} may jump as y changes at the chosen eta = {eta:.4g}: "
            "Stein's df ignores jumps and may be too small"
        )
    if is_convex(A, penalty, fits.etas):
        return ""  # unbiased
    x = fits.x[:, chosen]
    fit, move = partial(_fitted, problem, fits.etas[: chosen + 1]), tangent(A, y, x, penalty, eta)
    excess = bootstrap_excess(
        fit, A @ x / problem.unit, lambda z: intercept * z.mean() + move(z), _SAMPLES, seed=seed
    )
    if excess.value <= _TOO_SMALL * stein:
        return ""
    return (
        f"Stein's df at the chosen eta = {eta:.4g} may be too small: it is {M * stein:.2f} parameters, "
        f"{_SAMPLES} samples of the bootstrap give {M * (stein + excess.value):.2f} +- {M * excess.se:.2f}"
    )


def _noise(A, y, intercept, sigma2):
    if sigma2 is not None:
        return NoiseVariance(require_number("sigma2", sigma2, above=0), "given")
    noise = estimate_noise_variance(A, y, intercept)
    floor = _EXACT * np.square(y).mean()
    if noise.value > floor:
        return noise
    warnings.warn("A fits y exactly, so sigma2 cannot be estimated: it is taken as rounding error", stacklevel=4)
    return NoiseVariance(float(floor), "rounding error: A fits y exactly")


def _effective(problem, etas, x):
    """The column df_effective of Selection.path, in working units."""
    return effective_df(problem.A, problem.y, problem.penalty, etas, x) + int(problem.intercept) / len(problem.y)


def _table(problem, fits):
    """The columns of Selection.path except the criteria, with Stein's df, in working units."""
    M = len(problem.y)
    lost = ~np.isfinite(fits.x).all(axis=0)
    nonzeros = np.count_nonzero(fits.x, axis=0)
    df = fits.stein + int(problem.intercept) / M
    return pd.DataFrame(
        {
            "eta": fits.etas,
            "nonzeros": pd.arrays.IntegerArray(nonzeros, lost),
            "delta": np.where(lost, np.nan, nonzeros / M),
            "df": df,
            "err_train": fits.err,
            "kkt": fits.kkt,
            "converged": np.isfinite(df),
            "jumps": fits.jumps,
        }
    )


def _minimiser(aic, converged):
    """The row with the smallest AIC, and therefore the smallest C_p, among those that converged.

    If neighbouring levels have the same fit, the middle one is taken: at the ends the fit is about to change.
    """
    if not converged.any():
        raise ValueError("no level of eta has a stable fit: try a larger a or lam, larger etas, or another penalty")
    values = aic.where(converged, np.inf).to_numpy()
    first = last = int(np.argmin(values))
    tied = np.isclose(values, values[first], rtol=_TIE, atol=0)
    while first > 0 and tied[first - 1]:
        first -= 1
    while last + 1 < values.size and tied[last + 1]:
        last += 1
    return (first + last) // 2


def _fitted(problem, etas, y):
    """yhat at each eta, (M, n_eta), for y in units where its noise variance is 1."""
    mean, unit = y.mean() if problem.intercept else 0.0, problem.unit
    return mean + problem.A @ fit_coefficients(problem.A, (y - mean) * unit, problem.penalty, etas) / unit
