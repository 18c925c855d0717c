"""l0 beyond replica symmetry: every formula against a computation that does not use it."""

from dataclasses import replace
from itertools import combinations

import numba
import numpy as np
import pytest
from scipy.optimize import brentq, root
from scipy.special import erfc, erfcinv, gammaln, log_expit
from scipy.stats import beta

from sparsegdf.theory import one_step_rsb as l0_rsb
from sparsegdf.theory.one_step_rsb import (
    l0_1rsb_curve,
    l0_first_moment_bound,
    solve_l0_1rsb,
)

ORDER = ("chi", "q0", "q1", "chi_hat0", "chi_hat1", "Q_hat")
POINTS = [(0.5, 0.02), (0.5, 0.2), (0.5, 0.4), (0.1, 0.1), (1.0, 0.3), (2.0, 0.2)]


def rs_df(alpha, delta):
    """The paper's S1: df = delta + omega/alpha with rho = erfc(theta)."""
    theta = erfcinv(alpha * delta)
    return delta + 2 * theta * np.exp(-(theta**2)) / np.sqrt(np.pi) / alpha


def free_entropy(mu, chi, q0, q1, chi_hat0, chi_hat1, Q_hat, *, alpha, eta, variance=1.0):
    """Phi(mu) of the module's docstring at any order parameters, stationary or not."""
    B = 1 + chi + mu * (q1 - q0)
    c, lam, T = chi_hat0 / chi_hat1, mu * chi_hat1 / Q_hat, np.sqrt(2 * eta * Q_hat / chi_hat1)
    site = l0_rsb._site(1 - c, c, 1 - lam * (1 - c), lam, T, 2 * l0_rsb._NODES)
    return (
        -alpha / 2 * np.log(B / (1 + chi))
        - alpha * mu / 2 * (q0 + variance) / B
        + alpha * mu / 2 * (q1 * Q_hat - chi * chi_hat1)
        - alpha * mu**2 / 2 * (q1 * chi_hat1 - q0 * chi_hat0)
        + site.log_weight
    )


def solution_at(mu, *, alpha, delta, variance=1.0):
    """The solution at a given mu, by small steps in ln mu from the ground state: its complexity is not zero."""
    start = l0_rsb._position(*l0_rsb._ANCHOR)
    state = before = l0_rsb._follow(l0_rsb._ANCHOR_STATE, start, l0_rsb._position(alpha, delta))
    log_mu = lambda state: state[2] - log_expit(state[0])
    path = np.linspace(log_mu(state), np.log(mu * variance), 2 + int(10 * abs(log_mu(state) - np.log(mu * variance))))

    def equations(state, goal):
        v, c, r, lam, T = l0_rsb._unpack(state)
        site = l0_rsb._site(v, c, r, lam, T)
        return np.array([np.log(site.rho / (alpha * delta)), 1 - r * site.spread / (alpha * v), log_mu(state) - goal])

    for goal in path[1:]:
        state, before = l0_rsb._newton(lambda u, goal=goal: equations(u, goal), 2 * state - before), state
    return l0_rsb._result(state, alpha, delta, variance)


def phi_of(result, **changes):
    """Phi at the parameters of the result, with some of them changed."""
    values = {name: getattr(result, name) for name in (*ORDER, "mu", "alpha", "eta", "variance")} | changes
    return free_entropy(**values)


def partial(result, name, relative=1e-5):
    """dPhi/d ln(name) at fixed other parameters."""
    value = getattr(result, name)
    up, down = (phi_of(result, **{name: value * (1 + s * relative)}) for s in (1, -1))
    return (up - down) / (2 * relative)


def assert_stationary(result):
    """Phi is stationary in every order parameter, on the scale of its change when the parameter moves by 1 %."""
    for name in ORDER:
        moved = replace(result, **{name: 1.01 * getattr(result, name)})
        assert abs(partial(result, name)) < 1e-5 * abs(partial(moved, name)), name


