"""SCAD and MCP with knots that move with eta, against skglm and against the penalties with fixed knots."""

import numpy as np
import pytest
from skglm.datafits import Quadratic
from skglm.penalties import SCAD as SkglmSCAD
from skglm.penalties import MCPenalty
from skglm.solvers import AndersonCD
from solver_cases import each_design, sample

from sparsegdf import MCP, SCAD, ClassicMCP, ClassicSCAD, belief_propagation, solve_rs, stationary_path

FIXED = {ClassicSCAD: SCAD, ClassicMCP: MCP}
each = pytest.mark.parametrize("penalty", [ClassicSCAD(), ClassicSCAD(a=6), ClassicMCP(a=7)], ids=repr)


def at(penalty, eta):
    """The penalty with fixed knots that is the same function at this eta, with eta = 1 in front."""
    return FIXED[type(penalty)](penalty.a, lam=eta)


@each
def test_at_one_eta_it_is_the_penalty_with_fixed_knots(penalty):
    x, Q_hat = np.linspace(-9, 9, 181), np.geomspace(0.05, 3, 30)
    for eta in (0.2, 1.0, 1.7):
        np.testing.assert_allclose(penalty.value(x, eta), at(penalty, eta).value(x, 1.0), atol=1e-12)
        for ours, theirs in zip(penalty.segments(Q_hat, eta), at(penalty, eta).segments(Q_hat, 1.0), strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-12)


@each
@pytest.mark.parametrize("eta", [2.2, 1.6])
def test_theory_is_that_of_the_penalty_with_fixed_knots(penalty, eta):
    ours, theirs = solve_rs(penalty, alpha=0.5, eta=eta), solve_rs(at(penalty, eta), alpha=0.5, eta=1.0)
    assert ours.branch == "S1" and ours.df > 0.03
    for name in ("delta", "df", "chi", "Q_hat", "err_train", "at"):
        assert getattr(ours, name) == pytest.approx(getattr(theirs, name), rel=1e-8), name
    assert solve_rs(penalty, alpha=0.5, delta=ours.delta).eta == pytest.approx(eta, rel=1e-7)


@each_design
@each
def test_paths_agree_with_skglm(design, penalty):
    A, y, etas = sample(design, lowest=0.6, levels=4)
    y = y + A[:, [3, 50, 90]] @ [30.0, -12.0, 6.0]
    both = belief_propagation(A, y, penalty, etas), stationary_path(A, y, penalty, etas)
    assert all(found.converged.all() for found in both)
    # The loss of skglm is divided by M.
    X, z, datafit = np.asfortranarray(A * np.sqrt(len(y))), y * np.sqrt(len(y)), Quadratic()
    datafit.initialize(X, z)
    for k, eta in enumerate(etas):
        peer = (SkglmSCAD if isinstance(penalty, ClassicSCAD) else MCPenalty)(float(eta), float(penalty.a))
        x = AndersonCD(tol=1e-12, fit_intercept=False, max_iter=200).solve(X, z, datafit, peer)[0]
        for found in both:
            np.testing.assert_allclose(found.x[:, k], x, rtol=0, atol=1e-7)
    size = np.abs(both[1].x)
    assert (size > penalty.a * etas).any() and ((size > 0) & (size < penalty.a * etas)).any()
