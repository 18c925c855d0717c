"""Limits N -> infinity of the gaps: the fit recovers known limits, and leaves out incomplete sizes."""

import numpy as np
import pandas as pd
import pytest

from sparsegdf.paper.experiments.finite_size import GAPS, finite_size_table, gap_limits, with_predicted


def summary(N, limits, rng, se=1e-3, fraction=1.0):
    """Four levels; gap = limit + 10/N + noise for each estimator."""
    table = pd.DataFrame(
        {"eta": [2.0, 1.0, 0.5, 0.25], "delta": [0.1, 0.3, 0.5, 0.8], "fraction_converged": fraction}
    )
    for name, limit in zip(GAPS, limits, strict=True):
        table[f"gap_{name}"], table[f"gap_{name}_se"] = limit + 10 / N + rng.normal(0, se, 4), se
    return table


def test_the_limit_is_recovered_with_its_error():
    z = []
    for seed in range(200):
        rng = np.random.default_rng(seed)
        tables = {(N, "iid", "l1"): summary(N, (0.05, 0.0, -0.02), rng) for N in (250, 500, 1000, 2000)}
        found = gap_limits(finite_size_table(tables, shown=1)).set_index("gap")
        z += [(found.limit[g] - limit) / found.limit_se[g] for g, limit in zip(GAPS, (0.05, 0.0, -0.02), strict=True)]
    assert np.mean(z) == pytest.approx(0, abs=4 / np.sqrt(len(z))) and np.std(z) == pytest.approx(1, abs=0.1)
    assert found.z["delta_eff"] > 20 and abs(found.z["delta_eff_sum"]) < 5 and (found.dof == 2).all()


def test_only_the_densest_levels_and_only_complete_ones_are_used():
    rng = np.random.default_rng(0)
    tables = {(N, "iid", "l1"): summary(N, (0, 0, 0), rng) for N in (250, 500, 1000, 2000)}
    tables[(250, "iid", "l1")].loc[3, "fraction_converged"] = 0.99
    found = gap_limits(finite_size_table(tables, shown=1))
    assert (found.dof == 1).all() and (found.largest_N == 2000).all()  # three sizes are left
    del tables[(2000, "iid", "l1")]
    assert set(gap_limits(finite_size_table(tables, shown=2)).eta) == {0.5}
    assert gap_limits(finite_size_table({k: v for k, v in tables.items() if k[0] < 1000}, shown=2)).empty


def test_the_predicted_gap_stands_beside_the_limit():
    rng = np.random.default_rng(1)
    tables = {(N, "iid", "l1"): summary(N, (0.05, 0.05, 0.0), rng) for N in (250, 500, 1000)}
    limits = gap_limits(finite_size_table(tables, shown=3))
    theory = pd.DataFrame(
        {
            "penalty": "l1",
            "eta": [1.0, 0.5],
            "df": 0.55,
            "df_error": 0.0,
            "delta_eff": 0.5,
            "rs_stable": [True, False],
        }
    )
    found = with_predicted(limits, {"iid": theory})
    assert len(found) == len(limits)
    at = found.set_index(["eta", "gap"])
    for name in ("delta_eff", "delta_eff_sum"):
        assert at.predicted[1.0, name] == pytest.approx(0.05) and abs(at.z_predicted[1.0, name]) < 4
    assert at.predicted[1.0, "stein"] == 0 and np.isnan(at.predicted[0.5, "stein"])  # beyond the AT line
    assert at.predicted[0.5, "delta_eff"] == pytest.approx(0.05) and not at.rs_stable[0.5, "delta_eff"]
    assert np.isnan(at.predicted[0.25, "delta_eff"])  # a level without theory
    nothing = with_predicted(limits, {"iid": pd.DataFrame(columns=list(theory))})  # a design without theory
    assert nothing.predicted[nothing.gap == "delta_eff"].isna().all() and not nothing.rs_stable.any()
