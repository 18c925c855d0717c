"""What the saddle point knows of the predictors: one object per kind of limit (ensembles/limits.py).

The single-body side gives E[dx*/dh] = alpha chi and E[x*^2] = alpha Q at (Q_hat, chi_hat); this module gives Q_hat
and chi_hat from chi and Q, on a curve with a parameter 0 < u <= 1 that is 1 in the empty model. docs/theory.md has
the derivation. Every kind has df = chi Q_hat.

Rows iid with a covariance:     u = Q_hat = 1/(1 + chi),   chi_hat = (Q + s2) Q_hat^2,   err_train = chi_hat.

Haar singular vectors, eigenvalues lambda of A^T A. For g > -min lambda let E_1 and E_2 be averages over lambda with
weights 1/(lambda + g) and 1/(lambda + g)^2, and E_0 the plain average:

    Q_hat   = E_1[lambda],   alpha df = E_0[lambda/(lambda + g)],
    chi_hat = E_2[(Q_hat - lambda)^2] alpha Q + E_2[lambda] s2,
    err_train = s2 (1 - df) + Q Q_hat - chi chi_hat,   AT: E_2[(Q_hat - lambda)^2] E[(dx*/dh)^2] > 1.
"""

import numpy as np
from scipy.special import log_ndtr

from sparsegdf.ensembles.limits import Chain, Groups, Spectrum
from sparsegdf.theory.roots import bracketed_roots
from sparsegdf.theory.single_body import Averages, MixedAverages


class Covariance:
    """Rows with a population covariance; iid predictors are one group of scale 1.

    A group of scale s is the single-body problem at (s Q_hat, s chi_hat).
    """

    sampled = False
    largest_df = 1.0  # where chi is infinite
    separates = True  # Q_hat and chi_hat/Q_hat^2 = Q + s2 are unknowns of their own

    def __init__(self, limit, alpha, s2):
        self.groups, self.alpha, self.s2 = limit.groups, alpha, s2
        self.unit = s2  # v = Q + unit is the parameter of the curve
        self.column = 1.0  # the mean square length of a column

    def Q_hat(self, u):
        return u

    def df(self, u):
        return 1 - u

    def one_less_df(self, u):
        return u

    def spread(self, v, u):
        """The variance of h/Q_hat, which is chi_hat/Q_hat^2."""
        return v

    def chi(self, u):
        return 1 / u - 1

    def at(self, response_squared, u):
        """The left side of the AT condition."""
        return u**2 * response_squared / self.alpha

    def err_train(self, Q, chi_hat, u):
        return chi_hat

    @property
    def one_group(self):
        return self.groups == ((1.0, 1.0),)

    def averages(self, penalty, Q_hat, eta, chi_hat):
        """Averages of the estimator, as the saddle point needs them."""
        if self.one_group:
            return Averages(penalty.segments(Q_hat, eta), chi_hat)
        shares, scales = np.transpose(self.groups)
        parts = [Averages(penalty.segments(scale * Q_hat, eta), scale * chi_hat) for scale in scales]
        return MixedAverages(shares, scales, parts)

    def curvatures(self, penalty, Q_hat, eta, chi_hat):
        """(P(h is on it), r''(x*) on it) of each segment of the estimator, of every group."""
        parts = []
        for share, scale in self.groups:
            segments = penalty.segments(np.array([scale * Q_hat]), np.array([eta]))
            probability = Averages(segments, np.array([scale * chi_hat])).probability
            parts.append((share * probability[:, 0], 1 / segments.slope[:, 0] - scale * Q_hat))
        return np.concatenate(parts, axis=1)

    def eta_at(self, penalty, t, threshold, Q_hat):
        """The eta at which P(x* != 0) = P(|z| > t), where `threshold` is t sqrt(chi_hat)."""
        if self.one_group:
            return penalty.eta_at(threshold, Q_hat)
        t, threshold, Q_hat = np.broadcast_arrays(t, threshold, Q_hat)
        shares, scales = np.transpose(self.groups).reshape(2, -1, *[1] * t.ndim)
        log_shares, wanted, roots = np.log(shares), log_ndtr(-t), np.sqrt(scales)

        def excess(factor):  # of ln P(x* != 0)
            eta = penalty.eta_at(factor * threshold, Q_hat)
            z = penalty.threshold(scales * Q_hat, eta) * t / (roots * threshold)
            return np.logaddexp.reduce(log_ndtr(-z) + log_shares, axis=0) - wanted

        # The start of the estimate, min over x > 0 of Q_hat x/2 + r(x)/x, grows with Q_hat, at most as its root.
        low, high = (np.full(t.shape, end) for end in (min(1, roots.min()), max(1, roots.max())))
        with np.errstate(divide="ignore", invalid="ignore"):
            factor = bracketed_roots(excess, low, high)
        return penalty.eta_at(np.where(t > 0, factor, 1.0) * threshold, Q_hat)


