"""RS theory by the spectrum of the predictors: against the iid solver, other forms of the equations, closed forms."""

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import erfc

from sparsegdf import (
    IID,
    L0,
    L1,
    MCP,
    SCAD,
    Block,
    ElasticNet,
    IllConditioned,
    RowOrthogonal,
    Spectrum,
    rs_curve,
    rs_stable_range,
    s1_end,
    s1_largest_delta,
    s1_lowest_eta,
    solve_rs,
)
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


@pytest.mark.parametrize("design", [IID(), Block(fraction=0.375), RowOrthogonal(), IllConditioned(20.0)], ids=repr)
@pytest.mark.parametrize("penalty", [*SMOOTH, L0()], ids=repr)
def test_derivatives_of_the_free_energy(design, penalty):
    """At an extremum only the explicit dependence counts: df/d(s2) = alpha (1 - df)/2, and df/d(eta) = E[dr/d(eta)]."""
    step, problem = 1e-5, {"alpha": 0.5, "predictors": design}
    s = solve_rs(penalty, delta=0.2, **problem)
    up, down = (solve_rs(penalty, eta=s.eta, variance=1 + d, **problem).free_energy for d in (step, -step))
    assert (up - down) / (2 * step) == pytest.approx(0.5 * (1 - s.df) / 2, rel=1e-6)
    if not isinstance(penalty, ElasticNet):  # the others are proportional to eta
        up, down = (solve_rs(penalty, eta=s.eta + d, **problem).free_energy for d in (step, -step))
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
    # and nothing breaks the symmetry of the replicas, even if the estimate jumps
    hard = solve_rs(L0(), alpha=alpha, eta=eta, predictors=RowOrthogonal())
    assert hard.at == 0 and hard.rs_stable


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
    assert 2 * (end.free_energy - end.penalty_mean) / 0.5 == pytest.approx(end.err_train, abs=1e-12)
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
