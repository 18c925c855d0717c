"""The levels that select adds around the minimum of its criterion, against the knots of LARS."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
from problems import lars_knots, orthonormal, planted, real
from sklearn.datasets import load_diabetes
from sklearn.linear_model import LassoLarsIC, lars_path
from sklearn.preprocessing import PolynomialFeatures

from sparsegdf import L1, ElasticNet, select
from sparsegdf.selection.fits import fit_path
from sparsegdf.selection.refine import Levels, dense_end, knots, promising

FORMULAS = {
    "cp": lambda err, df, sigma2, M, N: err + 2 * sigma2 * df,
    "aic": lambda err, df, sigma2, M, N: err / sigma2 + 2 * df,
    "bic": lambda err, df, sigma2, M, N: err / sigma2 + np.log(M) * df,
    "ebic": lambda err, df, sigma2, M, N: err / sigma2 + (np.log(M) + 2 * np.log(N)) * df,
    "gcv": lambda err, df, sigma2, M, N: err / (1 - df) ** 2,
}


def smallest(criterion, A, y, sigma2):
    """The smallest value along the path of LARS."""
    err, size = lars_knots(A, y)
    return FORMULAS[criterion](err, (size + 1) / len(y), sigma2, *A.shape).min()


def spectra(noise):
    """60 spectra of eight broad peaks on 350 wavelengths: columns enter and leave all along the path."""
    rng, grid = np.random.default_rng(2), np.linspace(0, 1, 350)
    peaks = np.exp(-(((grid - rng.uniform(0, 1, (8, 1))) / rng.uniform(0.05, 0.3, (8, 1))) ** 2) / 2)
    A = rng.normal(size=(60, 8)) @ peaks + noise * rng.normal(size=(60, 350))
    return A, pd.Series(A[:, [50, 170, 300]] @ [1.0, -1.0, 1.0] + 0.1 * rng.normal(size=60))


def diabetes(interactions):
    X, y = load_diabetes(return_X_y=True)
    return (PolynomialFeatures(interaction_only=True, include_bias=False).fit_transform(X) if interactions else X), y


@pytest.mark.parametrize(
    "data",
    [partial(real, "longley"), partial(spectra, 0.01), partial(spectra, 0.001)],
    ids=["longley", "spectra", "smooth spectra"],
)
def test_cp_of_l1_is_the_smallest_along_the_path_of_lars(data):
    """Of the smooth spectra this knot is below the grid."""
    A, y = data()
    found = select(A, y, L1())
    exact = smallest("cp", A, y, found.sigma2)
    assert exact * (1 - 1e-6) < found.best.cp < 1.001 * exact
    assert len(found.path) < 125 and "dense end" not in found.why()


@pytest.mark.parametrize("criterion", FORMULAS)
@pytest.mark.parametrize("levels", [None, 12])
def test_each_criterion_of_l1_is_the_smallest_along_the_path_of_lars(criterion, levels):
    """Correlated columns, which leave, enter again and change their sign, some of them below the grid."""
    for seed in [*range(25), 111, 132, 144, 377]:
        rng = np.random.default_rng(seed)
        M, N = rng.integers(12, 20), rng.integers(3, 8)
        A = rng.normal(size=(M, 3)) @ rng.normal(size=(3, N)) + 0.3 * rng.normal(size=(M, N))
        y = A @ rng.normal(size=N) + 2 * rng.normal(size=M)
        found = select(A, y, L1(), sigma2=4.0, criterion=criterion, levels=levels)
        exact = smallest(criterion, A, y, 4.0)
        assert exact * (1 - 1e-9) < found.best[criterion] < 1.001 * exact, seed


@pytest.mark.parametrize("criterion", ["aic", "bic"])
@pytest.mark.parametrize("interactions", [False, True])
def test_l1_is_lasso_lars_ic_given_sigma2(criterion, interactions):
    """diabetes, with 10 and with 55 columns. scikit-learn has no intercept in df, and M ln(2 pi sigma2) more."""
    A, y = diabetes(interactions)
    A = (A - A.mean(axis=0)) / A.std(axis=0)
    M, sigma2 = len(y), 2900.0
    theirs = LassoLarsIC(criterion, noise_variance=sigma2).fit(A, y)
    found = select(A, y, L1(), sigma2=sigma2, criterion=criterion)
    price = {"aic": 2, "bic": np.log(M)}[criterion]
    exact = (theirs.criterion_.min() - M * np.log(2 * np.pi * sigma2) + price) / M
    assert found.best[criterion] == pytest.approx(exact, rel=1e-6)
    np.testing.assert_array_equal(found.coef != 0, theirs.coef_ != 0)
    np.testing.assert_allclose(found.coef, theirs.coef_, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("criterion", ["cp", "bic", "gcv"])
@pytest.mark.parametrize("name", ["longley", "uscrime"])
def test_real_data(name, criterion):
    A, y = real(name)
    found = select(A, y, L1(), criterion=criterion)
    exact = smallest(criterion, A, y, found.sigma2)
    assert exact * (1 - 1e-6) < found.best[criterion] < 1.001 * exact


def test_the_elastic_net_is_followed_too():
    """Its df changes between knots, but little: the criterion on ten times as many levels is not smaller by 0.1 %."""
    A, y = real("uscrime")
    for eta2 in (0.01, 0.3):
        found = select(A, y, ElasticNet(eta2), criterion="bic", levels=20)
        dense = select(A, y, ElasticNet(eta2), criterion="bic", levels=2000)
        assert dense.best.bic * (1 - 1e-9) < found.best.bic < 1.001 * dense.best.bic
        assert len(found.path) < 30


@pytest.mark.parametrize("penalty", [L1(), ElasticNet(0.5)], ids=repr)
def test_knots_are_where_columns_enter(penalty):
    """Orthonormal columns enter at |A_i^T y|."""
    A, y = orthonormal(40, 9, np.r_[9.0, 6, np.zeros(7)])
    sizes = np.sort(np.abs(A.T @ y))[::-1]
    for first in range(7):
        etas = np.array([1.1 * sizes[first], 0.9 * sizes[first + 1]])
        inside = sizes[(sizes < etas[0]) & (sizes > etas[1])]
        found = knots(A, y, 1.0, getattr(penalty, "eta2", 0.0), fit_path(A, y, penalty, etas).x, etas)
        if found is None:
            assert len(inside) > 3
        else:
            np.testing.assert_allclose(found, inside, rtol=1e-8)
            assert (np.array(found) > inside).all()  # just before it enters


def test_knots_are_those_of_lars_where_columns_leave():
    A, y = planted(M=30, N=12, seed=3)
    A = A - A.mean(axis=0)
    A = (A / np.linalg.norm(A, axis=0)) @ np.linalg.cholesky(0.8 + 0.2 * np.eye(12)).T
    alphas, _, path = lars_path(A, y, method="lasso", alpha_min=0)
    on = np.abs(path) > 1e-10
    path = np.where(on, path, 0)
    enters = (on[:, 2:] & ~on[:, 1:-1]).any(axis=0)  # at knot k + 1
    leaves = (~on[:, 1:-1] & on[:, :-2]).any(axis=0)
    for k in range(len(alphas) - 2):
        above, at, below = 30 * alphas[k : k + 3]
        ends = np.column_stack([(path[:, k] + path[:, k + 1]) / 2, (path[:, k + 1] + path[:, k + 2]) / 2])
        found = knots(A, y, 1.0, 0.0, ends, np.array([(above + at) / 2, (at + below) / 2]))
        np.testing.assert_allclose(found, [at] if enters[k] else [], rtol=1e-8)
    assert enters.any() and leaves.any()


def test_knots_are_not_found_if_the_path_does_not_lead_there():
    A, y = orthonormal(40, 9, np.r_[9.0, 6, np.zeros(7)])
    etas = np.array([8.0, 5.0])
    x = fit_path(A, y, L1(), etas).x
    assert knots(A, y, 1.0, 0.0, x, etas) is not None and knots(A, y, 1.0, 0.0, x * [1, 1.01], etas) is None
    twice = np.column_stack([A, A[:, 1]])  # two columns enter together
    both = fit_path(twice, y, L1(), etas).x
    both[[1, 9], 1] = both[1, 1] / 2 + both[9, 1] / 2
    assert knots(twice, y, 1.0, 0.0, both, etas) is None


def test_levels_are_added_where_a_smaller_cp_may_hide():
    """By the bound err_train(dense end) + 2 sigma^2 df(sparse end); below the last eta with all columns but one."""
    variance = 3.0
    A, y = orthonormal(40, 9, np.r_[9.0, 6, np.zeros(7)])
    etas = np.geomspace(8, 0.1, 6)
    x = fit_path(A, y, L1(), etas).x
    err, df = np.square(y[:, None] - A @ x).mean(axis=0), np.count_nonzero(x, axis=0) / 40
    levels, cp = Levels(etas, x, err, df, np.zeros(6, bool)), err + 2 * variance * df
    assert cp[-1] > cp.min() + 2 * variance / 40  # the path goes on well beyond its minimum
    enough = cp.min() - min(5e-4 * cp.min(), 0.1 * variance / 40)
    bound = err[1:] + 2 * variance * np.minimum(df[:-1], df[1:])
    expected = (bound < enough) | (np.arange(5) == cp.argmin())
    for end, turned in ((None, 0), (x[:, -1], 0), (x[:, -1] * np.r_[-1, -1, np.ones(7)], 2)):
        seen = set()
        for floor in (np.inf, *np.linspace(1.2 * cp.min(), 0, 200)):
            intervals, below = promising(40, levels, lambda err, df: err + 2 * variance * df, end, floor)
            np.testing.assert_array_equal(intervals, expected)
            least = floor + 2 * variance * (df[-1] - max(turned, 1) / 40)
            assert below == ((least if turned else max(least, floor + cp.min() - err[-1])) < enough)
            seen.add(below)
        assert seen == {True, False}
    assert expected.any() and not expected.all()


def test_nothing_is_added_below_a_fit_without_residual_degrees_of_freedom():
    """There GCV is infinite, and would be 0/0 at eta = 0."""
    rng = np.random.default_rng(0)
    A, y = rng.normal(size=(15, 40)), rng.normal(size=15)
    path = select(A, y, L1(), sigma2=1.0, criterion="gcv").path
    assert np.isinf(path.gcv.iloc[-1]) and np.isfinite(path.gcv.iloc[-10]) and len(path) < 115


@pytest.mark.parametrize("N", [8, 30])
def test_the_dense_end_is_where_the_gradient_vanishes(N):
    rng = np.random.default_rng(7)
    A, y = rng.normal(size=(20, N)), rng.normal(size=20)
    for d in (0.0, 0.3):
        x, err = dense_end(A, y, d)
        if N > 20 and d == 0:
            assert x is None and err == 0  # least squares fits y, by more than one x
            continue
        np.testing.assert_allclose(A.T @ (y - A @ x), d * x, atol=1e-12)
        assert err == pytest.approx(np.mean((y - A @ x) ** 2))
