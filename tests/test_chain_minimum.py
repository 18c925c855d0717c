"""The lowest minimum of a chain: against an enumeration of all segments, and against descent from many starts."""

from itertools import product

import numpy as np
import pytest

from sparsegdf import L0, L1, MCP, SCAD, ElasticNet, s1_end, s1_lowest_eta
from sparsegdf.ensembles.limits import Chain
from sparsegdf.solvers.fixed_points import violation
from sparsegdf.theory import chain
from sparsegdf.theory.chain_curve import SampledChain
from sparsegdf.theory.chain_minimum import lowest_minimum, quadratics

CASES = [(SCAD(a=3.0, lam=0.5), 1.1), (SCAD(a=5.0, lam=0.4), 6.0), (MCP(a=2.5, lam=1.0), 0.5), (L0(), 0.4)]


def covariance(n, c):
    return c ** np.abs(np.subtract.outer(np.arange(n), np.arange(n)))


def cost(x, b, Sigma, penalty, Q_hat, eta):
    return x @ Sigma @ x / 2 - b @ x + penalty.value(x, eta).sum() / Q_hat


def enumerated(b, Sigma, penalty, Q_hat, eta):
    """The least cost over all stationary points: one linear system for each choice of a segment and a sign per site."""
    low, high, d, e, _ = quadratics(penalty, Q_hat, eta)
    choices, best = [0, *(s * (k + 1) for k in range(d.size) for s in (1, -1))], 0.0
    for choice in product(choices, repeat=b.size):
        choice = np.array(choice)
        S, k = np.flatnonzero(choice), np.abs(choice[choice != 0]) - 1
        sign = np.sign(choice[S])
        H = Sigma[np.ix_(S, S)] + np.diag(d[k])
        if S.size == 0 or abs(np.linalg.det(H)) < 1e-12:
            continue
        x = np.linalg.solve(H, b[S] - sign * e[k])
        if ((sign * x >= low[k] - 1e-9) & (sign * x <= high[k] + 1e-9)).all():
            whole = np.zeros(b.size)
            whole[S] = x
            best = min(best, cost(whole, b, Sigma, penalty, Q_hat, eta))
    return best


@pytest.mark.parametrize("penalty, eta", CASES)
def test_no_choice_of_segments_has_a_lower_minimum(penalty, eta):
    rng, Q_hat, n = np.random.default_rng(7), 0.6, 4
    for c in (0.3, 0.6, 0.9, -0.8):
        for _ in range(3):
            b, Sigma = 2 * rng.standard_normal(n), covariance(n, c)
            sites = chain.Sites(b, c ** np.arange(n), penalty, 1.0, 1.0)
            sites.settle(1.0, Q_hat, eta)
            least = enumerated(b, Sigma, penalty, Q_hat, eta)
            assert cost(sites.x, b, Sigma, penalty, Q_hat, eta) == pytest.approx(least, abs=1e-9)
            np.testing.assert_array_equal(sites.piece >= 0, sites.x != 0)


@pytest.mark.parametrize("penalty, eta", [(L1(), 0.6), (ElasticNet(eta2=0.1), 0.5), (SCAD(a=8.0, lam=1.0), 0.6)])
def test_where_there_is_one_minimum_descent_finds_it(penalty, eta):
    c, Q_hat, n = 0.5, 0.8, 2000
    w = chain._markov(np.random.default_rng(5).standard_normal(n), c)
    sites = chain.Sites(w, c ** np.arange(n), penalty, 0.5, 1.0)
    sites.find(1.0, Q_hat, eta)
    x, piece = np.empty(n), np.empty(n, int)
    assert sites.unique and lowest_minimum(w, c, *quadratics(penalty, Q_hat, eta), x, piece)
    np.testing.assert_allclose(x, sites.x, atol=1e-6)
    np.testing.assert_array_equal(piece, sites.piece)


def test_where_there_are_several_descent_finds_none_that_is_lower():
    penalty, c, Q_hat, eta, n = SCAD(a=5.0, lam=1.0), 0.8, 0.4, 0.42, 1500
    rng = np.random.default_rng(1)
    w, Sigma = chain._markov(rng.standard_normal(n), c), covariance(n, c)
    sites = chain.Sites(w, c ** np.arange(n), penalty, 0.5, 1.0)
    sites.find(2.0, Q_hat, eta)
    b, lowest = np.sqrt(2) * w, sites.x.copy()
    assert not sites.unique and violation(Q_hat * (b - Sigma @ lowest), lowest, penalty, eta) < 1e-8
    start, slope, intercept = (s[:, 0].copy() for s in penalty.segments(np.array([Q_hat]), np.array([eta])))
    found = []
    for scale in (0, 1, 3, 10):
        x, piece = scale * rng.standard_normal(n), np.full(n, -2)
        assert chain._descend(b, sites.powers, start / Q_hat, slope * Q_hat, intercept, x, piece, 1e-8)
        found.append(cost(x, b, Sigma, penalty, Q_hat, eta))
    assert min(found) > cost(lowest, b, Sigma, penalty, Q_hat, eta) + 0.1


def test_the_densest_l0_without_correlation_is_that_of_iid_predictors():
    known = SampledChain(Chain(0.0), 0.5, 1.0)
    sites = chain.all_sites(known.c, SCAD(a=5.0, lam=1.0), 0.5, 1.0)
    ends = np.array([chain.densest_l0(one) for one in sites])
    error = ends.std(axis=0, ddof=1) / 4
    expected = s1_end(L0(), alpha=0.5), s1_lowest_eta(L0(), alpha=0.5)
    assert (np.abs(ends.mean(axis=0) - expected) < 5 * error + 1e-4).all() and (error < 5e-4).all()
