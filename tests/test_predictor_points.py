"""The experiments behind figure 11, the lines of figures 5 and 6, and the corrected effective fraction."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

from sparsegdf import AR1, IID, SCAD, Block, ElasticNet, Ensemble, rs_delta_eff, solve_rs, stationary_path
from sparsegdf.estimators.cavity import delta_eff_corrected
from sparsegdf.estimators.degrees_of_freedom import curvature, stein_divergence
from sparsegdf.paper.config.simulation import Simulation
from sparsegdf.paper.experiments.corrected_fraction import corrected_fraction
from sparsegdf.paper.experiments.corrected_summaries import with_corrected
from sparsegdf.paper.experiments.limit_points import limit_points
from sparsegdf.paper.experiments.predictor_points import predictor_points

ENET, SCAD8 = {"kind": "elastic_net", "eta2": 0.1}, {"kind": "scad", "a": 8, "lam": 1}
PENALTIES = {"l1": {"kind": "l1"}, "elastic_net": ENET, "scad": SCAD8}
NOISE = {"mean": 0.0, "variance": 1.0}


def asked(etas, alpha=0.5):
    return {name: {"penalty": block, "alpha": alpha, "etas": etas} for name, block in PENALTIES.items()}


@pytest.mark.parametrize("design", [{"kind": "row_orthogonal"}, {"kind": "ill_conditioned", "condition": 10}])
def test_simulations_at_n_1000_agree_with_the_theory(design):
    """delta, GDF, Stein and training error of three penalties at two eta: no z beyond chance, all counted."""
    etas = [1.2, 0.5]
    settings = {name: {"penalty": block, "etas": etas} for name, block in PENALTIES.items()}
    points = predictor_points(design=design, M=500, N=1000, **NOISE, samples=10, seed=4, penalties=settings)
    theory = limit_points(design=design, N=1000, **NOISE, penalties=asked(etas))
    both = points.merge(theory, on=["penalty", "eta"], suffixes=("", "_rs"))
    assert len(both) == 6 and both.rs_stable.all() and (both.converged == 10).all()
    compared = {"delta": "delta_rs", "gdf": "df", "stein": "df", "err_train": "err_train_rs"}
    z = np.concatenate([(both[a] - both[b]) / both[f"{a}_se"] for a, b in compared.items()])
    # Student's t with 8 degrees of freedom has wider tails; 24 comparisons, a false alarm in 10,000 runs
    assert np.abs(z).max() < 2 * norm.isf(1e-4 / (2 * z.size)) and np.abs(both.gdf - both.df).max() < 0.03
    iid = limit_points(design={"kind": "iid"}, N=1000, **NOISE, penalties=asked(etas))
    gaps = both.merge(iid, on=["penalty", "eta"], suffixes=("", "_iid"))
    assert np.abs((gaps.delta - gaps.delta_iid) / gaps.delta_se).max() > 8  # not the theory of iid predictors


def test_points_of_one_sample_are_those_of_the_solver():
    settings = {"enet": {"penalty": ENET, "etas": [1.0, 0.6]}}
    found = predictor_points(
        design={"kind": "iid"}, M=30, N=60, mean=0.3, variance=2.0, samples=2, seed=1, penalties=settings
    )
    rows = []
    for index in range(2):
        A, y = Ensemble(IID(), 30, 60, mean=0.3, variance=2.0, seed=1).sample(index)
        x = stationary_path(A, y, ElasticNet(eta2=0.1), [1.0, 0.6]).x[:, 1]
        D = np.full(60, 0.1)
        rows.append(
            [(x != 0).sum() / 30, (y - 0.3) @ A @ x / 60, stein_divergence(A, x, D), np.mean((y - A @ x) ** 2)]
        )
    values = found[found.eta == 0.6][["delta", "gdf", "stein", "err_train"]].to_numpy()[0]
    np.testing.assert_allclose(values, np.mean(rows, axis=0), rtol=1e-9)


def test_limit_points_are_those_of_solve_rs():
    block = {"kind": "block", "T": 10}
    found = limit_points(design=block, N=100, mean=0.4, variance=1.5, penalties=asked([1.5, 0.8]))
    predictors = Block(10).at(100)
    point = solve_rs(SCAD(a=8, lam=1.0), alpha=0.5, eta=0.8, mean=0.4, variance=1.5, predictors=predictors)
    row = found[(found.penalty == "scad") & (found.eta == 0.8)].iloc[0]
    assert (row.delta, row.df, row.err_train, row.df_error) == (point.delta, point.df, point.err_train, 0)
    assert row.delta_eff == rs_delta_eff(SCAD(a=8, lam=1.0), point, alpha=0.5, predictors=predictors)
    assert found.at_delta[found.penalty == "l1"].iloc[0] == pytest.approx(1, abs=1e-6)


def test_what_the_theory_refuses_has_no_points():
    penalties = asked([1.5]) | {"l0": {"penalty": {"kind": "l0"}, "alpha": 0.5, "etas": [2.0]}}
    found = limit_points(design={"kind": "iid"}, N=40, **NOISE, penalties=penalties)
    assert set(found.penalty) == set(penalties)
    found = limit_points(design={"kind": "ar1", "c": 0.5}, N=40, **NOISE, penalties={"l0": penalties["l0"]})
    assert found.empty and "at_delta" in found


def test_the_corrected_fraction_over_samples():
    etas = (1.0, 0.6)
    parts = {"design": {"kind": "ar1", "c": 0.5}, "penalty": ENET, "etas": etas, "M": 50, "N": 100, "seed": 2}
    found = corrected_fraction(Simulation.of(**parts, **NOISE), 4)
    values = []
    for index in range(4):
        A, y = Ensemble(AR1(0.5), 50, 100, seed=2).sample(index)
        path = stationary_path(A, y, ElasticNet(eta2=0.1), etas)
        x, d = path.x[:, 1], curvature(path.x[:, 1], path.chi[:, 1], path.Q_hat[:, 1])
        S = np.flatnonzero(x)
        corrected = delta_eff_corrected(AR1(0.5).covariance(S), d[S], 50)
        values.append((corrected, stein_divergence(A, x, d) - corrected))
    row = found.iloc[1]
    np.testing.assert_allclose([row.corrected, row.corrected_stein], np.mean(values, axis=0), rtol=1e-9)
    assert row.corrected_samples == 4 and row.corrected_se == pytest.approx(np.std(values, axis=0, ddof=1)[0] / 2)
    summary = pd.DataFrame({"eta": [0.6], "gap_stein": [0.01], "gap_stein_se": [0.003]})
    (gap,) = with_corrected(summary, found).to_dict("records")
    assert gap["gap_corrected"] == pytest.approx(0.01 + row.corrected_stein)
    assert gap["gap_corrected_se"] == pytest.approx(np.hypot(0.003, row.corrected_stein_se))
    of_a_run = pd.concat([summary.assign(penalty=name) for name in ("l1", "elastic_net")], ignore_index=True)
    found_there = pd.concat([found.assign(penalty="elastic_net"), found.iloc[:1].assign(penalty="l1")])
    without, gap_there = with_corrected(of_a_run, found_there).gap_corrected
    assert np.isnan(without) and gap_there == gap["gap_corrected"]
    unknown = parts | {"design": {"kind": "row_orthogonal"}}
    nothing = corrected_fraction(Simulation.of(**unknown, **NOISE), 2)
    assert nothing.empty and with_corrected(summary, nothing).gap_corrected.isna().all()
