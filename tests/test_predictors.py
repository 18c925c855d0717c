"""RS theory for predictors that are not iid: blocks, the delta_eff of belief propagation, and fits of random samples."""

import copy
import pickle

import numpy as np
import pandas as pd
import pytest
from conftest import ROOT
from finite_blocks import finite_block_shift
from scipy.special import erfc
from scipy.stats import norm

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
    solve_rs,
    stationary_path,
)
from sparsegdf.estimators.degrees_of_freedom import stein_divergence
from sparsegdf.theory.effective_fraction import effective_fraction
from sparsegdf.theory.predictors import Covariance
from sparsegdf.theory.single_body import Averages

SMOOTH = [L1(), ElasticNet(eta2=0.1), SCAD(a=8, lam=1.0), MCP(a=9, lam=1.0)]


def test_bad_predictors_are_named():
    with pytest.raises(ValueError, match="predictors = 'iid' are not known"):
        solve_rs(L1(), alpha=0.5, delta=0.1, predictors="iid")
    with pytest.raises(ValueError, match="are not known"):
        solve_rs(L1(), alpha=0.5, delta=0.1, predictors=IID)
    with pytest.raises(ValueError, match=r"alpha = 0.5 .*>= 1"):
        solve_rs(L1(), alpha=0.5, delta=0.1, predictors=Spectrum([1.0, 2.0]))
    with pytest.raises(ValueError, match="ill_conditioned condition"):
        IllConditioned(0.5)


# --- blocks: Example 2 ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("penalty", [*SMOOTH, L0()], ids=repr)
def test_no_blocks_are_iid_predictors(penalty):
    deltas = np.linspace(0.01, 0.9, 10)
    none = rs_curve(penalty, alpha=0.5, deltas=deltas, predictors=Block(fraction=0))
    assert none.equals(rs_curve(penalty, alpha=0.5, deltas=deltas))


def test_nothing_but_blocks_is_a_change_of_unit():
    """With all columns in blocks Sigma is 1/2: that of iid predictors if x is sqrt(2) times as large."""
    blocks = solve_rs(L1(), alpha=0.5, eta=0.4, predictors=Block(fraction=1))
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
    s = solve_rs(penalty, alpha=alpha, eta=eta, variance=s2, predictors=Block(fraction=fraction))
    assert (s.chi, s.Q) == pytest.approx((chi, Q), rel=1e-9)
    assert (s.df, s.delta) == pytest.approx((chi / (1 + chi), moments[3]), rel=1e-9)
    assert (s.err_train, s.at) == pytest.approx((chi_hat, Q_hat**2 * moments[2]), rel=1e-9)
    by_delta = solve_rs(penalty, alpha=alpha, delta=s.delta, variance=s2, predictors=Block(fraction=fraction))
    assert (by_delta.eta, by_delta.df) == pytest.approx((eta, s.df), rel=1e-9)


@pytest.mark.parametrize("penalty", [SCAD(a=3.0, lam=1.0), MCP(a=2.0, lam=0.7), L0()], ids=repr)
def test_eta_at_a_given_number_of_non_zeros_in_two_groups(penalty):
    """Thresholds of estimates that jump depend on the curvature scale Q_hat of their group."""
    groups, t, Q_hat, chi_hat = Block(fraction=0.4).limit(0.5), 1.3, 0.3, 0.6
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
    assert Block(125).at(1000) == Block(fraction=0.375) and IID().at(1000) == IID()
    with pytest.raises(ValueError, match=r"block T = 125 has no limit itself .*Block\(T\).at\(N\)"):
        solve_rs(L1(), alpha=0.5, delta=0.1, predictors=Block(125))
    with pytest.raises(ValueError, match=r"block fraction = 1.5"):
        Block(fraction=1.5)
    with pytest.raises(ValueError, match=r"block T = 125 and fraction = 0.375 are both given"):
        Block(125, fraction=0.375)
    with pytest.raises(TypeError, match="T"):
        Block()
    assert copy.deepcopy(Block(T=125)) == pickle.loads(pickle.dumps(Block(125))) == Block(125)


