"""Argument checks: allowed values are returned as numbers or arrays; errors name the value and the range."""

import re

import numpy as np
import pandas as pd
import pytest

from sparsegdf.checks import LARGEST, beyond_range, require_data, require_etas, require_integer, require_number

TINY = np.nextafter(0, 1)


@pytest.mark.parametrize(
    "value, bounds, allowed",
    [
        (np.nextafter(1, 2), {"above": 1}, None),
        (1, {"above": 1}, "> 1"),
        (1, {"at_least": 1}, None),
        (float(np.nextafter(1, 0)), {"at_least": 1}, ">= 1"),
        (2, {"above": 0, "at_most": 2}, None),
        (float(np.nextafter(2, 3)), {"above": 0, "at_most": 2}, "> 0 and <= 2"),
        (-1e300, {}, None),
        (np.inf, {}, "finite"),
        (np.nan, {"at_least": 0}, ">= 0"),
        ("1", {"at_least": 0}, ">= 0"),
        (None, {}, "finite"),
        ([1.0, 2.0], {}, "finite"),
    ],
)
def test_numbers(value, bounds, allowed):
    if allowed is None:
        assert require_number("name", value, **bounds) == value
        return
    kind = "is out of range" if isinstance(value, int | float) else "is not a number"
    with pytest.raises(ValueError, match=re.escape(f"name = {value!r} {kind} (allowed: {allowed})") + "$"):
        require_number("name", value, **bounds)


@pytest.mark.parametrize(
    "value, bounds, allowed",
    [
        (0, {"at_least": 0}, None),
        (np.int64(3), {"at_least": 1, "at_most": 3}, None),
        (-1, {"at_least": 0}, "integers >= 0"),
        (4, {"at_least": 1, "at_most": 3}, "integers >= 1 and <= 3"),
        (2.0, {"at_least": 1}, "integers >= 1"),
        ("2", {"at_least": 1, "at_most": 3}, "integers >= 1 and <= 3"),
    ],
)
def test_integers(value, bounds, allowed):
    if allowed is None:
        assert type(require_integer("name", value, **bounds)) is int
        return
    with pytest.raises(
        ValueError, match=re.escape(f"name = {value!r} is ") + f".*{re.escape(f'(allowed: {allowed})')}$"
    ):
        require_integer("name", value, **bounds)


def test_data_become_arrays_of_floats():
    A, y = require_data([[1, 2], [3, 5]], [True, False])
    assert A.dtype == y.dtype == float and A.tolist() == [[1, 2], [3, 5]] and y.tolist() == [1, 0]
    single = require_data([[1.1e-75, -1e75]], [0.0])[
        0
    ]  # in one row a column may be constant, and the ends are allowed
    assert single.tolist() == [[1.1e-75, -1e75]]


@pytest.mark.parametrize(
    "A, y, named",
    [
        ([1.0, 2.0], [1.0, 2.0], "A has shape (2,); allowed: (M, N) with M, N >= 1"),
        (np.empty((0, 2)), [], "A has shape (0, 2)"),
        (np.empty((2, 0)), [1.0, 2.0], "A has shape (2, 0)"),
        ([[1.0], [2.0]], [1.0], "y has shape (1,); allowed: (2,), one value per row of A (2, 1)"),
        ([[1.0], [2.0]], [[1.0], [2.0]], "y has shape (2, 1); allowed: (2,)"),
        ([["a"], ["b"]], [1.0, 2.0], "A does not hold numbers alone"),
        (pd.DataFrame({"u": [1.0, 2.0], "v": ["a", "b"]}), [1.0, 2.0], "column 'v' of A does not hold numbers alone"),
        (pd.DataFrame({"u": [1.0, 2.0], "v": [1.0, np.nan]}), [1.0, 2.0], "A[1, 'v'] = nan"),
        (pd.DataFrame({"u": [1.0, 2.0], "v": [5.0, 5.0]}), [1.0, 2.0], "column 'v' of A is constant (5)"),
        ([[1.0], [2.0]], ["a", "b"], "y does not hold numbers alone"),
        ([[1.0, 2.0], [3.0, np.inf]], [1.0, 2.0], "A[1, 1] = inf; allowed: finite numbers"),
        ([[1.0], [2.0]], [1.0, np.nan], "y[1] = nan; allowed: finite numbers"),
        ([[1.0, 5.0, 5.0], [2.0, 5.0, 5.0]], [1.0, 2.0], "column 1 of A is constant (5)"),
        ([[1.0, 0.0]], [1.0], "column 1 of A is constant (0)"),
        ([[1.0, -2e75], [2.0, 1.0]], [1.0, 2.0], "column 1 of A has values up to 2e+75 in size; allowed: 1e-75 to 1e+75"),
        ([[1.0, 5e-76], [2.0, 0.0]], [1.0, 2.0], "column 1 of A has values up to 5e-76 in size"),
        ([[1.0], [2.0]], [1.0, 2e75], "y has values up to 2e+75 in size"),
        ([[1.0], [2.0]], [0.0, -5e-76], "y has values up to 5e-76 in size"),
    ],
)  # fmt: skip
def test_bad_data_are_named(A, y, named):
    with pytest.raises(ValueError, match=re.escape(named)):
        require_data(A, y)


def test_range_of_a_column():
    """The largest |entry| of a column decides; zero is in range."""
    values = np.array([[0.0, 1e-80, LARGEST, 1.0, 1.0], [0.0, 0.0, 0.0, -2 * LARGEST, 1e-80]])
    assert beyond_range(values).tolist() == [False, True, False, True, False]


def test_etas():
    assert require_etas(2).tolist() == [2.0]
    assert require_etas([2, 1, 0]).dtype == float and require_etas([2, 1, 0]).tolist() == [2, 1, 0]
    for bad, named in {
        (): "etas has shape (0,); allowed: a non-empty list",
        ((1.0,), (0.5,)): "etas has shape (2, 1)",
        (1.0, -TINY): "etas contains -5e-324; allowed: finite numbers >= 0",
        (np.inf, 1.0): "etas contains inf",
        (2.0, np.nan): "etas contains nan",
        (1.0, 1.0): "etas = [1.0, 1.0] is unsorted; allowed: strictly decreasing",
        (3.0, 1.0, 2.0): "is unsorted",
        ("a",): "etas does not hold numbers alone",
    }.items():
        with pytest.raises(ValueError, match=re.escape(named)):
            require_etas(bad)
