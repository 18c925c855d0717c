"""RS theory against the paper's closed forms, plain quadrature, random matrices and the numbers the paper quotes."""

from itertools import pairwise

import numpy as np
import pytest
from closed_forms import SQRTPI, paper_scad_terms
from scipy.integrate import quad
from scipy.special import erfc

from sparsegdf import (
    IID,
    L0,
    L1,
    MCP,
    SCAD,
    ElasticNet,
    rescaled_elastic_net_df,
    rs_curve,
    rs_stable_range,
    s1_end,
    s1_largest_delta,
    solve_rs,
)
from sparsegdf.paper.experiments.theory_tables import threshold_table
from sparsegdf.theory.predictors import known_predictors
from sparsegdf.theory.s1_branch import branch_beyond_s1
from sparsegdf.theory.saddle_points import SaddlePoints
from sparsegdf.theory.single_body import Averages

ALL = [L1(), ElasticNet(eta2=0.1), L0(), SCAD(a=8, lam=1.0), SCAD(a=3, lam=0.5), MCP(a=9, lam=1.0), MCP(a=2, lam=0.5)]


# --- averages of the single-body problem ---------------------------------------------------------------------------


def quadrature(f, penalty, Q_hat, eta, chi_hat):
    """E f(h), h ~ N(0, chi_hat), for f even: plain adaptive quadrature between the kinks."""
    s = np.sqrt(chi_hat)
    kinks = sorted({float(k) for k in penalty.segments(Q_hat, eta).start if k < 12 * s})
    edges = [0.0, *kinks, 12 * s]
    density = lambda h: 2 * np.exp(-(h**2) / (2 * chi_hat)) / np.sqrt(2 * np.pi * chi_hat)
    pieces = pairwise(edges)
    return sum(quad(lambda h: f(h) * density(h), lo, hi, epsabs=1e-13, epsrel=1e-11)[0] for lo, hi in pieces)


@pytest.mark.parametrize("penalty", ALL, ids=repr)
def test_averages_against_quadrature(penalty):
    rng = np.random.default_rng(3)
    for _ in range(12):
        Q_hat, eta, chi_hat = rng.uniform(0.1, 1), rng.uniform(0.05, 1.5), rng.uniform(0.1, 2)
        got = Averages(penalty.segments(Q_hat, eta), chi_hat)

        def x(h, Q_hat=Q_hat, eta=eta):
            return float(penalty.estimate(h, Q_hat, eta)[0])

        def maximum(h, Q_hat=Q_hat, eta=eta):
            return -Q_hat * x(h) ** 2 / 2 + h * x(h) - float(penalty.value(x(h), eta))

        expected = {
            "nonzero": lambda h: float(x(h) > 0),
            "square": lambda h: x(h) ** 2,
            "maximum": maximum,
            # Stein: E[dx*/dh] = E[h x*]/chi_hat, jumps included
            "response": lambda h, chi_hat=chi_hat: h * x(h) / chi_hat,
        }
        for name, f in expected.items():
            value = quadrature(f, penalty, Q_hat, eta, chi_hat)
            assert float(getattr(got, name)) == pytest.approx(value, rel=1e-8, abs=1e-10), name
        if np.isfinite(got.response_squared):
            slope = lambda h, Q_hat=Q_hat, eta=eta: float(penalty.estimate(h, Q_hat, eta)[1])
            value = quadrature(lambda h, s=slope: s(h) ** 2, penalty, Q_hat, eta, chi_hat)
            assert float(got.response_squared) == pytest.approx(value, rel=1e-8)


def test_paper_scad_saddle_point_equations():
    scad = SCAD(a=8, lam=1.0)
    for delta in (0.1, 0.4, 0.7, 0.9):
        s = solve_rs(scad, alpha=0.5, delta=delta)
        terms = paper_scad_terms(scad, s.Q_hat, s.eta, s.chi_hat)
        assert s.chi == pytest.approx(terms["chi"] / 0.5, rel=1e-10)
        assert s.Q == pytest.approx(terms["square"] / 0.5, rel=1e-10)
        assert s.at == pytest.approx(terms["at"] * s.Q_hat**2 / 0.5, rel=1e-10)