def brute_averages(result):
    """rho, int<x^2>, int<x>^2, int ln int exp(mu phi) by the trapezoid rule in z and t, from the definitions."""
    z, t = np.linspace(-8, 8, 301), np.linspace(-40, 40, 16001)
    averages = np.zeros(4)
    for z_i in z:
        h = np.sqrt(result.chi_hat0) * z_i + np.sqrt(result.chi_hat1 - result.chi_hat0) * t
        phi = np.maximum(0.0, h * h / (2 * result.Q_hat) - result.eta)
        x = np.where(phi > 0, h / result.Q_hat, 0.0)
        exponent = result.mu * phi - t * t / 2
        weight = np.exp(exponent - exponent.max())
        log_total = exponent.max() + np.log(weight.sum() * (t[1] - t[0]) / np.sqrt(2 * np.pi))
        weight /= weight.sum()
        inner = [weight @ (phi > 0), weight @ x**2, (weight @ x) ** 2, log_total]
        averages += np.array(inner) * np.exp(-z_i * z_i / 2) * (z[1] - z[0]) / np.sqrt(2 * np.pi)
    return averages


@pytest.mark.parametrize("alpha, delta", POINTS)
def test_zero_complexity_solution_makes_phi_stationary(alpha, delta):
    result = solve_l0_1rsb(alpha=alpha, delta=delta)
    assert result.converged and result.status == "ok" and result.residual < 1e-10
    assert abs(result.complexity) < 1e-10
    assert result.q1 > result.q0 > 0 and result.chi_hat1 > result.chi_hat0 > 0
    assert_stationary(result)


@pytest.mark.parametrize("mu", [0.3, 2.0, 9.0])
def test_given_mu_is_stationary_and_sigma_is_the_legendre_transform(mu):
    result = solution_at(mu, alpha=0.5, delta=0.15)
    assert result.mu == pytest.approx(mu, rel=1e-9)
    assert_stationary(result)
    rho = result.alpha * result.delta
    energy = result.alpha * result.err_train / 2 + result.eta * rho
    assert partial(result, "mu") == pytest.approx(-mu * energy, rel=1e-7)
    assert partial(result, "eta") == pytest.approx(-mu * result.eta * rho, rel=1e-7)
    assert result.complexity == pytest.approx(phi_of(result) - partial(result, "mu"), abs=1e-7)


@pytest.mark.parametrize("mu, delta", [(1.0, 0.1), (3.0, 0.2), (8.0, 0.3)])
def test_closed_forms_agree_with_brute_quadrature(mu, delta):
    result = solution_at(mu, alpha=0.5, delta=delta)
    rho, x_square, mean_square, log_weight = brute_averages(result)
    # The trapezoid rule sees the jump of x only to its grid spacing.
    assert rho == pytest.approx(0.5 * delta, rel=5e-4)
    assert x_square == pytest.approx(0.5 * result.q1, rel=5e-4)
    assert mean_square == pytest.approx(0.5 * result.q0, rel=5e-4)
    B = 1 + result.chi + mu * (result.q1 - result.q0)
    phi = (
        -0.25 * np.log(B / (1 + result.chi))
        - 0.25 * mu * (result.q0 + 1) / B
        + 0.25 * mu * (result.q1 * result.Q_hat - result.chi * result.chi_hat1)
        - 0.25 * mu**2 * (result.q1 * result.chi_hat1 - result.q0 * result.chi_hat0)
        + log_weight
    )
    assert phi_of(result) == pytest.approx(phi, abs=1e-6)
    assert result.complexity == pytest.approx(
        phi + mu * (0.25 * result.err_train + result.eta * 0.5 * delta), abs=1e-6
    )


def test_quadrature_error_is_below_the_tolerance():
    state = l0_rsb._follow(l0_rsb._ANCHOR_STATE, l0_rsb._position(0.5, 0.2), l0_rsb._position(0.5, 0.01))
    coarse, fine = (l0_rsb._site(*l0_rsb._unpack(state), nodes)._asdict() for nodes in (l0_rsb._NODES, 1000))
    for name, value in fine.items():
        assert coarse[name] == pytest.approx(value, rel=1e-11, abs=1e-13), name


@pytest.mark.parametrize("alpha, delta", [(0.5, 0.02), (0.5, 0.2), (1.0, 0.1)])
@pytest.mark.parametrize("ends", [(1e-2, 1e-4), (1e2, 1e4)])
def test_both_ends_of_mu_are_replica_symmetric(alpha, delta, ends):
    gaps = [abs(solution_at(mu, alpha=alpha, delta=delta).df - rs_df(alpha, delta)) for mu in ends]
    assert gaps[1] < 3e-5
    assert gaps[1] < 0.05 * gaps[0]


