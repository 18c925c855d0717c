"""Our claims about predictors: verdicts follow the data, and change when the data contradict them."""

import numpy as np
import pandas as pd
import pytest
from made_up_evidence import BLOCKS as ALL_BLOCKS

from sparsegdf.paper.claims import predictors
from sparsegdf.paper.claims import simulated as sim
from sparsegdf.paper.claims.verdict import decide

BLOCKS = {name: ALL_BLOCKS[name] for name in sim.SHOWN}
ETAS = np.linspace(2, 0.2, 10)
SIGN = {"l1": 0, "elastic_net": -1, "scad_a5": 1}  # of GDF - delta_eff
HAAR = {"row_orthogonal": {"kind": "row_orthogonal"}, "ill_conditioned": {"kind": "ill_conditioned", "condition": 10}}


def attrs(table, **identity):
    table.attrs = {"N": 1000, "alpha": 0.5, "mean": 0, "variance": 1} | identity
    return table


def theory(block, design, gap=0.03):
    """Made-up theory, stable but for the last level."""
    delta = 1 - ETAS / 2.1
    tables = [
        pd.DataFrame({"penalty": name, "eta": ETAS, "delta": delta, "df": delta, "df_error": 1e-4, "err_train": 0.5})
        .assign(delta_eff=delta - gap * sign, rs_stable=ETAS > 0.3)
        for name, sign in SIGN.items()
    ]  # fmt: skip
    return attrs(pd.concat(tables, ignore_index=True), kind="limits", block=block, design=design)


def summary(block, design_name, design, name, *, off=0.0, gap=0.03, N=1000, se=1e-3):
    """A made-up summary: everything is as in the theory, but for `off`."""
    delta = 1 - ETAS / 2.1
    columns = {"delta": delta + off, "gdf": delta + off, "err_train": 0.5 + off}
    columns |= {
        "gap_delta_eff": gap * SIGN[name] + off,
        "gap_delta_eff_sum": gap * SIGN[name] + off,
        "gap_stein": off,
    }
    table = pd.DataFrame({"eta": ETAS} | columns | {f"{column}_se": se for column in columns})
    names = {"block": block, "design_name": design_name, "design": design, "penalty": BLOCKS[name]}
    return attrs(table.assign(fraction_converged=1.0), kind="summary", penalty_name=name, N=N, **names)


def run(off=0.0, gap=0.03, N=1000):
    """Evidence for every claim, with all measured quantities `off` the theory."""
    evidence = []
    for example in sim.EXAMPLES.values():
        design = sim.DESIGNS[example.design]
        evidence.append(theory(example.block, design))
        for name in BLOCKS:
            evidence.append(summary(example.block, example.design, design, name, off=off, gap=gap, N=N))
            corrected = pd.DataFrame({"eta": ETAS, "corrected": 0.5, "corrected_se": 1e-3, "corrected_stein": 0.0})
            corrected = corrected.assign(corrected_stein_se=1e-4, corrected_samples=20)
            identity = {"kind": "corrected", "block": example.block, "penalty_name": name, "samples": 20}
            evidence.append(attrs(corrected, **identity))
    for size in (N // 4, N // 2, N, 2 * N):
        for name in BLOCKS:
            evidence.append(summary("figure9_finite_size", "iid", {"kind": "iid"}, name, off=off, gap=gap, N=size))
    evidence.append(theory("figure9_finite_size", {"kind": "iid"}))
    for name, design in HAAR.items():
        points = pd.concat(
            summary("", "", design, p, off=off).assign(penalty=p, stein=1 - ETAS / 2.1) for p in BLOCKS
        )
        evidence.append(attrs(points.assign(stein_se=1e-3), kind="predictors", design_name=name, design=design, N=N))
        evidence.append(theory("figure11_predictors", design))
    for name in (*HAAR, "iid"):
        sizes = pd.DataFrame({"N": [20, 40, 60, 80, 100], "delta": 0.1, "df_se": 1e-3, "exact": True})
        shift = {"row_orthogonal": 0.05, "ill_conditioned": -0.05}.get(name, 0.0) * (1 - 2 * bool(off))
        sizes["df"] = 0.5 + shift + 2 / sizes.N
        evidence.append(attrs(sizes, kind="l0_predictors", design_name=name))
    return evidence


def verdicts(evidence):
    return pd.Series({claim.id: decide(claim, evidence)["verdict"] for claim in predictors.CLAIMS})


def test_bp_off_in_the_other_direction_loses_the_claims_about_its_gap():
    found = verdicts(run(gap=-0.03))
    assert set(found[["sign-1", "sign-2", "gaps-predicted"]]) == {"contradicted"}
    assert set(found.drop(["sign-1", "sign-2", "gaps-predicted"])) == {"reproduced"}


def test_unstable_levels_do_not_count():
    evidence = run()
    for table in evidence:
        if table.attrs["kind"] in ("summary", "predictors"):
            for column in table.columns.intersection(["gdf", "gap_stein", "gap_delta_eff", "delta"]):
                table.loc[table.eta < 0.3, column] += 0.3
    assert set(verdicts(evidence)) == {"reproduced"}


def test_a_small_run_decides_nothing_but_theory():
    found = verdicts(run(off=0.1, N=200))
    assert set(found.drop(["l0-one-curve", *found.filter(like="l0-exact").index])) == {"not decidable"}
    assert set(verdicts([]).drop("l0-one-curve")) == {"not decidable"}


@pytest.mark.parametrize("kind", ["limits", "corrected"])
def test_each_kind_of_table_is_needed(kind):
    found = verdicts([table for table in run() if table.attrs["kind"] != kind])
    lost = found[found == "not decidable"].index
    assert {"limits": "theory-1-l1", "corrected": "corrected-2"}[kind] in lost
