"""Minima and crossings of the prediction error, against a fine grid of the curves themselves."""

import numpy as np
import pytest

from sparsegdf import L0, L1, SCAD, ElasticNet, rs_curve
from sparsegdf.theory.prediction_error import crossings, lowest

PROBLEM = {"alpha": 0.5, "mean": 0.5}  # and a variance of 1, which is the default
DELTAS = np.linspace(0.002, 0.6, 120).tolist()


def err_pre(penalty, deltas):
    return rs_curve(penalty, deltas=deltas, variance=1.0, **PROBLEM).err_pre.to_numpy()


@pytest.mark.parametrize("penalty", [L1(), ElasticNet(eta2=0.1), SCAD(a=8, lam=1.0)], ids=str)
def test_no_neighbour_is_below_the_minimum(penalty):
    delta, value = lowest(penalty, DELTAS, **PROBLEM)
    fine = delta + np.linspace(-2e-3, 2e-3, 81)
    values = err_pre(penalty, fine)
    assert abs(fine[values.argmin()] - delta) <= 5.1e-5 and values.min() >= value - 1e-12
    assert 0.05 < delta < 0.2 and value < 1.25  # the signal is worth a model


def test_the_empty_model_is_best_for_l0_and_the_end_of_the_grid_is_told():
    assert lowest(L0(), DELTAS, **PROBLEM) == (0.0, 1.25)
    assert lowest(L0(), DELTAS, variance=2.0, **PROBLEM) == (0.0, 2.25)
    late = np.linspace(0.1, 0.3, 5)  # beyond the minimum of l1, and still better than nothing
    assert lowest(L1(), late, **PROBLEM) == (0.1, err_pre(L1(), late)[0])
    short = [0.002, 0.01, 0.02, 0.03]
    assert lowest(L1(), short, **PROBLEM) == (0.03, err_pre(L1(), short)[-1])


def test_crossings_are_where_a_fine_grid_changes_order():
    pair = ElasticNet(eta2=0.5), SCAD(a=8, lam=1.0)
    fine = np.linspace(0.002, 0.6, 6001)
    gap = np.subtract(*(err_pre(penalty, fine) for penalty in pair))
    expected = fine[:-1][np.diff(np.sign(gap)) != 0]
    found = crossings(*pair, DELTAS, **PROBLEM)
    assert len(found) == len(expected) >= 1
    for (delta, value), left in zip(found, expected, strict=True):
        assert left <= delta <= left + fine[1] - fine[0]
        assert np.allclose([err_pre(penalty, np.array([delta]))[0] for penalty in pair], value, rtol=0, atol=1e-9)
    assert crossings(pair[0], pair[0], DELTAS, **PROBLEM) == []
