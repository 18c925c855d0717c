"""RS theory of the chain, Example 1, which is sampled: against dense matrices, iid predictors, other samples."""

import numpy as np
import pytest
from scipy.special import ndtr

from sparsegdf import (
    AR1,
    L0,
    L1,
    SCAD,
    Block,
    ClassicMCP,
    ClassicSCAD,
    ElasticNet,
    rs_curve,
    rs_delta_eff,
    rs_stable_range,
    s1_end,
    s1_largest_delta,
    s1_lowest_eta,
    solve_rs,
)
from sparsegdf.ensembles.limits import Chain
from sparsegdf.solvers.fixed_points import violation
from sparsegdf.theory import chain, chain_curve
from sparsegdf.theory.s1_branch import branch_beyond_s1

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


def test_the_minimum_on_given_segments_by_a_dense_matrix():
    """x_i = slope |h_i| + intercept with h = b - (Sigma - 1) x, all linear once segments and signs are given."""
    rng, n, c = np.random.default_rng(4), 12, 0.6
    slope, intercept, piece = np.array([0.9, 0.7]), np.array([-0.3, -0.1]), rng.integers(-1, 2, n)
    b, x, S = rng.normal(size=n), rng.normal(size=n) * (piece >= 0), np.flatnonzero(piece >= 0)
    Sigma, k = c ** np.abs(np.subtract.outer(S, S)), piece[S]
    known = np.linalg.solve(Sigma + np.diag(1 / slope[k] - 1), b[S] + np.sign(x[S]) * intercept[k] / slope[k])
    chain._on_pieces(b, c ** np.arange(n), slope, intercept, x, piece)
    np.testing.assert_allclose(x[S], known, rtol=1e-12)
    assert 4 < S.size < n and not x[piece < 0].any()


def test_each_chain_goes_around_its_lattice_once():
    """Without correlation w is the noise, whose points in (0, 1) are k/P + shift for k = 1, ..., P - 1, each once."""
    for w in chain._fields(0.0)[0]:
        points = np.sort(ndtr(w[64:-64]))
        gaps = np.sort(np.diff(points, append=points[0] + 1)) * (points.size + 1)
        np.testing.assert_allclose(gaps, [*np.ones(points.size - 1), 2], atol=1e-6)


def test_partial_integration_on_the_chain():
    """E[w^T x]/sqrt(v) = E tr K^-1, the two forms of df."""
    for penalty, eta in CHAIN:
        gaps = []
        for sites in chain.all_sites(0.5, penalty, 0.5, 1.0):
            left, curvature = sites.values(1.5, 0.5, eta)[1], sites.find(1.5, 0.5, eta)
            trace, _ = chain._traces(sites.piece, sites.powers, curvature, 64)
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


def test_the_gap_of_delta_eff_on_the_chain_is_smooth():
    """delta_eff less df along the path has no more noise than df itself, so that its second differences are small."""
    problem, gaps = {"alpha": 0.5, "predictors": AR1(0.5)}, []
    for eta in (0.82, 0.7525, 0.685, 0.6175):
        point = solve_rs(ElasticNet(eta2=0.1), eta=eta, **problem)
        gaps.append(rs_delta_eff(ElasticNet(eta2=0.1), point, **problem) - point.df)
    assert np.abs(np.diff(gaps, 2)).max() < 3e-4


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


