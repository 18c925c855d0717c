"""Model selection against brute force, LARS and its own invariances."""

import warnings
from functools import partial
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from problems import orthonormal, planted, real
from scipy.sparse import csr_array
from sklearn.datasets import load_diabetes
from sklearn.linear_model import Lasso, lars_path

from sparsegdf import L0, L1, MCP, SCAD, ElasticNet, select, stationary_path
from sparsegdf.selection.criteria import choose
from sparsegdf.selection.fits import fit_path, is_convex
from sparsegdf.solvers.best_subset import best_subsets
from sparsegdf.solvers.direct import stationary_points

COLUMNS = [
    "eta",
    "nonzeros",
    "delta",
    "df",
    "err_train",
    "cp",
    "aic",
    "bic",
    "ebic",
    "gcv",
    "kkt",
    "converged",
    "jumps",
]


# --- the path --------------------------------------------------------------------------------------------------


def test_eta_in_the_units_of_glmnet():
    """lambda = sigma eta / sqrt(M), for columns of variance 1 and the loss over M, as scikit-learn has it too."""
    A, y = planted()
    found = select(A, y, L1(), sigma2=2.0, etas=[1.5])
    lasso = Lasso(alpha=np.sqrt(2.0) * 1.5 / np.sqrt(len(y)), tol=1e-12).fit((A - A.mean(axis=0)) / A.std(axis=0), y)
    assert lasso.coef_.any()
    np.testing.assert_allclose(found.coef, lasso.coef_ / A.std(axis=0), atol=1e-8)


@pytest.mark.parametrize("shape", [(60, 8), (30, 50)])
def test_l1_has_the_degrees_of_freedom_and_coefficients_of_lars(shape):
    A, y = planted(*shape)
    found = select(A, y, L1(), sigma2=1.0)
    M, path = len(y), found.path
    assert path.converged.all() and not path.jumps.any()
    centred = A - A.mean(axis=0)
    norms = np.linalg.norm(centred, axis=0)
    alphas, _, knots = lars_path(centred / norms, y - y.mean(), method="lasso", alpha_min=0)
    for k in range(0, len(path), 9):
        eta = path.eta[k]
        exact = np.array([np.interp(eta, M * alphas[::-1], x[::-1]) for x in knots])
        np.testing.assert_allclose(found.coefficients[:, k], exact / norms, atol=1e-9)
        assert path.nonzeros[k] == np.count_nonzero(np.abs(exact) > 1e-10)
        assert path.df[k] == pytest.approx((path.nonzeros[k] + 1) / M)
        assert found.df_effective[k] == pytest.approx(path.df[k])


@pytest.mark.parametrize("standardise, lam", [(True, 1), (False, 0.1)])
def test_columns_and_their_relations(standardise, lam):
    A, y = planted()
    scad = partial(select, A, 5 * y, SCAD(8, lam), standardise=standardise, bootstrap=0)
    y, found = 5 * y, scad()
    path = found.path
    assert list(path) == COLUMNS
    fits = A @ found.coefficients + found.intercepts
    np.testing.assert_allclose(path.err_train, np.square(y[:, None] - fits).mean(axis=0))
    np.testing.assert_allclose(path.cp, path.err_train + 2 * found.sigma2 * path.df)
    np.testing.assert_allclose(path.aic, path.cp / found.sigma2)
    np.testing.assert_allclose(path.delta, path.nonzeros / len(y))
    assert path.cp[found.chosen] == path.cp[path.converged].min()
    assert scad(criterion="aic").chosen == found.chosen
    assert path.nonzeros[0] == 0 and path.kkt.max() < 1e-9
    assert scad(eta_min=1e-3).path.nonzeros.iloc[-1] == 8
    np.testing.assert_allclose(found.predict(A), fits[:, found.chosen])
    with pytest.raises(ValueError, match=rf"A has shape \({len(A)}, 3\); allowed: \(M, {A.shape[1]}\)"):
        found.predict(A[:, :3])


