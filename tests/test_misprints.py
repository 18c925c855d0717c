"""The misprints of the paper, each against an oracle of its own: a quadrature, a grid, a sample."""

import re

import numpy as np
import pytest
from conftest import ROOT
from scipy.special import erfc

from sparsegdf.paper import misprints
from sparsegdf.paper.claims.coverage import sentences
from sparsegdf.paper.misprints import MISPRINTS
from sparsegdf.penalties.l1 import L1
from sparsegdf.penalties.scad import SCAD
from sparsegdf.theory.replica_symmetric import rs_curve, solve_rs


def numbers(text):
    return [float(number) for number in re.findall(r"[+-]?\d+\.?\d*(?:e[+-]\d+)?", text)]


def test_each_misprint_names_a_test_that_exists():
    for item in MISPRINTS:
        file, _, name = item.test.partition("::")
        assert re.search(rf"^def {name}\(", (ROOT / file).read_text(), re.M), item.test


def test_each_misprint_has_a_place_in_the_paper():
    placed = {id for sentence in sentences() for id in sentence.misprints}
    assert placed == {item.id for item in MISPRINTS}


def test_pi4_does_not_vanish():
    """The weight between the last two thresholds as a grows: their ratio to sqrt(chi_hat) stays, and eta/(a-1) falls."""
    weights, terms = [], []
    for a in (1e3, 1e4, 1e5):
        point = solve_rs(SCAD(a=a, lam=1.0), alpha=0.5, delta=0.5)
        second, third = (field / np.sqrt(2 * point.chi_hat) for field in (point.Q_hat + point.eta, a * point.Q_hat))
        weights.append(erfc(second) - erfc(third))
        terms.append(point.df - point.delta)
    assert weights == pytest.approx([0.0417] * 3, abs=2e-4)
    assert terms[0] > 5 * terms[1] > 25 * terms[2] > 0
    printed, _ = misprints.pi4()
    assert numbers(printed)[0] == pytest.approx(weights[1], abs=1e-4)


def test_the_free_energy_has_a_term_in_both_fields():
    """Minimising the objective with the fields on 20 samples tells the two forms apart."""
    printed, corrected, (mean, se) = misprints.with_fields()
    assert abs(corrected - mean) < 4 * se and abs(printed - mean) > 50 * se
    # The printed form, at its own saddle point: s2 = 2, m_y = 1, alpha = 0.5, eta = 0.3, kappa = -nu = 0.5.
    change = 2 * 0.5 * (0.5 - 2) - 0.5 * (-0.5 - 2)
    p = solve_rs(L1(), alpha=0.5, eta=0.3, variance=2 + change)
    theta = 0.3 / np.sqrt(2 * p.chi_hat)
    tail = erfc(theta)
    pi = p.chi_hat / p.Q_hat * ((1 + 2 * theta**2) * tail - 2 * theta / np.sqrt(np.pi) * np.exp(-(theta**2)))
    f = 0.5 * (p.Q + 2) / (2 * (1 + p.chi)) - 0.5 * (p.Q * p.Q_hat - p.chi * p.chi_hat) / 2 - pi / 2
    assert printed == pytest.approx(f - 0.5 * change / (2 * (1 + p.chi)) * p.chi, abs=1e-12)


def test_q_is_the_norm_over_m():
    printed, corrected = (numbers(text) for text in misprints.q_norm())
    assert corrected[0] == pytest.approx(corrected[1], rel=0.15)  # one sample with M = 200
    assert printed[0] == pytest.approx(400 * corrected[0], rel=0.01)


def test_the_bias_of_aic_is_the_dimension_over_m():
    """Directly: the log-likelihood per sample on the data less that on new data, of a fit to 3 of 30 directions."""
    rng, K, M = np.random.default_rng(5), 3, 30
    w, z = rng.normal(size=(2, 20_000, M))
    fit = np.where(np.arange(M) < K, w, 0.0)
    gain = ((z - fit) ** 2 - (w - fit) ** 2).sum(1) / (2 * M)
    assert gain.mean() == pytest.approx(K / M, abs=4 * gain.std() / np.sqrt(len(gain)))
    printed, corrected = (numbers(text) for text in misprints.aic_bias())
    assert printed[0] == 5 and corrected[0] == 0.1 and abs(corrected[1] - 0.1) < 4 * corrected[2]


def test_figure_3_needs_a_mean():
    """err_pre of l1 rises from delta = 0 at m_y = 0, and has its minimum where the paper says at m_y = 0.5."""
    deltas = np.linspace(0.001, 0.3, 300)
    flat, bent = (rs_curve(L1(), alpha=0.5, deltas=deltas, mean=mean).err_pre.to_numpy() for mean in (0.0, 0.5))
    assert flat.argmin() == 0 and flat[0] > 1 and deltas[bent.argmin()] == pytest.approx(0.085, abs=1e-3)


def test_the_printed_scad_maximiser_fails_below_eta_over_a_plus_1():
    """Brute force over x: the largest objective is that of x = 0 up to h* = lam sqrt((a+1) eta Q_hat), then of h/Q_hat."""
    penalty, Q_hat, x = SCAD(a=5, lam=1.0), 0.05, np.linspace(0, 40, 400_001)
    edge = np.sqrt(6 * Q_hat)
    for h, best in ((0.5, 0.0), (edge - 1e-3, 0.0), (edge + 1e-3, (edge + 1e-3) / Q_hat)):
        objective = -Q_hat / 2 * x**2 + h * x - penalty.value(x, 1.0)
        assert x[objective.argmax()] == pytest.approx(best, abs=1e-3)
    printed, corrected = (numbers(text)[0] for text in misprints.s3_order())
    assert printed == -0.5 and corrected == 0.0


def test_what_the_captions_leave_open():
    """The parameters used are those that the text gives for the other figures: Figs. GDF and BP state them."""
    import yaml

    from sparsegdf.paper.config.model import load

    config = load(yaml.safe_load((ROOT / "config/paper.yaml").read_text(encoding="utf-8")))
    stated = config.figure4_bp_vs_rs
    for block in (config.figure5_example1, config.figure6_example2):
        assert (block.mean, block.variance) == (stated.mean, stated.variance) == (0, 1)
    assert config.l0_search.alpha == config.figure2_gdf.alpha == 0.5
