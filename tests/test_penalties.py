"""The scalar estimators against brute-force maximisation, finite differences and their own inverses."""

import json
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest

from sparsegdf import (
    L0,
    L1,
    MCP,
    SCAD,
    ClassicMCP,
    ClassicSCAD,
    ElasticNet,
    belief_propagation,
    rs_curve,
    select,
    stationary_path,
)
from sparsegdf.penalties.base import Penalty, Segments
from sparsegdf.penalties.registry import PENALTIES, make_penalty
from sparsegdf.selection.command_line import main

SCADS = [SCAD(a=5, lam=1.0), SCAD(a=3, lam=0.5), SCAD(a=1.5, lam=0.7)]
MCPS = [MCP(a=5, lam=1.0), MCP(a=2, lam=0.5), MCP(a=0.5, lam=0.7)]
CLASSICS = [ClassicSCAD(), ClassicSCAD(a=1.7), ClassicMCP(), ClassicMCP(a=0.8)]
ALL = [L1(), ElasticNet(eta2=0.3), L0(), *SCADS, *MCPS, *CLASSICS]
ids = repr


def objective(penalty, x, h, Q_hat, eta):
    return -Q_hat * x**2 / 2 + h * x - penalty.value(x, eta)


@pytest.mark.parametrize("penalty", ALL, ids=ids)
def test_estimate_is_the_global_maximiser(penalty):
    rng = np.random.default_rng(1)
    grid = np.linspace(-60, 60, 240_001)
    for _ in range(60):
        Q_hat, eta, h = rng.uniform(0.1, 1), rng.uniform(0.02, 2), rng.uniform(-5, 5)
        x, _ = penalty.estimate(h, Q_hat, eta)
        best = objective(penalty, grid, h, Q_hat, eta).max()
        reached = objective(penalty, x, h, Q_hat, eta)
        assert reached >= best - 1e-12
        assert reached <= best + 1e-6  # the grid comes close: the comparison is not vacuous


def test_scad_regimes_are_all_visited():
    """Continuous, jump from a non-zero value, jump from zero: the three cases of the maximiser."""
    scad, eta = SCAD(a=3, lam=1.0), 1.0
    jumps = []
    for Q_hat in (0.9, 0.4, 0.2):  # eta/(a-1) = 0.5 and eta/(a+1) = 0.25 lie between
        h = np.linspace(0, 5, 500_001)
        x, _ = scad.estimate(h, Q_hat, eta)
        at = np.argmax(np.diff(x))
        jumps.append((np.diff(x)[at], x[at], h[at]))
    assert jumps[0][0] < 1e-3
    assert jumps[1][0] > 1 and jumps[1][1] > 0
    assert jumps[1][2] == pytest.approx((4 * 0.4 + 1) / 2, abs=1e-4)
    assert jumps[2][0] > 1 and jumps[2][1] == 0
    assert jumps[2][2] == pytest.approx(np.sqrt(4 * 0.2), abs=1e-4)


def test_mcp_jumps_below_its_curvature():
    """Continuous for Q_hat > eta/a, else a jump from zero at lam sqrt(a eta Q_hat)."""
    mcp, eta, h = MCP(a=2, lam=1.0), 1.0, np.linspace(0, 5, 500_001)
    for Q_hat, height in ((0.9, 0), (0.3, np.sqrt(2 / 0.3))):
        x, _ = mcp.estimate(h, Q_hat, eta)
        at = np.argmax(np.diff(x))
        assert np.diff(x)[at] == pytest.approx(height, abs=1e-3)
        assert mcp.segments(Q_hat, eta).jumps().max() == pytest.approx(height, abs=1e-9)
        if height:
            assert x[at] == 0 and h[at] == pytest.approx(np.sqrt(2 * 0.3), abs=1e-4)


@pytest.mark.parametrize("penalty", ALL, ids=ids)
def test_jumps_are_those_of_the_estimate(penalty):
    """They equal the steps of x* over a fine grid that no slope explains, added up."""
    rng, h = np.random.default_rng(4), np.linspace(1e-9, 8, 80_001)
    for _ in range(20):
        Q_hat, eta = rng.uniform(0.1, 1), rng.uniform(0.02, 2)
        x, _ = penalty.estimate(h, Q_hat, eta)
        steps = np.diff(x)
        slope = penalty.segments(Q_hat, eta).slope.max()
        seen = steps[steps > max(1.5 * slope * (h[1] - h[0]), 1e-2)].sum()
        assert penalty.segments(Q_hat, eta).jumps().sum() == pytest.approx(seen, abs=2e-2)