@pytest.mark.parametrize("penalty", [L1(), ElasticNet(eta2=0.1)], ids=repr)
def test_more_chains_where_the_error_is_too_large(penalty, monkeypatch):
    """Other shifts agree within the smaller df_error, and with the one set of chains that most points need."""
    problem = {"alpha": 0.5, "eta": 0.8, "predictors": AR1(0.6)}
    one_set = solve_rs(penalty, **problem)
    wanted = 0.45 * one_set.df_error
    monkeypatch.setattr(chain_curve, "_WANTED", wanted)
    found = []
    for seed in range(5):
        monkeypatch.setattr(chain, "_SEED", seed)
        chain._fields.cache_clear()
        found.append(solve_rs(penalty, **problem))
    chain._fields.cache_clear()
    df, error = np.array([(s.df, s.df_error) for s in found]).T
    assert (error <= wanted).all()
    assert 0.3 < np.std(df, ddof=1) / np.sqrt(np.mean(error**2)) < 2.2  # the square root of chi2_4/4: 1 % are outside
    assert abs(df.mean() - one_set.df) < 4 * one_set.df_error
    for name in ("delta", "err_train", "Q_hat", "at"):
        assert getattr(found[0], name) == pytest.approx(getattr(one_set, name), rel=5e-3)


def test_an_error_that_cannot_be_reached_is_reported(monkeypatch):
    problem = {"alpha": 0.5, "eta": 0.8, "predictors": AR1(0.6)}
    one_set = solve_rs(L1(), **problem)
    monkeypatch.setattr(chain_curve, "_WANTED", 1e-6)
    assert 1e-6 < solve_rs(L1(), **problem).df_error < one_set.df_error / 2


def test_the_noise_that_is_taken_out_has_mean_zero():
    sets = [chain.l1_noise(0.8, 0.5, which, 1.3, 0.6, 0.7) for which in range(3)]
    noise = np.concatenate(sets)
    assert abs(noise.mean()) < 3 * noise.std() / np.sqrt(noise.size) < 3e-3
    # A multiple of it is taken out of a quantity, and what else that has is left.
    rest = np.random.default_rng(3).normal(size=noise.size) * noise.std() / 10
    values = 0.4 - 2 * noise + rest
    points = chain_curve.Points(*[values] * 9)
    without = chain_curve._without(
        sets, [chain_curve.Points(*part) for part in np.split(np.array(points), 3, axis=1)]
    )
    assert abs(without.Q_hat.mean() - 0.4 - rest.mean()) < 0.05 * noise.std()
    assert without.Q_hat.std() == pytest.approx(rest.std(), rel=0.05)
    np.testing.assert_array_equal(without.unique, values)


@pytest.mark.parametrize("penalty", [L1(), ElasticNet(eta2=0.1), SCAD(a=5, lam=1.0)], ids=repr)
def test_lines_of_a_chain_without_correlation(penalty):
    """For SCAD: AT line, turning point and end apart from each other."""
    for line in (s1_end, s1_largest_delta, s1_lowest_eta, lambda *p, **k: rs_stable_range(*p, **k)[1]):
        iid, sampled = line(penalty, alpha=0.5), line(penalty, alpha=0.5, predictors=Chain(0.0))
        assert abs(sampled - iid) < 5 * sampled.error + 1e-6 and sampled.error < 1e-3
    assert branch_beyond_s1(penalty, alpha=0.5, predictors=Chain(0.0)) == branch_beyond_s1(penalty, alpha=0.5)


@pytest.mark.parametrize("alpha", [1.2, 2.0])
def test_the_elastic_net_ends_with_every_component(alpha):
    """At eta = 0 it is ridge regression, in which no x_i is zero: delta = N/M."""
    end = s1_end(ElasticNet(eta2=0.1), alpha=alpha, predictors=AR1(0.5))
    assert abs(end - 1 / alpha) < 4 * end.error < 4e-4


def test_an_at_line_that_is_not_found_is_not_the_end_of_s1(monkeypatch):
    problem = {"alpha": 0.5, "predictors": AR1(0.5)}
    monkeypatch.setattr(chain_curve.ChainCurve, "_on_each", lambda *_, **__: None)
    low, high = rs_stable_range(SCAD(a=5, lam=1.0), **problem)
    assert low == 0 and np.isnan(high)