class Rotations(Covariance):
    """Haar singular vectors. u is such that g + min lambda = E_0[lambda] u/(1 - u)."""

    separates = False

    def __init__(self, limit, alpha, s2):
        self.groups, self.alpha, self.s2 = Groups().groups, alpha, s2  # the single-body problem of iid predictors
        self._lambda, weight = limit.eigenvalues, limit.weights
        self._powers = np.stack([weight * self._lambda**power for power in range(3)], axis=1)
        self.column = self._powers[:, 1].sum()
        self._last = np.empty(0), None
        self.unit = s2 / self.column
        self.largest_df = min(1.0, weight[self._lambda > 0].sum() / alpha)

    def Q_hat(self, u):
        return self._side(u)[0]

    def df(self, u):
        return self._side(u)[1]

    def one_less_df(self, u):
        return 1 - self.df(u)

    def chi(self, u):
        return self.df(u) / self.Q_hat(u)

    def spread(self, v, u):
        Q_hat, _, deviation, mean = self._side(u)
        return deviation * self.alpha * (v - self.unit) + self.s2 * mean / Q_hat**2

    def at(self, response_squared, u):
        Q_hat, _, deviation, _ = self._side(u)
        if self._lambda.size == 1:  # orthogonal columns: nothing couples the components, even if the estimate jumps
            return 0.0 * Q_hat
        return deviation * Q_hat**2 * response_squared

    def err_train(self, Q, chi_hat, u):
        return self.s2 * (1 - self.df(u)) + Q * self.Q_hat(u) - self.chi(u) * chi_hat

    def _side(self, u):
        """Q_hat, df, E_2[(1 - lambda/Q_hat)^2] and E_2[lambda], kept for the next question, mostly at the same u."""
        if not np.array_equal(self._last[0], u):
            self._last = np.array(u), self._side_at(np.asarray(u, dtype=float))
        return self._last[1]

    def _side_at(self, u):
        above = self._lambda - self._lambda[0]
        inverse = (1 - u) / (u * self.column)  # 1/(g + min lambda)
        if above[-1] > 0:
            inverse = np.maximum(inverse, -0.5 / above[-1])  # Newton's method may look a little beyond u = 1
        r = 1 / (1 + above * inverse[..., None])  # (g + min lambda)/(g + lambda)
        total, first = np.moveaxis(r @ self._powers[:, :2], -1, 0)
        total_2, first_2, second_2 = np.moveaxis((r * r) @ self._powers, -1, 0)
        Q_hat = first / total
        deviation = 1 + (second_2 / Q_hat - 2 * first_2) / (Q_hat * total_2)
        return Q_hat, inverse * first / self.alpha, np.maximum(deviation, 0), first_2 / total_2


KINDS = {Groups: Covariance, Spectrum: Rotations}


def known_predictors(predictors, alpha, s2):
    """The kind of these predictors, a design or a limit, at this alpha."""
    limit = getattr(predictors, "limit", None)
    if not callable(limit) or isinstance(predictors, type):
        allowed = "a design or a limit, e.g. IID(), RowOrthogonal(), Spectrum.of(A)"
        raise ValueError(f"predictors = {predictors!r} are not known to the theory (allowed: {allowed})")
    limit = limit(alpha)
    if isinstance(limit, Chain):
        from sparsegdf.theory.chain_curve import SampledChain  # numba, which the other kinds do without

        return SampledChain(limit, alpha, s2)
    return KINDS[type(limit)](limit, alpha, s2)
