"""The bootstrap of degrees of freedom against rules with a known covariance, and the samples that it draws."""

import numpy as np
import pytest

from sparsegdf.estimators.bootstrap import bootstrap_coefficients, bootstrap_excess


def noise(size, seed, index):
    """Sample `index`, as documented. Drawing in any other order would change every result."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(index,))).normal(size=size)


def test_a_linear_rule_has_its_trace():
    """df = tr H / M for yhat = b + H y, at each level; with the control variate the error is small."""
    rng = np.random.default_rng(1)
    H, b, mu = 0.3 * rng.normal(size=(2, 12, 12)), rng.normal(size=12), 5 * rng.normal(size=12)
    found, _ = bootstrap_coefficients(lambda y: np.column_stack([b + h @ y for h in H]), np.eye(12), mu, 400, seed=2)
    for h, estimate in zip(H, found, strict=True):
        assert abs(estimate.value - np.trace(h) / 12) < 4 * estimate.se and estimate.samples == 400
    (shrink,), _ = bootstrap_coefficients(lambda y: b[:, None] + 0.4 * y[:, None], np.eye(12), mu, 10)
    assert shrink.value == pytest.approx(0.4, abs=1e-12) and shrink.se < 1e-12  # z.z/M is the control


def test_a_sample_without_a_fit_is_left_out_at_that_level():
    def fit(y):
        return np.column_stack([0.5 * y, np.where(y @ y > 12, np.nan, y)])

    (whole, broken), frequency = bootstrap_coefficients(fit, np.eye(8), np.zeros(8), 50, seed=1)
    kept = [z for z in (noise(8, 1, index) for index in range(50)) if z @ z <= 12]
    assert whole.samples == 50 and 0 < broken.samples == len(kept) < 50
    assert whole.value == pytest.approx(0.5) and broken.value == pytest.approx(1.0) and (frequency == 1).all()


def test_a_control_of_unknown_expectation_is_no_control():
    """A fit that is no strict minimum has no divergence; its level is estimated without."""
    A, mu = np.random.default_rng(0).normal(size=(8, 2)), np.arange(8.0)
    fit = lambda y: np.column_stack([A.T @ y, np.maximum(A.T @ y, 0)])
    values = np.random.default_rng(1).normal(size=(20, 2))
    plain, _ = bootstrap_coefficients(fit, A, mu, 20)
    found, _ = bootstrap_coefficients(fit, A, mu, 20, (values, np.array([0.0, np.nan])))
    assert found[1] == plain[1] and found[0] != plain[0]


def test_excess_is_what_the_fit_does_beyond_its_tangent():
    """A rule y -> (y, J y + c y^3): the mean of z.(yhat(mu + z) - yhat(mu) - J z)/M over the samples as documented."""
    rng, M = np.random.default_rng(3), 9
    J, mu = 0.2 * rng.normal(size=(M, M)), rng.normal(size=M)
    fit = lambda y: np.column_stack([7 * y, J @ y + 0.1 * y**3])
    found = bootstrap_excess(fit, mu, lambda z: J @ z, 6, seed=4)
    values = [z @ (0.1 * (mu + z) ** 3 - 0.1 * mu**3) / M for z in (noise(M, 4, index) for index in range(6))]
    assert found.value == pytest.approx(np.mean(values))
    assert found.se == pytest.approx(np.std(values, ddof=1) / np.sqrt(6)) and found.samples == 6
    # samples without a fit are left out
    lost = lambda y: fit(y) if y[0] <= mu[0] else np.full((M, 2), np.nan)
    left = [value for index, value in enumerate(values) if noise(M, 4, index)[0] <= 0]
    found = bootstrap_excess(lost, mu, lambda z: J @ z, 6, seed=4)
    assert 1 < found.samples == len(left) < 6 and found.value == pytest.approx(np.mean(left))


def test_no_bar_unless_asked_for(capsys):
    bootstrap_coefficients(lambda y: y[:, None], np.eye(3), np.zeros(3), 5)
    assert capsys.readouterr().err == ""
