"""Degrees-of-freedom estimators against finite differences, linear smoothers and planted Monte Carlo data."""

import numpy as np
import pytest

from sparsegdf import L1, MCP, SCAD, ElasticNet, belief_propagation
from sparsegdf.estimators import degrees_of_freedom as dof
from sparsegdf.estimators import monte_carlo


def problem(seed, M=40, N=60):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(M, N)) / np.sqrt(M), rng.normal(size=M)


def curvature_of(found):
    x, chi, Q_hat = found.x[:, -1], found.chi[:, -1], found.Q_hat[:, -1]
    return x, dof.curvature(x, chi, Q_hat)


@pytest.mark.parametrize(
    "penalty, etas", [(L1(), [1.5, 0.8]), (ElasticNet(eta2=0.3), [1.5, 0.5]), (SCAD(a=10, lam=0.5), [1.5, 0.8])]
)
def test_stein_divergence_is_the_divergence_of_the_fit(penalty, etas):
    """sum_mu d yhat_mu / d y_mu by finite differences: the estimator solved again for each moved y_mu."""
    A, y = problem(1)
    found = belief_propagation(A, y, penalty, etas)
    assert found.converged.all()
    x, curvature = curvature_of(found)
    step, total = 1e-4, 0.0
    for mu in range(len(y)):
        fits = []
        for sign in (1, -1):
            moved = y.copy()
            moved[mu] += sign * step
            fits.append(A[mu] @ belief_propagation(A, moved, penalty, etas).x[:, -1])
        total += (fits[0] - fits[1]) / (2 * step)
    assert dof.stein_divergence(A, x, curvature) == pytest.approx(total / len(y), abs=2e-5)
    if isinstance(penalty, SCAD):
        assert (curvature < -1e-3).any()  # on the concave segment the divergence is not |S|/M


@pytest.mark.parametrize("penalty", [L1(), ElasticNet(0.3), ElasticNet(1e-5), SCAD(6, 0.5), MCP(6, 0.5)], ids=repr)
def test_curvature_is_the_second_derivative_of_the_penalty(penalty):
    """By differences of r'(x); exactly zero off the support and where the penalty is straight."""
    rng, step = np.random.default_rng(6), 1e-6
    h, Q_hat, eta = 3 * rng.normal(size=500), rng.uniform(0.5, 2, 500), 0.8
    x, chi = penalty.estimate(h, Q_hat, eta)
    found = dof.curvature(x, chi, Q_hat)
    size = np.abs(x)
    second = (penalty.derivative(size + step, eta) - penalty.derivative(size - step, eta)) / (2 * step)
    np.testing.assert_allclose(found[x != 0], second[x != 0], atol=1e-7)
    assert np.count_nonzero(x) > 100 and not found[x == 0].any()
    assert np.count_nonzero(found) == np.count_nonzero(np.abs(second[x != 0]) > 1e-7)


def test_trace_formulas():
    A, y = problem(1)
    found = belief_propagation(A, y, ElasticNet(eta2=0.2), [1.0, 0.3])
    x, curvature = curvature_of(found)
    S = x != 0
    np.testing.assert_allclose(curvature[S], 0.2, atol=1e-9)
    G = A[:, S].T @ A[:, S]
    zou = np.trace(A[:, S] @ np.linalg.inv(G + 0.2 * np.eye(S.sum())) @ A[:, S].T) / len(y)
    assert dof.stein_divergence(A, x, curvature) == pytest.approx(zou, rel=1e-9)
    assert dof.stein_divergence(A, x, 0.0) == S.sum() / len(y)


def test_trace_formula_where_the_hessian_is_indefinite():
    """At a saddle point of a concave penalty the divergence is that of the formula, too."""
    A, _ = problem(2)
    S, D = np.arange(60) < 10, np.where(np.arange(60) < 3, -0.9, 0.0)
    G = A[:, S].T @ A[:, S]
    assert np.linalg.eigvalsh(G + np.diag(D[S]))[0] < 0
    trace = np.trace(np.linalg.solve(G + np.diag(D[S]), G)) / 40
    assert dof.stein_divergence(A, S.astype(float), D) == pytest.approx(trace, rel=1e-9)


def test_singular_hessian_is_not_a_number():
    A, x = np.eye(3, 2), np.array([1.0, 1.0])
    assert np.isnan(dof.stein_divergence(A, x, np.array([-1.0, 0.0])))


@pytest.mark.parametrize("mean", [0.0, 1.5])
def test_covariance_of_a_linear_smoother_is_its_trace(mean):
    rng, variance = np.random.default_rng(2), 0.7
    H = rng.normal(size=(20, 20)) / 10
    values, control = [], []
    for _ in range(3000):
        y = mean + np.sqrt(variance) * rng.normal(size=20)
        values.append(dof.covariance(y, H @ y, mean=mean, variance=variance))
        control.append(dof.noise_level(y, mean=mean, variance=variance))
    plain, controlled = monte_carlo.mean_estimate(values), monte_carlo.controlled_estimate(values, control, 1.0)
    for estimate in (plain, controlled):
        assert abs(estimate.value - np.trace(H) / 20) < 4 * estimate.se
        assert estimate.samples == 3000
    assert np.mean(control) == pytest.approx(1, abs=0.05)


def test_control_variate_shrinks_the_error_and_states_it_truly():
    """The spread of the estimate over repetitions agrees with its standard error, and is smaller than without."""
    rng, plain, controlled, stated = np.random.default_rng(3), [], [], []
    for _ in range(400):
        control = 1 + rng.normal(size=50)
        values = 0.4 * control + 0.1 * rng.normal(size=50)
        plain.append(values.mean())
        estimate = monte_carlo.controlled_estimate(values, control, 1.0)
        controlled.append(estimate.value)
        stated.append(estimate.se)
    assert np.std(controlled) < 0.4 * np.std(plain)
    assert np.std(controlled) == pytest.approx(np.mean(stated), rel=0.15)
    assert np.mean(controlled) == pytest.approx(0.4, abs=4 * np.std(controlled) / 20)


def test_too_few_samples_have_no_error():
    assert np.isnan(monte_carlo.mean_estimate([1.0]).se) and monte_carlo.mean_estimate([1.0]).value == 1
    assert np.isnan(monte_carlo.mean_estimate([]).value) and monte_carlo.mean_estimate([]).samples == 0
