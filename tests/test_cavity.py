"""The effective fraction with the cavity variances is Stein's divergence, and with a known covariance close to it."""

import numpy as np
import pytest
from scipy.optimize import brentq

from sparsegdf import AR1, IID, SCAD, Block, ElasticNet, Ensemble, RowOrthogonal, stationary_path
from sparsegdf.estimators.cavity import delta_eff_corrected
from sparsegdf.estimators.degrees_of_freedom import curvature, stein_divergence


def fits(design, penalty, etas, M=60, N=120):
    """(A, x, r''(x)) of one sample at each eta with a fixed point."""
    A, y = Ensemble(design, M, N, seed=5).sample(0)
    path = stationary_path(A, y, penalty, etas)
    for k in np.flatnonzero(path.converged):
        yield A, path.x[:, k], curvature(path.x[:, k], path.chi[:, k], path.Q_hat[:, k])


def cavity_variances(A, x, d):
    """chi_i = [H^-1]_ii and Q_i = 1/chi_i - d_i on the support of x."""
    S = np.flatnonzero(x)
    chi = np.linalg.inv(A[:, S].T @ A[:, S] + np.diag(d[S])).diagonal()
    return chi, 1 / chi - d[S]


@pytest.mark.parametrize("design", [IID(), AR1(0.6), Block(15), RowOrthogonal()])
@pytest.mark.parametrize("penalty", [ElasticNet(eta2=0.3), SCAD(a=6, lam=1.0)])
def test_with_cavity_variances_it_is_stein_s_divergence(design, penalty):
    seen = 0
    for A, x, d in fits(design, penalty, [1.5, 1.0, 0.7]):
        chi, Q = cavity_variances(A, x, d)
        assert chi @ Q / len(A) == pytest.approx(stein_divergence(A, x, d), abs=1e-12)
        seen += x.any()
    assert seen >= 2


def test_the_cavity_is_the_problem_without_the_component():
    """Q_i is the curvature of the minimum over the other components of the support, as a function of x_i."""
    A, x, d = next(fits(AR1(0.6), ElasticNet(eta2=0.3), [1.0]))
    S = np.flatnonzero(x)
    chi, Q = cavity_variances(A, x, d)
    G = A[:, S].T @ A[:, S]
    for i in range(len(S)):
        others = np.delete(np.arange(len(S)), i)
        inner = G[np.ix_(others, others)] + np.diag(d[S][others])
        answer = G[i, others] @ np.linalg.solve(inner, G[others, i])
        assert Q[i] == pytest.approx(G[i, i] - answer) and chi[i] == pytest.approx(1 / (Q[i] + d[S[i]]))


def test_the_root_of_the_averaged_equation():
    """Against bisection on the trace, with Sigma and D that do not commute."""
    rng, M = np.random.default_rng(0), 60
    Sigma, D = AR1(0.7).covariance(np.sort(rng.choice(90, 40, replace=False))), rng.uniform(-0.1, 0.5, 40)

    def excess(chi):
        return np.trace(Sigma @ np.linalg.inv(Sigma / (1 + chi) + np.diag(D))) / M - chi

    chi = brentq(excess, 0.1, 5.0, xtol=1e-14)
    assert delta_eff_corrected(Sigma, D, M) == pytest.approx(chi / (1 + chi), abs=1e-12)
    assert delta_eff_corrected(Sigma, np.zeros(40), M) == pytest.approx(40 / M)
    assert np.isnan(delta_eff_corrected(Sigma, np.full(40, -0.9), M))  # no root


@pytest.mark.parametrize("design", [AR1(0.5), Block(100)])
def test_with_the_covariance_it_is_near_stein_where_bp_is_not(design):
    """M = 400: the correction leaves less than a tenth of BP's error for the elastic net."""
    A, y = Ensemble(design, 400, 800, seed=1).sample(0)
    path = stationary_path(A, y, ElasticNet(eta2=0.1), [0.4, 0.25])
    for k in range(2):
        x = path.x[:, k]
        S, d = np.flatnonzero(x), curvature(x, path.chi[:, k], path.Q_hat[:, k])
        stein = stein_divergence(A, x, d)
        corrected = delta_eff_corrected(design.covariance(S), d[S], 400)
        assert path.delta_eff[k] - stein > 0.015 and abs(corrected - stein) < 0.0015


def test_designs_without_a_covariance_say_so():
    with pytest.raises(ValueError, match="covariance of RowOrthogonal"):
        RowOrthogonal().covariance([0, 1])
