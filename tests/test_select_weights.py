"""Several penalties at once, penalty weights and sample weights, against identities and scikit-learn."""

import numpy as np
import pandas as pd
import pytest
from problems import planted, real
from sklearn.linear_model import Lasso, LinearRegression

from sparsegdf import L0, L1, MCP, SCAD, ClassicMCP, ClassicSCAD, ElasticNet, select

PENALTIES = [L1(), ElasticNet(0.3), SCAD(8, 1), ClassicSCAD(), L0()]
each = pytest.mark.parametrize("penalty", PENALTIES, ids=repr)


# --- several penalties -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("criterion", ["cp", "bic", "cv", "cv1se"])
def test_of_several_penalties_the_best_is_chosen_and_the_margin_told(criterion):
    A, y, column = *real("uscrime"), "cv" if criterion == "cv1se" else criterion
    penalties = ["l1", SCAD(a=3.7), "mcp", MCP(a=3)]
    found = select(A, y, penalties, criterion=criterion)
    alone = {repr(p): p for p in (select(A, y, penalty, criterion=criterion) for penalty in penalties)}
    values = sorted((one.best[column], repr(one.penalty)) for one in alone.values())
    assert [(row[column], row.penalty) for _, row in found.candidates.iterrows()] == values
    np.testing.assert_allclose(found.candidates.behind, [value - values[0][0] for value, _ in values])
    assert list(found.candidates) == ["penalty", "eta", "nonzeros", "df", column, "behind"]
    assert repr(found.penalty) == values[0][1] and found.best[column] == values[0][0]
    assert f"{values[1][1]} is behind by {values[1][0] - values[0][0]:.4g}" in found.why()


def test_a_name_is_the_penalty_with_its_defaults():
    A, y = planted()
    pd.testing.assert_frame_equal(select(A, y, "scad").path, select(A, y, SCAD(8, 1)).path)
    assert select(A, y, ["mcp"]).penalty == MCP(8, 1) and select(A, y, ["mcp"]).candidates is None


# --- penalty weights -------------------------------------------------------------------------------------------


@each
def test_a_predictor_of_weight_zero_is_never_penalised(penalty):
    """Its coefficient is that of least squares on what the others leave, and it is in every model."""
    A, y = planted(M=60, N=8)
    weights = np.ones(8)
    weights[[2, 5]] = 0
    found = select(A, y, penalty, sigma2=1.0, penalty_weights=weights, bootstrap=0 if penalty == L1() else 10)
    assert (found.coefficients[[2, 5]] != 0).all() and found.path.nonzeros[0] == 2
    for k in (0, found.chosen, len(found.path) - 1):
        x = found.coefficients[:, k].copy()
        own, x[[2, 5]] = x[[2, 5]], 0
        refit = LinearRegression().fit(A[:, [2, 5]], y - A @ x)
        np.testing.assert_allclose(own, refit.coef_, rtol=1e-8)
        assert found.intercepts[k] == pytest.approx(refit.intercept_)
    stein = found.path.df if "df_stein" not in found.path else found.path.df_stein
    assert stein[0] == pytest.approx(3 / 60)  # two predictors and the intercept