def test_phi_without_breaking_is_the_replica_symmetric_free_energy():
    alpha, eta, chi, q, chi_hat, Q_hat, mu = 0.5, 1.1, 0.7, 0.8, 0.45, 0.6, 1.7
    theta = np.sqrt(eta * Q_hat / chi_hat)
    jump = 2 * theta * np.exp(-(theta**2)) / np.sqrt(np.pi)
    pi = chi_hat / Q_hat * (jump + (1 - 2 * theta**2) * erfc(theta))
    f = alpha * (q + 1) / (2 * (1 + chi)) - alpha * (q * Q_hat - chi * chi_hat) / 2 - pi / 2
    phi = free_entropy(mu, chi, q, q, chi_hat * (1 - 1e-9), chi_hat, Q_hat, alpha=alpha, eta=eta)
    assert -phi / mu == pytest.approx(f, abs=1e-8)


@pytest.mark.parametrize("alpha, delta", POINTS)
def test_df_by_three_routes(alpha, delta):
    result = solve_l0_1rsb(alpha=alpha, delta=delta)
    # Field kappa: y in the free energy becomes (1 - kappa) y, and sigma^2 kappa (2 - kappa)/2 per row is added.
    step = 1e-4
    energy = [-phi_of(result, variance=(1 - k) ** 2) / result.mu + alpha * k * (2 - k) / 2 for k in (step, -step)]
    assert result.df == pytest.approx((energy[0] - energy[1]) / (2 * step) / alpha, rel=1e-6)
    # Least squares on any support has y.residual = |residual|^2.
    assert result.err_train == pytest.approx(1 - result.df, rel=1e-9)
    assert result.err_train == pytest.approx(result.chi_hat1, rel=1e-12)
    # eta is the price of a column: d(alpha err_train/2)/d rho = -eta along the curve, so d df/d delta = 2 eta.
    near = [solve_l0_1rsb(alpha=alpha, delta=delta * s).df for s in (1.001, 0.999)]
    assert (near[0] - near[1]) / (0.002 * delta) == pytest.approx(2 * result.eta, rel=1e-5)


@pytest.mark.parametrize("delta", [0.05, 0.2])
def test_zero_complexity_is_the_best_lower_bound_on_the_error(delta):
    result = solve_l0_1rsb(alpha=0.5, delta=delta)

    def bound(mu):
        at = solution_at(mu, alpha=0.5, delta=delta)
        return at.err_train - 2 * at.complexity / (0.5 * mu)

    assert result.err_train > max(bound(0.9 * result.mu), bound(1.1 * result.mu))
    assert result.err_train > 1 - rs_df(0.5, delta)
    assert solution_at(0.9 * result.mu, alpha=0.5, delta=delta).complexity > 0
    assert solution_at(1.1 * result.mu, alpha=0.5, delta=delta).complexity < 0


@pytest.mark.parametrize("alpha", [0.1, 0.5, 1.0, 2.0])
def test_one_step_curve_is_below_rs_and_the_first_moment_bound(alpha):
    largest = min(1.0, 1 / alpha)
    curve = l0_1rsb_curve(alpha=alpha, deltas=largest * np.array([0.01, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8]))
    assert curve.converged.all() and len(curve) == 7 and (curve.variance == 1).all()
    assert (curve.df < curve.df_bound).all()
    assert (curve.df < np.minimum(1, [rs_df(alpha, d) for d in curve.delta])).all()
    assert (curve.df > curve.delta).all() and (np.diff(curve.df) > 0).all()


def test_known_numbers_at_alpha_one_half():
    assert rs_df(0.5, 0.248) == pytest.approx(1.0, abs=2e-3)
    assert solve_l0_1rsb(alpha=0.5, delta=0.248).df == pytest.approx(0.863178, abs=1e-6)
    assert solve_l0_1rsb(alpha=0.5, delta=0.2).df == pytest.approx(0.788692, abs=1e-6)
    excess = [rs_df(0.5, d) - l0_first_moment_bound(alpha=0.5, delta=d) for d in (0.208, 0.2082)]
    assert excess[0] < 0 < excess[1]


def test_towards_delta_one_the_first_moment_bound_becomes_tight():
    missing = [
        (1 - l0_first_moment_bound(alpha=0.5, delta=d)) / solve_l0_1rsb(alpha=0.5, delta=d).err_train
        for d in (0.4, 0.6, 0.8)
    ]
    assert np.all(np.diff(missing) > 0) and 0.85 < missing[-1] < 1
    last = solve_l0_1rsb(alpha=0.5, delta=0.95)
    assert last.converged and 0 < last.err_train < 1e-20


