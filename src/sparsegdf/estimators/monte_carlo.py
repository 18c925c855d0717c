"""Monte Carlo means with standard errors, from values or from sums over chunks, and fits of straight lines."""

from typing import NamedTuple

import numpy as np


class Estimate(NamedTuple):
    """A Monte Carlo mean, its standard error and its number of samples."""

    value: float
    se: float
    samples: int


class Line(NamedTuple):
    """limit + slope t fitted to points with errors; chi2 / dof shows whether a straight line fits."""

    limit: float
    limit_se: float
    slope: float
    chi2: float
    dof: int


def mean_estimate(values) -> Estimate:
    """The mean of independent values, with its standard error."""
    values = np.asarray(values, dtype=float)
    n = values.size
    se = values.std(ddof=1) / np.sqrt(n) if n > 1 else float("nan")
    return Estimate(float(values.mean()) if n else float("nan"), float(se), n)


def controlled_estimate(values, control, expectation) -> Estimate:
    """The mean of `values`, with the part explained by `control` (of known expectation) removed by regression."""
    values, control = np.asarray(values, float), np.asarray(control, float)
    if values.size < 4 or control.std() == 0:
        return mean_estimate(values)
    slope = np.cov(values, control)[0, 1] / control.var(ddof=1)
    left = values - slope * (control - expectation)
    se = left.std(ddof=2) / np.sqrt(values.size)
    return Estimate(float(left.mean()), float(se), values.size)


def estimate_with_controls(values, controls) -> Estimate:
    """The mean of `values` without what controls of expectation zero, (samples, n), explain by regression."""
    if len(values) < controls.shape[1] + 3:
        return mean_estimate(values)
    centred = controls - controls.mean(axis=0)
    slopes, _, rank, _ = np.linalg.lstsq(centred, values - values.mean(), rcond=1e-9)
    left = values - controls @ slopes
    return Estimate(float(left.mean()), float(left.std(ddof=1 + rank) / np.sqrt(len(values))), len(values))


def weighted_line(t, values, se) -> Line:
    """values = limit + slope t by least squares with weights 1/se^2."""
    t, values, se = (np.asarray(v, dtype=float) for v in (t, values, se))
    X = np.column_stack([np.ones_like(t), t]) / se[:, None]
    covariance = np.linalg.inv(X.T @ X)
    limit, slope = covariance @ X.T @ (values / se)
    chi2 = np.square((values - limit - slope * t) / se).sum()
    return Line(float(limit), float(np.sqrt(covariance[0, 0])), float(slope), float(chi2), len(t) - 2)


class Moments:
    """Count n, means and centred products S_jk = sum (v_j - mean_j)(v_k - mean_k) of the columns `names`.

    The methods estimate linear combinations sum_j w_j E[v_j], with weights given as {name: w}.
    """

    def __init__(self, names):
        self.place = {name: k for k, name in enumerate(names)}
        self.n, self.mean = 0, np.full(len(self.place), np.nan)
        self.products = np.zeros((len(self.place),) * 2)

    def add(self, frame):
        """Add the rows of a DataFrame (pairwise update of Chan, Golub and LeVeque)."""
        values = frame[list(self.place)].to_numpy(float)
        if not len(values):
            return
        mean = values.mean(axis=0)
        self.products += (values - mean).T @ (values - mean)
        if self.n:
            shift = mean - self.mean
            self.products += np.outer(shift, shift) * (self.n * len(values) / (self.n + len(values)))
            mean = self.mean + shift * (len(values) / (self.n + len(values)))
        self.n, self.mean = self.n + len(values), mean

    def __getitem__(self, name):
        """The mean of one column."""
        return float(self.mean[self.place[name]])

    def estimate(self, weights) -> Estimate:
        """sum_j w_j mean_j with its standard error."""
        return self._estimate(self._vector(weights), lost=1)

    def controlled(self, weights, control, expectation) -> Estimate:
        """Like `estimate`, with the part explained by `control` (of known expectation) removed by regression."""
        w, c = self._vector(weights), self.place[control]
        if self.n < 4 or self.products[c, c] == 0:
            return self._estimate(w, lost=1)
        slope = w @ self.products[:, c] / self.products[c, c]
        w[c] -= slope
        found = self._estimate(w, lost=2)
        return found._replace(value=found.value + slope * expectation)

    def product(self, first, second) -> Estimate:
        """mean_first mean_second, with its standard error to first order: delta_eff^BP of the paper."""
        linear = self.estimate(self.linear_product(first, second))
        return linear._replace(value=self[first] * self[second])

    def linear_product(self, first, second):
        """Weights of the two columns in the first-order change of mean_first mean_second."""
        return {first: self[second], second: self[first]}

    def _vector(self, weights):
        vector = np.zeros(len(self.place))
        for name, weight in weights.items():
            vector[self.place[name]] = weight
        return vector

    def _estimate(self, w, lost):
        used = w != 0  # columns without weight may be NaN
        part = self.products[np.ix_(used, used)]
        variance = max(w[used] @ part @ w[used], 0.0) / (self.n - lost) if self.n > lost else np.nan
        return Estimate(float(w[used] @ self.mean[used]), float(np.sqrt(variance / max(self.n, 1))), self.n)
