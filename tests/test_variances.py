"""The variances of belief propagation at a fixed point, against iteration, closed forms and spectra of their map."""

import numpy as np
import pytest

from sparsegdf.solvers.variances import _mix, _stable, variances_at_rest


def image(B, d, Q):
    """One step of the map, written out."""
    chi = 1 / (Q + d)
    V = 1 / (1 + B.T @ chi)
    return B @ V


def test_variances_are_the_limit_of_plain_iteration():
    rng = np.random.default_rng(0)
    B = rng.standard_normal((60, 100)) ** 2 / 100
    top = B.sum(axis=1)
    for d in (np.zeros(60), np.full(60, 0.3), np.where(np.arange(60) < 20, -0.05, 0)):
        Q = top
        for _ in range(3000):
            Q = B @ (1 / (1 + (1 / (Q + d)) @ B))
        for start in (top, 0.5 * top, 3 * top):
            np.testing.assert_allclose(variances_at_rest(B, d, start, top), Q, rtol=1e-12)


def test_mixing_takes_a_quarter_of_the_steps_of_plain_iteration():
    rng = np.random.default_rng(0)
    B = rng.standard_normal((60, 100)) ** 2 / 100
    top = B.sum(axis=1)
    for d in (np.zeros(60), np.where(np.arange(60) < 20, -0.05, 0)):
        Q, steps = top, 1
        while (np.abs(image(B, d, Q) / Q - 1) > 1e-13).any():
            Q, steps = image(B, d, Q), steps + 1
        np.testing.assert_allclose(_mix(B, d, top, top, steps // 4), Q, rtol=1e-12)


def test_variances_that_do_not_exist():
    rng = np.random.default_rng(0)
    B = rng.standard_normal((60, 100)) ** 2 / 100
    top = B.sum(axis=1)
    assert variances_at_rest(B, np.full(60, -0.3), top, top) is None  # too concave
    assert variances_at_rest(B, np.full(60, -2.0), top, top) is None  # concave beyond ||A_i||^2


@pytest.mark.parametrize("start", ["stable", "unstable", "top"])
def test_of_two_fixed_points_the_stable_one_is_taken(start):
    """One column with A_mu^2 = b in all M rows and r'' = -e: Q^2 - ((M - 1) b + e) Q + M b e = 0 has two roots."""
    rng = np.random.default_rng(1)
    for _ in range(20):
        M, b, e = int(rng.integers(5, 50)), rng.uniform(0.1, 3), rng.uniform(0.02, 0.3)
        B, d, top = np.full((1, M), b), np.array([-e * M * b]), np.array([M * b])
        half, product = ((M - 1) * b - d[0]) / 2, -M * b * d[0]
        if half**2 <= product:
            assert variances_at_rest(B, d, top, top) is None
            continue
        roots = {"stable": half + np.sqrt(half**2 - product), "unstable": half - np.sqrt(half**2 - product)}
        assert _stable(B, d, np.array([roots["stable"]]))
        if roots["unstable"] + d[0] > 1e-3 * top:
            assert not _stable(B, d, np.array([roots["unstable"]]))
        guess = np.array([roots.get(start, top[0])])
        np.testing.assert_allclose(variances_at_rest(B, d, guess, top), roots["stable"], rtol=1e-9)


def test_stable_is_where_the_spectral_radius_is_below_one():
    rng, seen = np.random.default_rng(2), []
    for _ in range(200):
        k, M = rng.integers(1, 8), 30
        B = rng.normal(size=(k, M)) ** 2 / M
        d = rng.uniform(-0.6, 0.1, k)
        Q = -np.minimum(d, 0) + rng.uniform(0.02, 0.6, k)  # any point with Q + d > 0, at rest or not
        step = 1e-6
        slopes = np.column_stack(
            [(image(B, d, Q + step * e) - image(B, d, Q - step * e)) / (2 * step) for e in np.eye(k)]
        )
        radius = np.abs(np.linalg.eigvals(slopes)).max()
        if abs(radius - 1) > 0.02:
            assert _stable(B, d, Q) == (radius < 1)
            seen.append(radius < 1)
    assert 40 < sum(seen) < len(seen) - 40


def test_nothing_to_do_without_a_support():
    nothing = np.empty(0)
    assert variances_at_rest(np.empty((0, 5)), nothing, nothing, nothing) is nothing