def test_simulations_of_finite_blocks():
    """GDF of the reference run less the theory is what blocks of T columns, and not infinitely many, make of it.

    Three N, three penalties, 400 to 1000 samples each. Without that the largest |z| is above 10.
    """
    points = pd.read_csv(ROOT / "reference/figure9_finite_size.csv").query("kind == 'point' and design == 'example2'")
    sparse = pd.read_csv(ROOT / "reference/figure6_example2.csv").query("kind == 'BP'").assign(N=1000)
    points = pd.concat(
        [points.query("fraction_converged == 1 and N != 500"), sparse.groupby("penalty").head(13)[::4]]
    )
    before, after = [], []
    for row in points.itertuples():
        penalty = {"l1": L1(), "elastic_net": ElasticNet(eta2=0.1)}.get(row.penalty, SCAD(a=5.0, lam=1.0))
        if row.penalty == "scad_a8" or row.eta < 0.1:
            continue
        T = int(125 * row.N // 1000)
        problem = {"alpha": 0.5, "eta": row.eta, "predictors": Block(T).at(int(row.N))}
        theory = solve_rs(penalty, **problem)
        if theory.at > 0.8:  # near the AT line fits jump, and SCAD does so at large eta
            continue
        (shift, _), (error, _) = finite_block_shift(penalty, T=T, N=row.N, blocks=1000, **problem)
        before.append((row.gdf - theory.df) / row.gdf_se)
        after.append((row.gdf - theory.df - shift) / np.hypot(row.gdf_se, error))
    assert len(after) > 25 and np.abs(before).max() > 10
    assert np.abs(after).max() < norm.isf(1e-3 / (2 * len(after)))


# --- delta_eff of belief propagation ----------------------------------------------------------------------------------


@pytest.mark.parametrize("penalty", SMOOTH, ids=repr)
def test_delta_eff_is_df_for_iid_predictors_only(penalty):
    iid = solve_rs(penalty, alpha=0.5, delta=0.5)
    assert rs_delta_eff(penalty, iid, alpha=0.5) == pytest.approx(iid.df, rel=1e-12)
    for predictors in (Block(fraction=0.375), IllConditioned(10.0)):
        s = solve_rs(penalty, alpha=0.5, delta=0.5, predictors=predictors)
        gap = rs_delta_eff(penalty, s, alpha=0.5, predictors=predictors) - s.df
        # lambda/(lambda + D) is concave for D > 0 and convex for D < 0: belief propagation errs to either side.
        sign = {L1: 0, ElasticNet: 1}.get(type(penalty), -1)
        assert abs(gap) < 1e-12 if sign == 0 else sign * gap > 1e-3


@pytest.mark.parametrize("d", [2.0, 0.1, 0.0, -0.1, -0.4])
def test_delta_eff_of_one_curvature_is_the_root_of_a_parabola(d):
    """Q = 1/(1 + w/(Q + d)) is Q^2 - 2 p Q - d = 0 with 2 p = 1 - d - w. For d < 0 its roots meet at p^2 = -d."""
    fold = 1 - d - 2 * np.sqrt(max(-d, 0))
    for w in [*np.linspace(0.05, 0.9, 18) * fold, fold - 1e-4, fold - 1e-6]:
        p = (1 - d - w) / 2
        Q = p + np.sqrt(p**2 + d)
        assert effective_fraction([w], [d]) == pytest.approx(w * Q / (Q + d), rel=1e-6), w
    if d != 0:  # delta > 1 without curvature does not occur
        assert np.isnan(effective_fraction([fold + 1e-6], [d])) == (d < 0)


def test_delta_eff_of_a_penalty_that_jumps_and_outside_of_s1():
    s = solve_rs(L0(), alpha=0.5, delta=0.1)
    assert rs_delta_eff(L0(), s, alpha=0.5) == pytest.approx(0.1)  # belief propagation does not see the jumps
    assert np.isnan(rs_delta_eff(L0(), solve_rs(L0(), alpha=0.5, delta=0.6), alpha=0.5))


# --- simulation, of every design --------------------------------------------------------------------------------------


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
