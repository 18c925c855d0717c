"""The noise variance that select estimates, and the cross-validation behind it."""

import numpy as np
import pytest
from problems import planted
from sklearn.datasets import load_diabetes
from sklearn.linear_model import Lasso

from sparsegdf import L1, select
from sparsegdf.selection import noise
from sparsegdf.selection.cross_validation import cross_validation
from sparsegdf.selection.noise import estimate_noise_variance


def test_sigma2_where_there_are_more_columns_than_rows():
    """On average within 15 % of the true value; the variance of y is six times as large."""
    ratios = []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        A = rng.normal(size=(60, 100))
        y = A[:, :4] @ [2.0, -2.0, 1.5, 1.0] + 1.5 * rng.normal(size=60)
        A, y = A - A.mean(axis=0), y - y.mean()
        value, source, _ = estimate_noise_variance(A, y, intercept=True)
        assert "lasso" in source
        ratios.append(value / 1.5**2)
    assert np.mean(ratios) == pytest.approx(1, abs=0.15)


def test_sigma2_by_least_squares_is_unbiased():
    values = []
    for seed in range(200):
        A, y = planted(M=30, seed=seed, sigma=2.0)
        value, source, _ = estimate_noise_variance(A - A.mean(axis=0), y - y.mean(), intercept=True)
        values.append(value)
    assert "least squares" in source
    assert abs(np.mean(values) - 4) < 4 * np.std(values) / np.sqrt(200)


def test_a_strong_signal_is_no_part_of_sigma2():
    rng = np.random.default_rng(1)
    A = rng.normal(size=(60, 100))
    noise = rng.normal(size=60)
    A, y = A - A.mean(axis=0), 1e4 * (A[:, 0] + A[:, 1]) + noise
    assert 0.5 < estimate_noise_variance(A, y - y.mean(), intercept=True).value < 2


def test_sigma2_does_not_depend_on_the_unit_of_a_column():
    A, y = planted()
    A, y = A - A.mean(axis=0), y - y.mean()
    value = estimate_noise_variance(A, y, intercept=True).value
    A[:, 0] *= 1e20
    assert estimate_noise_variance(A, y, intercept=True).value == pytest.approx(value, rel=1e-9)


def test_few_rows_left_over_go_to_the_lasso():
    A, y = planted(M=12, N=10)
    assert "lasso" in select(A, y, L1()).sigma2_source


def test_an_exact_fit_is_told():
    A, _ = planted()
    with pytest.warns(UserWarning, match="fits y exactly") as told:
        found = select(A, 1 + A[:, 1] - 2 * A[:, 4], L1())
    assert told[0].filename == __file__
    np.testing.assert_allclose(found.coef[[1, 4]], [1, -2], rtol=1e-2)
    A[:, 5] = A[:, 4] + 1e-3 * A[:, 5]
    with pytest.warns(UserWarning, match="fits y exactly") as told:
        found = select(A, 1 + A[:, 1] - 2 * A[:, 4], L1())
    assert len(told) == 1 and not found.path.jumps.any()  # no fit of l1 jumps, however small sigma is


def test_a_lasso_with_a_coefficient_for_each_row_is_told():
    A, y = load_diabetes(return_X_y=True, scaled=False)
    with pytest.warns(UserWarning, match="has a coefficient for each row: give sigma2"):
        select(A[:5], y[:5], L1())


# --- cross-validation ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("rows", [37, 7])
def test_cross_validation_is_that_of_scikit_learn(intercept, rows):
    """Ten folds of unequal size, or one row each; columns and y far from zero, so that every shift counts."""
    A, y = planted(M=rows, N=4)
    etas = np.array([30.0, 10.0, 1.0])
    fold = np.random.default_rng(0).permutation(rows) % min(10, rows)
    expected = np.zeros(3)
    for k in range(min(10, rows)):
        train = fold != k
        for j, eta in enumerate(etas):
            lasso = Lasso(alpha=eta / rows, fit_intercept=intercept, tol=1e-12, max_iter=100_000)
            left_out = y[~train] - lasso.fit(A[train], y[train]).predict(A[~train])
            expected[j] += np.square(left_out).sum() / rows
    np.testing.assert_allclose(cross_validation(A, y, L1(), etas, intercept), expected, rtol=1e-6)


def test_columns_that_are_constant_in_a_fold():
    """A constant column is left out of the fold. If all are constant, there is nothing to validate."""
    A, y = planted(M=30, N=3)
    single = np.zeros(30)
    single[4] = 1.0
    etas = np.array([30.0, 3.0])
    fold = np.random.default_rng(0).permutation(30) % 10
    with_, without = (cross_validation(X, y, L1(), etas, True) for X in (np.c_[A, single], A))
    assert np.isfinite(with_).all() and not np.array_equal(with_, without)
    with pytest.raises(ValueError, match=f"without fold {fold[4]} of 10 every column is constant"):
        cross_validation(single[:, None], y, L1(), etas, True)


@pytest.mark.parametrize("N, decades", [(60, 2), (28, 3)])
def test_the_grid_of_the_lasso_goes_on_while_its_error_falls(monkeypatch, N, decades):
    """25 levels per decade from just below the first column's entry; two decades more until the minimum is inside."""
    grids = []

    def error(A, y, penalty, etas, intercept, unpenalised):
        grids.append(etas / np.abs(A.T @ y).max())
        return -np.arange(etas.size) if len(grids) < 3 else np.abs(np.arange(etas.size) - 4)

    monkeypatch.setattr(noise, "cross_validation", error)
    A, y = planted(M=30, N=N)
    estimate_noise_variance(A - A.mean(axis=0), y - y.mean(), intercept=True)
    assert [grid.size for grid in grids] == [1 + 25 * (decades + more) for more in (0, 2, 4)]
    for grid, more in zip(grids, (0, 2, 4), strict=True):
        np.testing.assert_allclose(grid, np.geomspace(0.999, 10.0 ** -(decades + more), grid.size), rtol=1e-9)
