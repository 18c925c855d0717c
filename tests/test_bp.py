"""Belief propagation against independent solvers, against its plain form, and against the paper's misprints."""

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest
from sklearn.linear_model import ElasticNet as SklearnElasticNet
from sklearn.linear_model import Lasso
from solver_cases import each_design, each_penalty
from solver_cases import sample as problem

from sparsegdf.ensembles.ensemble import Ensemble
from sparsegdf.ensembles.iid import IID
from sparsegdf.penalties.elastic_net import ElasticNet
from sparsegdf.penalties.l0 import L0
from sparsegdf.penalties.l1 import L1
from sparsegdf.penalties.mcp import MCP
from sparsegdf.penalties.scad import SCAD
from sparsegdf.solvers.belief_propagation import _curvature_product, _mean_steps, belief_propagation
from sparsegdf.solvers.direct import stationary_path
from sparsegdf.solvers.fixed_points import STATUSES, kkt_violation
from sparsegdf.solvers.plain_bp import belief_propagation_reference

SAFE_DAMPING = {"iid": 0.9, "ar1": 0.6, "block": 0.12}


def divergence(A, fixed, k):
    """tr A_S (A_S^T A_S + D)^-1 A_S^T / M at level k, D the curvature of r on each segment: d yhat / d y."""
    S = fixed.x[:, k] != 0
    D = 1 / fixed.chi[S, k] - fixed.Q_hat[S, k]
    G = A[:, S].T @ A[:, S]
    return np.trace(np.linalg.solve(G + np.diag(D), G)) / A.shape[0]


# --- the right fixed point -------------------------------------------------------------------------------------


@each_design
@pytest.mark.parametrize("eta2", [0.0, 0.1])
def test_l1_and_elastic_net_agree_with_scikit_learn(design, eta2):
    A, y, etas = problem(design, lowest=0.1)
    fixed = belief_propagation(A, y, ElasticNet(eta2) if eta2 else L1(), etas)
    assert fixed.converged.all()
    assert fixed.delta[-1] > 0.6
    M = len(y)
    for k, eta in enumerate(etas):
        common = {"fit_intercept": False, "tol": 1e-13, "max_iter": 100_000}
        if eta2:
            peer = SklearnElasticNet(alpha=(eta + eta2) / M, l1_ratio=eta / (eta + eta2), **common)
        else:
            peer = Lasso(alpha=eta / M, **common)
        x = peer.fit(A, y).coef_
        np.testing.assert_allclose(fixed.x[:, k], x, rtol=0, atol=2e-6)
        assert ((fixed.x[:, k] != 0) == (np.abs(x) > 1e-6)).all()


@each_design
@each_penalty
def test_agrees_with_the_plain_form_in_means_and_variances(design, penalty):
    A, y, etas = problem(design)
    fixed = belief_propagation(A, y, penalty, etas)
    plain = belief_propagation_reference(A, y, penalty, etas, damping=SAFE_DAMPING[design])
    assert fixed.converged.all() and plain.converged.all()
    for name in ("x", "chi", "Q_hat"):
        np.testing.assert_allclose(getattr(fixed, name), getattr(plain, name), rtol=0, atol=1e-8)
    for name in ("delta", "delta_eff", "delta_eff_sum"):
        np.testing.assert_allclose(getattr(fixed, name), getattr(plain, name), rtol=0, atol=1e-10)


@each_design
@each_penalty
def test_converged_means_stationary_and_self_consistent(design, penalty):
    A, y, etas = problem(design, lowest=0.05, levels=14)
    fixed = belief_propagation(A, y, penalty, etas)
    assert fixed.converged[:7].all()  # iid SCAD a = 5 is unstable beyond delta = 0.55, whatever the damping
    assert set(fixed.status) <= set(STATUSES)
    assert ((fixed.status == "converged") == fixed.converged).all()
    assert (fixed.residual[fixed.converged] < 1e-10).all()
    for k in np.flatnonzero(fixed.converged):
        x, chi, Q = fixed.x[:, k], fixed.chi[:, k], fixed.Q_hat[:, k]
        assert fixed.kkt[k] == kkt_violation(A, y, x, penalty, etas[k]) <= 1e-9
        np.testing.assert_allclose(Q, (A**2).T @ (1 / (1 + A**2 @ chi)), rtol=1e-10)
        again, variance = penalty.estimate(Q * x + A.T @ (y - A @ x), Q, etas[k])
        np.testing.assert_allclose(again, x, rtol=0, atol=1e-7)
        np.testing.assert_allclose(variance, chi, rtol=1e-10)
        assert fixed.delta[k] == np.count_nonzero(x) / len(y)
        assert fixed.delta_eff[k] == pytest.approx(chi.sum() / len(y) * Q.mean())
        assert fixed.delta_eff_sum[k] == pytest.approx(chi @ Q / len(y))


