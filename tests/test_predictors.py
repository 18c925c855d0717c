"""RS theory for predictors that are not iid: against today's solver, other forms of the equations, and simulation."""

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import erfc

from sparsegdf import (
    AR1,
    IID,
    L0,
    L1,
    MCP,
    SCAD,
    Block,
    ElasticNet,
    Ensemble,
    IllConditioned,
    RowOrthogonal,
    Spectrum,
    rs_curve,
    rs_delta_eff,
    rs_stable_range,
    s1_end,
    s1_largest_delta,
    s1_lowest_eta,
    solve_rs,
    stationary_path,
)
from sparsegdf.ensembles.limits import Chain
from sparsegdf.estimators.degrees_of_freedom import stein_divergence
from sparsegdf.solvers.fixed_points import violation
from sparsegdf.theory import chain, chain_curve
from sparsegdf.theory.predictors import Covariance
from sparsegdf.theory.replica_symmetric import branch_beyond_s1
from sparsegdf.theory.single_body import Averages

SMOOTH = [L1(), ElasticNet(eta2=0.1), SCAD(a=8, lam=1.0), MCP(a=9, lam=1.0)]
NUMBERS = ["eta", "df", "err_train", "err_pre", "Q", "chi_hat", "Q_hat", "at", "free_energy", "penalty_mean"]


def marchenko_pastur(alpha, n=300):
    """The spectrum of iid predictors by Gauss's quadrature for the density sqrt((b - l)(l - a)) alpha/(2 pi l)."""
    a, b, angle = (1 - alpha**-0.5) ** 2, (1 + alpha**-0.5) ** 2, np.arange(1, n + 1) * np.pi / (n + 1)
    values = (a + b) / 2 + (b - a) / 2 * np.cos(angle)
    weights = alpha * (b - a) ** 2 * np.sin(angle) ** 2 / (8 * values * (n + 1))
    return Spectrum([*values, 0], [*weights, max(1 - alpha, 0)])


def fixed_point(penalty, spectrum, *, alpha, s2, eta):
    """(c, E[x*^2], Q_hat, chi_hat, g, m2) at a root of the equations as they come from c = <1/(lambda + g)>.

    Iterated from the empty model, with g by bisection: nothing in common with the solver but the averages.
    """
    values, weights = spectrum.eigenvalues, spectrum.weights
    c, square, Q_hat, chi_hat = 0.0, 0.0, weights @ values, s2 * (weights @ values)
    for _ in range(20000):
        got = Averages(penalty.segments(np.array([Q_hat]), np.array([eta])), np.array([chi_hat]))
        move = np.array([got.response[0] - c, got.square[0] - square])
        c, square = np.array([c, square]) + 0.3 * move
        low, high = 1e-15, 1 / c
        for _ in range(200):
            g = np.sqrt(low * high)
            low, high = (g, high) if weights @ (1 / (values + g)) > c else (low, g)
        m2 = weights @ (values + g) ** -2.0
        Q_hat, chi_hat = 1 / c - g, (1 / c**2 - 1 / m2) * square + s2 * (c / m2 - g)
        if (np.abs(move) < 1e-11).all():
            return c, square, Q_hat, chi_hat, g, m2
    raise AssertionError("the iteration does not end")


# --- spectra -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("penalty", [*SMOOTH, L0()], ids=repr)
@pytest.mark.parametrize("alpha", [0.5, 1.6])
def test_the_spectrum_of_iid_predictors_gives_the_solution_for_iid_predictors(penalty, alpha):
    spectrum, problem = marchenko_pastur(alpha), {"alpha": alpha, "mean": 0.3, "variance": 0.8}
    deltas = np.linspace(0.01, 0.95 * min(1, 1 / alpha), 25)
    iid = rs_curve(penalty, deltas=deltas, **problem)
    general = rs_curve(penalty, deltas=deltas, predictors=spectrum, **problem)
    assert (iid.branch == general.branch).all() and general.converged.all()
    s1 = iid.branch == "S1"
    assert s1.sum() > 5
    for name in NUMBERS:
        np.testing.assert_allclose(general[s1][name], iid[s1][name], atol=1e-12, rtol=1e-12, err_msg=name)
    eta = iid.eta[3]
    one, other = (solve_rs(penalty, eta=eta, predictors=p, **problem) for p in (IID(), spectrum))
    for name in ["delta", *NUMBERS]:
        assert getattr(other, name) == pytest.approx(getattr(one, name), rel=1e-11, abs=1e-12), name


