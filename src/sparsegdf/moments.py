"""Means and covariances of several columns, added up chunk by chunk: memory does not grow with the samples."""

import numpy as np

from sparsegdf.dof import Estimate


class Moments:
    """Count n, means and centred products S_jk = sum (v_j - mean_j)(v_k - mean_k) of the columns `names`.

    Estimates are of linear combinations sum_j w_j E[v_j], the weights given as {name: w}.
    """

    def __init__(self, names):
        self.place = {name: k for k, name in enumerate(names)}
        self.n, self.mean = 0, np.full(len(self.place), np.nan)
        self.products = np.zeros((len(self.place),) * 2)

    def add(self, frame):
        """Take in the rows of a DataFrame (Chan, Golub and LeVeque's pairwise update)."""
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
        """The same with the part explained by the column `control`, of known expectation, taken out by regression."""
        w, c = self._vector(weights), self.place[control]
        if self.n < 4 or self.products[c, c] == 0:
            return self._estimate(w, lost=1)
        slope = w @ self.products[:, c] / self.products[c, c]
        w[c] -= slope
        found = self._estimate(w, lost=2)
        return found._replace(value=found.value + slope * expectation)

    def product(self, first, second) -> Estimate:
        """mean_first mean_second, its standard error by linearising: delta_eff^BP of the paper."""
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
        used = w != 0  # a column that is not asked for may be NaN
        part = self.products[np.ix_(used, used)]
        variance = max(w[used] @ part @ w[used], 0.0) / (self.n - lost) if self.n > lost else np.nan
        return Estimate(float(w[used] @ self.mean[used]), float(np.sqrt(variance / max(self.n, 1))), self.n)