def one_path(index):
    A, y, etas = problem("ar1", index, M=40, N=80)
    fixed = belief_propagation(A, y, SCAD(5, 1), etas)
    return b"".join(getattr(fixed, name).tobytes() for name in ("x", "chi", "Q_hat", "steps", "kkt"))


def test_same_bytes_whatever_the_chunks_and_the_number_of_cores():
    expected = [one_path(index) for index in range(8)]
    assert [one_path(index) for index in reversed(range(8))] == expected[::-1]
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        assert list(pool.map(one_path, range(8), chunksize=1)) == expected
        assert list(pool.map(one_path, range(8), chunksize=7)) == expected


# --- damping ---------------------------------------------------------------------------------------------------


def test_a_fixed_damping_is_honoured_and_follows_the_plain_form():
    A, y, etas = problem("block")
    for damping in (0.12, 0.06):
        fixed = belief_propagation(A, y, L1(), etas, damping=damping)
        plain = belief_propagation_reference(A, y, L1(), etas, damping=damping)
        assert fixed.converged.all() and (fixed.damping == damping).all()
        np.testing.assert_allclose(fixed.steps, plain.steps, rtol=0.2)


def test_a_small_damping_does_not_pass_for_convergence():
    A, y, etas = problem("iid")
    fixed = belief_propagation(A, y, L1(), etas, damping=0.005)
    assert fixed.converged.all() and (fixed.kkt <= 1e-9).all()


def test_adapted_damping_reaches_the_fixed_point_in_fewer_steps():
    A, y, etas = problem("block", lowest=0.1)
    adapted = belief_propagation(A, y, L1(), etas)
    fixed = belief_propagation(A, y, L1(), etas, damping=0.12)
    assert adapted.converged.all() and fixed.converged.all()
    assert 3 * adapted.steps.sum() < fixed.steps.sum()
    assert ((adapted.damping > 0) & (adapted.damping <= 1)).all()


@pytest.mark.parametrize(
    "design, most",
    [("iid", (275, 347, 317, 248)), ("ar1", (304, 324, 343, 277)), ("block", (258, 283, 297, 237))],
)
def test_the_number_of_steps_does_not_grow(design, most):
    """Adapted damping keeps the number of steps low. The limits are the numbers when this was written plus 5 %."""
    A, y, _ = problem(design)
    A = A * np.linspace(0.7, 1.4, A.shape[1])
    steps = []
    for penalty in (L1(), SCAD(5, 1), MCP(12, 1), ElasticNet(0.1)):
        etas = np.max(penalty.eta_at(np.abs(A.T @ y), np.square(A).sum(axis=0))) * np.geomspace(0.95, 0.25, 8)
        found = belief_propagation(A, y, penalty, etas)
        assert found.converged.all()
        steps.append(int(found.steps.sum()))
    assert (np.array(steps) <= most).all(), steps


def test_a_diverging_run_ends_early_and_says_so():
    A, y, etas = problem("block")
    fixed = belief_propagation(A, y, L1(), etas, damping=1.0)
    lost = fixed.status == "diverged"
    assert lost.any() and (fixed.steps[lost] < 1000).all()
    assert np.isnan(fixed.x[:, lost]).all() and np.isnan(fixed.delta[lost]).all()
    assert np.isfinite(fixed.x[:, ~lost]).all()


@pytest.mark.parametrize("damping, fraction", [(1.0, 0.4), (0.9, 0.3)])  # the residual changes, or repeats itself
def test_a_cycling_run_ends_early_and_says_so(damping, fraction):
    A, y, _ = problem("iid")
    fixed = belief_propagation(A, y, L0(), [fraction * np.abs(A.T @ y).max() ** 2], damping=damping)
    assert fixed.status[0] == "cycling" and 2000 < fixed.steps[0] < 2500
    assert fixed.residual[0] > 1e-4


