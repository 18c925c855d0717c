"""Exact best subsets against all subsets by lstsq, closed forms and invariances."""

from itertools import combinations

import numpy as np
import pytest

from sparsegdf.solvers.best_subset import _Problem, _search, best_subsets, swap_search


def explained_by(A, y, S):
    S = list(S)
    return float(np.sum((A[:, S] @ np.linalg.lstsq(A[:, S], y, rcond=1e-9)[0]) ** 2))


def all_subsets(A, y, max_size):
    columns = range(A.shape[1])
    return np.array([max(explained_by(A, y, S) for S in combinations(columns, K)) for K in range(max_size + 1)])


def gaussian(rng, M, N):
    return rng.normal(size=(M, N)) / np.sqrt(M), rng.normal(size=M)


def autoregressive(rng, M, N):
    A, y = gaussian(rng, M, N)
    for i in range(1, N):
        A[:, i] = 0.95 * A[:, i - 1] + np.sqrt(1 - 0.95**2) * A[:, i]
    return A, y


def common_factor(rng, M, N):
    A, y = gaussian(rng, M, N)
    return A + 30 * rng.normal(size=(M, 1)), y


def suppressors(rng, M, N):
    """Pairs of nearly equal columns whose differences make up y, so that single columns explain almost nothing."""
    A, _ = gaussian(rng, M, N)
    A[:, 1::2] = A[:, : 2 * (N // 2) : 2] + 1e-2 * A[:, 1::2]
    return A, A[:, 1] - A[:, 0] + A[:, 3] - A[:, 2] + 1e-3 * rng.normal(size=M)


def ties(rng, M, N):
    return rng.integers(-1, 2, size=(M, N)).astype(float), rng.integers(-2, 3, size=M).astype(float)


def degenerate(rng, M, N):
    """A zero column, a duplicate, a negated duplicate and a combination of two others."""
    A, y = gaussian(rng, M, N)
    A[:, 0], A[:, 2], A[:, 3], A[:, 5] = 0.0, A[:, 1], -7 * A[:, 4], A[:, 1] + 2 * A[:, 4]
    return A, y


DESIGNS = [gaussian, autoregressive, common_factor, suppressors, ties, degenerate]


def check(A, y, result, expected):
    scale = y @ y
    np.testing.assert_allclose(result.explained, expected, rtol=0, atol=1e-9 * scale)
    np.testing.assert_allclose(result.rss, scale - expected, rtol=0, atol=1e-9 * scale)
    assert (result.rss >= 0).all()
    for K, S in enumerate(result.supports):
        assert len(S) == K and (np.diff(S) > 0).all()
        assert explained_by(A, y, S) == pytest.approx(result.explained[K], rel=1e-9, abs=1e-9 * scale)


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize(("M", "N"), [(4, 8), (8, 8), (12, 8), (5, 10), (7, 9), (3, 6), (20, 7)])
def test_every_size_agrees_with_all_subsets(design, M, N):
    for seed in range(4):
        A, y = design(np.random.default_rng([seed, M, N]), M, N)
        check(A, y, best_subsets(A, y, N), all_subsets(A, y, N))


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("M", [7, 20])
def test_fourteen_columns_agree_with_all_subsets(design, M):
    A, y = design(np.random.default_rng(M), M, 14)
    check(A, y, best_subsets(A, y, 14), all_subsets(A, y, 14))


@pytest.mark.parametrize("design", DESIGNS)
def test_search_is_exact_without_good_incumbents(design):
    """Started from the optimum of the size below, the search alone finds the optimum."""
    for seed in range(5):
        A, y = design(np.random.default_rng(seed), 9, 18)
        expected = best_subsets(A, y, 8).explained / (y @ y)
        problem = _Problem(A, y, 8)
        for K in range(3, 9):
            member = np.zeros(18, dtype=bool)
            value = _search(problem.tableau, problem.rows, member, K, expected[K - 1])
            assert value == pytest.approx(expected[K], abs=2e-10)


def test_deep_search_agrees_with_batched_least_squares():
    A, y = gaussian(np.random.default_rng(3), 13, 26)
    for K in (4, 5):
        S = np.array(list(combinations(range(26), K)))
        G, b = (A.T @ A)[S[:, :, None], S[:, None, :]], (A.T @ y)[S]
        explained = np.einsum("sk,sk->s", b, np.linalg.solve(G, b[..., None])[..., 0])
        result = best_subsets(A, y, K)
        assert result.explained[K] == pytest.approx(explained.max(), rel=1e-9)
        assert result.supports[K].tolist() == S[explained.argmax()].tolist()


def test_size_one_is_the_largest_squared_correlation():
    A, y = gaussian(np.random.default_rng(0), 30, 200)
    score = (A.T @ y) ** 2 / np.sum(A**2, axis=0)
    result = best_subsets(A, y, 1)
    assert result.explained.tolist() == pytest.approx([0.0, score.max()], rel=1e-13)
    assert result.supports[1].tolist() == [score.argmax()]


def test_orthogonal_columns_sort_by_correlation():
    rng = np.random.default_rng(1)
    A = np.linalg.qr(rng.normal(size=(60, 40)))[0]
    y = rng.normal(size=60)
    order = np.argsort(-np.abs(A.T @ y))
    result = best_subsets(A, y, 40)
    np.testing.assert_allclose(result.explained[1:], np.cumsum(((A.T @ y) ** 2)[order]), rtol=1e-12)
    assert all(S.tolist() == sorted(order[:K]) for K, S in enumerate(result.supports))


def test_column_order_scale_and_rotation_do_not_matter():
    rng = np.random.default_rng(2)
    for M, N, K in [(8, 16, 7), (15, 30, 6), (20, 12, 12)]:
        A, y = gaussian(rng, M, N)
        result = best_subsets(A, y, K)
        shuffle = rng.permutation(N)
        scale = rng.choice([-1.0, 1.0], size=N) * 10 ** rng.uniform(-150, 150, size=N)
        rotation = np.linalg.qr(rng.normal(size=(M, M)))[0]
        for B, z, back in [
            (A[:, shuffle], y, shuffle),
            (A * scale, y, np.arange(N)),
            (rotation @ A, -rotation @ y, np.arange(N)),
        ]:
            other = best_subsets(B, z, K)
            np.testing.assert_allclose(other.explained, result.explained, rtol=1e-11)
            for k in range(min(K, M - 2)):  # nearer to M the optimum is no longer resolved
                assert sorted(back[other.supports[k]]) == result.supports[k].tolist()


def test_saturation_fills_supports_with_the_lowest_unused_columns():
    rng = np.random.default_rng(4)
    A, y = rng.normal(size=(9, 3)) @ rng.normal(size=(3, 8)), rng.normal(size=9)
    result = best_subsets(A, y, 8)
    assert result.explained[3:] == pytest.approx(explained_by(A, y, range(8)), rel=1e-12)
    useful = result.supports[3].tolist()
    unused = [i for i in range(8) if i not in useful]
    assert [S.tolist() for S in result.supports[3:]] == [sorted(useful + unused[:k]) for k in range(6)]


@pytest.mark.parametrize("search", [best_subsets, lambda A, y, K: swap_search(A, y, K, 3, 0)])
def test_edge_cases(search):
    A, y = gaussian(np.random.default_rng(5), 6, 12)
    wide = search(A, y, 12)
    assert wide.explained[6:] == pytest.approx(y @ y, rel=1e-12)  # K >= M: any independent columns do
    assert wide.rss[6:] == pytest.approx(0, abs=1e-12)
    for B, z in [(A, np.zeros(6)), (np.zeros((6, 12)), y)]:
        nothing = search(B, z, 4)
        assert nothing.explained.tolist() == [0.0] * 5
        assert [S.tolist() for S in nothing.supports] == [list(range(K)) for K in range(5)]
    assert search(A, y, 0).explained.tolist() == [0.0]
    assert search([[2.0]], [3.0], 1).explained.tolist() == [0.0, 9.0]
    integers = search(np.eye(4, dtype=int), [1, 2, 3, 4], 4)
    assert integers.explained == pytest.approx([0, 16, 25, 29, 30], rel=1e-14)


def test_same_input_same_bytes_and_untouched():
    A, y = gaussian(np.random.default_rng(6), 12, 24)
    before = A.copy(), y.copy()
    for search in (lambda B: best_subsets(B, y, 6), lambda B: swap_search(B, y, 6, 5, np.random.default_rng(1))):
        one, two = search(A), search(np.asfortranarray(A))
        assert one.explained.tobytes() == two.explained.tobytes()
        assert all(np.array_equal(S, T) for S, T in zip(one.supports, two.supports, strict=True))
    assert np.array_equal(A, before[0]) and np.array_equal(y, before[1])


@pytest.mark.parametrize("design", DESIGNS)
def test_swap_search_is_a_lower_bound_that_is_mostly_attained(design):
    hits = []
    for seed in range(10):
        A, y = design(np.random.default_rng(seed), 10, 20)
        exact, swaps = best_subsets(A, y, 6), swap_search(A, y, 6, 20, seed)
        assert (swaps.explained <= exact.explained + 1e-10 * (y @ y)).all()
        for K, S in enumerate(swaps.supports):
            assert explained_by(A, y, S) == pytest.approx(swaps.explained[K], rel=1e-9, abs=1e-10)
        hits.append(swaps.explained >= exact.explained - 2e-10 * (y @ y))
    assert np.mean(hits) > 0.9


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"A": np.ones(3)}, r"A has shape \(3,\) .* allowed are real arrays of 2 dim"),
        ({"A": np.ones((3, 2)) * 1j}, r"A has .* dtype complex128: allowed are real"),
        ({"A": [[1.0, 2.0], [np.nan, 1.0], [0.0, 1.0]]}, r"A\[1, 0\] = nan; allowed: finite"),
        ({"y": [0.0, np.inf, 1.0]}, r"y\[1\] = inf; allowed: finite"),
        ({"y": np.ones((3, 1))}, r"y has shape \(3, 1\) .* allowed are real arrays of 1 dim"),
        ({"y": np.ones(4)}, r"y has 4 entries, but A has 3 rows"),
        ({"max_size": 3}, r"max_size = 3 is out of range \(allowed: integers >= 0 and <= 2\)"),
        ({"max_size": -1}, r"max_size = -1 is out of range"),
        ({"max_size": 1.5}, r"max_size = 1.5 is not an integer"),
    ],
)
def test_bad_input_is_named(change, message):
    arguments = {"A": np.ones((3, 2)), "y": np.ones(3), "max_size": 2} | change
    with pytest.raises(ValueError, match=message):
        best_subsets(**arguments)
    with pytest.raises(ValueError, match=message):
        swap_search(**arguments, restarts=1, rng=0)


def test_negative_restarts_are_refused():
    with pytest.raises(ValueError, match=r"restarts = -1 is out of range \(allowed: integers >= 0\)"):
        swap_search(np.ones((3, 2)), np.ones(3), 1, -1, 0)


@pytest.mark.parametrize("seed", range(8))
def test_swap_search_without_restarts_is_greedy_growth_and_best_swaps(seed):
    """Each size grows from the last by the best column; then the best exchange is made until none explains more."""
    rng = np.random.default_rng(seed)
    A, y = rng.normal(size=(20, 12)) + rng.normal(size=(20, 1)), rng.normal(size=20)
    explained = lambda S: y @ A[:, list(S)] @ np.linalg.lstsq(A[:, list(S)], y, rcond=None)[0]
    found, S = swap_search(A, y, 8, 0, 0), frozenset()
    for K in range(1, 9):
        S = max((S | {j} for j in set(range(12)) - S), key=explained)
        while True:
            best = max((S - {i} | {j} for i in S for j in set(range(12)) - S), key=explained)
            if explained(best) <= explained(S) + 1e-10 * (y @ y):
                break
            S = best
        assert found.supports[K].tolist() == sorted(S) and found.explained[K] == pytest.approx(explained(S))
