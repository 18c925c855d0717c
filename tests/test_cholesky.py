"""The Cholesky factor as rows are added and removed, against dense linear algebra."""

import numpy as np
import pytest

from sparsegdf.solvers import cholesky


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


@pytest.mark.parametrize("k", range(1, 14))  # rows are taken four at a time, with one, two or three left over
def test_triangular_solves_of_every_size(k):
    rng = np.random.default_rng(k)
    U = np.full((k + 3, k + 3), np.nan)
    U[:k, :k] = np.triu(rng.standard_normal((k, k))) + 3 * np.eye(k) + np.tril(np.full((k, k), np.nan), -1)
    exact, v = np.triu(np.nan_to_num(U[:k, :k])), rng.standard_normal(k)
    for first in range(k):
        given = np.where(np.arange(k) < first, 0, v)
        solution = given.copy()
        cholesky.forward(U, k, solution, first)
        np.testing.assert_allclose(exact.T @ solution, given, atol=1e-13)
    solution = v.copy()
    cholesky.backward(U, k, solution)
    np.testing.assert_allclose(exact @ solution, v, atol=1e-13)


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


def test_columns_that_are_dependent_up_to_rounding_have_no_factor():
    """The square of a pivot, 1 - 0.99...^2 = 1e-14, is rounding error, whether found at once or row by row."""
    gram = np.eye(9)
    gram[7, 8] = gram[8, 7] = np.sqrt(1 - 1e-14)
    nine, factor = np.arange(9), cholesky.new_factor(9)
    assert not cholesky.factorise(gram, nine, np.zeros(9), factor) and factor.size[0] == 0
    assert cholesky.factorise(gram, nine, np.full(9, 1e-6), factor)
    assert cholesky.factorise(gram, nine[:8], np.zeros(8), factor)
    assert not cholesky.refactor(gram, nine, np.zeros(9), factor)
    assert factor.size[0] == 0 and (factor.place == -1).all()