def test_what_cycles_at_the_first_margin_is_not_tried_again():
    """Adapted damping where there is no fixed point: it waits for 2000 steps once, not once for each margin."""
    A, y = Ensemble(IID(), 100, 200, seed=11).sample(0)
    fixed = belief_propagation(A, y, SCAD(5, 1), np.linspace(2.2, 0.1, 22))
    lost = ~fixed.converged
    assert lost.any() and (fixed.status[lost] == "cycling").all()
    assert fixed.steps[lost].max() < 2500


@pytest.mark.parametrize("solve", [belief_propagation, belief_propagation_reference, stationary_path])
@pytest.mark.parametrize("penalty", ["l1", L1])
def test_what_is_no_penalty_is_refused(solve, penalty):
    A, y, etas = problem("iid")
    with pytest.raises(ValueError, match="is not a sparsegdf penalty"):
        solve(A, y, penalty, etas)


def test_running_out_of_steps_is_reported():
    A, y, etas = problem("block")
    fixed = belief_propagation(A, y, L1(), etas[-1:], max_steps=20)
    assert fixed.status[0] == "max_steps" and fixed.steps[0] == 20 and not fixed.converged[0]


@pytest.mark.parametrize("n", [1, 3, 4, 6])
def test_kernels_stay_within_their_arrays(n):
    """Run as plain Python, where an index out of range is an error, with a last group of fewer than four columns."""
    rng = np.random.default_rng(n)
    A = rng.normal(size=(9, 7))
    AT, members = np.ascontiguousarray(A.T), rng.permutation(7)[:n]
    work = np.concatenate([members, np.repeat(members[-1:], -n % 4)])
    V, root, p = rng.uniform(0.2, 1, 9), rng.uniform(0.5, 2, n), rng.normal(size=n)
    scaled = A[:, members] * root
    found = _curvature_product.py_func(AT, work, n, V, root, p)
    np.testing.assert_allclose(found, scaled.T @ (V * (scaled @ p)), rtol=1e-12)
    # One step over these columns, from anywhere, with l1-like segments.
    y, x, R, Q = rng.normal(size=9), np.zeros(7), rng.normal(size=9), rng.uniform(1, 2, 7)
    x[members] = rng.normal(size=n)
    gamma, rho, fit, field = 0.7, 0.8, A @ x, A.T @ R
    start, slope, intercept = np.full((1, n), 0.6), 1 / Q[None, members], -0.6 / Q[None, members]
    after, moved = x.copy(), R + rho * V * (y - A @ x - R)
    h = Q[members] * x[members] + A[:, members].T @ moved
    estimate = np.sign(h) * np.maximum(np.abs(h) - 0.6, 0) / Q[members]
    after[members] += gamma * (estimate - x[members])
    worst = np.abs(estimate - x[members]).max()
    segment, move = np.full(7, -1), np.zeros(7)
    state = (x, field, segment, move, R, fit, gamma, rho, 1e-10, 1e3, 1)
    assert _mean_steps.py_func(AT, work, n, y, V, Q, start, slope, intercept, *state) == (1, pytest.approx(worst))
    np.testing.assert_allclose(np.r_[x, R, fit], np.r_[after, moved, A @ after], rtol=1e-12)
    assert (segment[members] == np.where(estimate != 0, 0, -1)).all()


# --- l0: not converging is the result --------------------------------------------------------------------------


def test_l0_does_not_converge_undamped_where_the_other_penalties_do():
    A, y = Ensemble(IID(), 500, 1000, seed=1).sample(0)
    largest = np.abs(A.T @ y).max()
    fractions = np.geomspace(0.4, 0.05, 6)
    l0 = belief_propagation(A, y, L0(), fractions * largest**2 / 2, damping=1.0)
    assert not l0.converged.any()
    l1 = belief_propagation(A, y, L1(), np.sqrt(fractions) * largest, damping=1.0)
    assert l1.converged.all() and l1.delta[-1] > 0.4


def test_l0_where_damping_makes_it_stop_depends_on_the_damping():
    """Damped BP stops at some levels, in states that depend on the damping, as replica symmetry breaking predicts."""
    stopped, agreed = [], []
    for index in range(3):
        A, y = Ensemble(IID(), 200, 400, seed=1).sample(index)
        etas = np.geomspace(0.25, 0.05, 4) * np.abs(A.T @ y).max() ** 2 / 2
        runs = [belief_propagation(A, y, L0(), etas, damping=damping) for damping in (0.5, 0.2, None)]
        stopped += [run.converged for run in runs]
        for one, other in ((0, 1), (0, 2), (1, 2)):
            both = runs[one].converged & runs[other].converged
            agreed += [np.allclose(runs[one].x[:, k], runs[other].x[:, k], atol=1e-6) for k in np.flatnonzero(both)]
    assert np.mean(stopped) < 0.8
    assert not all(agreed)