@pytest.mark.parametrize("penalty", [ElasticNet(0.2), SCAD(3.7, 1), SCAD(8, 2), MCP(3, 1)], ids=repr)
@pytest.mark.parametrize("standardise", [True, False])
def test_levels_are_even_steps_of_the_threshold_down_to_the_noise(penalty, standardise):
    """Orthonormal columns: a level has the columns whose z = A_i^T y / sigma is above its threshold."""
    z, sigma = np.array([300.0, 40, -9, 8, 3, 1, 0.2]), 0.1
    A, _ = orthonormal(50, 7, np.zeros(7))
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*may be too small")
        found = select(A, A @ (sigma * z), penalty, sigma2=sigma**2, standardise=standardise, intercept=False)
    unit = 1.0 if standardise else sigma
    thresholds = np.array([penalty.segments(1.0, eta).start[0] for eta in found.path.eta]) / unit
    for threshold, size in zip(thresholds, found.path.nonzeros, strict=True):
        assert size == np.count_nonzero(np.abs(z) > threshold * (1 + 1e-9))
    even = np.geomspace(300, 0.1, 100)
    if isinstance(penalty, ElasticNet):  # which has more levels around its minimum and below
        thresholds = [threshold for threshold in thresholds if np.isclose(threshold, even, rtol=1e-6).any()]
    np.testing.assert_allclose(thresholds, even, rtol=1e-6)


def test_weak_predictors_beside_a_strong_one_are_found():
    """Where SCAD and MCP jump, the threshold scales as sqrt(eta), and 1/1000 of eta_max is far above the noise."""
    rng = np.random.default_rng(0)
    A = rng.normal(size=(100_000, 8))
    y = A[:, :3] @ [1.0, 0.03, 0.025] + rng.normal(size=100_000)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*may be too small")
        for penalty in (SCAD(3.7, 1), SCAD(8, 1), MCP(3, 1)):
            found = select(A, y, penalty)
            assert set(np.flatnonzero(found.coef)) == {0, 1, 2} and "dense end" not in found.why()
            # the same on a path that ends too early: the models are ties, and the note is there
            short = select(A, y, penalty, eta_min=found.path.eta[0] / 500)
            assert np.count_nonzero(short.coef) == 1 and short.chosen < len(short.path) - 1
            assert "dense end" in short.why()


@pytest.mark.parametrize("penalty", [SCAD(3.7, 1), SCAD(8, 1), MCP(3, 1)], ids=repr)
def test_longley_is_followed_to_the_end(penalty):
    """Six nearly dependent columns: the path gets close to least squares on the best subset by C_p."""
    A, y = real("longley")
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*may be too small")
        found = select(A, y, penalty, bootstrap=0)
    best = np.inf
    for S in (S for size in range(7) for S in combinations(range(6), size)):
        X = np.c_[np.ones(16), A.iloc[:, list(S)]]
        rss = np.square(y - X @ np.linalg.lstsq(X, y, rcond=None)[0]).sum()
        best = min(best, (rss + 2 * found.sigma2 * (len(S) + 1)) / 16)
    assert found.best.cp < 1.1 * best and "dense end" not in found.why()


def test_the_grid_is_as_asked_for():
    A, y = planted()
    path = select(A, y, SCAD(20, 1), eta_min=0.5, levels=12).path
    assert len(path) == 12 and path.eta.iloc[-1] == pytest.approx(0.5)
    assert len(select(A, y, SCAD(20, 1), eta_min=0.5, levels=2).path) == 2
    longer = select(A, y, L1(), eta_min=0.2, levels=4).path  # and levels between, none below
    assert len(longer) > 4 and longer.eta.iloc[-1] == pytest.approx(0.2)


def test_the_variances_of_belief_propagation_wait_until_they_are_read(monkeypatch):
    asked = []
    solver = "sparsegdf.selection.fits.stationary_path"
    monkeypatch.setattr(solver, lambda *given: asked.append(1) or stationary_path(*given))
    A, y = planted()
    found = select(A, y, L1())
    assert found.coef.any() and found.why() and repr(found) and found.plot() is not None and not asked
    assert found.df_effective[found.chosen] == pytest.approx(found.best.df) and found.df_effective is not None
    assert len(asked) == 1