def test_paper_l1_and_l0_solutions():
    for delta in (0.05, 0.15, 0.24):
        s = solve_rs(L0(), alpha=0.5, delta=delta, mean=0.3, variance=0.8)
        th = np.sqrt(s.eta * s.Q_hat / s.chi_hat)
        omega = 2 * th / SQRTPI * np.exp(-(th**2))
        assert s.df == pytest.approx(delta + omega / 0.5, rel=1e-12)
        assert s.Q == pytest.approx((0.3**2 + 0.8) * s.chi, rel=1e-10)
        assert s.free_energy == pytest.approx(0.5 * s.chi_hat / 2 + s.eta * 0.5 * delta, rel=1e-10)
    for delta in (0.05, 0.5, 0.95):
        s = solve_rs(L1(), alpha=0.5, delta=delta, mean=0.3, variance=0.8)
        th = s.eta / np.sqrt(2 * s.chi_hat)
        tau = (1 + 2 * th**2) * erfc(th) - 2 * th / SQRTPI * np.exp(-(th**2))
        assert s.df == pytest.approx(delta, rel=1e-12)
        assert s.at == pytest.approx(delta, rel=1e-12)
        assert s.Q == pytest.approx((0.3**2 + 0.8) * tau / (0.5 - tau), rel=1e-10)


# --- the saddle point ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("penalty", ALL, ids=repr)
@pytest.mark.parametrize(
    "alpha, mean, variance", [(0.5, 0.0, 1.0), (0.8, 0.5, 1.0), (1.0, 0.0, 3.0), (2.5, 1.0, 0.2)]
)
def test_residual_and_training_error(penalty, alpha, mean, variance):
    deltas = np.linspace(0.01, min(1, 1 / alpha) * 0.999, 40)
    curve = rs_curve(penalty, alpha=alpha, deltas=deltas, mean=mean, variance=variance)
    assert curve.converged.all() and (curve.residual <= 1e-12).all()
    s1 = curve[curve.branch == "S1"]
    assert len(s1) > 5
    np.testing.assert_allclose(s1.err_train, 2 * (s1.free_energy - s1.penalty_mean) / alpha, atol=1e-12)
    np.testing.assert_allclose(s1.df, s1.chi / (1 + s1.chi), rtol=1e-9)
    np.testing.assert_allclose(s1.chi_hat, (s1.Q + variance + mean**2) / (1 + s1.chi) ** 2, rtol=1e-9)
    np.testing.assert_allclose(s1.err_pre, s1.err_train + 2 * variance * s1.df, rtol=1e-12)


@pytest.mark.parametrize(
    "penalty, deltas",
    [
        (L1(), (1e-3, 0.2, 0.9)),
        (ElasticNet(eta2=0.1), (1e-3, 0.2, 0.9)),
        (L0(), (1e-3, 0.2, 0.6)),  # S1, S1, S2
        (SCAD(a=8, lam=1.0), (1e-3, 0.2, 0.85)),
        (SCAD(a=3, lam=0.5), (1e-3, 0.2)),  # in its jump regime
        (MCP(a=9, lam=1.0), (1e-3, 0.2, 0.6)),
        (MCP(a=2, lam=0.5), (1e-3, 0.2)),  # in its jump regime
    ],
    ids=repr,
)
def test_by_delta_and_by_eta_agree(penalty, deltas):
    for delta in deltas:
        by_delta = solve_rs(penalty, alpha=0.5, delta=delta, mean=0.2, variance=1.3)
        by_eta = solve_rs(penalty, alpha=0.5, eta=by_delta.eta, mean=0.2, variance=1.3)
        for name in ("eta", "delta", "df", "Q", "chi_hat", "Q_hat", "free_energy", "penalty_mean", "err_pre"):
            assert getattr(by_eta, name) == pytest.approx(getattr(by_delta, name), rel=1e-9), name
        assert by_eta.branch == by_delta.branch


# --- what the paper says -------------------------------------------------------------------------------------------


def test_quoted_thresholds():
    scad = SCAD(a=8, lam=1.0)
    assert s1_end(L0(), alpha=0.5) == pytest.approx(0.248, abs=5e-4)
    assert s1_end(scad, alpha=0.5) == pytest.approx(0.924, abs=5e-4)
    # The paper prints 0.866; the condition as printed gives 0.8669, so the last digit was cut, not rounded.
    low, high = rs_stable_range(scad, alpha=0.5)
    assert high == pytest.approx(0.86692835, abs=1e-7)
    assert low < 1e-11


