"""SparseRegressor follows the rules of scikit-learn."""

import inspect
import subprocess
import sys
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler
from sklearn.utils.estimator_checks import check_estimator

from sparsegdf import L1, MCP, SCAD, SparseRegressor, select


def data(M=80, N=12, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(M, N))
    return X, 2 + X[:, :3] @ [1.0, -1.0, 2.0] + rng.normal(size=M)


@pytest.mark.parametrize("penalty", ["l1", SCAD(a=8, lam=1.0)], ids=repr)
@pytest.mark.filterwarnings("ignore")
def test_scikit_learn_accepts_it(penalty):
    repeated = {
        "check_sample_weight_equivalence_on_dense_data": "a weight is a relative precision, not a number of rows"
    }
    results = check_estimator(SparseRegressor(penalty), on_fail=None, expected_failed_checks=repeated)
    assert not [result for result in results if result["status"] not in ("passed", "skipped", "xfail")]


def test_it_is_select():
    X, y = data()
    model = SparseRegressor(MCP(a=8, lam=1.0), sigma2=1.0).fit(X, y)
    found = select(X, y, MCP(a=8, lam=1.0), sigma2=1.0)
    np.testing.assert_allclose(model.coef_, found.coef, rtol=1e-12)
    fitted = [model.intercept_, model.df_, model.eta_, model.sigma2_]
    np.testing.assert_allclose(fitted, [found.intercept, found.best.df, found.best.eta, 1])
    pd.testing.assert_frame_equal(model.path_, found.path, atol=1e-12)
    np.testing.assert_allclose(model.predict(X), found.predict(X))
    assert set(np.flatnonzero(model.coef_)) >= {0, 1, 2} and model.score(X, y) > 0.7


def test_parameters_clones_pipelines_and_searches():
    X, y = data()
    model = SparseRegressor(SCAD(a=8, lam=1.0), intercept=False)
    assert clone(model).get_params() == model.get_params()
    assert clone(model).set_params(penalty=L1()).penalty == L1()
    pipe = make_pipeline(StandardScaler(), PolynomialFeatures(2, include_bias=True), SparseRegressor())
    assert pipe.fit(X[:, :4], y).predict(X[:, :4]).shape == y.shape  # the bias column is constant: coefficient 0
    assert pipe[-1].coef_[0] == 0
    assert cross_val_score(pipe, X[:, :4], y, cv=3).mean() > 0.5
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        search = GridSearchCV(SparseRegressor(sigma2=1.0), {"penalty": [L1(), SCAD(a=8, lam=1.0)]}, cv=3).fit(X, y)
    assert search.best_score_ == max(search.cv_results_["mean_test_score"]) > 0.5


def test_names_of_a_data_frame_reach_the_selection():
    X, y = data(N=3)
    model = SparseRegressor().fit(pd.DataFrame(X, columns=["age", "bmi", "bp"]), y)
    assert list(model.feature_names_in_) == ["age", "bmi", "bp"] and "bmi" in repr(model.selection_)


def test_constant_columns_alone():
    with pytest.raises(ValueError, match="every column of X is constant"):
        SparseRegressor().fit(np.ones((10, 2)), np.arange(10.0))


def test_the_rest_of_the_package_does_without_scikit_learn():
    program = """
import sys
sys.modules["sklearn"] = None  # import sklearn raises ImportError
import numpy as np, sparsegdf
from sparsegdf import *
rng = np.random.default_rng(0)
sparsegdf.select(rng.normal(size=(30, 4)), rng.normal(size=30), sparsegdf.L1())
try:
    sparsegdf.SparseRegressor
except ImportError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "SparseRegressor needs scikit-learn" in done.stdout and "sparsegdf[sklearn]" in done.stdout


def test_defaults_are_those_of_select():
    ours, theirs = (inspect.signature(f).parameters for f in (SparseRegressor, select))
    for name, parameter in ours.items():
        if name != "penalty":
            assert parameter.default == theirs[name].default, name


def test_the_parameters_of_a_penalty_can_be_searched():
    X, y = data()
    model = SparseRegressor("scad", sigma2=1.0)
    assert model.get_params()["penalty__a"] == 8 and "penalty__a" not in model.get_params(deep=False)
    search = GridSearchCV(model, {"penalty__a": [3, 3.7, 8]}, cv=3).fit(X, y)
    assert search.best_estimator_.penalty == SCAD(a=search.best_params_["penalty__a"], lam=1.0)
    known = [cross_val_score(SparseRegressor(SCAD(a, 1.0), sigma2=1.0), X, y, cv=3).mean() for a in (3, 3.7, 8)]
    np.testing.assert_allclose(search.cv_results_["mean_test_score"], known)
    assert model.penalty == "scad"  # the search works on clones
    assert clone(model).set_params(penalty="mcp", penalty__lam=2).penalty == MCP(a=8, lam=2)
    with pytest.raises(ValueError, match="'gamma' is not a parameter of SCAD"):
        clone(model).set_params(penalty__gamma=1)


def test_weights_reach_select():
    X, y = data()
    X[:, 3] = 1.0  # constant, left out
    w, v = np.linspace(0.5, 2, 80), np.arange(12.0)
    model = SparseRegressor("l1", penalty_weights=v, criterion="bic").fit(X, y, sample_weight=w)
    rest = np.delete(np.arange(12), 3)
    found = select(X[:, rest], y, "l1", sample_weight=w, penalty_weights=v[rest], criterion="bic")
    np.testing.assert_allclose(model.coef_[rest], found.coef)
    with pytest.raises(ValueError, match=r"penalty_weights has shape \(5,\); allowed: \(12,\)"):
        SparseRegressor("l1", penalty_weights=np.ones(5)).fit(X, y)
