"""Moments added chunk by chunk agree with those of the whole arrays, for any chunks."""

import numpy as np
import pandas as pd
import pytest

from sparsegdf.estimators import monte_carlo
from sparsegdf.estimators.monte_carlo import Moments, estimate_with_controls


@pytest.fixture(scope="module")
def frame():
    """Correlated columns far from zero, where a naive sum of squares would lose digits."""
    rng = np.random.default_rng(0)
    mix = rng.normal(size=(3, 3))
    return pd.DataFrame(1e5 + rng.normal(size=(500, 3)) @ mix, columns=["a", "b", "c"])


def moments(frame, cuts):
    made = Moments(["a", "b", "c"])
    for part in np.split(np.arange(len(frame)), cuts):
        made.add(frame.iloc[part])
    return made


@pytest.mark.parametrize("cuts", [[], [1, 2, 250], [0, 100, 100, 499], list(range(500))], ids=str)
def test_chunks_give_what_the_whole_gives(frame, cuts):
    made = moments(frame, cuts)
    for weights in ({"a": 1}, {"a": 1, "b": -2}, {"a": 0.5, "b": 3, "c": -1}):
        values = sum(weight * frame[name] for name, weight in weights.items())
        np.testing.assert_allclose(made.estimate(weights), monte_carlo.mean_estimate(values), rtol=1e-10)
        controlled = monte_carlo.controlled_estimate(values, frame["c"], 1e5)
        np.testing.assert_allclose(made.controlled(weights, "c", 1e5), controlled, rtol=1e-9)


def test_product_of_means_and_its_error():
    """The spread over repetitions agrees with the standard error."""
    rng, values, stated = np.random.default_rng(4), [], []
    for _ in range(400):
        first, second = 2 + rng.normal(size=60), 3 + rng.normal(size=60)
        made = Moments(["first", "second"])
        made.add(pd.DataFrame({"first": first, "second": second}))
        estimate = made.product("first", "second")
        assert estimate.value == pytest.approx(first.mean() * second.mean())
        values.append(estimate.value)
        stated.append(estimate.se)
    assert np.std(values) == pytest.approx(np.mean(stated), rel=0.15)


def test_too_few_samples_have_no_error(frame):
    assert np.isnan(moments(frame[:0], []).estimate({"a": 1}).value)
    one = moments(frame[:1], []).estimate({"a": 1})
    assert one.value == frame.a[0] and np.isnan(one.se) and one.samples == 1


def test_a_column_without_a_value_spoils_only_itself(frame):
    made = moments(frame.assign(b=np.nan), [100])
    assert np.isnan(made.estimate({"b": 1}).value)
    np.testing.assert_allclose(made.estimate({"a": 1}), monte_carlo.mean_estimate(frame.a), rtol=1e-10)


def test_a_weighted_line_is_that_of_numpy():
    rng = np.random.default_rng(5)
    t, se = rng.uniform(1, 4, 9), rng.uniform(0.1, 2, 9)
    values = 3 - 2 * t + se * rng.normal(size=9)
    (slope, limit), covariance = np.polyfit(t, values, 1, w=1 / se, cov="unscaled")
    chi2 = np.square((values - limit - slope * t) / se).sum()
    assert monte_carlo.weighted_line(t, values, se) == pytest.approx(
        (limit, np.sqrt(covariance[1, 1]), slope, chi2, 7)
    )


def test_the_error_of_a_controlled_mean_is_that_of_the_regression():
    """The standard error of the intercept of ordinary least squares on control - expectation, at the mean control."""
    rng = np.random.default_rng(6)
    control = rng.normal(size=12)
    values = 1 + 0.5 * control + rng.normal(size=12)
    X = np.column_stack([np.ones(12), control])
    beta, rss = np.linalg.lstsq(X, values, rcond=None)[:2]
    found = monte_carlo.controlled_estimate(values, control, 0.2)
    assert found == pytest.approx((beta @ [1, 0.2], np.sqrt(rss[0] / 10 / 12), 12))
    # Three samples, or a control that does not vary, have nothing to regress on.
    assert monte_carlo.controlled_estimate(values[:3], control[:3], 0.2) == monte_carlo.mean_estimate(values[:3])
    assert monte_carlo.controlled_estimate(values[:4], control[:4], 0.2) != monte_carlo.mean_estimate(values[:4])
    assert monte_carlo.controlled_estimate(values, np.ones(12), 0.2) == monte_carlo.mean_estimate(values)
    for n in (3, 4):
        made = Moments(["v", "c"])
        made.add(pd.DataFrame({"v": values[:n], "c": control[:n]}))
        np.testing.assert_allclose(
            made.controlled({"v": 1}, "c", 0.2), monte_carlo.controlled_estimate(values[:n], control[:n], 0.2)
        )


def test_controls_leave_the_intercept_of_a_regression():
    rng, n = np.random.default_rng(5), 40
    controls = rng.normal(size=(n, 2))
    values = 0.7 + controls @ [2.0, -1.0] + 0.3 * rng.normal(size=n)
    coefficients, (rss,), _, _ = np.linalg.lstsq(np.column_stack([np.ones(n), controls]), values)
    for known in (controls, np.column_stack([controls, controls[:, 0]])):  # a control that repeats another is none
        found = estimate_with_controls(values, known)
        assert (found.value, found.se) == pytest.approx((coefficients[0], np.sqrt(rss / (n - 3) / n)), rel=1e-12)
        assert found.samples == n
    found = estimate_with_controls(values[:4], controls[:4])  # too few for two slopes
    assert (found.value, found.se) == pytest.approx((values[:4].mean(), values[:4].std(ddof=1) / 2))


def test_the_error_with_controls_is_the_scatter():
    """Of 1000 estimates from 100 samples each; the ratio has a standard error of 1/sqrt(2000) = 0.022."""
    rng, found = np.random.default_rng(6), []
    for _ in range(1000):
        controls = rng.normal(size=(100, 2))
        found.append(estimate_with_controls(0.7 + controls @ [2.0, -1.0] + 0.3 * rng.normal(size=100), controls))
    scatter = np.sqrt(np.mean([(one.value - 0.7) ** 2 for one in found]))
    assert scatter / np.sqrt(np.mean([one.se**2 for one in found])) == pytest.approx(1, abs=0.09)
