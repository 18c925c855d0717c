"""The plot of a Selection shows the numbers of its path."""

import warnings
from dataclasses import replace

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from problems import planted

from sparsegdf import L0, L1, SCAD, ElasticNet, select
from sparsegdf.selection.predicted import centred_curve

matplotlib.use("Agg")


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def lines(ax):
    return {line.get_label(): line for line in ax.lines}


@pytest.mark.parametrize("criterion, unit", [("cp", 1.0), ("aic", 2.0)])
def test_criterion_and_training_error(criterion, unit):
    A, y = planted()
    found = select(A, y, L1(), sigma2=2.0, criterion=criterion)
    found = replace(
        found, levels=found.levels | {"converged": np.arange(len(found.path)) % 7 > 0}
    )  # the others are not shown
    shown, best = found.path[found.path.converged], found.best
    top, _, bottom = found.plot()
    curve, error, chosen = top.lines[:3]
    np.testing.assert_array_equal(curve.get_xydata(), shown[["eta", criterion]])
    np.testing.assert_allclose(error.get_ydata(), shown.err_train / unit)
    np.testing.assert_array_equal(chosen.get_xydata(), [[best.eta, best[criterion]]])
    assert f"{best.nonzeros} non-zeros" in chosen.get_label() and ("sigma" in top.get_ylabel()) == (
        criterion == "aic"
    )
    assert bottom.get_xscale() == "log" and bottom.xaxis_inverted()
    assert all(best.eta in np.ravel(ax.lines[-1].get_xdata()) for ax in (top, bottom))


@pytest.mark.parametrize("penalty, criterion", [("scad", "bic"), ("l1", "cv"), ("l1", "cv1se")])
def test_the_band_of_the_criterion_is_its_standard_error(penalty, criterion):
    A, y = planted()
    found = select(A, y, penalty, criterion=criterion)
    band = found.plot()[0].collections[0].get_paths()[0].vertices
    for k in (0, found.chosen):
        width = np.ptp(band[np.isclose(band[:, 0], found.path.eta[k]), 1])
        assert width == pytest.approx(2 * found.criterion_se[k])
    assert not select(A, y, "l1").plot()[0].collections


@pytest.mark.parametrize("strength", [0.1, 3.0])
def test_the_empty_model_does_not_squeeze_the_rest(strength):
    """Four times the way from the smallest training error to the choice is shown above it, half of it below."""
    A, y = planted(strength=strength)
    found = select(A, y, L1())
    low, chosen, high = found.path.err_train.min(), found.best.cp, found.path.cp.max()
    bottom, top = found.plot()[0].get_ylim()
    room = chosen - low
    assert top == pytest.approx(chosen + 4 * room) if high > chosen + 5 * room else high <= top <= chosen + 4 * room
    assert low - room / 2 <= bottom < low


@pytest.mark.parametrize("penalty, bootstrap", [(SCAD(8, 1), 0), (L0(), 0), (L1(), 5)], ids=repr)
def test_degrees_of_freedom(penalty, bootstrap):
    A, y = planted()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = select(A, y, penalty, sigma2=1.0, bootstrap=bootstrap)
    middle, path = found.plot()[1], found.path
    np.testing.assert_array_equal(middle.lines[0].get_ydata(), path.df)
    shown = lines(middle)
    jumping = [line for label, line in shown.items() if "may jump" in label]
    assert len(jumping) == (path.jumps.any() and not bootstrap)
    for line in jumping:
        np.testing.assert_array_equal(line.get_ydata(), path.df.where(path.jumps))
    np.testing.assert_array_equal(
        next(line for label, line in shown.items() if "delta" in label).get_ydata(), path.delta
    )
    assert len(middle.collections) == (bootstrap > 0)
    if bootstrap:
        np.testing.assert_array_equal(shown["Stein divergence"].get_ydata(), path.df_stein)
        band = middle.collections[0].get_paths()[0].vertices
        at_first = band[np.isclose(band[:, 0], path.eta[0]), 1]
        assert np.ptp(at_first) == pytest.approx(2 * path.df_se[0])


