"""The degrees of freedom of any estimator, against those that are known."""

import numpy as np
import pytest
from problems import orthonormal, planted
from scipy.sparse import csr_array
from sklearn.linear_model import Lasso, LassoLarsIC, LinearRegression, OrthogonalMatchingPursuit, Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from test_select_df import exact_df

from sparsegdf import L0, SCAD, SparseRegressor, audit


def close(found, df):
    return abs(found.df - df) < 4 * found.df_se


def test_linear_smoothers_have_the_trace_of_their_matrix():
    A, y = planted(M=40, N=6)
    found = audit(LinearRegression(), A, y, sigma2=1.0)
    assert close(found, 7 / 40) and found.nonzeros == 6 and found.jumps == 0
    centred = A - A.mean(axis=0)
    G = centred.T @ centred
    ridge = audit(Ridge(500.0), A, y, sigma2=1.0)
    assert close(ridge, (1 + np.trace(np.linalg.solve(G + 500 * np.eye(6), G))) / 40) and ridge.df_se < 0.02
    neighbours = audit(KNeighborsRegressor(4), A, y)
    assert close(neighbours, 1 / 4) and neighbours.nonzeros is None


@pytest.mark.parametrize("penalty, eta, jumps", [(L0(), 3.0, True), (SCAD(8, 1), 1.5, False)], ids=repr)
def test_a_function_that_jumps_and_one_that_does_not(penalty, eta, jumps):
    """Thresholding of orthonormal columns. The mean over y is the exact df, by quadrature, for noise of variance 1.25.

    With y = 1.25^(1/2) u the noise of u is 1, and x*(h; 1, eta) = 1.25^(1/2) x*(h / 1.25^(1/2); 1, eta') for l0 with
    eta' = eta / 1.25; SCAD has lam / 1.25^(1/2).
    """
    M, mu, s = 24, np.repeat([0.0, 2.0, 5.0], [6, 3, 3]), np.sqrt(1.25)
    scaled = (penalty, eta / s**2) if penalty == L0() else (SCAD(penalty.a, penalty.lam / s), eta)
    exact, values, seen = exact_df(scaled[0], mu / s, scaled[1], M), [], []
    for seed in range(60):
        A, y = orthonormal(M, 12, mu, seed)
        fit = lambda y, A=A: A @ penalty.estimate(A.T @ y, 1.0, eta)[0]
        found = audit(fit, A, y, sigma2=1.0, samples=40, seed=seed)
        values.append(found.df)
        seen.append(found.jumps)
    assert abs(np.mean(values) - exact) < 4 * np.std(values) / np.sqrt(60) and np.std(values) / np.sqrt(60) < 0.02
    assert np.mean(seen) > 0.3 if jumps else max(seen) == 0
    assert found.nonzeros is None


def test_the_lasso_has_the_degrees_of_freedom_of_its_non_zeros():
    """However strong its shrinkage is; the mean number of non-zeros is that at the perturbed y."""
    A, y = planted(M=60, N=12)
    found = audit(Lasso(2.0), A, y, sigma2=1.0)
    z = np.random.default_rng(5).normal(size=(200, 60))
    sizes = [np.count_nonzero(Lasso(2.0).fit(A, y + 0.5 * one).coef_) for one in z]
    assert abs(60 * found.df - 1 - np.mean(sizes)) < 4 * np.hypot(60 * found.df_se, np.std(sizes) / np.sqrt(200))


def test_pipelines_and_searches_are_audited_whole():
    A, y = planted(M=60, N=12)
    lasso = make_pipeline(StandardScaler(), Lasso(alpha=0.3))
    search = GridSearchCV(lasso, {"lasso__alpha": np.geomspace(0.01, 1, 12)}, cv=3)
    one, chosen = audit(lasso, A, y, sigma2=1.0, samples=100), audit(search, A, y, sigma2=1.0, samples=40)
    assert one.nonzeros == np.count_nonzero(lasso.fit(A, y)[-1].coef_) and one.jumps == 0
    assert chosen.nonzeros == np.count_nonzero(search.fit(A, y).best_estimator_[-1].coef_) and chosen.jumps > 0


