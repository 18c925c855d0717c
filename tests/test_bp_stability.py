"""The predicted rate of belief propagation against its map, differentiated by finite differences, and against runs."""

import numpy as np
import pandas as pd
import pytest

from sparsegdf.ensembles.ensemble import Ensemble
from sparsegdf.ensembles.iid import IID
from sparsegdf.ensembles.registry import make_design
from sparsegdf.paper.experiments.bp_region import region_table
from sparsegdf.paper.experiments.simulation import Simulation
from sparsegdf.penalties.elastic_net import ElasticNet
from sparsegdf.penalties.l1 import L1
from sparsegdf.penalties.scad import SCAD
from sparsegdf.solvers.belief_propagation import belief_propagation
from sparsegdf.solvers.direct import stationary_path
from sparsegdf.solvers.plain_bp import belief_propagation_reference
from sparsegdf.solvers.stability import _perron_radius, bp_jacobian, linear_stability

DESIGNS = {"iid": ({}, 1.0), "ar1": ({"c": 0.5}, 0.6), "block": ({"T": 30}, 0.12)}  # parameters, a stable damping
PENALTIES = {"l1": L1(), "elastic_net": ElasticNet(0.1), "scad": SCAD(5, 1)}
each_design = pytest.mark.parametrize("design", DESIGNS)
each_penalty = pytest.mark.parametrize("penalty", PENALTIES.values(), ids=PENALTIES)


def fixed_point(design, penalty, M=120, N=240, fraction=0.35):
    A, y = Ensemble(make_design(design, **DESIGNS[design][0]), M, N, seed=11).sample(0)
    etas = np.abs(A.T @ y).max() * np.geomspace(0.9, fraction, 5)
    found = stationary_path(A, y, penalty, etas)
    assert found.converged.all()
    return A, y, etas, (found.x[:, -1], found.chi[:, -1], found.Q_hat[:, -1])


def bp_map(A, y, penalty, eta, damping, state):
    """One step of bp_reference.py on (x, R, sigma^2)."""
    M, N = A.shape
    x, R, sigma2 = np.split(state, [N, N + M])
    Q = (A**2).T @ (1 / (1 + sigma2))
    estimate, chi = penalty.estimate(Q * x + A.T @ R, Q, eta)
    x, sigma2 = x + damping * (estimate - x), A**2 @ chi
    return np.concatenate([x, (y - A @ x + sigma2 * R) / (1 + sigma2), sigma2])


@each_design
@each_penalty
@pytest.mark.parametrize("damping", [1.0, 0.4])
def test_the_blocks_are_the_jacobian_of_the_map(design, penalty, damping):
    A, y, etas, point = fixed_point(design, penalty, M=100, N=120)
    (M, N), (x, chi, _) = A.shape, point
    state = np.concatenate([x, y - A @ x, A**2 @ chi])
    step = lambda change: bp_map(A, y, penalty, etas[-1], damping, state + change)
    columns = [(step(1e-6 * unit) - step(-1e-6 * unit)) / 2e-6 for unit in np.eye(state.size)]
    J = np.array(columns).T
    S = np.flatnonzero(x)
    first, last = np.r_[S, N : N + M], np.arange(N + M, N + 2 * M)
    means, variances = bp_jacobian(A, *point, damping)
    np.testing.assert_allclose(J[np.ix_(first, first)], means, atol=1e-7)
    np.testing.assert_allclose(J[np.ix_(last, last)], variances, atol=1e-7)
    assert np.abs(J[np.ix_(first, last)]).max() < 1e-7 and np.abs(J[np.ix_(last, first)]).max() < 1e-7
    predicted = linear_stability(A, *point, damping=damping)
    assert predicted.radius == pytest.approx(np.abs(np.linalg.eigvals(J)).max(), abs=1e-6)


@each_design
@each_penalty
def test_plain_runs_approach_at_the_predicted_rate(design, penalty):
    A, y, etas, point = fixed_point(design, penalty)
    damping = DESIGNS[design][1]
    predicted = linear_stability(A, *point, damping=damping)
    near, far = (
        belief_propagation_reference(A, y, penalty, etas, damping=damping, tol=tol).steps[-1] for tol in (1e-4, 1e-10)
    )
    assert np.log(1e-6) / (far - near) == pytest.approx(np.log(predicted.radius), rel=0.15)
    assert 0.5 < far / predicted.steps < 1.5


def test_power_iteration_of_the_map_gives_the_radius_of_the_variances():
    A, y, etas, point = fixed_point("ar1", SCAD(5, 1))
    M, N = A.shape
    x, chi, _ = point
    state, p = np.concatenate([x, y - A @ x, A**2 @ chi]), np.ones(M)
    for _ in range(60):
        change = np.concatenate([np.zeros(N + M), 1e-6 * p])
        image = bp_map(A, y, SCAD(5, 1), etas[-1], 1.0, state + change)[N + M :] - state[N + M :]
        p, radius = image / np.abs(image).max(), np.abs(image).max() / 1e-6
    assert radius == pytest.approx(linear_stability(A, *point).variances, rel=1e-4)