@pytest.mark.parametrize("penalty", ALL, ids=ids)
def test_chi_is_the_slope_of_the_estimate(penalty):
    h, step = np.linspace(-4.9871, 4.9871, 301), 1e-6
    x_plus, _ = penalty.estimate(h + step, 0.6, 0.8)
    x_minus, _ = penalty.estimate(h - step, 0.6, 0.8)
    _, chi = penalty.estimate(h, 0.6, 0.8)
    np.testing.assert_allclose(chi, (x_plus - x_minus) / (2 * step), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("penalty", ALL, ids=ids)
def test_derivative_is_that_of_the_value(penalty):
    x, step = np.linspace(0.013, 6, 97), 1e-6
    slope = (penalty.value(x + step, 0.7) - penalty.value(x - step, 0.7)) / (2 * step)
    np.testing.assert_allclose(penalty.derivative(x, 0.7), slope, atol=1e-6)
    np.testing.assert_allclose(penalty.derivative(-x, 0.7), slope, atol=1e-6)
    if not isinstance(penalty, L0):
        assert penalty.derivative(0.0, 0.7) == pytest.approx(penalty.value(step, 0.7) / step, rel=1e-5)


@pytest.mark.parametrize("penalty", ALL, ids=ids)
def test_eta_at_inverts_the_threshold(penalty):
    rng = np.random.default_rng(2)
    Q_hat, eta = rng.uniform(0.05, 1, 200), rng.uniform(0.01, 3, 200)
    threshold = penalty.threshold(Q_hat, eta)
    np.testing.assert_allclose(threshold, penalty.segments(Q_hat, eta).start[0], rtol=1e-15)
    np.testing.assert_allclose(penalty.eta_at(threshold, Q_hat), eta, rtol=1e-12)


@pytest.mark.parametrize("penalty", ALL, ids=ids)
def test_segments_broadcast(penalty):
    Q_hat, eta = np.array([[0.3], [0.9]]), np.array([0.1, 0.5, 2.0])
    together = penalty.segments(Q_hat, eta)
    for i in range(2):
        for j in range(3):
            for whole, single in zip(together, penalty.segments(Q_hat[i, 0], eta[j]), strict=True):
                np.testing.assert_array_equal(whole[:, i, j], single)


@pytest.mark.parametrize(
    "make, named",
    [
        (lambda: SCAD(a=1.0, lam=1.0), r"SCAD a = 1.0 .*> 1"),
        (lambda: SCAD(a=0.5, lam=1.0), r"SCAD a = 0.5 .*> 1"),
        (lambda: SCAD(a=3, lam=0), r"SCAD lam = 0 .*> 0"),
        (lambda: SCAD(a="three", lam=1), r"SCAD a = 'three' is not a number"),
        (lambda: SCAD(a="8", lam=1), r"SCAD a = '8' is not a number"),
        (lambda: MCP(a=0, lam=1), r"MCP a = 0 .*> 0"),
        (lambda: MCP(a=3, lam=-1), r"MCP lam = -1 .*> 0"),
        (lambda: ElasticNet(eta2=-0.1), r"ElasticNet eta2 = -0.1 .*>= 0"),
        (lambda: ElasticNet(eta2=float("nan")), r"ElasticNet eta2 = nan"),
        (lambda: ClassicSCAD(a=1), r"ClassicSCAD a = 1 .*> 1"),
        (lambda: ClassicMCP(a=0), r"ClassicMCP a = 0 .*> 0"),
        (lambda: make_penalty("lasso"), r"kind = 'lasso'.*elastic_net, l0, l1"),
    ],
)
def test_bad_parameters_are_named(make, named):
    with pytest.raises(ValueError, match=named):
        make()


def test_registry_makes_each_penalty():
    assert make_penalty("scad", a=5, lam=1) == SCAD(a=5, lam=1)
    assert make_penalty("mcp", a=5, lam=1) == MCP(a=5, lam=1)
    assert make_penalty("scad") == SCAD() == SCAD(a=8, lam=1) and MCP() == MCP(a=8, lam=1)
    assert (
        ElasticNet() == ElasticNet(eta2=0.1)
        and ClassicSCAD() == ClassicSCAD(a=3.7)
        and ClassicMCP() == ClassicMCP(a=3)
    )
    assert set(PENALTIES.values()) == {type(penalty) for penalty in ALL}, "add the new penalty to ALL above"


@pytest.mark.parametrize("scale", [1e-10, 1.0, 1e10])
def test_a_jump_is_one_in_any_units(scale):
    assert L0().segments(1.0, 2 * scale**2).jumps() == pytest.approx(2 * scale)
    assert not SCAD(a=5, lam=scale).segments(1.0, 1.0).jumps().any()


# --- a new penalty, with a parameter that no other has ---------------------------------------------------------


@dataclass(frozen=True)
class Weighted(Penalty):
    """r(x) = eta gamma |x|: l1 at another eta, so that every result is known."""

    gamma: float

    def value(self, x, eta):
        return eta * self.gamma * np.abs(x)

    def derivative(self, x, eta):
        return eta * self.gamma * np.ones_like(x, dtype=float)

    def segments(self, Q_hat, eta):
        return Segments.of((eta * self.gamma, 1 / Q_hat, -eta * self.gamma / Q_hat))

    def eta_at(self, threshold, Q_hat):
        return threshold / self.gamma


@pytest.fixture
def weighted(monkeypatch):
    monkeypatch.setitem(PENALTIES, "weighted", Weighted)
    return Weighted(gamma=4.0)


@pytest.fixture
def data(tmp_path, monkeypatch):
    """A data.csv in the current folder, and its A and y."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(40, 6)), columns=list("abcdef"))
    y = 2 * frame.a - frame.c + rng.normal(size=40)
    monkeypatch.chdir(tmp_path)
    frame.assign(y=y).to_csv("data.csv", index=False)
    return frame, y


def test_a_new_penalty_in_theory_solvers_and_selection(weighted, data):
    deltas = [0.2, 0.5]
    ours, l1 = (rs_curve(penalty, alpha=0.5, deltas=deltas) for penalty in (weighted, L1()))
    np.testing.assert_allclose(4 * ours.eta, l1.eta, rtol=1e-8)
    np.testing.assert_allclose(ours.df, deltas, rtol=1e-8)
    frame, y = data
    A = frame.to_numpy() / np.sqrt(len(y))
    for solver in (belief_propagation, stationary_path):
        found, known = solver(A, y, weighted, [0.5, 0.1]), solver(A, y, L1(), [2.0, 0.4])
        assert found.converged.all() and known.x.any()
        np.testing.assert_allclose(found.x, known.x, rtol=0, atol=1e-8)
    found, known = select(frame, y, weighted), select(frame, y, L1())
    np.testing.assert_allclose(4 * found.path.eta, known.path.eta)
    np.testing.assert_allclose(found.coef, known.coef, rtol=1e-9)


def test_a_new_penalty_on_the_command_line(weighted, data, capsys):
    assert main(["select", "data.csv", "--penalty", "weighted", "--gamma", "4", "--target", "y", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["penalty"] == "Weighted(gamma=4.0)" and found["files"][0] == "data_weighted_gamma4_path.csv"
    theory = ["theory", "--alpha", "0.5", "--delta", "0.3", "--penalty"]
    assert main([*theory, "weighted", "--gamma", "4", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["df"] == pytest.approx(0.3)
    for wrong, message in {
        ("weighted",): "--gamma is missing: weighted has no default for it",
        ("weighted", "--gamma", "4", "--lam", "1"): "--lam is not a parameter of weighted (it has: gamma)",
        ("scad", "--gamma", "4"): "--gamma is not a parameter of scad (it has: a, lam)",
    }.items():
        assert main([*theory, *wrong]) == 2
        assert message in capsys.readouterr().err


def test_help_says_what_each_parameter_is_of(weighted, capsys):
    with pytest.raises(SystemExit):
        main(["theory", "--help"])
    text = " ".join(capsys.readouterr().out.split())
    assert "of weighted" in text and "of elastic_net, >= 0: the strength of the square term (default: 0.1)" in text
    flat, scale = "the penalty is flat beyond |x| = a lam (default: 8)", "> 0: the scale of x (default: 1)"
    assert f"of mcp, > 0: {flat}; of scad, > 1: {flat}" in text and f"of mcp, {scale}; of scad, {scale}" in text
