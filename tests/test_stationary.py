"""The direct solver against belief propagation, exact solvers of other packages, and its own equations."""

import warnings
from functools import partial

import numpy as np
import pytest
from sklearn.linear_model import lars_path, lasso_path
from solver_cases import each_design, each_penalty, sample

from sparsegdf.ensembles.ar1 import AR1
from sparsegdf.ensembles.ensemble import Ensemble
from sparsegdf.ensembles.iid import IID
from sparsegdf.paper.experiments.iterated import iterated_rows, iterated_samples
from sparsegdf.paper.experiments.simulation import Simulation
from sparsegdf.penalties.elastic_net import ElasticNet
from sparsegdf.penalties.l0 import L0
from sparsegdf.penalties.l1 import L1
from sparsegdf.penalties.mcp import MCP
from sparsegdf.penalties.scad import SCAD
from sparsegdf.solvers.belief_propagation import belief_propagation
from sparsegdf.solvers.cholesky import factorise, new_factor
from sparsegdf.solvers.direct import new_path, points_and_divergence, stationary_path, stationary_points
from sparsegdf.solvers.fixed_points import STATUSES, kkt_violation
from sparsegdf.solvers.settle import _on_pieces, _sweep, step_ahead
from sparsegdf.solvers.walk import Problem

problem = partial(sample, lowest=0.1, levels=12)


def assert_fixed_points(A, y, penalty, found):
    """Converged levels are stationary, and one step of belief propagation does not change x, chi and Q_hat."""
    assert set(found.status) <= set(STATUSES)
    assert (found.residual[found.converged] < 1e-10).all()
    for k in np.flatnonzero(found.converged):
        x, chi, Q_hat = found.x[:, k], found.chi[:, k], found.Q_hat[:, k]
        assert found.kkt[k] <= 1e-11
        np.testing.assert_allclose((A**2).T @ (1 / (1 + A**2 @ chi)), Q_hat, rtol=1e-12)
        h = Q_hat * x + A.T @ (y - A @ x)
        h[x == 0] *= 1 - 1e-12  # a twin that is left out sits on its threshold, to rounding
        again, variance = penalty.estimate(h, Q_hat, found.etas[k])
        np.testing.assert_allclose(again, x, rtol=0, atol=1e-10)
        np.testing.assert_allclose(variance, chi, rtol=1e-10)


# --- belief propagation ----------------------------------------------------------------------------------------


@each_design
@each_penalty
@pytest.mark.parametrize("index", range(3))
def test_finds_what_belief_propagation_finds(design, penalty, index):
    A, y, etas = problem(design, index, lowest=0.25)
    rows = iterated_rows(A, y, penalty, etas, tol=1e-10, max_steps=100_000)
    assert rows.converged.sum() >= 10 and rows.same[rows.converged].all()
    largest = rows[["x_gap", "chi_gap", "Q_hat_gap"]].max()
    assert largest.x_gap < 1e-7 and largest.chi_gap < 1e-9 and largest.Q_hat_gap < 1e-9
    assert rows.kkt[rows.direct].max() <= 1e-11
    assert_fixed_points(A, y, penalty, stationary_path(A, y, penalty, etas))


def test_iterated_rows_name_their_sample():
    block = {"design": {"kind": "ar1", "c": 0.5}, "penalty": {"kind": "scad", "a": 5, "lam": 1}}
    numbers = {"M": 40, "N": 80, "etas": [1.5, 1.0], "seed": 3, "mean": 0, "variance": 1}
    simulation = Simulation.of(**block, **numbers)
    table = iterated_samples(simulation, range(2, 5), tol=1e-10, max_steps=9999)
    assert list(table["sample"]) == [2, 2, 3, 3, 4, 4] and list(table.eta) == 3 * [1.5, 1.0]
    assert table.same.all() and (table.x_gap < 1e-7).all() and (table.steps > 1).all()
    hurried = iterated_samples(simulation, range(2, 5), tol=1e-10, max_steps=3)
    assert not hurried.converged.any() and not hurried.same.any() and hurried.direct.all()
    assert (hurried.steps == 3).all() and (hurried.status == "max_steps").all() and hurried.x_gap.isna().all()