@pytest.mark.parametrize("alpha, delta", [(0.5, 0.1), (0.5, 0.5), (0.2, 0.3), (1.5, 0.1)])
def test_first_moment_bound_counts_supports(alpha, delta):
    def log_count(x, n):
        """ln of the expected number of supports with 1 - R^2 <= x, per column, at finite N."""
        k, m = alpha * delta * n, alpha * n
        choose = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
        return (choose + beta.logcdf(x, (m - k) / 2, k / 2)) / n

    sizes = np.array([500, 1000])
    x = [brentq(log_count, 1e-6, 1 - delta, args=(n,)) for n in sizes]
    c = np.log(sizes) / sizes
    limit = 1 - (x[1] - c[1] * (x[1] - x[0]) / (c[1] - c[0]))
    assert l0_first_moment_bound(alpha=alpha, delta=delta) == pytest.approx(limit, abs=2e-3)


def test_no_subset_explains_more_than_all_columns():
    assert l0_first_moment_bound(alpha=2.0, delta=0.3) == 0.5
    assert l0_first_moment_bound(alpha=2.0, delta=0.05) < 0.5


def test_exact_search_extrapolates_to_one_step_rsb():
    alpha, delta = 0.5, 0.2
    sizes, mean = np.array([10, 20, 30]), []
    for n, samples in zip(sizes, (6000, 3000, 1500), strict=True):
        m = n // 2
        k = round(delta * m)
        supports = np.array(list(combinations(range(n), k)))
        rng = np.random.default_rng(n)
        best = np.empty(samples)
        for i in range(samples):
            A, y = rng.standard_normal((m, n)), rng.standard_normal(m)
            gram, b = A.T @ A, (A.T @ y)[supports]
            coef = np.linalg.solve(gram[supports[:, :, None], supports[:, None, :]], b[..., None])[..., 0]
            best[i] = (coef * b).sum(axis=1).max() / (y @ y)
        mean.append(best.mean())
    limit = np.polyfit(np.log(sizes) / sizes, mean, 1)[1]
    one_step = solve_l0_1rsb(alpha=alpha, delta=delta).df
    assert np.all(np.diff(mean) > 0) and max(mean) < one_step
    assert limit == pytest.approx(one_step, abs=0.02)
    assert limit < rs_df(alpha, delta) - 0.05


@numba.njit
def _sample_supports(gram, b, y2, m, mu, eta, sweeps, rng):
    """Metropolis over supports with weight exp(-mu (RSS/2 + eta |S|)): mean RSS/M and |S|/N after a third."""
    n = len(b)
    on = np.zeros(n, numba.boolean)
    L, w = np.zeros((m, m)), np.zeros(m)
    rss, size, total_rss, total_size, count = y2, 0, 0.0, 0.0, 0
    for sweep in range(sweeps):
        for _ in range(n):
            flip = rng.integers(0, n)
            if not on[flip] and size >= m - 1:
                continue
            on[flip] = not on[flip]
            s, new = np.flatnonzero(on), y2
            for i in range(len(s)):  # Cholesky of the Gram matrix, and L w = A_S^T y
                diagonal, w[i] = gram[s[i], s[i]], b[s[i]]
                for j in range(i):
                    L[i, j] = gram[s[i], s[j]]
                    for k in range(j):
                        L[i, j] -= L[i, k] * L[j, k]
                    L[i, j] /= L[j, j]
                    diagonal -= L[i, j] ** 2
                    w[i] -= L[i, j] * w[j]
                L[i, i] = np.sqrt(diagonal)
                w[i] /= L[i, i]
                new -= w[i] ** 2
            if rng.random() < np.exp(-mu * ((new - rss) / 2 + eta * (len(s) - size))):
                rss, size = new, len(s)
            else:
                on[flip] = not on[flip]
        if 3 * sweep >= sweeps:
            total_rss, total_size, count = total_rss + rss / m, total_size + size / n, count + 1
    return total_rss / count, total_size / count


