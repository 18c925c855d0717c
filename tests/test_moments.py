"""Moments added up in chunks give what the arrays give, however they are cut."""

import numpy as np
import pandas as pd
import pytest

from sparsegdf.estimators import monte_carlo
from sparsegdf.estimators.monte_carlo import Moments


@pytest.fixture(scope="module")
def frame():
    """Correlated columns far from zero, where a naive sum of squares would lose its digits."""
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
    """The spread over repetitions is what the standard error says."""
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
