"""The walk: through a fold, and from random points to stationary ones."""

import numpy as np

from sparsegdf.penalties.l1 import L1
from sparsegdf.penalties.mcp import MCP
from sparsegdf.penalties.scad import SCAD
from sparsegdf.solvers import cholesky
from sparsegdf.solvers.fixed_points import kkt_violation
from sparsegdf.solvers.settle import _fit_part, _sweep
from sparsegdf.solvers.walk import DRIVEN, Problem, mismatch, walk


def problem_of(gram, c, penalty, eta):
    Q = np.diag(gram).copy()
    return Problem(gram, Q, c, *(v.T.copy() for v in penalty.segments(Q, eta)))


def at_a_fold():
    """(problem, x, pieces, factor, mismatch) of test_a_walk_goes_through_a_fold."""
    gram, c = np.array([[1.0, 0.9], [0.9, 1.0]]), np.array([1.5, 1.95])
    problem = problem_of(gram, c, MCP(a=2.0, lam=1.0), 1.0)
    x, pieces, factor = np.array([1.0, 0.0]), np.array([1, 0]), cholesky.new_factor(2)
    assert cholesky.factorise(gram, np.arange(1), np.array([-0.5]), factor)
    return problem, x, pieces, factor, mismatch(problem, x, c - gram @ x, pieces)


def test_a_walk_goes_through_a_fold():
    """Two columns of correlation 0.9 under MCP with r'' = -eta/a = -0.5: both on the parabola are a saddle point.

    x = (1, 0) is stationary for A^T y = (1.5, 1). On the way to (1.5, 1.95) the second column reaches its threshold,
    and no stationary point near (1, 0) is left: the second takes the place of the first, with
    1.95 - x_2 = r'(x_2) = 1 - x_2 / 2.
    """
    problem, x, pieces, factor, e = at_a_fold()
    assert walk(problem, x, pieces, factor, e, 20) > 0
    np.testing.assert_allclose(x, [0, 1.9], atol=1e-14)
    assert pieces.tolist() == [0, 1] and factor.members[: factor.size[0]].tolist() == [1]


def test_a_walk_of_too_few_events_fails_and_leaves_no_column_marked():
    for limit in range(3):
        problem, x, pieces, factor, e = at_a_fold()
        assert walk(problem, x, pieces, factor, e, limit) == -1
        assert (factor.place > DRIVEN).all()


def test_a_threshold_raised_by_rounding_error_is_no_jump():
    """Orthonormal columns under l1, one a million times as strong as the threshold, as in spectra with little noise."""
    c = np.array([1e6, 2.0])
    problem = problem_of(np.eye(2), c, L1(), 1.0)
    problem = problem._replace(start=problem.start + 1e-13 * c.max())
    x, pieces, factor = np.zeros(2), np.zeros(2, np.int64), cholesky.new_factor(2)
    assert walk(problem, x, pieces, factor, mismatch(problem, x, c, pieces), 9) == 2
    np.testing.assert_allclose(x, c - 1, rtol=0, atol=2e-7)


def random_walk(seed):
    """Whether the walk from a random point arrives, and the KKT violation there; few rows, nearly dependent columns."""
    rng = np.random.default_rng(seed)
    M, n = rng.integers(2, 6), rng.integers(2, 9)
    A = rng.normal(size=(M, 2)) @ rng.normal(size=(2, n)) + rng.choice([0, 0.1, 0.3]) * rng.normal(size=(M, n))
    A /= np.linalg.norm(A, axis=0)
    y, eta, bend = 2 * rng.normal(size=M), rng.uniform(0.1, 1), rng.uniform(1.2, 5)
    penalty = (L1(), MCP(a=eta * bend, lam=1.0), SCAD(a=1 + eta * bend, lam=1.0))[seed % 3]
    problem, factor = problem_of(A.T @ A, A.T @ y, penalty, eta), cholesky.new_factor(n)
    x, pieces = 2 * rng.normal(size=n) * (rng.random(n) < 0.5), np.zeros(n, np.int64)
    _sweep(problem, x, A.T @ (y - A @ x), pieces, 1)
    _fit_part(problem, pieces, np.zeros(n, np.int64), factor)
    e = mismatch(problem, x, A.T @ (y - A @ x), pieces)
    e[factor.place == DRIVEN] = 0
    return walk(problem, x, pieces, factor, e, 40 * n) >= 0, kkt_violation(A, y, x, penalty, eta)


def test_walks_end_at_stationary_points():
    """Three of four arrive, and hardly any of them elsewhere (the Newton step after a walk finds that)."""
    arrived, kkt = np.transpose([random_walk(seed) for seed in range(6000)])
    assert arrived.mean() > 0.75
    assert np.count_nonzero(arrived * (kkt > 1e-8)) <= 10


def test_a_walk_misses_no_column_that_comes_near_its_threshold_little_by_little():
    """y = e_0 + w_1 + ... + w_20. The column along e_0 enters at once, and A_i = l_i (e_0 - w_i), which has A_i.y = 0, when
    the fit along e_0 has grown to eta/l_i: one after the other under l1, each after many short steps. Of each two the
    second one enters first, so that the first one bounds the step before the second is looked at.
    """
    lengths = np.linspace(6, 2, 20).reshape(10, 2)[:, ::-1].ravel()
    A = np.vstack([np.r_[8.0, lengths], np.column_stack([np.zeros(20), -np.diag(lengths)])])
    y, eta = np.ones(21), 0.5
    problem, factor = problem_of(A.T @ A, A.T @ y, L1(), eta), cholesky.new_factor(21)
    x, pieces = np.zeros(21), np.zeros(21, np.int64)
    assert walk(problem, x, pieces, factor, mismatch(problem, x, A.T @ y, pieces), 99) == 21
    assert x.all() and kkt_violation(A, y, x, L1(), eta) < 1e-12