def test_l1_variances_contract_by_delta():
    A, _, _, point = fixed_point("iid", L1(), M=400, N=800)
    assert linear_stability(A, *point).variances == pytest.approx(np.count_nonzero(point[0]) / 400, rel=0.02)


@each_design
def test_undamped_bp_converges_exactly_where_it_is_predicted_to(design):
    """Undamped BP on ar1 and block becomes unstable in the middle of this grid. Adapted damping is not predicted."""
    A, y = Ensemble(make_design(design, **DESIGNS[design][0]), 120, 240, seed=11).sample(0)
    etas = np.abs(A.T @ y).max() * np.geomspace(0.95, 0.1, 8)
    found, bp = stationary_path(A, y, L1(), etas), belief_propagation(A, y, L1(), etas, damping=1.0, max_steps=2000)
    predicted = [linear_stability(A, found.x[:, k], found.chi[:, k], found.Q_hat[:, k]) for k in range(8)]
    stable = np.array([p.radius < 1 for p in predicted])
    np.testing.assert_array_equal(bp.converged, stable)
    assert stable.all() == (design == "iid")
    assert all(p.steps == np.inf for p in predicted if p.radius >= 1)
    np.testing.assert_allclose(bp.steps[stable], [p.steps for p in predicted if p.radius < 1], rtol=0.3)
    assert belief_propagation(A, y, L1(), etas).converged.all()


def test_an_empty_support_needs_one_step():
    A, _ = Ensemble(IID(), 20, 40, seed=1).sample(0)
    assert linear_stability(A, np.zeros(40), np.zeros(40), (A**2).sum(axis=0))[2:] == (0.0, 1.0)


def test_bad_input_is_named():
    A, _, _, point = fixed_point("iid", L1())
    with pytest.raises(ValueError, match="damping = 2"):
        linear_stability(A, *point, damping=2)
    with pytest.raises(ValueError, match=r"chi of shape \(240,\) is no fixed point \(allowed: 240 finite numbers"):
        linear_stability(A, point[0], point[1] * np.nan, point[2])


def test_region_table_sets_prediction_beside_measurement():
    """Two panels on small data: the undamped radius grows with delta, and the counts are right."""
    problem = {"design": {"kind": "ar1", "c": 0.5}, "M": 60, "N": 120, "penalty": {"kind": "l1"}, "mean": 0.0,
               "variance": 1.0, "seed": 3, "etas": [1.8, 1.2, 0.8, 0.5, 0.3]}  # fmt: skip
    scad = problem | {"penalty": {"kind": "scad", "a": 5, "lam": 1}}
    summary = pd.DataFrame({"delta": [0.1, 0.2, 0.3, 0.4, 0.5], "delta_se": 0.01, "iterated": 40,
                            "fraction_bp": 1.0, "steps_median": 50.0})  # fmt: skip
    simulations = {("figure5", name): Simulation.of(**block) for name, block in (("l1", problem), ("scad_a5", scad))}
    table = region_table(
        simulations, dict.fromkeys(simulations, summary), samples=3, every=2, dampings=[1, 0.5], tol=1e-10
    )
    assert list(table.eta) == [1.8, 0.8, 0.3] * 2 and set(table.penalty) == {"l1", "scad_a5"}
    l1 = table[table.penalty == "l1"]
    assert (np.diff(l1.radius_1) > 0).all() and (l1.fraction_converged == 1).all() and (l1.radius_1_se > 0).all()
    assert (l1["radius_0.5"] < l1.radius_1).iloc[-1]  # damping helps where the undamped iteration is unstable
    assert (l1.radius_variances < 1).all() and (l1.delta == [0.1, 0.3, 0.5]).all()
    assert (table.iterated == 40).all() and (table.samples == 3).all()


@pytest.mark.parametrize("gap", [0.5, 1e-3, 1e-9])
def test_the_radius_of_a_non_negative_matrix(gap):
    """Two groups of rows, coupled by `gap`; zero rows, or two groups that are not coupled, need the dense way."""
    block = np.kron(np.array([[1.0, gap], [gap, 0.9]]), np.random.default_rng(0).uniform(0.5, 1, (20, 20)))
    wanted = np.abs(np.linalg.eigvals(block)).max()
    np.testing.assert_allclose(_perron_radius(block), wanted, rtol=1e-11)
    np.testing.assert_allclose(_perron_radius(np.pad(block, (0, 3))), wanted, rtol=1e-11)
    block[:20, 20:] = block[20:, :20] = 0
    np.testing.assert_allclose(_perron_radius(block), np.abs(np.linalg.eigvals(block)).max(), rtol=1e-11)
    assert _perron_radius(np.zeros((4, 4))) == 0
