"""What `select` returns: the path, the chosen model, and why it was chosen."""

from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import Any

import numpy as np
import pandas as pd

from sparsegdf.penalties.base import Penalty
from sparsegdf.penalties.l0 import L0
from sparsegdf.selection.criteria import CRITERIA, Setting, standard_error
from sparsegdf.selection.fits import effective_df
from sparsegdf.selection.problem import Problem
from sparsegdf.selection.refine import dense_end

# The columns of `path`, those that there are.
_COLUMNS = (
    "eta", "nonzeros", "delta", "df", "df_se", "df_stein", "err_train", "cp", "aic", "bic", "ebic", "gcv", "cv",
    "cv_se", "kkt", "converged", "jumps",
)  # fmt: skip
_PRINTED = 10  # A repr lists at most this many coefficients.


@dataclass(frozen=True, repr=False)
class Selection:
    """The result of `select`. Coefficients are in the units of the given A and y.

    Attributes
    ----------
    path : DataFrame
        One row per eta: nonzeros; delta = nonzeros/M; df; err_train; the criteria cp, aic, bic, ebic, gcv, and cv
        with cv_se if they were asked for; kkt, the violation of stationarity; converged, whether x is a strict local
        minimum (for l0 the best subset found); jumps, whether the fit may jump there when y changes by its noise,
        which Stein's divergence ignores. With a bootstrap df is the bootstrap's, and there are df_se and df_stein.
    coefficients, intercepts : arrays (N, levels) and (levels,)
    chosen : int
        The row of `path` that the criterion chooses among those that converged.
    frequency : array (N, levels) or None
        How often each coefficient is not zero in the samples of the bootstrap.
    candidates : DataFrame or None
        For a list of penalties: the best row of each, the winner first, and how far it is `behind` the winner.
    certified : bool
        False if the subsets of l0 come from a search by swaps, which may miss the best ones.

    Examples
    --------
    >>> import numpy as np
    >>> import sparsegdf
    >>> rng = np.random.default_rng(0)
    >>> A = rng.normal(size=(100, 20))
    >>> y = A[:, 0] - 2 * A[:, 3] + 0.1 * rng.normal(size=100)
    >>> chosen = sparsegdf.select(A, y, "l1", criterion="bic")
    >>> best = chosen.path.loc[chosen.chosen]
    >>> int(best.nonzeros), bool(best.bic == chosen.path.bic[chosen.path.converged].min())
    (2, True)
    """

    levels: dict[str, np.ndarray]  # the columns of `path`, in any order
    coefficients: np.ndarray
    intercepts: np.ndarray
    chosen: int
    penalty: Penalty
    criterion: str
    setting: Setting
    sigma2_source: str
    df_source: str
    names: list[str]
    spread: np.ndarray  # the standard deviation of each column of A
    problem: Problem
    frequency: np.ndarray | None = None
    candidates: pd.DataFrame | None = None
    certified: bool = True

    @cached_property
    def path(self) -> pd.DataFrame:
        """The table of levels, made when it is first read: pandas takes as long as a small path."""
        columns = {name: self.levels[name] for name in _COLUMNS if name in self.levels}
        columns["nonzeros"] = pd.arrays.IntegerArray(columns["nonzeros"], np.isnan(columns["delta"]))
        return pd.DataFrame(columns)

    @property
    def sigma2(self) -> float:
        """The noise variance."""
        return self.setting.sigma2

    @property
    def rows(self) -> int:
        """The number of rows that count."""
        return self.setting.rows

    @property
    def coef(self) -> np.ndarray:
        """The coefficients of the chosen model."""
        return self.coefficients[:, self.chosen]

    @property
    def intercept(self) -> float:
        """The constant term of the chosen model."""
        return float(self.intercepts[self.chosen])

    @property
    def best(self) -> pd.Series:
        """The chosen row of `path`."""
        return self.path.iloc[self.chosen]

    @property
    def criterion_se(self) -> np.ndarray | None:
        """The standard error of the criterion along the path; None if df is Stein's, whose error is not known."""
        return standard_error(self.criterion, self.path, self.setting)

    @cached_property
    def df_effective(self) -> np.ndarray:
        """(1/M) sum_i chi_i Q_hat_i of belief propagation along the path; NaN where it has no fixed point."""
        problem = self.problem
        x = self.coefficients[problem.penalised] * problem.scale[:, None] / problem.sigma
        found = effective_df(problem.A, problem.y, self.penalty, self.path.eta.to_numpy(), x)
        return found + problem.free_rank / problem.rows

    @property
    def df_predicted(self) -> np.ndarray:
        """df along the path by the theory: a function of the number of non-zeros and the singular values of A."""
        return self._prediction[0]

    @property
    def rs_stable(self) -> np.ndarray:
        """Where the theory of df_predicted is stable. Beyond, df_predicted is only near df, or too large."""
        return self._prediction[1]

    @cached_property
    def _prediction(self):
        nonzeros = np.count_nonzero(self.coefficients[self.problem.penalised], axis=0)
        return _module("predicted").predicted_df(self.problem, self.penalty, nonzeros)

    def predict(self, A: Any) -> np.ndarray:
        """yhat = A x + intercept of the chosen model.

        Parameters
        ----------
        A : array or DataFrame (M, N)
            The columns of a DataFrame are matched by name; others are left out.

        Returns
        -------
        array (M,)
        """
        if hasattr(A, "columns"):
            A = A.set_axis([str(name) for name in A.columns], axis=1)
            if missing := [name for name in self.names if name not in A]:
                raise ValueError(f"A has no column {missing[0]!r}, one of the {len(self.names)} columns of the fit")
            if list(A.columns) != self.names:  # the same names need no matching, and may occur twice
                A = A[self.names]
        A = np.asarray(A, dtype=float)
        if A.ndim != 2 or A.shape[1] != len(self.names):
            raise ValueError(f"A has shape {A.shape}; allowed: (M, {len(self.names)}), the columns of the fit")
        return A @ self.coef + self.intercept

    def coefficient_path(self, which: Any = slice(None)) -> pd.DataFrame:
        """The coefficients along the path.

        Parameters
        ----------
        which : index of an array (N,)
            The predictors; by default all.

        Returns
        -------
        DataFrame
            One row per eta: eta, the intercept and the coefficients.
        """
        table = pd.DataFrame(self.coefficients[which].T, columns=np.array(self.names, dtype=object)[which])
        table.insert(0, "intercept", self.intercepts, allow_duplicates=True)
        table.insert(0, "eta", self.path.eta.to_numpy(), allow_duplicates=True)
        return table

    def why(self) -> str:
        """Why this model.

        Returns
        -------
        str
            In a few sentences: the choice, its criterion, and the criterion at the ends of the path.
        """
        best, used = self.best, CRITERIA[self.criterion]
        formula = used.formula
        if used.from_df:
            formula += f"; err_train = {best.err_train:.6g}, sigma2 = {self.sigma2:.6g}, df = {best.df:.4g}"
        usable = self.path[self.path.converged]
        first, last = usable.iloc[0], usable.iloc[-1]
        ends = [row for row in (first, last) if row.eta != best.eta]
        others = " and ".join(f"{row[used.column]:.6g} with {row.nonzeros:.0f}" for row in ends)
        what = f"the smallest {used.symbol}" if self.criterion != "cv1se" else used.symbol
        text = [
            f"eta = {best.eta:.4g}, {best.nonzeros:.0f} of {len(self.names)} predictors: {what}, "
            f"{best[used.column]:.6g} ({formula})" + (f"; it would be {others}." if others else ".")
        ]
        if self._may_go_on():
            text.append(
                f"This is the model at the dense end of the path, eta = {last.eta:.4g}: a smaller eta may do better."
            )
        if not self.certified:
            text.append("The subsets come from a search by swaps and are not certified to be the best of their size.")
        if self.candidates is not None:
            text.append(self._margin())
        return " ".join(text)

    def _margin(self):
        column = CRITERIA[self.criterion].column
        first, second = self.candidates.iloc[0], self.candidates.iloc[1]
        return (
            f"Of {len(self.candidates)} penalties {first.penalty} is the best; {second.penalty} is behind by "
            f"{second.behind:.4g} ({100 * second.behind / abs(first[column]):.2g} %)."
        )

    def _may_go_on(self):
        """Whether the chosen model is that of the last eta, and a smaller eta may lower the criterion noticeably.

        That is by over 0.1 %, or a tenth of what a parameter costs. At a smaller eta, df is not smaller and err_train
        is not below that of least squares. The path of l0 has every size.
        """
        last, used = self.path.iloc[-1], CRITERIA[self.criterion]
        same = np.allclose(self.coef, self.coefficients[:, -1], rtol=1e-6, atol=0)
        if isinstance(self.penalty, L0) or not last.converged or last.eta == 0 or not same:
            return False
        if not used.from_df:
            return True
        best = self.best[used.column]
        floor = self.problem.err_unit * dense_end(*self.problem.few)[1]
        # 0.2 sigma2/M is a tenth of what a parameter costs in C_p: with many rows 0.1 % would be several parameters.
        errors = floor, last.err_train, last.err_train - 0.2 * self.sigma2 / self.rows
        least, here, little_less = (used.value(err, last.df, self.setting) for err in errors)
        return bool(least < best - min(1e-3 * abs(best), here - little_less))

    def plot(self, predicted: bool = False) -> np.ndarray:
        """Draw the criterion, df and the coefficients along the path.

        Parameters
        ----------
        predicted : bool
            Add df_predicted.

        Returns
        -------
        array (3,)
            The matplotlib axes.
        """
        return _module("plot").plot_selection(self, predicted)

    def __repr__(self):
        best, lost, column = self.best, int((~self.path.converged).sum()), CRITERIA[self.criterion].column
        order = np.argsort(-np.abs(self.coef), kind="stable")[: np.count_nonzero(self.coef)]
        shown = ", ".join(f"{self.names[i]} {self.coef[i]:.4g}{self._often(i)}" for i in order[:_PRINTED])
        more = f" and {order.size - _PRINTED} more" if order.size > _PRINTED else ""
        error = f" +- {best.df_se:.2g}" if "df_se" in best else ""
        lines = {
            "chosen": f"eta = {best.eta:.4g}, {order.size} non-zeros, {self.criterion} = {best[column]:.6g}",
            "df": f"{best.df:.4g}{error}, {self.rows * best.df:.2f} parameters ({self.df_source})",
            "sigma2": f"{self.sigma2:.6g} ({self.sigma2_source})",
            "path": f"{len(self.path)} levels of eta, {self.path.eta.iloc[0]:.4g} to {self.path.eta.iloc[-1]:.4g}"
            + (f", {lost} not converged" if lost else "")
            + ("" if self.certified else ", subsets not certified"),
            "intercept": f"{self.intercept:.6g}",
            "coef": (shown or "none") + more,
        }
        title = f"Selection: {self.penalty!r}, {self.rows} rows, {len(self.names)} predictors"
        return "\n".join([title, *(f"  {key:<10}{text}" for key, text in lines.items())])

    def _often(self, i):
        """How often predictor i is selected, in words."""
        return "" if self.frequency is None else f" ({100 * self.frequency[i, self.chosen]:.0f} %)"


def _module(name):
    """A module of this folder, by its name: what does without pictures and theory does not depend on their code."""
    return import_module(f"sparsegdf.selection.{name}")