def test_where_belief_propagation_has_no_fixed_point_it_says_so():
    """SCAD a = 5 on an iid matrix: beyond delta = 0.6 or so the variances have no solution, and BP does not converge."""
    A, y, etas = problem("iid", M=200, N=400, lowest=0.02, levels=16)
    found = stationary_path(A, y, SCAD(5, 1), etas)
    assert_fixed_points(A, y, SCAD(5, 1), found)
    lost = found.status == "no_fixed_point"
    assert lost.any() and not found.converged[lost].any()
    assert np.isnan(found.chi[:, lost]).all() and np.isnan(found.delta_eff[lost]).all()
    assert (found.kkt[lost] <= 1e-11).all()  # x is stationary all the same
    bp = belief_propagation(A, y, SCAD(5, 1), etas[lost][:2], max_steps=3000)
    assert not bp.converged.any()


# --- solvers of others -----------------------------------------------------------------------------------------


@each_design
@pytest.mark.parametrize("eta2", [0.0, 0.1])
def test_l1_and_elastic_net_agree_with_lars(design, eta2):
    """The elastic net is the lasso with rows sqrt(eta2) I added to A; lars_path is exact."""
    A, y, etas = problem(design, lowest=0.02)
    M, N = A.shape
    rows = np.vstack([A, np.sqrt(eta2) * np.eye(N)]) if eta2 else A
    alphas, _, knots = lars_path(rows, np.r_[y, np.zeros(len(rows) - M)], method="lasso", alpha_min=0)
    found = stationary_path(A, y, ElasticNet(eta2) if eta2 else L1(), etas)
    assert found.delta[-1] > 0.9 and (found.kkt <= 1e-11).all()
    for k, eta in enumerate(etas):
        exact = [np.interp(eta, len(rows) * alphas[::-1], path[::-1]) for path in knots]
        np.testing.assert_allclose(found.x[:, k], exact, rtol=0, atol=1e-8)


# --- shapes and corners ----------------------------------------------------------------------------------------


@each_design
@each_penalty
@pytest.mark.parametrize("M", [60, 240, 500])
def test_any_shape(design, penalty, M):
    A, y, etas = problem(design, M=M, lowest=0.05)
    found = stationary_path(A, y, penalty, etas)
    assert (found.kkt <= 1e-11).all()
    assert_fixed_points(A, y, penalty, found)
    if penalty in (L1(), ElasticNet(0.1)):
        assert found.converged.all()
    else:  # where the concave penalties have no fixed point, belief propagation does not find one either
        bp = belief_propagation(A, y, penalty, etas[:6], max_steps=3000)
        np.testing.assert_array_equal(found.converged[:6], bp.converged)


@each_design
def test_l1_up_to_a_delta_of_95_percent(design):
    A, y, etas = problem(design, M=200, N=400, lowest=0.008, levels=20)
    found = stationary_path(A, y, L1(), etas)
    assert found.converged.all() and found.delta[-1] > 0.95
    assert_fixed_points(A, y, L1(), found)
    np.testing.assert_allclose(found.delta_eff_sum, found.delta, rtol=1e-9)


@pytest.mark.parametrize(
    "design, most",
    [("iid", (124, 52, 87)), ("ar1", (198, 55, 387)), ("block", (164, 58, 118))],
)
def test_the_number_of_steps_does_not_grow(design, most):
    """Predictor and walk keep the number of steps low. The limits are the numbers when this was written plus 5 %."""
    A, y, etas = problem(design, lowest=0.02, levels=5)
    steps = [
        int(stationary_path(A, y, penalty, etas[:levels]).steps.sum())
        for penalty, levels in ((L1(), 5), (ElasticNet(0.1), 4), (SCAD(8, 1), 4))
    ]
    assert (np.array(steps) <= most).all(), steps


def test_least_squares_at_eta_zero():
    A, y, etas = problem("ar1", M=300, N=100)
    found = stationary_path(A, y, L1(), [*etas, 0])
    np.testing.assert_allclose(found.x[:, -1], np.linalg.lstsq(A, y)[0], atol=1e-11)
    assert found.converged[-1]


@each_penalty
def test_strongly_correlated_columns(penalty):
    A, y = Ensemble(AR1(c=0.98), 100, 200, seed=11).sample(0)
    found = stationary_path(A, y, penalty, np.abs(A.T @ y).max() * np.geomspace(0.95, 0.1, 12))
    assert found.converged[:3].all() and (found.kkt <= 1e-11).all()
    assert_fixed_points(A, y, penalty, found)


