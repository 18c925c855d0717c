"""Both solvers on random difficult problems: no exception, no warning, and every reported result is true.

The conditions of a stationary point are written out here for each penalty, and the degrees of freedom are compared
with finite differences. hypothesis draws the same problems each time, and shrinks a failing one.
"""

import warnings
from collections import Counter
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sparsegdf.estimators.degrees_of_freedom import curvature, stein_divergence
from sparsegdf.penalties.base import Penalty
from sparsegdf.penalties.elastic_net import ElasticNet
from sparsegdf.penalties.l1 import L1
from sparsegdf.penalties.mcp import MCP
from sparsegdf.penalties.scad import SCAD
from sparsegdf.solvers.belief_propagation import belief_propagation
from sparsegdf.solvers.direct import stationary_path, stationary_points

ROUNDING = 1e-10  # of a gradient, relative to the terms that it is the sum of
TIE = 2e-13  # relative to max |A^T y|: below, the direct solver leaves a column out
BP_TOLERANCE = 1e-10
EXAMPLES = 1000


@dataclass(frozen=True)
class Problem:
    """All parameters of a problem; A, y and etas follow from them."""

    M: int
    N: int
    seed: int
    columns: frozenset  # of COLUMNS
    response: str  # one of RESPONSES
    unit: float  # of y
    penalty: Penalty
    highest: float  # eta over that where the first column enters
    lowest: float
    levels: int
    to_zero: bool  # whether the last eta is 0

    def data(self):
        rng = np.random.default_rng(self.seed)
        A = rng.standard_normal((self.M, self.N)) / np.sqrt(self.M)
        if "integer" in self.columns:
            A = rng.integers(-2, 3, size=A.shape).astype(float)
        some = rng.permutation(self.N)[: (self.N + 2) // 3]
        if "collinear" in self.columns:
            A[:, some] = A[:, rng.permutation(self.N)[: some.size]]
            A[:, some] += 10 ** rng.uniform(-9, -2) * rng.standard_normal((self.M, some.size))
        if "duplicated" in self.columns:
            A[:, some] = A[:, rng.permutation(self.N)[: some.size]]
        if "scaled" in self.columns:
            A *= 10 ** rng.uniform(-3, 3, self.N)
        # Constant columns are rejected (tests/test_checks.py).
        empty = np.ptp(A, axis=0) == 0 if self.M > 1 else A[0] == 0
        A[:, empty] = rng.standard_normal((self.M, empty.sum())) + np.ones((1, empty.sum()))
        truth = rng.standard_normal(self.N) * (rng.random(self.N) < 0.1) / np.linalg.norm(A, axis=0)
        y = {
            "noise": lambda: rng.standard_normal(self.M),
            "planted": lambda: A @ truth + 0.1 * rng.standard_normal(self.M),
            "exact": lambda: A @ truth,
            "integer": lambda: rng.integers(-3, 4, self.M).astype(float),
        }[self.response]()
        return A, self.unit * y

    def etas(self, A, y):
        top = np.max(self.penalty.eta_at(np.abs(A.T @ y), np.square(A).sum(axis=0))) or 1.0
        etas = top * np.geomspace(self.highest, self.lowest, self.levels)
        return np.append(etas, 0.0) if self.to_zero else etas


COLUMNS = ("integer", "collinear", "duplicated", "scaled")
RESPONSES = ("noise", "planted", "exact", "integer")


def power(low, high):
    """Ten to a power between these two."""
    return st.floats(low, high).map(lambda exponent: float(10**exponent))


PENALTIES = st.one_of(
    st.just(L1()),
    st.builds(ElasticNet, power(-3, 1)),
    st.builds(SCAD, st.floats(1.05, 12), power(-1, 1)),
    st.builds(MCP, st.floats(0.1, 12), power(-1, 1)),
)
PROBLEMS = st.builds(
    Problem,
    M=st.integers(1, 160),
    N=st.integers(1, 160),
    seed=st.integers(0, 2**32 - 1),
    columns=st.frozensets(st.sampled_from(COLUMNS)),
    response=st.sampled_from(RESPONSES),
    unit=st.sampled_from([1.0, 1.0, 1e-3, 1e3]),
    penalty=PENALTIES,
    highest=st.floats(0.7, 1.1),
    lowest=power(-3, -0.3),
    levels=st.integers(1, 7),
    to_zero=st.sampled_from([False, False, False, True]),
)


# --- what is true of a stationary point ------------------------------------------------------------------------


def slopes(penalty, x, eta):
    """r'(|x|; eta) from the formula of each penalty, at zero from the right."""
    x = np.abs(x)
    if isinstance(penalty, L1):
        return np.full(x.shape, eta)
    if isinstance(penalty, ElasticNet):
        return eta + penalty.eta2 * x
    a, lam = penalty.a, penalty.lam
    if isinstance(penalty, SCAD):
        return eta * np.where(x <= lam, lam, np.maximum(a * lam - x, 0) / (a - 1))
    return eta * np.maximum(lam - x / a, 0)


def mismatch(A, y, x, penalty, eta):
    """By how much each coordinate violates 0 in -A_i^T (y - A x) + dr(x_i), and the size of its terms."""
    g, r = A.T @ (y - A @ x), slopes(penalty, x, eta)
    off = np.maximum(np.abs(g) - r, 0)
    terms = np.linalg.norm(A, axis=0) * (np.linalg.norm(y) + np.linalg.norm(A, axis=0) @ np.abs(x)) + r
    return np.where(x != 0, np.abs(g - np.sign(x) * r), off), terms


def check_claims(A, penalty, found):
    """A converged level has finite numbers and variances that satisfy their equations; a level without x has NaN."""
    A2 = np.square(A)
    for k, eta in enumerate(found.etas):
        x, chi, Q_hat = found.x[:, k], found.chi[:, k], found.Q_hat[:, k]
        assert found.converged[k] == (found.status[k] == "converged")
        assert np.isfinite(found.delta[k]) == np.isfinite(x).all()
        if found.converged[k]:
            assert np.isfinite([found.residual[k], found.kkt[k], found.delta_eff[k], found.delta_eff_sum[k]]).all()
            np.testing.assert_allclose(A2.T @ (1 / (1 + A2 @ chi)), Q_hat, rtol=1e-8)
            np.testing.assert_array_equal(chi != 0, x != 0)
            if isinstance(penalty, L1):  # |S| = sum_i chi_i Q_hat_i = sum_mu (1 - V_mu) < M
                assert np.count_nonzero(x) < A.shape[0]
            bends = bend(penalty, x, eta)
            exact = np.divide(1, Q_hat + bends, out=np.zeros_like(x), where=x != 0)
            off_knots = ~near_knot(penalty, x)
            np.testing.assert_allclose(chi[off_knots], exact[off_knots], rtol=1e-7)


def bend(penalty, x, eta):
    """r''(x; eta) between the knots."""
    x = np.abs(x)
    if isinstance(penalty, L1):
        return np.zeros(x.shape)
    if isinstance(penalty, ElasticNet):
        return np.full(x.shape, penalty.eta2)
    a, lam = penalty.a, penalty.lam
    if isinstance(penalty, SCAD):
        return np.where((lam < x) & (x < a * lam), -eta / (a - 1), 0.0)
    return np.where(x < a * lam, -eta / a, 0.0)


def near_knot(penalty, x):
    """Whether rounding may decide on which side of a knot x is."""
    knots = [] if isinstance(penalty, (L1, ElasticNet)) else [penalty.lam, penalty.a * penalty.lam]
    return np.isclose(np.abs(x)[:, None], np.array(knots, float), rtol=1e-8, atol=0).any(axis=1)


def check_same(A, y, penalty, eta, x, other):
    """Two stationary points of a convex objective have the same fit, and the same x if the columns determine it.

    For the remaining gradients e and e' convexity implies
    ||A (x - x')||^2 + eta_2 ||x - x'||^2 <= <e - e', x - x'>.
    """
    gap, eta2 = x - other, getattr(penalty, "eta2", 0.0)
    (left, terms), (left_other, _) = mismatch(A, y, x, penalty, eta), mismatch(A, y, other, penalty, eta)
    allowed = (left + left_other + 1e-14 * terms) @ np.abs(gap)
    assert np.square(A @ gap).sum() + eta2 * np.square(gap).sum() <= 1.01 * allowed
    S = (x != 0) | (other != 0)
    eigenvalues = np.linalg.eigvalsh(A[:, S].T @ A[:, S] + eta2 * np.eye(S.sum())) if S.any() else np.ones(1)
    pinned = eigenvalues[0] > 1e-4 * max(1, eigenvalues[-1])
    if pinned:
        size = max(1, np.abs(x).max())
        np.testing.assert_allclose(other, x, rtol=0, atol=1e-4 * size)
        assert ((x != 0) == (other != 0))[np.abs(x) + np.abs(other) > 2e-4 * size].all()
    return pinned


def check_divergence(problem, A, y, etas, found):
    """Stein's divergence against differences of the fit, exact while no coordinate changes its segment.

    Returns the number of levels compared.
    """
    penalty, compared, step = problem.penalty, 0, 1e-6 * np.linalg.norm(y)
    shifted = [
        [stationary_points(A, y + sign * step * unit, penalty, etas) for sign in (1, -1)] for unit in np.eye(len(y))
    ]
    for k in np.flatnonzero(found.converged):
        x, eta = found.x[:, k], etas[k]
        S = x != 0
        moved = [z[:, k] for pair in shifted for z in pair]
        same = [
            np.array_equal(np.sign(z), np.sign(x)) and np.array_equal(bend(penalty, z, eta), bend(penalty, x, eta))
            for z in moved
        ]
        hessian = A[:, S].T @ A[:, S] + np.diag(bend(penalty, x, eta)[S])
        if not all(same) or near_knot(penalty, x).any() or (S.any() and np.linalg.cond(hessian) > 1e8):
            continue
        measured = sum((A @ (up - down)[:, k])[mu] / (2 * step) for mu, (up, down) in enumerate(shifted)) / len(y)
        formula = stein_divergence(A, x, curvature(x, found.chi[:, k], found.Q_hat[:, k]))
        np.testing.assert_allclose(formula, measured, rtol=1e-4, atol=1e-6)
        compared += 1
    return compared


def check_problem(problem):
    """Run all checks of one problem. Returns how much was compared."""
    A, y = problem.data()
    penalty, etas = problem.penalty, problem.etas(A, y)
    convex, seen = isinstance(penalty, (L1, ElasticNet)), Counter(problems=1, levels=etas.size)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        direct = stationary_path(A, y, penalty, etas)
        points = stationary_points(A, y, penalty, etas)
        bp = belief_propagation(A, y, penalty, etas, tol=BP_TOLERANCE, max_steps=1000)
    check_claims(A, penalty, direct)
    check_claims(A, penalty, bp)
    for k, eta in enumerate(etas):
        seen["direct " + direct.status[k]] += 1
        seen["bp " + bp.status[k]] += 1
        for x, kkt in ((direct.x[:, k], direct.kkt[k]), (points[:, k], None)):
            if np.isfinite(x).all():
                violated, terms = mismatch(A, y, x, penalty, eta)
                assert (violated <= ROUNDING * terms + TIE * np.abs(A.T @ y).max()).all()
                assert kkt is None or abs(kkt - violated.max()) <= ROUNDING * terms.max()
            else:  # a convex problem with columns in general position is always solved
                assert eta == 0 or not convex or not problem.columns <= {"scaled"}
        if bp.converged[k]:
            violated, terms = mismatch(A, y, bp.x[:, k], penalty, eta)
            assert (violated <= 10 * BP_TOLERANCE + ROUNDING * terms).all()
        if convex and bp.converged[k] and direct.converged[k]:
            seen["the same fit"] += 1
            seen["the same x"] += check_same(A, y, penalty, eta, direct.x[:, k], bp.x[:, k])
    if len(y) <= 8 and y.any():
        seen["divergences"] += check_divergence(problem, A, y, etas, direct)
    return seen


def test_random_problems():
    seen = Counter()

    @settings(
        max_examples=EXAMPLES, derandomize=True, database=None, deadline=None, suppress_health_check=[*HealthCheck]
    )
    @given(PROBLEMS)
    def check(problem):
        seen.update(check_problem(problem))

    check()
    assert seen["direct converged"] > 0.5 * seen["levels"] and seen["bp converged"] > 0.5 * seen["levels"]
    assert min(seen["direct no_fixed_point"], seen["bp max_steps"], seen["the same x"], seen["divergences"]) > 50, (
        seen
    )


def found(M, N, seed, columns, penalty, lowest, levels, **change):
    usual = {"response": "noise", "unit": 1.0, "highest": 0.85, "to_zero": False}
    return Problem(M, N, seed, frozenset(columns), penalty=penalty, lowest=lowest, levels=levels, **usual | change)


ONCE_WRONG = {
    "mixing overflows, l1": found(6, 33, 936382916, {"collinear", "duplicated"}, L1(), 0.013, 6, unit=1e-3, to_zero=True),
    "mixing overflows, SCAD": found(5, 147, 662043427, {"integer"}, SCAD(5.28, 4.36), 0.0376, 3, highest=0.737, to_zero=True),
    "mixing overflows, MCP": found(3, 102, 1907366932, {"collinear"}, MCP(10.0, 8.87), 0.0167, 6, response="planted", highest=0.737, to_zero=True),
    "BP with Q down to zero": found(3, 143, 2378885231, {"integer"}, L1(), 0.0242, 2, unit=1e-3, highest=0.8432),
    "BP on opposite columns": found(1, 3, 4257397367, {"integer"}, ElasticNet(3.9), 0.0053, 4),
    "converged with |S| = M": found(3, 7, 7, {}, L1(), 0.001, 3, highest=0.75),
    "one row, more sweeps do not help": found(1, 19, 16, {}, L1(), 0.001, 2, highest=1.0),
}  # fmt: skip


@pytest.mark.parametrize("problem", ONCE_WRONG.values(), ids=ONCE_WRONG)
def test_problems_that_were_wrong_once(problem, capfd):
    check_problem(problem)
    assert capfd.readouterr() == ("", "")  # LAPACK complains on its own


def test_lasso_on_one_row():
    """Only the largest entry a enters: x = (|a y| - eta) / a^2 with the sign of a y."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        A, y = rng.standard_normal((1, 19)), rng.standard_normal(1)
        largest = np.abs(A[0]).argmax()
        a = A[0, largest]
        etas = np.abs(a * y) * [1.01, 0.001]
        exact = np.zeros((19, 2))
        exact[largest] = np.sign(a * y) * np.maximum(np.abs(a * y) - etas, 0) / a**2
        np.testing.assert_allclose(stationary_points(A, y, L1(), etas), exact, rtol=1e-9)
