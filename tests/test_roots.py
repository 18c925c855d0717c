"""Root finders of the theory: exact to rounding, for many equations at once, and in few evaluations."""

import numpy as np
import pytest

from sparsegdf.theory.roots import bracketed_roots, newton_pairs
from sparsegdf.theory.s1_branch import _crossing


def counted(f):
    def with_count(x):
        with_count.calls += 1
        return f(x)

    with_count.calls = 0
    return with_count


SHAPES = {
    "line": (lambda u: u, 5),
    "cubic": (lambda u: u + 5 * u**3, 14),
    "exponential": (lambda u: np.expm1(3 * u), 13),
    "steep": (lambda u: np.tanh(40 * u), 17),
    "flat": (lambda u: np.sign(u) * u**2, 92),
    "step": (lambda u: np.where(u < 0, -1.0, 1e-3), 75),
}


@pytest.mark.parametrize("shape, most", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize("sign", [1, -1])
def test_roots_in_brackets(shape, most, sign):
    """Brackets of all sizes on both sides of zero, rising and falling; superlinear where the function is smooth."""
    rng = np.random.default_rng(1)
    root = rng.normal(size=300) * 10.0 ** rng.integers(-3, 4, 300)
    low, high = root - rng.uniform(0, 2, 300), root + rng.uniform(0, 2, 300)
    f = counted(lambda x: sign * shape(x - root))
    np.testing.assert_allclose(bracketed_roots(f, low, high), root, rtol=1e-15, atol=1e-300)
    assert f.calls <= most


def test_roots_at_the_ends_of_their_brackets():
    low, high = np.array([1.0, 0.0, 2.0]), np.array([3.0, 1.0, 2.0])
    root = np.array([1.0, 1.0, 2.0])
    np.testing.assert_array_equal(bracketed_roots(lambda x: x - root, low, high), root)
    np.testing.assert_array_equal(bracketed_roots(lambda x: x - root, 0.0, np.array([1.0, 1.0, 2.0])), root)


def test_pairs_by_newton():
    """x^2 y = a, x/y = b: x = (a b)^(1/3), y = x/b."""
    rng = np.random.default_rng(2)
    a, b = rng.uniform(0.2, 5, (2, 200))
    f = counted(lambda p: np.array([p[0] ** 2 * p[1] - a, p[0] / p[1] - b]))
    start = np.full((2, 200), 1.0)
    x, found = newton_pairs(f, start, 1e-13)
    exact = np.cbrt(a * b)
    assert found.sum() > 190 and f.calls <= 3 * 15
    np.testing.assert_allclose(x[:, found], np.array([exact, exact / b])[:, found], rtol=1e-12)
    assert (start == 1).all() and (x > 0).all()
    # Few steps do, and a pair that has been found stays as it was.
    near = counted(lambda p: np.array([p[0] ** 2 * p[1] - 1, p[0] / p[1] - 1]))
    pairs = np.array([[1.0, 1.001], [1.0, 0.999]])
    x, found = newton_pairs(near, pairs, 1e-12)
    assert found.all() and near.calls <= 10 and (x[:, 0] == 1).all()


def test_pairs_without_a_root_are_told():
    x, found = newton_pairs(lambda p: np.array([p[0] - np.array([2.0, -2.0]), p[1] - 3]), np.ones((2, 2)), 1e-12)
    assert found.tolist() == [True, False] and x[:, 0].tolist() == pytest.approx([2, 3])
    assert 0 < x[0, 1] < 1e-6 and x[1, 1] == pytest.approx(3)  # a step takes off three quarters at the most
    # Where the derivatives are singular a pair stays where it is.
    x, found = newton_pairs(lambda p: np.array([p[0] + p[1] - 1, p[0] + p[1] - 1]), np.full((2, 1), 2.0), 1e-12)
    assert not found[0] and (x == 2).all()


@pytest.mark.parametrize("at", [1e-9, 0.31, 0.999, 1 - 1e-9])
def test_a_change_of_sign_is_found_wherever_it_is(at):
    assert _crossing(lambda t: at - t, 0.0, 1.0) == pytest.approx(at, abs=1e-15)
    assert _crossing(lambda t: t - at, 1.0, 0.0) == pytest.approx(at, abs=1e-15)
