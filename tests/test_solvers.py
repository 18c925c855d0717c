"""What belief propagation and the direct solver have in common."""

import numpy as np
import pytest
from skglm.datafits import Quadratic
from skglm.penalties import SCAD as SkglmSCAD
from skglm.penalties import MCPenalty
from skglm.solvers import AndersonCD
from solver_cases import each_design, sample

from sparsegdf import L1, MCP, SCAD, ElasticNet, belief_propagation, stationary_path

each_solver = pytest.mark.parametrize("solve", [belief_propagation, stationary_path], ids=["bp", "direct"])


@each_solver
def test_nothing_is_selected_above_the_largest_correlation(solve):
    A, y, _ = sample("iid")
    found = solve(A, y, L1(), [1.01 * np.abs(A.T @ y).max()])
    assert found.converged[0] and not found.x.any() and not found.chi.any() and found.delta[0] == 0
    np.testing.assert_allclose(found.Q_hat[:, 0], (A**2).sum(axis=0))
    assert solve(A, 0 * y, L1(), [1.0]).converged[0]


@each_solver
@pytest.mark.parametrize("penalty", [L1(), ElasticNet(0.1)], ids=repr)
def test_a_level_does_not_depend_on_the_others_under_a_convex_penalty(solve, penalty):
    A, y, etas = sample("block")
    path, cold = solve(A, y, penalty, etas), solve(A, y, penalty, etas[-1:])
    accuracy = 1e-8 if solve is belief_propagation else 1e-10
    np.testing.assert_allclose(cold.x[:, 0], path.x[:, -1], rtol=0, atol=accuracy)
    np.testing.assert_allclose(cold.Q_hat[:, 0], path.Q_hat[:, -1], rtol=0, atol=accuracy / 10)


@each_design
@pytest.mark.parametrize("penalty", [SCAD(5, 1), SCAD(8, 1), MCP(12, 1)], ids=repr)
def test_agree_with_skglm(design, penalty):
    A, y, etas = sample(design, levels=5)
    both = belief_propagation(A, y, penalty, etas), stationary_path(A, y, penalty, etas)
    peer = SkglmSCAD(1.0, float(penalty.a)) if isinstance(penalty, SCAD) else MCPenalty(1.0, float(penalty.a))
    assert all(found.converged.all() for found in both)
    for k, eta in enumerate(etas):
        scale = np.sqrt(len(y) / eta)  # skglm states the penalties without eta, and the loss over M
        X, z, datafit = np.asfortranarray(A * scale), y * scale, Quadratic()
        datafit.initialize(X, z)
        x = AndersonCD(tol=1e-12, fit_intercept=False, max_iter=200).solve(X, z, datafit, peer)[0]
        for found in both:
            np.testing.assert_allclose(found.x[:, k], x, rtol=0, atol=1e-7)
