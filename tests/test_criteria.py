"""The criteria of select: their formulas, cross-validation against scikit-learn, and which df they use."""

import numpy as np
import pytest
from problems import planted, real
from sklearn.datasets import load_diabetes
from sklearn.linear_model import Lasso

from sparsegdf import L1, SCAD, select
from sparsegdf.selection.criteria import choose


def formulas(path, sigma2, M, N, gamma):
    err, df = path.err_train, path.df
    return {
        "cp": err + 2 * sigma2 * df,
        "aic": err / sigma2 + 2 * df,
        "bic": err / sigma2 + np.log(M) * df,
        "ebic": err / sigma2 + np.log(M) * df + 2 * gamma * np.log(N) * df,
        "gcv": err / (1 - df) ** 2,
    }


@pytest.mark.parametrize("criterion", ["cp", "aic", "bic", "ebic", "gcv"])
@pytest.mark.parametrize("penalty", ["l1", "scad"])
def test_each_chooses_the_smallest_value_of_its_formula(criterion, penalty):
    A, y = planted(M=60, N=20)
    found = select(A, y, penalty, criterion=criterion, ebic_gamma=0.7)
    expected = formulas(found.path, found.sigma2, 60, 20, 0.7)
    for name, values in expected.items():
        np.testing.assert_allclose(found.path[name], values, err_msg=name)
    assert found.best[criterion] == pytest.approx(expected[criterion][found.path.converged].min(), rel=1e-9)
    assert "cv" not in found.path and f"{found.best[criterion]:.6g}" in found.why()


def test_criteria_differ_in_how_sparse_they_are():
    A, y = planted(M=60, N=20, strength=0.4)
    size = {
        name: select(A, y, "l1", criterion=name).best.nonzeros for name in ("cp", "aic", "bic", "ebic", "cv", "cv1se")
    }
    assert size["cp"] == size["aic"] > size["bic"] > size["ebic"] and size["cv"] > size["cv1se"]


def test_cross_validation_is_that_of_scikit_learn():
    A, y = planted(M=45, N=5)
    etas = [40.0, 12.0, 3.0, 1.0]
    found = select(A, y, L1(), sigma2=1.0, etas=etas, criterion="cv", folds=6, repeats=3, standardise=False)
    means, errors = [], []
    for seed in range(3):
        fold = np.random.default_rng(seed).permutation(45) % 6
        mse = np.array(
            [
                [
                    np.square(
                        y[fold == k]
                        - Lasso(alpha=eta / 45, tol=1e-10, max_iter=100_000)
                        .fit(A[fold != k], y[fold != k])
                        .predict(A[fold == k])
                    ).mean()
                    for eta in etas
                ]
                for k in range(6)
            ]
        )
        weight = np.bincount(fold)[:, None] / 45
        means.append((weight * mse).sum(axis=0))
        errors.append(np.sqrt((weight * (mse - means[-1]) ** 2).sum(axis=0) / 5))
    np.testing.assert_allclose(found.path.cv, np.mean(means, axis=0), rtol=1e-5)
    np.testing.assert_allclose(found.path.cv_se, np.mean(errors, axis=0), rtol=1e-4)
    assert found.best.cv == found.path.cv.min()


def test_one_standard_error_rule():
    values, se = np.array([9.0, 5.0, 4.4, 4.0, 4.2]), np.array([1.0, 1.0, 1.0, 0.5, 1.0])
    usable = np.ones(5, bool)
    assert choose("cv1se", values, usable, se) == 2 and choose("cv", values, usable) == 3
    assert choose("cv1se", values, usable, 4 * se) == 1
    assert choose("cv1se", values, np.array([True, False, False, True, True]), 4 * se) == 3
    A, y = planted(M=60, N=20)
    found = select(A, y, "l1", criterion="cv1se")
    limit = found.path.cv.min() + found.path.cv_se[found.path.cv.argmin()]
    assert found.best.cv <= limit and (found.path.cv[: found.chosen] > limit).all()


def test_the_default_df_is_right_where_the_fit_jumps():
    """diabetes, SCAD a = 3.7: Stein's df is too small by more than a parameter. 400 samples of the bootstrap confirm it."""
    X, y = load_diabetes(return_X_y=True)
    found = select(X, y, SCAD(3.7, 1), etas=np.geomspace(60, 0.05, 40))
    path = found.path
    known = select(X, y, SCAD(3.7, 1), etas=path.eta, bootstrap=400, seed=9).path
    z = (path.df - known.df) / np.hypot(path.df_se, known.df_se)
    assert np.abs(z).max() < 5 and np.sqrt(np.square(z).mean()) < 1.8
    by_stein = path.iloc[int((path.err_train + 2 * found.sigma2 * path.df_stein).argmin())]
    assert 442 * (by_stein.df - by_stein.df_stein) > 1 > 442 * 2 * by_stein.df_se
    assert found.best.nonzeros < by_stein.nonzeros == 8
    assert "bootstrap" in found.df_source and select(X, y, "l1").df_source == "Stein divergence"


def test_df_does_not_depend_on_the_criterion():
    A, y = real("uscrime")
    paths = [select(A, y, "mcp", criterion=criterion).path for criterion in ("cp", "ebic", "cv1se")]
    for path in paths[1:]:
        np.testing.assert_array_equal(path.df, paths[0].df)


def test_the_error_of_a_criterion_is_that_of_its_df():
    A, y = planted(M=60, N=10)
    for criterion, slope in {
        "cp": lambda p, s: 2 * s,
        "aic": lambda p, s: 2,
        "bic": lambda p, s: np.log(60),
        "gcv": lambda p, s: 2 * p.err_train / (1 - p.df) ** 3,
    }.items():
        found = select(A, y, "scad", criterion=criterion)
        expected = slope(found.path, found.sigma2) * found.path.df_se
        np.testing.assert_allclose(found.criterion_se, expected, rtol=2e-2)
    assert select(A, y, "l1").criterion_se is None
    found = select(A, y, "l1", criterion="cv")
    np.testing.assert_array_equal(found.criterion_se, found.path.cv_se)