def test_thresholds_are_where_the_solution_says():
    for scad, alpha in [(SCAD(a=5, lam=1.0), 0.5), (SCAD(a=8, lam=0.8), 0.5), (SCAD(a=6, lam=0.9), 0.8)]:
        low, high = rs_stable_range(scad, alpha=alpha)
        largest = s1_largest_delta(scad, alpha=alpha)
        assert low < 1e-3 < high < largest < 1
        assert solve_rs(scad, alpha=alpha, delta=high).at == pytest.approx(1, abs=1e-9)
        assert solve_rs(scad, alpha=alpha, delta=high - 1e-6).rs_stable
        assert not solve_rs(scad, alpha=alpha, delta=high + 1e-6).rs_stable
        assert not solve_rs(scad, alpha=alpha, delta=low * 0.9).rs_stable
        assert solve_rs(scad, alpha=alpha, delta=largest - 1e-6).branch == "S1"
        assert solve_rs(scad, alpha=alpha, delta=largest + 1e-6).branch in ("S2", "S3")


def test_l1_and_elastic_net_are_stable_everywhere_and_l0_nowhere():
    assert rs_stable_range(L1(), alpha=0.5) == pytest.approx((0, 1), abs=1e-12)
    assert rs_stable_range(ElasticNet(eta2=0.1), alpha=0.5) == pytest.approx((0, 1), abs=1e-12)
    assert rs_stable_range(L0(), alpha=0.5) is None
    assert solve_rs(L0(), alpha=0.5, delta=0.01).at == np.inf


def test_l0_beyond_s1_is_s2_with_df_one():
    s = solve_rs(L0(), alpha=0.5, delta=0.3)
    assert (s.branch, s.df, s.chi, s.Q, s.err_train) == ("S2", 1.0, np.inf, np.inf, 0.0)
    assert solve_rs(L0(), alpha=0.5, eta=s.eta).delta == pytest.approx(0.3, rel=1e-9)


def test_scad_beyond_the_largest_delta_of_s1():
    """For a = 8 S2 follows, with finite Q; for a = 5 S1 turns there, and no larger delta has a finite Q (S3)."""
    s2 = solve_rs(SCAD(a=8, lam=1.0), alpha=0.5, delta=0.95)
    assert s2.branch == "S2" and s2.df == 1 and np.isfinite(s2.Q) and s2.eta == 0
    s3 = solve_rs(SCAD(a=5, lam=1.0), alpha=0.5, delta=0.85)
    assert s3.branch == "S3" and s3.df == 1 and s3.Q == np.inf and np.isnan(s3.eta)
    for a, top in ((5, 0.9730), (8, 1.0)):
        largest = s1_largest_delta(SCAD(a=a, lam=1.0), alpha=0.5)
        assert solve_rs(SCAD(a=a, lam=1.0), alpha=0.5, delta=largest - 1e-9).df == pytest.approx(top, abs=1e-3)


@pytest.mark.parametrize(
    "scad, alpha, eta, delta, df",
    [(SCAD(a=6, lam=0.9), 0.8, 0.04, 0.8186, 0.9658), (SCAD(a=5, lam=1.0), 0.5, 0.005, 0.78673, 0.99687)],
)
def test_s1_goes_on_beyond_its_turning_point(scad, alpha, eta, delta, df):
    """An earlier version took both points for others: for one at another eta, and for S3."""
    found = solve_rs(scad, alpha=alpha, eta=eta)
    assert (found.branch, found.eta) == ("S1", eta)
    assert (found.delta, found.df) == pytest.approx((delta, df), abs=5e-5)
    end, largest = s1_end(scad, alpha=alpha), s1_largest_delta(scad, alpha=alpha)
    assert end < found.delta < largest
    second = solve_rs(scad, alpha=alpha, delta=found.delta, beyond_turning=True)
    assert (second.eta, second.df) == pytest.approx((eta, found.df), rel=1e-8)
    assert solve_rs(scad, alpha=alpha, delta=found.delta).eta > 1.1 * eta
    # The two points of one delta meet at the turning point; the end is in S2, at eta = 0 with finite Q.
    first, second = (
        solve_rs(scad, alpha=alpha, delta=largest - 1e-11, beyond_turning=side) for side in (False, True)
    )
    assert first.df == pytest.approx(second.df, abs=1e-4) and first.eta > second.eta
    last = solve_rs(scad, alpha=alpha, eta=0.0)
    assert (last.branch, last.df, last.delta) == ("S2", 1.0, pytest.approx(end)) and np.isfinite(last.Q)
    assert solve_rs(scad, alpha=alpha, eta=1e-9).delta == pytest.approx(end, abs=1e-6)