@pytest.mark.parametrize("penalty", [L1(), ElasticNet(0.2), SCAD(5, 1), MCP(5, 1)], ids=repr)
def test_without_standardising_it_is_the_direct_path(penalty):
    rng = np.random.default_rng(3)
    A, y = rng.normal(size=(40, 60)) / np.sqrt(40), rng.normal(size=40)
    etas = np.abs(A.T @ y).max() * np.geomspace(0.9, 0.4, 6)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = select(A, y, penalty, sigma2=1.0, etas=etas, standardise=False, intercept=False, bootstrap=0)
    direct = stationary_path(A, y, penalty, etas)
    np.testing.assert_array_equal(found.coefficients, stationary_points(A, y, penalty, etas))
    same = np.isclose(found.coefficients, direct.x, rtol=0, atol=1e-9).all(axis=0)
    np.testing.assert_allclose(found.df_effective, np.where(same, direct.delta_eff_sum, np.nan))
    assert same.all() or isinstance(penalty, MCP)  # MCP jumps here: the two paths part
    assert not found.intercepts.any()
    if isinstance(penalty, ElasticNet):
        S = direct.x[:, -1] != 0
        G = A[:, S].T @ A[:, S]
        zou = np.trace(np.linalg.solve(G + 0.2 * np.eye(S.sum()), G)) / 40
        assert found.path.df.iloc[-1] == pytest.approx(zou)


def test_least_squares_at_eta_zero():
    A, y = planted()
    found = select(A, y, L1(), etas=[1.0, 0.0])
    exact, rss = np.linalg.lstsq(np.c_[np.ones(60), A], y, rcond=None)[:2]
    np.testing.assert_allclose(np.r_[found.intercepts[-1], found.coefficients[:, -1]], exact, rtol=1e-8)
    assert found.path.df.iloc[-1] == pytest.approx(9 / 60)
    assert found.sigma2 == pytest.approx(rss[0] / (60 - 9))