@each_penalty
def test_duplicated_columns(penalty):
    A, y, etas = problem("iid", N=100, lowest=0.25)
    twice = np.hstack([A, A[:, ::2]])
    once, found = stationary_path(A, y, penalty, etas), stationary_path(twice, y, penalty, etas)
    assert (found.kkt <= 1e-11).all()
    assert_fixed_points(twice, y, penalty, found)
    if penalty == L1():
        np.testing.assert_allclose(twice @ found.x, A @ once.x, atol=1e-10)
    if penalty == ElasticNet(0.1):  # the elastic net shares between twins, as belief propagation does
        np.testing.assert_allclose(found.x[100:], found.x[:100:2], rtol=0, atol=1e-12)
        bp = belief_propagation(twice, y, penalty, etas)
        np.testing.assert_allclose(found.x, bp.x, rtol=0, atol=1e-7)
        np.testing.assert_allclose(found.Q_hat, bp.Q_hat, rtol=0, atol=1e-9)


def smooth_spectra(noise, seed):
    """215 spectra on 100 wavelengths, sums of six broad peaks with a little noise, as of meat or wheat."""
    rng, grid = np.random.default_rng(seed), np.linspace(0, 1, 100)
    peaks = np.exp(-(((grid - rng.uniform(0, 1, (6, 1))) / rng.uniform(0.1, 0.4, (6, 1))) ** 2) / 2)
    A = rng.standard_normal((215, 6)) @ peaks + noise * rng.standard_normal((215, 100))
    A -= A.mean(axis=0)
    A /= np.linalg.norm(A, axis=0)
    return A, A @ rng.standard_normal(100) + 0.1 * rng.standard_normal(215)


def lasso(A, y, x, eta):
    return np.square(y - A @ x).sum() / 2 + eta * np.abs(x).sum()


@pytest.mark.parametrize("noise, seed, condition", [(1e-4, 0, 1e5), (1e-6, 0, 1e7), (1e-6, 3, 1e7), (1e-8, 2, 1e9)])
def test_lasso_on_smooth_spectra(noise, seed, condition):
    """Columns that hardly differ: every level is solved, and neither LARS nor coordinate descent is better."""
    A, y = smooth_spectra(noise, seed)
    assert np.linalg.cond(A) > condition
    etas = np.abs(A.T @ y).max() * np.geomspace(0.95, 1e-5, 40)
    found = stationary_path(A, y, L1(), etas)
    assert found.converged.all() and (found.kkt <= 1e-9 * etas).all()
    alphas, _, knots = lars_path(A, y, method="lasso", alpha_min=0, max_iter=2000)
    for k, eta in enumerate(etas):
        x = found.x[:, k]
        exact = np.array([np.interp(eta, len(y) * alphas[::-1], path[::-1]) for path in knots])
        assert lasso(A, y, x, eta) == pytest.approx(lasso(A, y, exact, eta), rel=1e-9)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it stops by the number of its steps
            _, better, _ = lasso_path(A, y, alphas=[eta / len(y)], coef_init=x.copy(), tol=1e-15, max_iter=2000)
        assert lasso(A, y, x, eta) <= lasso(A, y, better[:, 0], eta) * (1 + 1e-12)


@each_penalty
def test_dependent_columns(penalty):
    """Twins and sums of two columns, N > M, down to an eta where as many columns as rows take part."""
    A, y = Ensemble(IID(), 40, 60, seed=11).sample(0)
    A = np.hstack([A, A[:, :20], A[:, :10] + A[:, 10:20]])
    etas = np.abs(A.T @ y).max() * np.geomspace(0.95, 1e-6, 40)
    found = stationary_path(A, y, penalty, etas)
    assert "max_steps" not in found.status and (found.kkt <= 1e-11).all()
    if penalty == L1():
        points = stationary_points(A, y, penalty, etas)
        assert max(np.count_nonzero(x) for x in points.T) == np.linalg.matrix_rank(A) == 40