def test_only_a_delta_beyond_the_turning_point_has_a_second_point():
    with pytest.raises(ValueError, match=r"delta = 0.5 has no point .*allowed: 0.784733 < delta <= 0.792403"):
        solve_rs(SCAD(a=5, lam=1.0), alpha=0.5, delta=0.5, beyond_turning=True)
    with pytest.raises(ValueError, match=r"delta = 0.5 .*allowed: none, S1 does not turn"):
        solve_rs(L1(), alpha=0.5, delta=0.5, beyond_turning=True)
    with pytest.raises(ValueError, match="beyond_turning = True goes with delta"):
        solve_rs(L1(), alpha=0.5, eta=0.5, beyond_turning=True)


def test_the_table_of_thresholds_has_penalties_whose_s1_never_ends():
    settings = [
        {"name": "l1", "penalty": {"kind": "l1"}, "alpha": 0.5},
        {"name": "l0", "penalty": {"kind": "l0"}, "alpha": 0.5},
    ]
    settings.append({"name": "least squares", "penalty": {"kind": "l1"}, "alpha": 2.0})
    table = threshold_table(settings, mean=0, variance=1).set_index("penalty")
    assert (table.loc["l1", "s1_end"], table.loc["l1", "branch_beyond"]) == (pytest.approx(1), "S2")
    assert (table.loc["l0", "s1_end"], table.loc["l0", "branch_beyond"]) == (pytest.approx(0.248, abs=5e-4), "S2")
    assert tuple(table.loc["least squares", ["s1_end", "df_at_s1_end", "branch_beyond"]]) == (
        pytest.approx(0.5), pytest.approx(0.5), ""
    )  # fmt: skip


def test_scad_jump_regime_is_solved():
    """eta > (a-1) Q_hat: x* jumps, and its jump adds to chi as omega does for l0."""
    s = solve_rs(SCAD(a=1.2, lam=0.5), alpha=0.5, delta=0.1)
    assert s.branch == "S1" and s.converged and s.eta > 0.2 * s.Q_hat and s.at == np.inf
    assert s.df > 5 * 0.1
    # far in the jump regime SCAD is l0 with eta (a+1) lam^2 / 2
    l0 = solve_rs(L0(), alpha=0.5, delta=0.1)
    assert s.df == pytest.approx(l0.df, rel=1e-9)
    assert s.eta * 2.2 * 0.25 / 2 == pytest.approx(l0.eta, rel=1e-9)


def test_limits_to_l1():
    for delta in (0.1, 0.5, 0.9):
        l1 = solve_rs(L1(), alpha=0.5, delta=delta)
        assert solve_rs(ElasticNet(eta2=1e-9), alpha=0.5, delta=delta).df == pytest.approx(l1.df, abs=1e-7)
        assert solve_rs(SCAD(a=1e6, lam=1.0), alpha=0.5, delta=delta).df == pytest.approx(l1.df, abs=1e-4)
        assert solve_rs(MCP(a=1e6, lam=1.0), alpha=0.5, delta=delta).df == pytest.approx(l1.df, abs=1e-4)


def test_elastic_net_formula_and_rescaling():
    for eta2 in (0.05, 0.1, 1.0):
        swept = [solve_rs(ElasticNet(eta2=eta2), alpha=0.5, delta=delta) for delta in (0.1, 0.6, 1.0)]
        for s in swept:
            assert s.df == pytest.approx(s.delta * s.Q_hat / (s.Q_hat + eta2), rel=1e-12)
            assert rescaled_elastic_net_df(ElasticNet(eta2=eta2), s) == pytest.approx(s.delta, rel=1e-12)
        assert (np.diff([s.eta for s in swept]) < -0.1).all()  # eta_1 is what controls delta at fixed eta_2


@pytest.mark.parametrize("alpha", [0.5, 1.0, 1.6])
def test_l2_limit_against_random_matrices(alpha):
    """eta_1 = 0 against the trace formula. The paper's df = Q_hat/(Q_hat + eta_2) lacks a factor 1/alpha."""
    eta2, N, rng = 0.3, 500, np.random.default_rng(5)
    M = round(alpha * N)
    traces = []
    for _ in range(10):
        spectrum = np.linalg.svd(rng.normal(size=(M, N)) / np.sqrt(M), compute_uv=False) ** 2
        traces.append((spectrum / (spectrum + eta2)).sum() / M)
    s = solve_rs(ElasticNet(eta2=eta2), alpha=alpha, eta=0.0)
    assert s.delta == pytest.approx(1 / alpha)
    assert s.df == pytest.approx(np.mean(traces), abs=3e-3)
    as_printed = s.Q_hat / (s.Q_hat + eta2)
    assert s.df == pytest.approx(as_printed / alpha, rel=1e-12)
    if alpha != 1:
        assert abs(as_printed - np.mean(traces)) > 0.1