@each
def test_predictors_of_weight_zero_are_partialled_out(penalty):
    """Frisch, Waugh and Lovell: the others have the path of the residuals on them."""
    A, y = planted(M=60, N=8)
    F = np.c_[np.ones(60), A[:, :2]]
    left = lambda B: B - F @ np.linalg.lstsq(F, B, rcond=None)[0]
    etas = None if penalty == L0() else [3.0, 1.0, 0.5]
    found = select(A, y, penalty, 1.0, etas, penalty_weights=[0, 0, 1, 1, 1, 1, 1, 1], bootstrap=0)
    known = select(left(A[:, 2:]), left(y), penalty, 1.0, etas, intercept=False, bootstrap=0)
    np.testing.assert_allclose(found.coefficients[2:], known.coefficients, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(found.path.err_train, known.path.err_train)
    np.testing.assert_allclose(60 * found.path.df, 60 * known.path.df + 3)


def test_l1_weights_are_a_rescaling_of_the_columns():
    """glmnet's penalty.factor: eta w_i |x_i|, as the adaptive lasso uses it."""
    A, y = planted(M=50, N=6)
    weights, eta = np.array([1.0, 2, 0.5, 4, 1, 3]), 9.0
    found = select(A, y, L1(), 1.0, [eta], penalty_weights=weights, standardise=False)
    lasso = Lasso(alpha=eta / 50, tol=1e-12, max_iter=100_000).fit(A / weights, y)
    np.testing.assert_allclose(found.coef, lasso.coef_ / weights, atol=1e-7)


@pytest.mark.parametrize("penalty", [ElasticNet(0.3), SCAD(8, 1), ClassicSCAD(), ClassicMCP()], ids=repr)
def test_the_penalty_of_a_weighted_predictor_is_that_of_w_x(penalty):
    """Stationarity of ||y - A x||^2 / 2 + sum_i r(w_i x_i): A_i^T (y - A x) = w_i r'(w_i |x_i|) sign(x_i)."""
    A, y = planted(M=50, N=6, strength=3.0)
    weights, eta = np.array([1.0, 2, 0.5, 4, 1, 3]), 2.0
    found = select(A, y, penalty, 1.0, [eta], penalty_weights=weights, standardise=False, bootstrap=0)
    on, slope = found.coef != 0, weights * penalty.derivative(weights * found.coef, eta)
    gradient = A.T @ (y - found.predict(A))
    assert on.any()
    np.testing.assert_allclose(gradient[on], (slope * np.sign(found.coef))[on], atol=1e-7)
    assert (np.abs(gradient)[~on] <= slope[~on] + 1e-7).all()


# --- sample weights --------------------------------------------------------------------------------------------


@each
def test_sample_weights_rescale_the_rows(penalty):
    rng = np.random.default_rng(0)
    A, y = planted(M=60, N=8)
    w = rng.uniform(0.2, 3, 60)
    root = np.sqrt(w / w.mean())
    etas = None if penalty == L0() else [3.0, 1.0, 0.5]
    found = select(A, y, penalty, 1.0, etas, sample_weight=7 * w, intercept=False, bootstrap=0)
    known = select(A * root[:, None], y * root, penalty, 1.0, etas, intercept=False, bootstrap=0)
    np.testing.assert_allclose(found.coefficients, known.coefficients, rtol=1e-8, atol=1e-10)
    pd.testing.assert_frame_equal(found.path, known.path, rtol=1e-7, atol=1e-10)


def test_sample_weights_with_an_intercept_are_those_of_scikit_learn():
    A, y = planted(M=60, N=8)
    w = np.random.default_rng(0).uniform(0.2, 3, 60)
    w[7] = 0  # left out
    found = select(A, y, L1(), None, [9.0, 0.0], sample_weight=w, standardise=False)
    for k, eta in enumerate((9.0, 1e-9)):
        lasso = Lasso(alpha=eta / 59, tol=1e-12, max_iter=200_000).fit(A, y, sample_weight=w)
        np.testing.assert_allclose(found.coefficients[:, k], lasso.coef_, rtol=1e-4, atol=1e-6)
        assert found.intercepts[k] == pytest.approx(lasso.intercept_, rel=1e-4)
    scaled = w / w[w > 0].mean()
    left = np.square(y - LinearRegression().fit(A, y, sample_weight=w).predict(A)) @ scaled
    assert found.sigma2 == pytest.approx(left / (59 - 9))


def test_cp_with_sample_weights_estimates_the_weighted_prediction_error():
    """Rows of known unequal variance: the mean of C_p is that of the weighted error on new y plus the noise."""
    rng = np.random.default_rng(1)
    A, w = rng.normal(size=(50, 6)), rng.uniform(0.2, 5, 50)
    w /= w.mean()
    mu = A[:, 0] - 0.5 * A[:, 1]
    excess = []
    for _ in range(200):
        y = mu + rng.normal(size=50) / np.sqrt(w)
        found = select(A, y, L1(), 1.0, [2.0], sample_weight=w)
        excess.append(found.best.cp - w @ np.square(mu - found.predict(A)) / 50 - 1)
    assert abs(np.mean(excess)) < 4 * np.std(excess) / np.sqrt(200)


@pytest.mark.parametrize("criterion", ["cv", "cp"])
def test_equal_weights_change_nothing(criterion):
    A, y = planted(M=60, N=8)
    plain = select(A, y, "mcp", criterion=criterion)
    found = select(A, y, "mcp", criterion=criterion, sample_weight=np.full(60, 3.0), penalty_weights=np.ones(8))
    pd.testing.assert_frame_equal(found.path, plain.path, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(found.coef, plain.coef, rtol=1e-8)


@pytest.mark.parametrize(
    "weights, named",
    [
        ({"sample_weight": [1.0, 2.0]}, r"sample_weight has shape \(2,\); allowed: \(60,\)"),
        ({"sample_weight": np.r_[0.5, -1.0, np.ones(58)]}, "sample_weight has -1; allowed: finite numbers >= 0"),
        ({"sample_weight": np.zeros(60)}, "sample_weight is 0 for every row"),
        ({"penalty_weights": np.ones(7)}, r"penalty_weights has shape \(7,\); allowed: \(8,\)"),
        ({"penalty_weights": np.r_[np.nan, np.ones(7)]}, "penalty_weights has nan"),
        ({"penalty_weights": np.zeros(8)}, "penalty_weights are all 0"),
        (
            {"penalty_weights": 2 * np.ones(8), "penalty": "l0"},
            "penalty_weights has 2, which has no meaning for L0; allowed: 0 and 1",
        ),
    ],
)
def test_bad_weights_are_named(weights, named):
    A, y = planted(M=60, N=8)
    with pytest.raises(ValueError, match=named):
        select(**{"A": A, "y": y, "penalty": "l1"} | weights)


def test_a_column_that_the_unpenalised_ones_explain_is_named():
    A, y = planted(M=60, N=8)
    A[:, 4] = A[:, 1] - 2 * A[:, 2] + 3
    with pytest.raises(ValueError, match="column 4 of A is a combination of the columns of penalty weight 0"):
        select(A, y, "l1", penalty_weights=[1, 0, 0, 1, 1, 1, 1, 1])