@pytest.mark.parametrize("penalty, index", [(SCAD(5, 1), 8), (SCAD(8, 1), 2), (MCP(12, 1), 9)], ids=repr)
def test_folds_are_passed(penalty, index):
    """Where a path of a concave penalty folds back, sweeps alone need thousands of steps. The end is a minimum."""
    A, y = Ensemble(AR1(c=0.5), 200, 400, seed=11).sample(index)
    found = stationary_path(A, y, penalty, np.abs(A.T @ y).max() * np.geomspace(0.95, 0.05, 12))
    assert found.converged.all() and found.steps.max() < 800
    assert_fixed_points(A, y, penalty, found)
    for x, chi, Q_hat in zip(found.x.T, found.chi.T, found.Q_hat.T, strict=True):
        S = x != 0
        assert np.linalg.eigvalsh(A[:, S].T @ A[:, S] + np.diag(1 / chi[S] - Q_hat[S]))[0] > 0


def test_levels_far_above_the_largest_correlation():
    """No column is near its threshold at first, and the Gram matrix is empty."""
    A, y, etas = problem("iid", N=400, lowest=0.5)
    found = stationary_points(A, y, L1(), [100 * etas[0], 50 * etas[0], *etas])
    assert not found[:, :2].any()
    np.testing.assert_allclose(found[:, 2:], stationary_points(A, y, L1(), etas), rtol=0, atol=1e-12)


@each_penalty
@each_design
@pytest.mark.parametrize("N", [100, 400])  # with the whole Gram matrix, and with that of columns near the support
def test_divergence_from_the_factor_is_that_of_the_trace_formula(design, penalty, N):
    A, y, etas = problem(design, N=N, lowest=0.1)
    points, divergence = points_and_divergence(new_path(A, y, penalty), etas)
    assert np.isfinite(divergence).all()
    path = stationary_path(A, y, penalty, etas, stein=True)
    at, found = points[:, path.converged], path.x[:, path.converged]
    same = np.flatnonzero(path.converged)[np.abs(at - found).max(axis=0) < 1e-9]
    np.testing.assert_allclose(path.stein[same], divergence[same], rtol=1e-9)
    assert same.size > 5 and np.isnan(path.stein[~path.converged]).all()
    assert np.isnan(stationary_path(A, y, penalty, etas).stein).all()
    for x, eta, found in zip(points.T, etas, divergence, strict=True):
        S, step = x != 0, 1e-6
        D = (penalty.derivative(x[S] * (1 + step), eta) - penalty.derivative(x[S], eta)) / np.abs(step * x[S])
        G = A[:, S].T @ A[:, S]
        assert found == pytest.approx(np.trace(np.linalg.solve(G + np.diag(D), G)) / len(y), rel=1e-6)


@pytest.mark.parametrize("N", [100, 400])  # with the whole Gram matrix, and with columns in the order of their need
def test_levels_on_a_path_that_was_used_before(N):
    """Once every column is in the Gram matrix, and from points nearby or not, the lasso is what it was."""
    A, y, etas = problem("ar1", M=500, N=N, lowest=1e-3, levels=30)
    path = new_path(A, y, L1())
    first, df = points_and_divergence(path, etas)
    assert (first[:, -1] != 0).sum() > 0.8 * min(A.shape)
    points_and_divergence(path, [1e-9 * etas[-1]])
    assert path.near.size == N
    for begin in (None, first[:, 11:14], np.zeros((N, 3))):
        again, df_again = points_and_divergence(path, etas[12:15], begin)
        np.testing.assert_allclose(again, first[:, 12:15], rtol=0, atol=1e-9)
        np.testing.assert_allclose(df_again, df[12:15], rtol=1e-9)


def test_units_of_y_do_not_matter():
    A, y, etas = problem("ar1")
    one = stationary_path(A, y, L1(), etas)
    for unit in (1e-6, 1e6):
        other = stationary_path(A, unit * y, L1(), unit * etas)
        assert other.converged.all()
        np.testing.assert_allclose(other.x / unit, one.x, rtol=0, atol=1e-10)


def test_l0_claims_no_more_than_it_found():
    A, y, _ = problem("iid")
    found = stationary_path(A, y, L0(), np.geomspace(8, 0.5, 8))
    assert_fixed_points(A, y, L0(), found)
    assert found.delta[found.converged].max() > 0  # not of x = 0 alone


@pytest.mark.parametrize(
    ("change", "message"), [({"etas": [1, 2]}, "unsorted"), ({"y": np.ones(3)}, r"allowed: \(120,\)")]
)
def test_bad_input_is_named(change, message):
    A, y, etas = problem("iid")
    with pytest.raises(ValueError, match=message):
        stationary_path(**({"A": A, "y": y, "penalty": L1(), "etas": etas} | change))