@pytest.mark.parametrize("penalty", [L1(), SCAD(8, 1), MCP(8, 1), L0()], ids=repr)
def test_units_do_not_matter(penalty):
    """Other units of y and of each column, another zero: the same model."""
    A, y = planted()
    scales, shifts = np.geomspace(1e-3, 1e3, 8), np.linspace(-9, 9, 8)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found, other = select(A, y, penalty), select(A * scales + shifts, 100 * y - 7, penalty)
    assert found.chosen == other.chosen
    np.testing.assert_allclose(other.path.eta, found.path.eta, rtol=1e-6)
    np.testing.assert_allclose(other.path.cp, 1e4 * found.path.cp, rtol=1e-6)
    np.testing.assert_allclose(other.coef * scales, 100 * found.coef, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(other.predict(A * scales + shifts), 100 * found.predict(A) - 7, rtol=1e-7)


# --- l0 --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_l0_chooses_the_best_cp_of_all_subsets(seed):
    A, y = planted(M=30, seed=seed, strength=0.4)
    best = (np.inf, ())
    for size in range(9):
        for S in combinations(range(8), size):
            X = np.c_[np.ones(30), A[:, S]]
            rss = np.square(y - X @ np.linalg.lstsq(X, y, rcond=None)[0]).sum()
            best = min(best, ((rss + 2 * 1.3 * (size + 1)) / 30, S))
    with pytest.warns(UserWarning, match=r"may jump.*bootstrap of 200"):
        found = select(A, y, L0(), sigma2=1.3, bootstrap=0)
    assert found.best.cp == pytest.approx(best[0])
    assert tuple(np.flatnonzero(found.coef)) == best[1]


@pytest.mark.parametrize("name", ["longley", "uscrime", "diabetes"])
def test_l0_chooses_the_best_cp_of_all_subsets_of_real_data(name):
    """Up to 32768 subsets. leaps of R finds the same best subset of every size."""
    A, y = load_diabetes(return_X_y=True) if name == "diabetes" else map(np.asarray, real(name))
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*may jump")
        found = select(A, y, L0(), bootstrap=0)
    X, z = (A - A.mean(axis=0)) / A.std(axis=0), y - y.mean()
    rss = {(): z @ z}
    for size in range(1, A.shape[1] + 1):
        subsets = list(combinations(range(A.shape[1]), size))
        basis = np.linalg.qr(np.moveaxis(X[:, np.array(subsets)], 1, 0))[0]
        rss |= zip(subsets, np.square(z - np.einsum("sik,sk->si", basis, z @ basis)).sum(axis=1), strict=True)
    best = min(rss, key=lambda S: rss[S] + 2 * found.sigma2 * len(S))
    assert tuple(np.flatnonzero(found.coef)) == best
    assert found.best.cp == pytest.approx((rss[best] + 2 * found.sigma2 * (len(best) + 1)) / len(y))
    for size, x, err in zip(found.path.nonzeros, found.coefficients.T, found.path.err_train, strict=True):
        least = min((S for S in rss if len(S) == size), key=rss.get)
        assert tuple(np.flatnonzero(x)) == least and len(y) * err == pytest.approx(rss[least], rel=1e-6)


def test_l0_levels_are_the_sizes_that_some_eta_selects():
    A, y = planted(M=30)
    A = A - A.mean(axis=0)
    y = y - y.mean()
    fits = fit_path(A, y, L0(), None)
    rss = best_subsets(A, y, 8).rss
    dense = np.geomspace(fits.etas[0] * 2, fits.etas[-1] / 2, 3000)
    selected = [int(np.argmin(rss / 2 + eta * np.arange(9))) for eta in dense]
    assert list(dict.fromkeys(selected)) == [np.count_nonzero(x) for x in fits.x.T]
    assert (np.diff(fits.etas) < 0).all()


def test_l0_beyond_30_columns_is_by_swaps_and_says_so():
    """Orthonormal columns, where the best subset of size K has the K largest |A_i^T y|: the swaps find it."""
    mu = np.zeros(60)
    mu[:5] = [9, -8, 7, 6, -7]
    A, y = orthonormal(200, 60, mu)
    found = select(A, y, L0(), sigma2=1.0, intercept=False, bootstrap=20)
    order = np.argsort(-np.abs(A.T @ y))
    for size, x in zip(found.path.nonzeros, found.coefficients.T, strict=True):
        assert set(np.flatnonzero(x)) == set(order[:size])
    assert not found.certified and "not certified" in found.why() and "not certified" in repr(found)
    assert set(np.flatnonzero(found.coef)) >= set(range(5)) and found.best.df > found.best.df_stein
    assert select(A[:, :30], y, "l0", sigma2=1.0, bootstrap=0, intercept=False).certified


def test_l0_refuses_a_large_problem_by_its_size():
    with pytest.raises(ValueError, match="L0 takes at most 3000 columns, and A has 3001"):
        select(np.random.default_rng(0).normal(size=(40, 3001)), np.arange(40.0), L0(), sigma2=1.0)


# --- what a reader sees ----------------------------------------------------------------------------------------


def test_repr_and_why_name_the_model():
    A, y = planted()
    found = select(pd.DataFrame(A, columns=list("abcdefgh")), pd.Series(y), L1())
    text = repr(found)
    assert f"eta = {found.best.eta:.4g}" in text and "60 rows, 8 predictors" in text and "least squares" in text
    assert all(f"{name} {x:.4g}" in text for name, x in zip("abcdefgh", found.coef, strict=True) if x)
    assert f"{found.best.nonzeros} of 8 predictors" in found.why() and "the smallest C_p" in found.why()
    assert "dense end" not in found.why() and "dense end" in select(A, y, L1(), etas=[9.0, 3.0], sigma2=0.1).why()
    for penalty, etas in ((L1(), [9.0, 0.0]), (L1(), [99.0, 50.0, 1e-9]), (L0(), None)):  # there is nothing better
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=".*may jump")
            densest = select(A, y, penalty, etas=etas, sigma2=1e-3)
        assert densest.chosen == len(densest.path) - 1 and "dense end" not in densest.why()