def test_figure_1d_needs_lambda_one_half():
    """At alpha = 1, eta = 1, a = 5 only lambda = 0.5 has the three continuous segments that the figure shows."""
    shown = solve_rs(SCAD(a=5, lam=0.5), alpha=1, eta=1)
    assert shown.Q_hat > 1 / 4 and np.isfinite(shown.at)
    other = solve_rs(SCAD(a=5, lam=0.1), alpha=1, eta=1)
    assert other.Q_hat < 1 / 4 and other.at == np.inf


@pytest.mark.parametrize("penalty", ALL, ids=repr)
def test_nodes_of_the_curve_leave_no_gap(penalty):
    """A turn of the curve between two nodes would be missed, so t goes from 36 to 0 in small steps."""
    t = SaddlePoints(penalty, known_predictors(IID(), 0.5, 1.0)).s1.t
    assert t[0] > 34 and np.abs(np.diff(t[t >= 0])).max() < 0.8


def test_y_is_standard_normal_unless_told_otherwise():
    """SCAD has its own scale, so the variance of y matters; S1 turns for a = 5."""
    scad, standard = SCAD(a=5, lam=1.0), {"mean": 0.0, "variance": 1.0}
    for function in (rs_stable_range, s1_end, s1_largest_delta, branch_beyond_s1):
        assert function(scad, alpha=0.5) == function(scad, alpha=0.5, **standard)
    for asked in ({"delta": 0.3}, {"eta": 0.7}):
        assert solve_rs(scad, alpha=0.5, **asked) == solve_rs(scad, alpha=0.5, **asked, **standard)
    assert solve_rs(scad, alpha=0.5, delta=0.788) == solve_rs(scad, alpha=0.5, delta=0.788, beyond_turning=False)
    curve = rs_curve(scad, alpha=0.5, deltas=[0.3, 0.788])
    assert curve.equals(rs_curve(scad, alpha=0.5, deltas=[0.3, 0.788], beyond_turning=False, **standard))


# --- edges and bad input -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("penalty", ALL, ids=repr)
def test_edges_do_not_crash(penalty):
    sparse = solve_rs(penalty, alpha=0.5, delta=1e-12)
    assert sparse.converged and 0 < sparse.df < 1e-9 and sparse.err_pre == pytest.approx(1, abs=1e-8)
    dense = solve_rs(penalty, alpha=0.5, delta=1.0)
    assert 0.5 < dense.df <= 1 and dense.converged
    nothing = solve_rs(penalty, alpha=0.5, eta=1e6)
    assert nothing.df < 1e-12 and nothing.err_pre == pytest.approx(1)
    least_squares = solve_rs(penalty, alpha=2.0, eta=0.0)
    if not isinstance(penalty, ElasticNet):
        assert least_squares.df == pytest.approx(0.5, rel=1e-9)


def test_l1_at_vanishing_eta_interpolates():
    s = solve_rs(L1(), alpha=0.5, eta=0.0)
    assert s.delta == pytest.approx(1, abs=1e-9) and s.df == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize(
    "arguments, named",
    [
        ({"alpha": 0, "delta": 0.1}, r"alpha = 0 .*> 0"),
        ({"alpha": -1, "delta": 0.1}, r"alpha = -1"),
        ({"alpha": 0.5, "delta": 0}, r"delta = 0 .*> 0 and <= 1"),
        ({"alpha": 0.5, "delta": 1.2}, r"delta = 1.2"),
        ({"alpha": 4, "delta": 0.5}, r"delta = 0.5 .*<= 0.25"),
        ({"alpha": 0.5, "eta": -0.1}, r"eta = -0.1 .*>= 0"),
        ({"alpha": 0.5, "delta": 0.5, "variance": 0}, r"variance = 0 .*> 0"),
        ({"alpha": 0.5, "delta": 0.5, "mean": float("inf")}, r"mean = inf"),
        ({"alpha": 0.5}, r"exactly one of delta and eta"),
        ({"alpha": 0.5, "delta": 0.5, "eta": 1}, r"exactly one of delta and eta"),
    ],
)
def test_bad_arguments_are_named(arguments, named):
    with pytest.raises(ValueError, match=named):
        solve_rs(L1(), **arguments)


def test_bad_curve_arguments_are_named():
    with pytest.raises(ValueError, match=r"deltas = \[\] is empty"):
        rs_curve(L1(), alpha=0.5, deltas=[])
    with pytest.raises(ValueError, match=r"penalty = 'l1' is not a sparsegdf penalty"):
        rs_curve("l1", alpha=0.5, deltas=[0.1])