# --- the misprints: each of these fails if it is put back --------------------------------------------------------


@each_design
def test_without_the_onsager_term_bp_solves_another_problem(design):
    A, y, etas = problem(design, levels=4)
    printed = belief_propagation_reference(
        A, y, ElasticNet(0.1), etas, damping=SAFE_DAMPING[design], max_steps=5000, onsager=False
    )
    fixed = belief_propagation(A, y, ElasticNet(0.1), etas)
    assert (fixed.kkt < 1e-9).all()
    # Where it converges, every penalty is larger by about 1 + sigma^2, so x is sparser and not stationary.
    sparse = fixed.delta > 0.1
    assert (printed.kkt[sparse] > 0.05).all()
    assert (printed.delta[sparse] < fixed.delta[sparse]).all()


def test_one_over_alpha_does_not_belong_in_sigma2():
    A, y, etas = problem("iid", M=200, N=400, levels=4)
    arguments = (A, y, ElasticNet(0.1), etas)
    printed = belief_propagation_reference(*arguments, damping=0.5, sigma2_over_alpha=True)
    fixed = belief_propagation(*arguments)
    np.testing.assert_allclose(printed.x, fixed.x, rtol=0, atol=1e-8)  # hidden in x: only the variances move
    trace = [divergence(A, fixed, k) for k in range(4)]
    np.testing.assert_allclose(fixed.delta_eff_sum, trace, atol=0.01)
    assert np.abs(printed.delta_eff_sum - trace).max() > 0.03
    assert np.abs(printed.delta_eff - trace).max() > 0.03


@each_design
@each_penalty
def test_delta_eff_counts_chi_per_row(design, penalty):
    """With (1/N) sum chi, as printed, delta_eff would be alpha = 1/2 of the true degrees of freedom."""
    A, y, etas = problem(design, M=200, N=400, levels=4)
    fixed = belief_propagation(A, y, penalty, etas)
    trace = [divergence(A, fixed, k) for k in range(4)]
    np.testing.assert_allclose(fixed.delta_eff, trace, atol=0.04)
    np.testing.assert_allclose(fixed.delta_eff_sum, trace, atol=0.04)


def test_effective_is_the_support_for_l1():
    A, y, etas = problem("ar1")
    fixed = belief_propagation(A, y, L1(), etas)
    np.testing.assert_allclose(fixed.delta_eff_sum, fixed.delta, rtol=1e-9)


@each_design
def test_scad_variance_lives_on_either_outer_branch(design):
    A, y, etas = problem(design, M=200, N=400, levels=4)
    arguments = (A, y, SCAD(5, 1), etas)
    printed = belief_propagation_reference(
        *arguments, damping=SAFE_DAMPING[design] / 2, max_steps=5000, scad_chi_and=True
    )
    fixed = belief_propagation(*arguments)
    trace = np.array([divergence(A, fixed, k) for k in range(4)])
    assert np.abs(fixed.delta_eff_sum - trace).max() < 0.04
    assert not printed.converged[-1] or printed.delta_eff_sum[-1] < trace[-1] - 0.05


def test_support_is_counted_on_exact_zeros():
    A, y, etas = problem("iid")
    fixed = belief_propagation(A, y, L1(), etas, damping=0.3)
    smallest = [np.abs(x[x != 0]).min() for x in fixed.x.T if x.any()]
    assert min(smallest) > 1e-6
    np.testing.assert_array_equal(fixed.x != 0, fixed.chi != 0)


# --- bad input -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"A": np.ones(5)}, "A has shape"),  # test_checks.py has all that is refused of A, y and etas
        ({"etas": [0.5, 1.0]}, "unsorted"),
        ({"damping": 0.0}, "damping"),
        ({"damping": 1.5}, "damping"),
        ({"tol": 0.0}, "tol"),
        ({"max_steps": 0}, "max_steps"),
    ],
)
def test_bad_input_is_named(change, named):
    rng = np.random.default_rng(0)
    good = {"A": rng.standard_normal((6, 4)), "y": rng.standard_normal(6), "penalty": L1(), "etas": [1.0, 0.5]}
    with pytest.raises(ValueError, match=named):
        belief_propagation(**good | change)