def test_best_subset_costs_more_than_its_non_zeros():
    """Noise alone: greedy and exact search of 3 of 12 columns fit far more than 3 parameters."""
    rng = np.random.default_rng(0)
    A, y = rng.normal(size=(60, 12)), rng.normal(size=60)
    found = audit(OrthogonalMatchingPursuit(n_nonzero_coefs=3), A, y, sigma2=1.0, samples=100)
    assert found.nonzeros == 3 and 60 * found.df > 4 + 4 * 60 * found.df_se and found.jumps > 0


def test_criteria_have_the_df_that_was_found():
    A, y = planted(M=60, N=12)
    found = audit(LassoLarsIC(noise_variance=2.0), A, y, sigma2=2.0, samples=20)
    fitted = LassoLarsIC(noise_variance=2.0).fit(A, y).predict(A)
    err = np.square(y - fitted).mean()
    expected = [
        err,
        err + 4 * found.df,
        err / 2 + 2 * found.df,
        err / 2 + np.log(60) * found.df,
        err / (1 - found.df) ** 2,
    ]
    np.testing.assert_allclose([found.err_train, found.cp, found.aic, found.bic, found.gcv], expected)
    assert f"{60 * found.df:.2f} +- {60 * found.df_se:.2f} parameters" in repr(found)


def test_the_same_with_two_processes_and_in_other_units():
    A, y = planted(M=30, N=4)
    one = audit(SparseRegressor("l1", sigma2=1.0), A, y, sigma2=1.0, samples=12, seed=3)
    two = audit(SparseRegressor("l1", sigma2=1.0), A, y, sigma2=1.0, samples=12, seed=3, jobs=2)
    other = audit(SparseRegressor("l1", sigma2=100.0), A, 10 * y, sigma2=100.0, samples=12, seed=3)
    assert one == two and other.df == pytest.approx(one.df, rel=1e-6) and other.cp == pytest.approx(100 * one.cp)


def test_sigma2_is_that_of_select():
    A, y = planted(M=60, N=5)
    rss = np.square(y - LinearRegression().fit(A, y).predict(A)).sum()
    assert audit(Ridge(), csr_array(A), y, samples=4).sigma2 == pytest.approx(rss / (60 - 6))
    assert audit(Ridge(), A, y, samples=4).sigma2 == pytest.approx(rss / (60 - 6))


def test_the_estimator_is_not_changed():
    A, y = planted(M=30, N=4)
    model = Lasso(0.1)
    audit(model, A, y, samples=3)
    assert not hasattr(model, "coef_")


@pytest.mark.parametrize(
    "change, named",
    [
        ({"estimator": 3}, "estimator = 3 has no fit and predict"),
        ({"estimator": lambda y: y[:5]}, r"the fit has shape \(5,\); allowed: \(30,\)"),
        ({"estimator": lambda y: np.nan * y}, "finite numbers"),
        ({"y": np.ones((30, 2))}, r"y has shape \(30, 2\)"),
        ({"samples": 1}, "samples = 1 is out of range"),
        ({"sigma2": -1}, "sigma2 = -1 is out of range"),
        ({"estimator": Ridge}, r"Ridge'> is a class \(allowed: an estimator such as Ridge\(\)"),
        (
            {"estimator": lambda y: y / 2, "jobs": 2},
            "estimator cannot be sent to other processes .*allowed: jobs = 1",
        ),
        ({"y": ["a"] * 30}, "y does not hold numbers alone .*'a'"),
        ({"y": np.r_[1.0, np.nan, np.ones(28)]}, r"y\[1\] = nan; allowed: finite numbers"),
        ({"y": np.full(30, 2.5)}, r"y is constant \(2.5\)"),
        ({"X": [["a"]] * 30}, "sigma2 cannot be estimated, give it: X does not hold numbers alone .*'a'"),
        ({"X": np.ones((7, 2))}, r"give it: X has shape \(7, 2\), not \(30, N\)"),
        ({"X": np.diag(np.full(30, np.inf))}, r"give it: X\[0, 0\] = inf"),
        ({"X": None, "estimator": lambda y: y / 2}, r"give it: X has shape \(\), not \(30, N\)"),
    ],
)
def test_bad_arguments_are_named(change, named):
    A, y = planted(M=30, N=4)
    with pytest.raises(ValueError, match=named):
        audit(**{"estimator": Ridge(), "X": A, "y": y, "samples": 3} | change)