@pytest.mark.parametrize("penalty", [SCAD(a=5, lam=1.0), MCP(a=9, lam=1.0)], ids=repr)
def test_ends_and_at_lines_by_the_spectrum_of_iid_predictors(penalty):
    spectrum = marchenko_pastur(0.8)
    for line in (s1_end, s1_largest_delta, s1_lowest_eta, rs_stable_range):
        expected = line(penalty, alpha=0.8)
        assert line(penalty, alpha=0.8, predictors=spectrum) == pytest.approx(expected, rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("design", [RowOrthogonal(), IllConditioned(10.0), IllConditioned(100.0)], ids=repr)
@pytest.mark.parametrize(
    "penalty, eta", [(L1(), 0.3), (ElasticNet(eta2=0.2), 0.2), (SCAD(a=8, lam=1.0), 0.9), (MCP(a=9, lam=1.0), 1.0)]
)
def test_the_equations_in_their_other_form(design, penalty, eta):
    """c, g and m2 as predictors.py eliminates them, err_train by the fit of the linear problem, AT by -dQ_hat/dc."""
    alpha, s2 = 0.6, 1.3
    spectrum = design.limit(alpha)
    found = solve_rs(penalty, alpha=alpha, eta=eta, mean=np.sqrt(0.3), variance=1.0, predictors=design)
    c, square, Q_hat, chi_hat, g, m2 = fixed_point(penalty, spectrum, alpha=alpha, s2=s2, eta=eta)
    assert found.branch == "S1" and found.residual < 1e-12
    assert (found.chi, found.Q) == pytest.approx((c / alpha, square / alpha), rel=1e-7)
    assert (found.Q_hat, found.chi_hat) == pytest.approx((Q_hat, chi_hat), rel=1e-7)
    assert found.df == pytest.approx(c * Q_hat / alpha, rel=1e-7)
    values, weights = spectrum.eigenvalues, spectrum.weights
    tau2 = (square - c**2 * chi_hat) / (1 - c * Q_hat) ** 2
    fit = weights @ (values * (s2 * values + g**2 * tau2) / (values + g) ** 2) / alpha
    assert found.err_train == pytest.approx(s2 * (1 - 2 * found.df) + fit, rel=1e-6)
    mean = Averages(penalty.segments(np.array([Q_hat]), np.array([eta])), np.array([chi_hat]))
    assert found.at == pytest.approx((1 / c**2 - 1 / m2) * mean.response_squared[0], rel=1e-6)
    assert found.err_train != pytest.approx(found.chi_hat, rel=1e-3)


@pytest.mark.parametrize("design", [RowOrthogonal(), IllConditioned(20.0)], ids=repr)
@pytest.mark.parametrize("penalty", [*SMOOTH, L0()], ids=repr)
def test_derivatives_of_the_free_energy(design, penalty):
    """At an extremum only the explicit dependence counts: df/d(s2) = alpha (1 - df)/2, and df/d(eta) = E[dr/d(eta)]."""
    step, problem = 1e-5, {"alpha": 0.5, "predictors": design}
    s = solve_rs(penalty, delta=0.2, **problem)
    up, down = (solve_rs(penalty, eta=s.eta, variance=1 + d, **problem).free_energy for d in (step, -step))
    assert (up - down) / (2 * step) == pytest.approx(0.5 * (1 - s.df) / 2, rel=1e-6)
    up, down = (solve_rs(penalty, eta=s.eta + d, **problem).free_energy for d in (step, -step))
    if not isinstance(penalty, ElasticNet):  # the others are proportional to eta
        assert (up - down) / (2 * step) == pytest.approx(s.penalty_mean / s.eta, rel=1e-6)
    assert s.err_train == pytest.approx(2 * (s.free_energy - s.penalty_mean) / 0.5, rel=1e-10)


@pytest.mark.parametrize("penalty", [*SMOOTH, L0()], ids=repr)
def test_the_saddle_point_is_an_extremum_of_the_free_energy(penalty):
    """f = [alpha s2 - s2 c R(c) + q (R(c) - Q_hat) + c chi_hat]/2 - E[max], R(c) = 1/c - g(c), in all four of its
    arguments; the solver uses no part of it but E[max].
    """
    alpha, spectrum = 0.5, IllConditioned(20.0).limit(0.5)
    s = solve_rs(penalty, alpha=alpha, delta=0.15, predictors=spectrum)

    def free_energy(c, q, Q_hat, chi_hat):
        g = brentq(
            lambda g: spectrum.weights @ (1 / (spectrum.eigenvalues + g)) - c, 1e-9, 1e9, xtol=1e-14, rtol=1e-14
        )
        R = 1 / c - g
        mean = Averages(penalty.segments(np.array([Q_hat]), np.array([s.eta])), np.array([chi_hat]))
        return (alpha - c * R + q * (R - Q_hat) + c * chi_hat) / 2 - mean.maximum[0]

    point = np.array([alpha * s.chi, alpha * s.Q, s.Q_hat, s.chi_hat])
    assert free_energy(*point) == pytest.approx(s.free_energy, rel=1e-9)
    steps = 1e-5 * np.diag(point)

    def slopes(at):
        return np.array([free_energy(*(at + step)) - free_energy(*(at - step)) for step in steps]) / 2e-5

    assert np.abs(slopes(point)).max() < 1e-8 < 1e-3 < np.abs(slopes(1.1 * point)).max()


@pytest.mark.parametrize("alpha", [0.3, 0.7])
def test_row_orthogonal_closed_form(alpha):
    """alpha df = alpha (1 - Q_hat)/(1 - alpha Q_hat), and chi_hat from lambda = 1/alpha or 0."""
    for penalty in SMOOTH:
        for s in (solve_rs(penalty, alpha=alpha, delta=d, predictors=RowOrthogonal()) for d in (0.05, 0.3, 0.6)):
            p = alpha * (1 - s.Q_hat) / (1 - alpha * s.Q_hat)
            assert alpha * s.df == pytest.approx(p, rel=1e-10)
            x = (1 - p / alpha) ** 2
            weight = alpha * x / (alpha * x + 1 - alpha)
            moved = weight * (1 / alpha - s.Q_hat) ** 2 + (1 - weight) * s.Q_hat**2
            assert s.chi_hat == pytest.approx(moved * alpha * s.Q + weight / alpha, rel=1e-10)


def test_orthonormal_columns_are_scalar_problems():
    """A^T A = I (alpha > 1): x = S(A^T y), so that soft thresholding says everything."""
    alpha, eta, s2 = 2.0, 0.7, 1.3
    s = solve_rs(L1(), alpha=alpha, eta=eta, mean=0.5, variance=s2 - 0.25, predictors=RowOrthogonal())
    z = eta / np.sqrt(s2)
    rho, density = erfc(z / np.sqrt(2)), np.sqrt(2 / np.pi) * np.exp(-(z**2) / 2)
    square = s2 * ((1 + z**2) * rho - z * density)
    assert (s.Q_hat, s.chi_hat) == pytest.approx((1, s2), rel=1e-13)
    assert (s.df, s.Q, s.at) == pytest.approx((rho / alpha, square / alpha, 0), rel=1e-12, abs=1e-12)
    # ||y - A x||^2 = ||y||^2 - 2 x.(A^T y) + ||x||^2, and E[h x*] = s2 rho
    assert s.err_train == pytest.approx(s2 - 2 * s2 * rho / alpha + square / alpha, rel=1e-12)


@pytest.mark.parametrize("penalty", [L1(), L0()], ids=repr)
def test_l1_and_l0_have_the_same_curve_for_every_spectrum(penalty):
    deltas, rng = np.linspace(0.005, 0.24, 20), np.random.default_rng(4)
    spectra = [RowOrthogonal(), IllConditioned(50.0), Spectrum([*rng.exponential(size=40) ** 2, *np.zeros(40)])]
    iid = rs_curve(penalty, alpha=0.5, deltas=deltas)
    assert (iid.branch == "S1").all()
    for spectrum in spectra:
        other = rs_curve(penalty, alpha=0.5, deltas=deltas, predictors=spectrum)
        np.testing.assert_allclose(other.df, iid.df, rtol=1e-11)
        if isinstance(penalty, L0):  # Q = s2 chi, so that the errors and eta are the same, too
            np.testing.assert_allclose(other.Q, other.chi, rtol=1e-10)
            np.testing.assert_allclose(other.err_train, 1 - iid.df, rtol=1e-10)
            np.testing.assert_allclose(other.eta, iid.eta, rtol=1e-10)
        else:
            assert np.abs(other.err_train / iid.err_train - 1).max() > 1e-2


@pytest.mark.parametrize("penalty", SMOOTH, ids=repr)
def test_ends_of_the_curve(penalty):
    for design in (RowOrthogonal(), IllConditioned(30.0)):
        sparse = solve_rs(penalty, alpha=0.5, delta=1e-12, predictors=design)
        assert 0 < sparse.df < 1e-9 and sparse.err_train == pytest.approx(1, abs=1e-8)
        dense = solve_rs(penalty, alpha=0.5, delta=1.0, predictors=design)
        assert dense.converged and 0.4 < dense.df <= 1
        assert solve_rs(penalty, alpha=0.5, eta=1e6, predictors=design).err_train == pytest.approx(1, abs=1e-12)


def test_without_full_rank_df_ends_at_the_rank():
    """A fit can explain no more than the rank of A: with rank/M = 0.8, least squares leaves s2 (1 - 0.8)."""
    spectrum = Spectrum([1.0] * 40 + [0.0] * 60)
    end = solve_rs(L1(), alpha=0.5, eta=0.0, predictors=spectrum)
    assert (end.df, end.err_train) == pytest.approx((0.8, 0.2), abs=1e-9)
    assert s1_end(L1(), alpha=0.5, predictors=spectrum) == pytest.approx(0.8, abs=1e-8)


def test_the_unit_of_a_is_the_unit_of_x():
    """A -> k A and eta -> k eta is x -> x/k."""
    k, values = 3.0, np.array([0.0, 0.2, 1.0, 2.8])
    one = solve_rs(L1(), alpha=0.8, eta=0.4, predictors=Spectrum(values))
    other = solve_rs(L1(), alpha=0.8, eta=k * 0.4, predictors=Spectrum(k**2 * values))
    assert (other.df, other.delta, other.err_train) == pytest.approx((one.df, one.delta, one.err_train), rel=1e-10)
    assert other.Q == pytest.approx(one.Q / k**2, rel=1e-10)


def test_random_spectra():
    """By eta the asked point is found and obeys the equations; by delta it is the same one or its second."""
    rng, branches = np.random.default_rng(1), []
    for _ in range(30):
        alpha, eta = rng.uniform(0.2, 2), float(np.exp(rng.uniform(np.log(0.02), np.log(3))))
        rank = min(alpha, 1)
        values = np.exp(rng.uniform(0.2, 2.5) * rng.normal(size=50))
        spectrum = Spectrum([*(values / (rank * values.mean())), 0], [*np.full(50, rank / 50), 1 - rank])
        penalty = [*SMOOTH, L0(), SCAD(a=3, lam=0.5)][rng.integers(6)]
        s = solve_rs(penalty, alpha=alpha, eta=eta, predictors=spectrum)
        branches.append(s.branch)
        assert s.converged and s.eta == eta, (penalty, alpha, eta, s)
        if s.branch == "S1" and 1e-9 < s.delta < 0.999 * min(1, 1 / alpha):
            again = solve_rs(penalty, alpha=alpha, delta=s.delta, predictors=spectrum)
            if again.eta != pytest.approx(eta, rel=1e-6):
                again = solve_rs(penalty, alpha=alpha, delta=s.delta, predictors=spectrum, beyond_turning=True)
            assert (again.eta, again.df, again.Q) == pytest.approx((eta, s.df, s.Q), rel=1e-5), (penalty, alpha, eta)
    assert branches.count("S1") > 15


def test_the_spectrum_of_a_matrix():
    A = RowOrthogonal().draw(30, 50, np.random.default_rng(0))
    spectrum = Spectrum.of(A)
    np.testing.assert_allclose(spectrum.weights @ (spectrum.eigenvalues > 1e-12), 30 / 50)
    of_A = solve_rs(L1(), alpha=0.6, delta=0.3, predictors=spectrum)
    assert of_A.err_train == pytest.approx(solve_rs(L1(), alpha=0.6, delta=0.3, predictors=RowOrthogonal()).err_train)
    by_eigenvalues = Spectrum(np.linalg.eigvalsh(A.T @ A))  # some of them are -1e-16
    assert by_eigenvalues.eigenvalues[0] == 0
    again = solve_rs(L1(), alpha=0.6, delta=0.3, predictors=by_eigenvalues)
    assert again.err_train == pytest.approx(of_A.err_train)


@pytest.mark.parametrize(
    "arguments, message",
    [
        (([1.0, -0.5],), "eigenvalues contains -0.5"),
        (([],), r"eigenvalues has shape \(0,\)"),
        (([1.0, np.nan],), "eigenvalues contains nan"),
        (([1.0, np.inf],), "eigenvalues contains inf"),
        (([0.0, 0.0],), "eigenvalues are all zero"),
        (([[1.0]],), r"eigenvalues has shape \(1, 1\)"),
        ((["a"],), "eigenvalues does not hold numbers"),
        (([1.0, 2.0], [1.0]), "weights"),
        (([1.0, 2.0], [1.0, -1.0]), "weights"),
    ],
)
def test_bad_spectra_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        Spectrum(*arguments)


def test_bad_predictors_are_named():
    with pytest.raises(ValueError, match="predictors = 'iid' are not known"):
        solve_rs(L1(), alpha=0.5, delta=0.1, predictors="iid")
    with pytest.raises(ValueError, match="are not known"):
        solve_rs(L1(), alpha=0.5, delta=0.1, predictors=IID)
    with pytest.raises(ValueError, match=r"alpha = 0.5 .*>= 1"):
        solve_rs(L1(), alpha=0.5, delta=0.1, predictors=Spectrum([1.0, 2.0]))
    with pytest.raises(ValueError, match="ill_conditioned condition"):
        IllConditioned(0.5)


# --- blocks: Example 2 ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("penalty", [*SMOOTH, L0()], ids=repr)
def test_no_blocks_are_iid_predictors(penalty):
    deltas = np.linspace(0.01, 0.9, 10)
    none = rs_curve(penalty, alpha=0.5, deltas=deltas, predictors=Block.with_fraction(0))
    assert none.equals(rs_curve(penalty, alpha=0.5, deltas=deltas))


def test_nothing_but_blocks_is_a_change_of_unit():
    """With all columns in blocks Sigma is 1/2: that of iid predictors if x is sqrt(2) times as large."""
    blocks = solve_rs(L1(), alpha=0.5, eta=0.4, predictors=Block.with_fraction(1))
    iid = solve_rs(L1(), alpha=0.5, eta=0.4 * np.sqrt(2))
    assert (blocks.df, blocks.err_train, blocks.Q) == pytest.approx((iid.df, iid.err_train, iid.Q), rel=1e-11)


@pytest.mark.parametrize("penalty, eta", [(L1(), 0.3), (ElasticNet(eta2=0.2), 0.4), (SCAD(a=8, lam=1.0), 0.7)])
def test_the_equations_of_two_groups(penalty, eta):
    """The equations of the two groups iterated from the empty model."""
    alpha, s2, fraction, chi, Q = 0.6, 1.3, 0.375, 0.0, 0.0
    for _ in range(3000):
        Q_hat, chi_hat = 1 / (1 + chi), (Q + s2) / (1 + chi) ** 2
        moments = np.zeros(4)
        for share, scale in ((1 - fraction, 1.0), (fraction, 0.5)):
            got = Averages(penalty.segments(np.array([scale * Q_hat]), np.array([eta])), np.array([scale * chi_hat]))
            row = [scale * got.response, scale * got.square, scale**2 * got.response_squared, got.nonzero]
            moments += share * np.concatenate(row) / alpha
        chi, Q = chi + 0.5 * (moments[0] - chi), Q + 0.5 * (moments[1] - Q)
    s = solve_rs(penalty, alpha=alpha, eta=eta, variance=s2, predictors=Block.with_fraction(fraction))
    assert (s.chi, s.Q) == pytest.approx((chi, Q), rel=1e-9)
    assert (s.df, s.delta) == pytest.approx((chi / (1 + chi), moments[3]), rel=1e-9)
    assert (s.err_train, s.at) == pytest.approx((chi_hat, Q_hat**2 * moments[2]), rel=1e-9)
    by_delta = solve_rs(penalty, alpha=alpha, delta=s.delta, variance=s2, predictors=Block.with_fraction(fraction))
    assert (by_delta.eta, by_delta.df) == pytest.approx((eta, s.df), rel=1e-9)


@pytest.mark.parametrize("penalty", [SCAD(a=3.0, lam=1.0), MCP(a=2.0, lam=0.7), L0()], ids=repr)
def test_eta_at_a_given_number_of_non_zeros_in_two_groups(penalty):
    """Thresholds of estimates that jump depend on the curvature scale Q_hat of their group."""
    groups, t, Q_hat, chi_hat = Block.with_fraction(0.4).limit(0.5), 1.3, 0.3, 0.6
    eta = Covariance(groups, 0.5, 1.0).eta_at(
        penalty, np.array([t]), np.array([t * np.sqrt(chi_hat)]), np.array([Q_hat])
    )
    found = 0.0
    for share, scale in groups.groups:
        segments = penalty.segments(np.array([scale * Q_hat]), eta)
        assert segments.jumps().any()
        found += share * erfc(segments.start[0, 0] / np.sqrt(2 * scale * chi_hat))
    assert found == pytest.approx(erfc(t / np.sqrt(2)), rel=1e-10)


def test_a_block_design_says_its_fraction_at_n_columns():
    assert Block(125).at(1000) == Block.with_fraction(0.375) and IID().at(1000) == IID()
    with pytest.raises(ValueError, match=r"block T = 125 has no limit of its own .*Block\(T\).at\(N\)"):
        solve_rs(L1(), alpha=0.5, delta=0.1, predictors=Block(125))
    with pytest.raises(ValueError, match=r"block fraction = 1.5"):
        Block.with_fraction(1.5)


# --- delta_eff of belief propagation -------------------------------------------------------------------------------


@pytest.mark.parametrize("penalty", SMOOTH, ids=repr)
def test_delta_eff_is_df_for_iid_predictors_only(penalty):
    iid = solve_rs(penalty, alpha=0.5, delta=0.5)
    assert rs_delta_eff(penalty, iid, alpha=0.5) == pytest.approx(iid.df, rel=1e-12)
    for predictors in (Block.with_fraction(0.375), IllConditioned(10.0)):
        s = solve_rs(penalty, alpha=0.5, delta=0.5, predictors=predictors)
        gap = rs_delta_eff(penalty, s, alpha=0.5, predictors=predictors) - s.df
        # lambda/(lambda + D) is concave for D > 0 and convex for D < 0: belief propagation errs to either side.
        sign = {L1: 0, ElasticNet: 1}.get(type(penalty), -1)
        assert abs(gap) < 1e-12 if sign == 0 else sign * gap > 1e-3


def test_delta_eff_of_a_penalty_that_jumps_and_outside_of_s1():
    s = solve_rs(L0(), alpha=0.5, delta=0.1)
    assert rs_delta_eff(L0(), s, alpha=0.5) == pytest.approx(0.1)  # belief propagation does not see the jumps
    assert np.isnan(rs_delta_eff(L0(), solve_rs(L0(), alpha=0.5, delta=0.6), alpha=0.5))


# --- the chain: Example 1 ------------------------------------------------------------------------------------------

CHAIN = [(L1(), 0.6), (ElasticNet(eta2=0.1), 0.5), (SCAD(a=8, lam=1.0), 0.6)]


@pytest.mark.parametrize("penalty, eta", CHAIN)
@pytest.mark.parametrize("c", [0.5, -0.7])
def test_the_minimum_and_the_averages_of_the_chain_by_dense_matrices(penalty, eta, c):
    n, v, Q_hat, inside = 1152, 0.8, 0.8, slice(64, -64)
    w = chain._markov(np.random.default_rng(5).standard_normal(n), c)
    sites = chain.Sites(w, c ** np.arange(n), penalty, 0.5, 1.0)
    left_v, left_Q_hat, delta, square = sites.values(v, Q_hat, eta)
    Sigma = c ** np.abs(np.subtract.outer(np.arange(n), np.arange(n)))
    x, g = sites.x, Q_hat * (np.sqrt(v) * w - Sigma @ sites.x)
    assert violation(g, x, penalty, eta) < 1e-6
    S = np.flatnonzero(x)
    step = 1e-6
    D = (penalty.derivative(np.abs(x[S]) + step, eta) - penalty.derivative(np.abs(x[S]) - step, eta)) / (2 * step)
    G = np.zeros((n, n))
    G[np.ix_(S, S)] = Sigma[np.ix_(S, S)] @ np.linalg.inv(Sigma[np.ix_(S, S)] + np.diag(D / Q_hat))
    df = w[inside] @ x[inside] / (512 * np.sqrt(v))
    assert (left_Q_hat, left_v) == pytest.approx(
        (df - (1 - Q_hat), (1 + x[inside] @ (Sigma @ x)[inside] / 512) / v - 1), abs=1e-5
    )
    # delta and AT are multiplied by two forms of df, whose ratio has expectation 1.
    ratio = df / np.trace(G[inside, inside])
    assert 512 * ratio == pytest.approx(1, abs=0.2)
    nonzero, squared = np.count_nonzero(x[inside]), np.trace((G @ G)[inside, inside])
    assert (delta, square) == pytest.approx((nonzero * ratio, squared * ratio), rel=1e-5)


def test_partial_integration_on_the_chain():
    """E[w^T x]/sqrt(v) = E tr K^-1, the two forms of df."""
    for penalty, eta in CHAIN:
        gaps = []
        for sites in chain.all_sites(0.5, penalty, 0.5, 1.0):
            left, curvature = sites.values(1.5, 0.5, eta)[1], sites.find(1.5, 0.5, eta)
            trace, _ = chain._traces(sites.piece, sites._powers, curvature, 64)
            gaps.append(left + 0.5 - trace / sites.rows)
        assert abs(np.mean(gaps)) < 4 * np.std(gaps) / 4 < 4e-3


@pytest.mark.parametrize("penalty, eta", CHAIN)
def test_a_chain_without_correlation_is_iid(penalty, eta):
    for asked in ({"eta": eta}, {"delta": 0.4}):
        iid = solve_rs(penalty, alpha=0.5, mean=0.3, **asked)
        sampled = solve_rs(penalty, alpha=0.5, mean=0.3, predictors=Chain(0.0), **asked)
        assert sampled.converged and sampled.df_error < 1e-4
        assert abs(sampled.df - iid.df) < 5 * sampled.df_error + 1e-5
        assert (sampled.delta, sampled.err_train) == pytest.approx((iid.delta, iid.err_train), abs=5e-4)
        assert (sampled.at, sampled.free_energy) == pytest.approx((iid.at, iid.free_energy), abs=2e-3)
        assert solve_rs(penalty, alpha=0.5, mean=0.3, predictors=AR1(0.0), **asked) == iid


@pytest.mark.parametrize("penalty, eta", CHAIN)
def test_the_chain_by_eta_and_by_delta(penalty, eta):
    by_eta = solve_rs(penalty, alpha=0.5, eta=eta, predictors=AR1(0.5))
    by_delta = rs_curve(penalty, alpha=0.5, deltas=[0.2, by_eta.delta], predictors=AR1(0.5)).iloc[1]
    assert (by_delta.eta, by_delta.df, by_delta.Q) == pytest.approx((eta, by_eta.df, by_eta.Q), rel=5e-4)
    assert by_eta.df_error < 2e-4 and by_delta.df_error < 4e-4
    effective = rs_delta_eff(penalty, by_eta, alpha=0.5, predictors=AR1(0.5))
    sign = {L1: 0, ElasticNet: 1}.get(type(penalty), -1)
    assert abs(effective - by_eta.df) < 2e-3 if sign == 0 else sign * (effective - by_eta.df) > 2e-3


def test_the_error_of_the_chain_is_the_scatter_of_its_shifts(monkeypatch):
    """Other shifts of the lattice, and chains of random noise, agree within df_error."""

    def solutions(seeds):
        for seed in seeds:
            monkeypatch.setattr(chain, "_SEED", seed)
            chain._fields.cache_clear()
            chain_curve._curve.cache_clear()
            yield solve_rs(SCAD(a=8, lam=1.0), alpha=0.5, eta=0.8, predictors=AR1(0.5))

    found = list(solutions(range(6)))
    spread = np.std([s.df for s in found], ddof=1) / np.sqrt(np.mean([s.df_error**2 for s in found]))
    assert 0.4 < spread < 1.8  # 0.3 % of the values of sqrt(chi2_5/5) are outside
    noise = np.random.default_rng(8)
    monkeypatch.setattr(chain, "ndtri", lambda u: noise.standard_normal(u.size))
    (random,) = solutions([6])
    assert random.df_error > 3 * max(s.df_error for s in found)
    assert abs(random.df - np.mean([s.df for s in found])) < 4 * random.df_error
    chain._fields.cache_clear()
    chain_curve._curve.cache_clear()


@pytest.mark.parametrize("penalty", [L1(), ElasticNet(eta2=0.1), SCAD(a=5, lam=1.0)], ids=repr)
def test_lines_of_a_chain_without_correlation(penalty):
    """For SCAD: AT line, turning point and end apart from each other."""
    for line in (s1_end, s1_largest_delta, s1_lowest_eta, lambda *p, **k: rs_stable_range(*p, **k)[1]):
        iid, sampled = line(penalty, alpha=0.5), line(penalty, alpha=0.5, predictors=Chain(0.0))
        assert abs(sampled - iid) < 5 * sampled.error + 1e-6 and sampled.error < 1e-3
    assert branch_beyond_s1(penalty, alpha=0.5, predictors=Chain(0.0)) == branch_beyond_s1(penalty, alpha=0.5)


def test_lines_of_example_1():
    """S1 of SCAD a = 5: it becomes unstable, delta turns, then eta, and then the estimate jumps."""
    penalty, problem = SCAD(a=5, lam=1.0), {"alpha": 0.5, "predictors": AR1(0.5)}
    line = rs_stable_range(penalty, **problem)[1]
    beside = rs_curve(penalty, deltas=[line - 5 * line.error, line + 5 * line.error], **problem)
    assert beside.rs_stable.tolist() == [True, False] and 0 < line.error < 1e-3
    largest, lowest = s1_largest_delta(penalty, **problem), s1_lowest_eta(penalty, **problem)
    assert np.isnan(s1_end(penalty, **problem)) and branch_beyond_s1(penalty, **problem) == "unknown"
    first, second = (
        solve_rs(penalty, delta=largest - 0.01, beyond_turning=beyond, **problem) for beyond in (False, True)
    )
    assert first.converged and second.converged and first.eta > second.eta > lowest and first.Q < second.Q
    assert not solve_rs(penalty, delta=largest + 0.01, **problem).converged
    above, below = rs_curve(penalty, etas=[lowest * 1.15, lowest * 0.85], **problem).converged
    assert above and not below


def test_what_the_chain_refuses():
    with pytest.raises(ValueError, match=r"penalty = L0\(\) has an estimate that jumps"):
        solve_rs(L0(), alpha=0.5, delta=0.1, predictors=AR1(0.5))
    with pytest.raises(ValueError, match=r"eta = 0 is out of range"):
        solve_rs(L1(), alpha=0.5, eta=0, predictors=AR1(0.5))


# --- simulation ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("design", [RowOrthogonal(), IllConditioned(10.0), Block(125), AR1(0.5)], ids=repr)
def test_fits_of_random_samples(design):
    """df of the trace formula at the delta of the sample, and the training error at its eta; N = 1000, 4 samples.

    At given delta the trace formula has a scatter of 0.002, at given eta the training error one of 0.03.
    """
    ensemble, predictors = Ensemble(design, 500, 1000, seed=3), design.at(1000)
    samples = [ensemble.sample(index) for index in range(4)]
    for penalty, eta in ((ElasticNet(eta2=0.1), 0.4), (SCAD(a=8, lam=1.0), 0.5)):
        found = []
        for A, y in samples:
            x = stationary_path(A, y, penalty, np.geomspace(2, eta, 8)).x[:, -1]
            bend = penalty.derivative(np.abs(x) + 1e-6, eta) - penalty.derivative(np.abs(x) - 1e-6, eta)
            df = stein_divergence(A, x, bend / 2e-6)
            found.append((np.count_nonzero(x) / 500, df, np.mean((y - A @ x) ** 2) - np.mean(y**2 - 1) / 2))
        delta, df, err_train = np.mean(found, axis=0)
        theory = solve_rs(penalty, alpha=0.5, delta=delta, predictors=predictors)
        assert df == pytest.approx(theory.df, abs=0.005)
        by_eta = solve_rs(penalty, alpha=0.5, eta=eta, predictors=predictors)
        assert (delta, err_train) == pytest.approx((by_eta.delta, by_eta.err_train), abs=0.035)
        if isinstance(penalty, ElasticNet):
            iid = solve_rs(penalty, alpha=0.5, delta=delta)
            assert abs(df - iid.df) > 0.008


@pytest.mark.parametrize("design", [RowOrthogonal(), IllConditioned(10.0), Block(250)], ids=repr)
def test_the_square_penalty_against_random_matrices(design):
    """At eta = 0 the elastic net is linear: df = tr G (G + eta2)^-1 / M, which hardly fluctuates."""
    eta2, M, N, rng = 0.3, 1000, 2000, np.random.default_rng(6)
    values = np.linalg.eigvalsh((A := design.draw(M, N, rng)) @ A.T)
    s = solve_rs(ElasticNet(eta2=eta2), alpha=0.5, eta=0.0, predictors=design.at(N))
    assert s.df == pytest.approx((values / (values + eta2)).sum() / M, abs=2e-3)