def test_phi_at_finite_mu_agrees_with_monte_carlo():
    """Phi is also the free entropy of all supports at temperature 1/mu, once max(1, e^{mu (..)}) becomes 1 + e^{..}.

    That can be sampled. Only the single-site term differs, so this tests the rest of Phi: Phi is made stationary
    numerically, and its derivatives in mu and eta are compared with the measured averages.
    """
    alpha, mu, eta, n, samples = 0.5, 3.0, 1.2, 100, 100
    z, wz = np.polynomial.hermite_e.hermegauss(100)
    wz = wz / wz.sum()

    def phi(order, mu, eta):
        chi_hat0, chi_hat1, Q_hat = order[3:]
        c, lam, r = chi_hat0 / chi_hat1, mu * chi_hat1 / Q_hat, 1 - mu * (chi_hat1 - chi_hat0) / Q_hat
        site = l0_rsb._site(1 - c, c, r, lam, np.sqrt(2 * eta * Q_hat / chi_hat1), 2 * l0_rsb._NODES)
        log_out = mu * (chi_hat0 * z * z / (2 * Q_hat * r) - eta) - np.log(r) / 2
        exchanged = wz @ np.logaddexp(0, log_out) - site.log_weight
        return free_entropy(mu, *order, alpha=alpha, eta=eta) + exchanged

    def slope(f, x, step=1e-5):
        return (f(x + step) - f(x - step)) / (2 * step)

    def gradient(order):
        return [slope(lambda s, e=e: phi(order + s * e, mu, eta), 0.0) for e in np.eye(6)]

    found = root(gradient, [0.3, 0.7, 1.3, 0.17, 0.32, 0.76], tol=1e-9)
    assert np.max(np.abs(found.fun)) < 1e-8
    rho = -slope(lambda e: phi(found.x, mu, e), eta) / mu
    err = 2 / alpha * (-slope(lambda u: phi(found.x, u, eta), mu) - eta * rho)
    m, measured = n // 2, []
    for seed in range(samples):
        rng = np.random.default_rng(seed)
        A, y = rng.standard_normal((m, n)) / np.sqrt(m), rng.standard_normal(m)
        measured.append(_sample_supports(A.T @ A, A.T @ y, y @ y, m, mu, eta, 150, rng))
    mean, error = np.mean(measured, axis=0), np.std(measured, axis=0) / np.sqrt(samples)
    assert np.all(error < [0.005, 0.003])
    assert mean[0] == pytest.approx(err, abs=0.015)
    assert mean[1] == pytest.approx(rho, abs=0.008)


def test_variance_is_a_unit():
    one, three = (solve_l0_1rsb(alpha=0.5, delta=0.1, variance=s) for s in (1.0, 3.0))
    powers = {"df": 0, "chi": 0, "Q_hat": 0, "complexity": 0, "mu": -1}
    powers |= dict.fromkeys(("eta", "err_train", "q0", "q1", "chi_hat0", "chi_hat1"), 1)
    for name, power in powers.items():
        assert getattr(three, name) == pytest.approx(3.0**power * getattr(one, name), rel=1e-9, abs=1e-12), name
    assert_stationary(three)
    at = solution_at(one.mu / 3, alpha=0.5, delta=0.1, variance=3.0)
    assert at.df == pytest.approx(one.df, abs=1e-10) and abs(at.complexity) < 1e-10


@pytest.mark.parametrize("delta", [1e-30, 1 - 1e-9])
def test_no_solution_is_said_and_not_guessed(delta):
    result = solve_l0_1rsb(alpha=0.5, delta=delta)
    assert not result.converged and "no solution" in result.status
    assert np.isnan(result.df) and np.isnan(result.residual)


def test_a_state_off_the_solution_is_reported():
    result = l0_rsb._result(np.add(l0_rsb._ANCHOR_STATE, 1e-3), 0.5, 0.2, 1.0)
    assert not result.converged and result.residual > 1e-5 and "residual" in result.status


@pytest.mark.parametrize(
    "name, value, allowed",
    [
        ("alpha", 0.0, "> 0"),
        ("alpha", float("nan"), "> 0"),
        ("delta", 0.0, "0 < delta < 1"),
        ("delta", 1.0, "0 < delta < 1"),
        ("delta", "0.2", "not a number"),
        ("variance", -1.0, "> 0"),
    ],
)
def test_bad_arguments_are_named(name, value, allowed):
    arguments = {"alpha": 0.5, "delta": 0.2, "variance": 1.0} | {name: value}
    with pytest.raises(ValueError, match=f"{name} = {value!r} .*{allowed}"):
        solve_l0_1rsb(**arguments)
    if name != "variance":
        del arguments["variance"]
        with pytest.raises(ValueError, match=f"{name} = "):
            l0_first_moment_bound(**arguments)


def test_more_columns_than_there_are_are_refused():
    with pytest.raises(ValueError, match=r"delta = 0.6 .* 0 < delta < 0.5 at alpha = 2"):
        solve_l0_1rsb(alpha=2.0, delta=0.6)