def test_df_is_shown_to_four_digits_however_many_rows_there_are():
    rng = np.random.default_rng(0)
    A = rng.normal(size=(200_000, 2))
    found = select(A, A[:, 0] + rng.normal(size=len(A)), L1())
    assert f"df        {found.best.df:.4g}, " in repr(found) and f"df = {found.best.df:.4g}" in found.why()


def test_names_that_occur_twice_are_matched_by_position():
    A, y = planted()
    same = pd.DataFrame(A, columns=["a"] * 8)
    found = select(same, y, L1())
    np.testing.assert_allclose(found.predict(same), found.predict(A), rtol=1e-12)


# --- bad input -------------------------------------------------------------------------------------------------


def changed(A, index, value):
    A = np.array(A)
    A[index] = value
    return A


@pytest.mark.parametrize(
    "change, named",
    [
        ({"penalty": "ridge"}, "penalty = 'ridge' is not a penalty .allowed: .*l1, mcp, scad"),
        ({"penalty": "Lasso"}, "penalty = 'Lasso' is called l1 here .allowed: .*l1, mcp, scad"),
        ({"penalty": SCAD}, "is not a penalty .allowed: .*l1, mcp, scad"),
        ({"penalty": []}, "penalty is an empty list"),
        ({"sigma2": 0}, r"sigma2 = 0 is out of range \(allowed: > 0\)"),
        ({"sigma2": np.nan}, "sigma2 = nan"),
        ({"etas": [1.0, 2.0]}, "unsorted"),
        ({"etas": []}, "non-empty"),
        ({"A": csr_array(planted()[0])}, r"A is sparse, but centred columns are not: give A.toarray\(\)"),
        ({"criterion": ["aic", "bic"]}, "criterion = .'aic', 'bic'. .allowed: cp, aic"),
        ({"sample_weight": ["w"] * 60}, "sample_weight does not hold numbers alone"),
        ({"criterion": "mdl"}, "criterion = 'mdl' .allowed: cp, aic, bic, ebic, gcv, cv, cv1se"),
        ({"criterion": "ebic", "ebic_gamma": 2}, "ebic_gamma = 2 is out of range"),
        ({"criterion": "cv", "folds": 1}, "folds = 1 is out of range"),
        ({"criterion": "cv", "repeats": 0}, "repeats = 0 is out of range"),
        ({"bootstrap": 1}, "bootstrap = 1 has no standard error"),
        ({"jobs": 0}, "jobs = 0"),
        ({"A": changed(planted()[0], (3, 2), np.nan)}, r"A\[3, 2\] = nan"),
        ({"A": changed(planted()[0], (slice(None), 2), 4.0)}, "column 2 of A is constant"),
        ({"A": planted()[0][:50]}, "y has shape"),
        ({"y": np.full(60, 2.0)}, "y is constant"),
        ({"y": np.full(60, 0.1)}, "y is constant"),  # whose mean is not 0.1, by rounding
        ({"y": np.zeros(60), "intercept": False}, "y is constant"),
        ({"bootstrap": 2.9}, "bootstrap = 2.9 is not an integer"),
        ({"eta_min": 0.0}, r"eta_min = 0.0 is out of range \(allowed: > 0\)"),
        ({"eta_min": 1e6}, r"eta_min = 1e\+06 is out of range \(allowed: < "),
        ({"levels": 1}, "levels = 1 is out of range"),
        ({"levels": 5, "etas": [1.0]}, "etas cannot be combined with eta_min or levels"),
        ({"levels": 5, "penalty": L0()}, "levels has no meaning for L0"),
        ({"y": planted()[1] * 1e-300}, "y has values up to .*e-(299|300)"),
        ({"A": planted()[0][:1], "y": [1.0]}, "A has 1 row"),
        ({"A": planted()[0][:3], "y": [1.0, 2.0, 4.0]}, "sigma2 cannot be estimated from 3 rows"),
    ],
)
def test_bad_input_is_named(change, named):
    A, y = planted()
    with pytest.raises(ValueError, match=named):
        select(**({"A": A, "y": y, "penalty": L1()} | change))