@pytest.mark.parametrize("penalty", [L1(), ElasticNet(0.1), SCAD(8, 1), MCP(8, 1)], ids=repr)
def test_points_alone_are_stationary_and_those_of_the_path(penalty):
    A, y = Ensemble(AR1(c=0.5), 60, 120, seed=1).sample(3)
    etas = np.max(penalty.eta_at(np.abs(A.T @ y), np.square(A).sum(axis=0))) * np.geomspace(0.95, 0.1, 15)
    points, path = stationary_points(A, y, penalty, etas), stationary_path(A, y, penalty, etas)
    for k, eta in enumerate(etas):
        assert kkt_violation(A, y, points[:, k], penalty, eta) < 1e-11
    before_first_failure = np.cumprod(path.converged).astype(bool)
    assert before_first_failure.sum() > 5
    assert np.array_equal(points[:, before_first_failure], path.x[:, before_first_failure])


# --- parts of the solver ---------------------------------------------------------------------------------------


def orthonormal(c, penalty, eta):
    """The problem of orthonormal columns with A^T y = c, which one sweep solves."""
    Q = np.ones(c.size)
    return Problem(np.eye(c.size), Q, c, *(v.T.copy() for v in penalty.segments(Q, eta)))


def swept(A, y, eta):
    """x after ten sweeps of coordinate descent under l1 from x = 0."""
    x, rest, Q = np.zeros(A.shape[1]), y.copy(), np.square(A).sum(axis=0)
    for j in [*range(x.size)] * 10:
        h = Q[j] * x[j] + A[:, j] @ rest
        new = np.sign(h) * max(abs(h) - eta, 0) / Q[j]
        rest += A[:, j] * (x[j] - new)
        x[j] = new
    return x


def test_steps_are_factorisations_sweeps_and_changes_of_one_piece():
    y = np.arange(1.0, 21.0)  # with orthonormal columns x = y - eta
    assert stationary_path(np.eye(20), y, L1(), [17.5]).steps == 1 + 3  # three columns enter, by a walk
    assert stationary_path(np.eye(20), y, L1(), [5.5]).steps == 1 + 10 + 1  # too many for one: sweeps, then Newton
    changed = []
    for seed in range(12):
        A, y = Ensemble(AR1(0.8), 40, 30, seed=seed).sample(0)
        found = stationary_path(A, y, L1(), [0.3])  # after ten sweeps a walk goes the rest of the way
        changed.append((np.sign(swept(A, y, 0.3)) != np.sign(found.x[:, 0])).sum())
        assert found.steps == 1 + 10 + 1 + changed[-1]
    assert sum(changed) > 12


def test_sweeps_stop_at_a_stationary_point_and_nothing_changes_ahead_of_it():
    c = np.array([3.0, -2.0, 0.5])
    problem, x, g, pieces = orthonormal(c, L1(), 1.0), np.zeros(3), c.copy(), np.zeros(3, np.int64)
    assert _sweep(problem, x, g, pieces, 1) == 2.0  # the largest move
    assert _sweep(problem, x, g, pieces, 9) == 0.0
    assert x.tolist() == [2, -1, 0] and g.tolist() == [1, -1, 0.5] and pieces.tolist() == [1, -1, 0]
    factor = new_factor(3)
    assert factorise(problem.gram, np.arange(2), np.zeros(2), factor)
    e, dx, changes = step_ahead(problem, x, g, pieces, factor)
    assert not e.any() and not dx.any() and changes == 0


def test_rounding_is_forgiven_between_segments_but_not_at_zero():
    """h = x + g just below the border of segments 1 and 2 of SCAD is on either; x_i = 0 on segment 1 is on none."""
    problem = orthonormal(np.array([9.0]), SCAD(a=4.0, lam=1.0), 0.5)
    first, second = problem.start[0, :2]
    below = np.nextafter(second, 0)
    for piece in (1, 2):
        assert _on_pieces(problem, np.array([1.0]), np.array([below - 1.0]), np.array([piece]))
    assert not _on_pieces(problem, np.array([1.0]), np.array([below - 1.0 - 1e-9]), np.array([2]))
    assert not _on_pieces(problem, np.array([0.0]), np.array([first]), np.array([1]))