@pytest.mark.parametrize("penalty", [SCAD(a=5, lam=0.7), ClassicSCAD(a=3.7), ClassicMCP(a=3.0)])
@pytest.mark.parametrize("eta", [1e-4, 0.3, 40.0])
def test_the_eta_of_a_penalty_that_is_known_at_large_x(penalty, eta):
    curve = object.__new__(chain_curve.ChainCurve)
    curve.penalty = penalty
    assert curve._with_height(penalty.value(1e8, eta)) == pytest.approx(eta, rel=1e-9)


def test_lines_of_example_1():
    """S1 of SCAD a = 5: it becomes unstable, delta turns, then eta on the way to S3, where it ends as l0 does."""
    penalty, problem = SCAD(a=5, lam=1.0), {"alpha": 0.5, "predictors": AR1(0.5)}
    line = rs_stable_range(penalty, **problem)[1]
    beside = rs_curve(penalty, deltas=[line - 5 * line.error, line + 5 * line.error], **problem)
    assert beside.rs_stable.tolist() == [True, False] and 0 < line.error < 1e-3
    largest, lowest = s1_largest_delta(penalty, **problem), s1_lowest_eta(penalty, **problem)
    assert branch_beyond_s1(penalty, **problem) == "S3" and 0 < lowest.error < 2e-3
    # The ends for c = 0 and c = 0.5 differ by little, and lie far below the largest delta.
    end = s1_end(penalty, **problem)
    assert 0.248 + 10 * end.error < end < 0.26 < line < largest
    first, second = (
        solve_rs(penalty, delta=largest - 0.01, beyond_turning=beyond, **problem) for beyond in (False, True)
    )
    assert first.converged and second.converged and first.eta > second.eta > lowest and first.Q < second.Q
    beyond = solve_rs(penalty, delta=largest + 0.01, **problem)
    assert (beyond.branch, beyond.df, beyond.err_train, beyond.rs_stable) == ("S3", 1, 0, False)
    curve = rs_curve(penalty, etas=[lowest * 1.15, lowest * 0.85], **problem)
    assert curve.branch.tolist() == ["S1", "S3"] and curve.converged.all()
    # S3 has the same fields for every kind of predictors.
    blocks = solve_rs(penalty, delta=largest + 0.01, alpha=0.5, predictors=Block(fraction=0.375))
    expected = {name: pytest.approx(value, nan_ok=True) for name, value in vars(blocks).items()}
    assert expected == {name: getattr(beyond, name) for name in expected}


def test_a_chain_whose_minimum_jumps():
    """SCAD at c = 0.8: the objective has several minima from the sparsest model on, so that S1 is nowhere stable."""
    penalty, problem = SCAD(a=5.0, lam=1.0), {"alpha": 0.5, "predictors": AR1(0.8)}
    assert rs_stable_range(penalty, **problem) is None and branch_beyond_s1(penalty, **problem) == "S3"
    s = solve_rs(penalty, eta=0.6, **problem)
    assert s.branch == "S1" and s.at == np.inf and not s.rs_stable and s.converged and s.df_error < 1e-3
    # Simulated at N = 1000 (60 samples): GDF 0.428(3), and 0.027(5) more than Stein's divergence. RS is approximate.
    assert (s.df, s.df_jumps) == pytest.approx((0.428, 0.027), abs=0.017)
    dense = solve_rs(penalty, delta=0.3, **problem)  # one set of chains has 0.002 there
    assert dense.delta == 0.3 and dense.at == np.inf and dense.df_error < 1e-3
    assert solve_rs(penalty, alpha=0.5, eta=0.6, predictors=AR1(0.5)).df_jumps == 0


def test_what_the_chain_refuses():
    with pytest.raises(ValueError, match=r"penalty = L0\(\) has an estimate that jumps"):
        solve_rs(L0(), alpha=0.5, delta=0.1, predictors=AR1(0.5))
    with pytest.raises(ValueError, match=r"eta = 0 is out of range"):
        solve_rs(L1(), alpha=0.5, eta=0, predictors=AR1(0.5))
