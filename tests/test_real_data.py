"""select on data that ship with scikit-learn, against other implementations: LARS, skglm, and their bootstraps."""

from itertools import combinations

import numpy as np
import pytest
from skglm.datafits import Quadratic
from skglm.penalties import SCAD as SkglmSCAD
from skglm.penalties import MCPenalty
from skglm.solvers import AndersonCD
from sklearn.datasets import load_diabetes
from sklearn.linear_model import ElasticNet as SklearnElasticNet
from sklearn.linear_model import LassoLarsIC

from sparsegdf import ClassicMCP, ClassicSCAD, ElasticNet, select


def diabetes():
    """442 rows; the 10 measurements and their 45 products, centred, columns of norm 1, y in units of its noise."""
    X, y = load_diabetes(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    A = np.column_stack([X, *(X[:, i] * X[:, j] for i, j in combinations(range(10), 2))])
    A -= A.mean(axis=0)
    return A / np.linalg.norm(A, axis=0), (y - y.mean()) / 53.0


def skglm(A, y, penalty, eta):
    """The fit of skglm, whose loss is divided by M."""
    root, datafit = np.sqrt(len(y)), Quadratic()
    X, target = np.asfortranarray(A * root), y * root
    datafit.initialize(X, target)
    kind = SkglmSCAD if isinstance(penalty, ClassicSCAD) else MCPenalty
    return AndersonCD(tol=1e-11, fit_intercept=False).solve(X, target, datafit, kind(float(eta), float(penalty.a)))[0]


@pytest.mark.parametrize("criterion", ["aic", "bic"])
def test_the_lasso_of_lars_with_55_predictors(criterion):
    A, y = diabetes()
    theirs = LassoLarsIC(criterion, noise_variance=1.0).fit(A, y)
    found = select(A, y, "l1", sigma2=1.0, criterion=criterion, standardise=False)
    price = {"aic": 2, "bic": np.log(442)}[criterion]
    ours = 442 * found.best[criterion] + 442 * np.log(2 * np.pi) - price
    assert ours < theirs.criterion_.min() * (1 + 1e-4)
    if criterion == "bic":
        np.testing.assert_array_equal(found.coef != 0, theirs.coef_ != 0)


@pytest.mark.parametrize("penalty", [ClassicSCAD(), ClassicMCP()], ids=repr)
def test_concave_paths_reach_objectives_no_higher_than_those_of_skglm(penalty):
    """Where the fit cannot jump, the minimum is the same; elsewhere both follow a local minimum."""
    A, y = diabetes()
    found = select(A, y, penalty, 1.0, standardise=False, intercept=False, bootstrap=0, levels=12)
    value = lambda x, eta: np.square(y - A @ x).sum() / 2 + penalty.value(x, eta).sum()
    for eta, x, jumps in zip(found.path.eta, found.coefficients.T, found.path.jumps, strict=True):
        theirs = skglm(A, y, penalty, eta)
        if not jumps:
            np.testing.assert_allclose(x, theirs, atol=1e-5)
        assert value(x, eta) < value(theirs, eta) * (1 + (1e-8 if not jumps else 5e-3))


def test_df_is_that_of_a_bootstrap_with_another_implementation():
    """ElasticNet by scikit-learn and ClassicMCP by skglm, over samples of their own."""
    A, y = diabetes()
    A, rng = A[:, :10], np.random.default_rng(7)
    fits = {
        ElasticNet(0.3): lambda z, eta: SklearnElasticNet(alpha=(eta + 0.3) / 442, l1_ratio=eta / (eta + 0.3), fit_intercept=False, tol=1e-8, max_iter=100_000).fit(A, z).coef_,
        ClassicMCP(): lambda z, eta: skglm(A, z, ClassicMCP(), eta),
    }  # fmt: skip
    for penalty, fit in fits.items():
        etas = [3.0, 1.0]
        found = select(A, y, penalty, 1.0, etas, standardise=False, intercept=False, bootstrap=200)
        stein = found.path.err_train + 2 * found.path.df_stein
        mu = A @ found.coefficients[:, int(stein.argmin())]
        for k, eta in enumerate(etas):
            draws = rng.normal(size=(100, 442))
            centre = A @ fit(mu, eta)
            values = [z @ (A @ fit(mu + z, eta) - centre) for z in draws]
            error = np.hypot(np.std(values) / 10, 442 * found.path.df_se[k])
            assert abs(np.mean(values) - 442 * found.path.df[k]) < 4 * error and error < 1