def test_the_eight_largest_coefficients_are_named():
    """They are ranked by the coefficient times the spread of its column. Zeros are not named."""
    A, y = planted(N=12, M=80)
    found = select(A, y + A[:, 3:] @ np.linspace(0.2, 1, 9), L1())
    bottom = found.plot()[2]
    size = np.abs(found.coef) * A.std(axis=0)
    largest = np.argsort(-size)[:8]
    assert [text.get_text() for text in bottom.get_legend().get_texts()] == [str(i) for i in largest]
    drawn = [line.get_ydata() for line in bottom.lines if len(line.get_ydata()) == len(found.path)]
    expected = found.coefficients * A.std(axis=0)[:, None]
    order = [*sorted(set(range(12)) - set(largest)), *largest]
    np.testing.assert_allclose(drawn, expected[order])
    assert any(np.array_equal(line.get_ydata(), [0, 0]) for line in bottom.lines)
    sparse = replace(found, chosen=int(np.flatnonzero(found.path.nonzeros == 2)[0]))
    assert len(sparse.plot()[2].get_legend().get_texts()) == 2
    assert replace(found, chosen=0).plot()[2].get_legend() is None


def test_names_are_shown_as_they_are(tmp_path):
    names = [r"$\input{x}$", "_x", "x_1^2 $", "الطول", "ß & 50 %", "\U000f0000"]  # no font has the last
    A, y = planted(N=6, strength=3)
    y = y + A[:, 3:] @ [1.0, 1.0, 1.0]
    found = select(pd.DataFrame(A, columns=names), y, L1())
    axes = found.plot()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        axes[0].figure.savefig(tmp_path / "path.png")
    shown = {text.get_text() for text in axes[2].get_legend().get_texts()}
    assert shown == {*names[:5], "column 5"}
    assert all(f"{name} {x:.4g}" in repr(found) for name, x in zip(names, found.coef, strict=True))


@pytest.mark.parametrize("rows, columns", [(442, 11), (442, 10)])
def test_the_theory_reaches_all_columns_whatever_the_rounding(rows, columns):
    """11/441 is larger than 1/(441/11) in floating point."""
    A = np.random.default_rng(0).normal(size=(rows, columns))
    curve = centred_curve(A, L1())
    np.testing.assert_allclose(curve.df.iloc[-1], columns / (rows - 1))
    with pytest.raises(ValueError, match=r"delta = 0.5 is out of range"):
        centred_curve(A, L1(), [0.5])


def test_the_predicted_df_is_drawn_if_asked_for():
    """From singular values alone, it is near Stein's df on pure noise; unpenalised columns take rows of their own."""
    rng = np.random.default_rng(0)
    A, y = rng.normal(size=(120, 200)) + rng.normal(size=200), rng.normal(size=120)
    weights = np.r_[0.0, np.ones(199)]
    found = select(A, y, ElasticNet(eta2=0.2), sigma2=1.0, eta_min=0.6, penalty_weights=weights)
    _, middle, _ = found.plot(predicted=True)
    line = lines(middle)["theory, from singular values"]
    np.testing.assert_array_equal(line.get_ydata(), found.df_predicted[found.path.converged])
    assert np.abs(found.df_predicted - found.path.df).max() < 0.02
    assert found.df_predicted[0] == pytest.approx(found.path.df[0])  # the empty model: two columns without penalty
    assert "theory, from singular values" not in lines(found.plot()[1])


def test_where_the_theory_is_unstable_it_is_marked():
    """RS is unstable for l0, which jumps, but where it leaves out no predictor, and stable for l1."""
    rng = np.random.default_rng(0)
    A, y = rng.normal(size=(40, 20)), rng.normal(size=40)
    found = select(A, y, "l0", sigma2=1.0, bootstrap=0)
    drawn = lines(found.plot(predicted=True)[1])
    dotted = drawn["theory, from singular values, unstable"].get_ydata()
    count = np.count_nonzero(found.coefficients, axis=0)
    np.testing.assert_array_equal(found.rs_stable, (count == 0) | (count == 20))
    np.testing.assert_array_equal(np.isfinite(dotted), ~found.rs_stable & np.isfinite(found.df_predicted))
    convex = select(A, y, "l1", sigma2=1.0)
    assert convex.rs_stable[np.isfinite(convex.df_predicted)].all()
    assert "theory, from singular values, unstable" not in lines(convex.plot(predicted=True)[1])