def test_rows_in_another_order_are_named():
    """Rows are matched by position, which a shuffled index shows to be wrong."""
    A, y = (pd.DataFrame(one) for one in planted())
    shuffled = y[0].sample(frac=1, random_state=0)
    with pytest.raises(ValueError, match="same index in a different order"):
        select(A, shuffled, "l1")
    known = select(A, y[0], "l1").best.cp
    assert select(A, shuffled[A.index], "l1").best.cp == known
    assert select(A, y[0].set_axis(range(100, 160)), "l1").best.cp == known  # other labels say nothing
    assert select(A, shuffled.to_numpy(), "l1").best.cp != known


@pytest.mark.parametrize("penalty", [L1(), L0()], ids=repr)
def test_a_target_orthogonal_to_every_column_is_named(penalty):
    a, b, c = np.array([(i, j, k) for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)], float).T
    with pytest.raises(ValueError, match="y is orthogonal to every column"):
        select(np.column_stack([a, b, c]), a * b, penalty, sigma2=1.0)


@pytest.mark.parametrize("penalty", [SCAD(a=1.0005, lam=1.0), MCP(a=5e-4, lam=1.0), MCP(a=1e-4, lam=30.0)], ids=repr)
def test_a_fit_that_jumps_by_itself_may_jump(penalty):
    """Penalties so concave that the estimate is never on the parabola."""
    A, y = planted()
    A = A / np.linalg.norm(A, axis=0)
    assert penalty.segments(1.0, 2.0).jumps().any()
    assert fit_path(A, y, penalty, [2.0]).jumps.all()


@pytest.mark.parametrize("penalty", [SCAD(a=3.7, lam=1.0), MCP(a=3.0, lam=1.0)], ids=repr)
def test_of_a_plateau_the_middle_is_chosen(penalty, recwarn):
    """A strong signal: over many levels the fit is least squares on its three columns, and does not jump in between."""
    rng = np.random.default_rng(0)
    A = rng.normal(size=(2000, 6))
    y = A[:, :3] @ np.array([60.0, 12.0, 13.0]) / np.sqrt(2000) + rng.normal(size=2000)
    found = select(A, y, penalty)
    same = np.flatnonzero(np.abs(found.coefficients - found.coef[:, None]).max(axis=0) < 1e-9)
    assert np.flatnonzero(found.coef).tolist() == [0, 1, 2] and same.size > 10
    assert same[0] + 3 < found.chosen < same[-1] - 3
    assert not [str(w.message) for w in recwarn if "too small" in str(w.message)]


def test_the_middle_of_a_plateau_anywhere_on_the_path():
    """Rows that did not converge are not part of a plateau, and an even plateau gives the sparser middle."""
    for values, chosen in (
        ([1, 1, 1, 3, 3], 1), ([3, 1, 1, 1], 2), ([3, 1, 1, 3], 1), ([3, 2, 1], 2), ([1, 2, 1, 1], 0), ([5, 1, 1, 1, 5], 2),
        ([3, 1 + 1e-12, 1, 3], 1), ([3, 1 + 1e-6, 1, 3], 2), ([np.nan, 3, 2], 2),
    ):  # fmt: skip
        aic = pd.Series(values, dtype=float)
        assert choose("cp", aic, np.isfinite(aic)) == chosen, values
    with pytest.raises(ValueError, match="no level of eta has a stable fit"):
        choose("cp", pd.Series([1.0]), pd.Series([False]))


def test_convex_is_what_neither_bends_down_nor_jumps():
    A, _ = planted()
    A = A / np.linalg.norm(A, axis=0)
    for penalty, convex in (
        (L1(), True),
        (ElasticNet(0.2), True),
        (SCAD(8, 1), False),
        (MCP(1e-4, 30.0), False),
        (L0(), False),
    ):
        assert is_convex(A, penalty, np.array([2.0])) == convex


def test_columns_that_explain_rounding_alone_are_no_level_of_l0():
    A, _ = planted(M=30)
    A = A - A.mean(axis=0)
    y = A[:, 2] + 1e-9 * np.random.default_rng(0).normal(size=30)
    assert [np.count_nonzero(x) for x in fit_path(A, y, L0(), None).x.T] == [0, 1]
