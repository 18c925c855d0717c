"""The Cholesky factor as rows are added and removed, and the walk through a fold, against dense linear algebra."""

import numpy as np
import pytest

from sparsegdf.penalties.mcp import MCP
from sparsegdf.solvers import cholesky
from sparsegdf.solvers.walk import Problem, mismatch, walk


def hessian(factor):
    U = np.triu(factor.U[: factor.size[0], : factor.size[0]])
    return U.T @ U


@pytest.mark.parametrize("seed", range(3))
def test_any_order_of_changes_keeps_the_factor(seed):
    rng = np.random.default_rng(seed)
    A = rng.standard_normal((40, 30))
    gram, factor, d = A.T @ A, cholesky.new_factor(30), {}
    for _ in range(300):
        j = int(rng.integers(30))
        if j not in d:
            d[j] = rng.uniform(-1, 1)
            cholesky.append(factor, j, d[j], *cholesky.border(gram, factor, j, d[j]))
        elif rng.random() < 0.5:
            del d[j]
            cholesky.remove(factor, j)
        else:
            new = rng.uniform(-1, 1)
            assert cholesky.change(factor, j, new)
            d[j] = new
        members = factor.members[: factor.size[0]]
        assert sorted(members) == sorted(d) and [factor.place[i] for i in members] == list(range(len(d)))
        wanted = gram[np.ix_(members, members)] + np.diag([d[i] for i in members])
        np.testing.assert_allclose(hessian(factor), wanted, rtol=0, atol=1e-11)
    v = rng.standard_normal(len(d))
    solution = v.copy()
    cholesky.solve(factor, solution)
    np.testing.assert_allclose(wanted @ solution, v, atol=1e-10)


def test_a_change_that_would_not_be_positive_definite_is_refused():
    gram, factor = np.array([[1.0, 0.9], [0.9, 1.0]]), cholesky.new_factor(2)
    assert cholesky.factorise(gram, np.arange(2), np.zeros(2), factor)
    before = hessian(factor)
    assert not cholesky.change(factor, 1, -0.2)
    np.testing.assert_array_equal(hessian(factor), before)
    assert not cholesky.factorise(gram, np.arange(2), np.array([0.0, -0.2]), factor) and factor.size[0] == 0


@pytest.mark.parametrize("S", [[1, 4, 7], [0, 1, 2, 3, 4, 5, 6, 7, 8], [2, 3, 5, 7, 8, 9]])
def test_refactor_is_the_factor_of_its_columns(S):
    A = np.random.default_rng(0).standard_normal((20, 10))
    gram, factor, S = A.T @ A, cholesky.new_factor(10), np.array(S)
    for wanted in (np.arange(9), S, np.setdiff1d(S, [7]), S):
        d = 0.1 * wanted
        assert cholesky.refactor(gram, wanted, d, factor)
        members = factor.members[: factor.size[0]]
        assert sorted(members) == sorted(wanted)
        np.testing.assert_allclose(hessian(factor), gram[np.ix_(members, members)] + np.diag(0.1 * members))


def test_a_walk_goes_through_a_fold():
    """Two columns of correlation 0.9 under MCP with r'' = -eta/a = -0.5: both on the parabola are a saddle point.

    x = (1, 0) is stationary for A^T y = (1.5, 1). On the way to (1.5, 1.95) the second column reaches its threshold,
    and no stationary point near (1, 0) is left: the second takes the place of the first, with
    1.95 - x_2 = r'(x_2) = 1 - x_2 / 2.
    """
    gram, c, penalty = np.array([[1.0, 0.9], [0.9, 1.0]]), np.array([1.5, 1.95]), MCP(a=2.0, lam=1.0)
    problem = Problem(gram, np.ones(2), c, *(v.T.copy() for v in penalty.segments(np.ones(2), 1.0)))
    x, pieces, factor = np.array([1.0, 0.0]), np.array([1, 0]), cholesky.new_factor(2)
    assert cholesky.factorise(gram, np.arange(1), np.array([-0.5]), factor)
    assert walk(problem, x, pieces, factor, mismatch(problem, x, c - gram @ x, pieces), 20) > 0
    np.testing.assert_allclose(x, [0, 1.9], atol=1e-14)
    assert pieces.tolist() == [0, 1] and factor.members[: factor.size[0]].tolist() == [1]
