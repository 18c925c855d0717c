"""When the data do not decide a claim, and what a document of claims says. test_claim_mutations.py turns every verdict."""

import numpy as np
import pytest
from made_up_evidence import (
    BP,
    bp_l0,
    bp_table,
    claims_table,
    examples_of_sizes,
    l0_runs,
    l0_sizes,
    stable_theory,
    whole_run,
)

from sparsegdf.paper.claims import l0, l1_elastic_net
from sparsegdf.paper.claims import simulated as sim
from sparsegdf.paper.claims.choices import CHOICES
from sparsegdf.paper.claims.document import as_frame, as_text, claims_document
from sparsegdf.paper.claims.findings import FINDINGS
from sparsegdf.paper.claims.verdict import decide


def test_evidence_at_a_smaller_scale_decides_nothing():
    evidence = [bp_table(example, name, 0.12, N=40) for example in sim.EXAMPLES.values() for name in sim.SHOWN]
    evidence += [stable_theory(example) for example in sim.EXAMPLES.values()]
    claims = [c for c in BP if c.id.startswith(("eff-1-", "eff-2-", "zou-"))]
    assert set(claims_table(claims, evidence).verdict) == set(claims_table(claims, []).verdict) == {"not decidable"}


def test_finite_size_claims_need_sharp_limits_stable_levels_and_large_sizes():
    claims = [c for c in BP if c.id.startswith("finite-size-")]
    assert set(claims_table(claims, examples_of_sizes(0.0, se=0.1)).verdict) == {"not decidable"}
    tables = examples_of_sizes(0.03)
    assert set(claims_table(claims, tables).verdict) == {"contradicted"}
    evidence = [table for table in tables if table.attrs["kind"] == "summary"]
    theory_ = [table for table in tables if table.attrs["kind"] == "limits"]
    unstable = [table.assign(rs_stable=False) for table in theory_]
    for old, new in zip(theory_, unstable, strict=True):
        new.attrs = old.attrs
    assert set(claims_table(claims, [*evidence, *unstable]).verdict) == {"not decidable"}
    small = [table for table in evidence if table.attrs["N"] < 2000]
    assert set(claims_table(claims, small).verdict) == {"not decidable"}


def test_bp_for_l0_is_judged_by_damping():
    claim = [c for c in BP if c.id == "bp-l0"]
    row = claims_table(claim, bp_l0()).iloc[0]
    assert row.verdict == "reproduced with a correction" and "80%" in row.detail
    assert claims_table(claim, bp_l0(N=200)).verdict[0] == "not decidable"


def test_where_samples_have_no_fixed_point_all_of_them_decide():
    """Beyond δ = 0.5, where half of the samples have one, GDF of all counts, and that of the half is shown."""
    claim = [c for c in BP if c.id == "bp-rs-b"]

    def found(of_half, of_all):
        tables = []
        for table in whole_run():
            if table.attrs["block"] in ("figure4_bp_vs_rs", "near_at"):
                dense = table.delta > 0.5
                changed = {"gdf": of_half, "gdf_stationary": of_all}
                new = table.assign(fraction_converged=np.where(dense, 0.5, 1.0))
                table = new.assign(**{name: table[name] + by * dense for name, by in changed.items()})
            tables.append(table)
        return claims_table(claim, tables).iloc[0]

    row = found(of_half=0.05, of_all=0.0)
    assert row.verdict == "reproduced"
    assert "elsewhere 50% of the samples have one, by themselves up to +0.0500" in row.detail
    assert "N = 200: fixed points of BP at 6 of 10 levels" in row.part and "RS is stable up to 0.786" in row.part
    assert found(of_half=0.0, of_all=0.05).verdict == "contradicted"


def test_noise_in_the_medians_leaves_claims_about_steps_open():
    about = [c for c in BP if c.id.startswith(("c-conv", "T-conv", "worse-", "lars-"))]
    evidence = whole_run(slow=1.5)
    assert set(claims_table(about, evidence).verdict) == {"reproduced"}
    noisy = [table.assign(steps_median_se=table.steps_median) for table in evidence]
    assert set(claims_table(about, noisy).verdict) == {"not decidable"}
    few = [table.assign(steps_median_se=np.nan) for table in evidence]
    assert set(claims_table(about, few).verdict) == {"not decidable"}


def test_verdicts_are_taken_again_with_other_choices():
    """A gap of 0.015 is within a symbol of 0.02 and of 0.04, and beyond one of 0.01; noise and samples do not matter."""
    claim = [c for c in BP if c.id == "eff-1-l1"]
    record = decide(claim[0], [bp_table(sim.EXAMPLES[1], "l1", 0.015, se=1e-4)])
    verdicts = {asked["choice"]: [o["verdict"] for o in asked["others"]] for asked in record["choices"]}
    assert verdicts.pop("symbol") == ["contradicted", "reproduced"] and record["verdict"] == "reproduced"
    assert set(verdicts) == {"noise", "complete", "large"} and {v for o in verdicts.values() for v in o} == {
        "reproduced"
    }
    text = as_frame({"claims": [record]}).choices[0]
    assert text.startswith("symbol 0.02 to 0.04 (at 0.01 contradicted)") and "large 0.4 to 0.6" in text
    theory = decide(next(c for c in l1_elastic_net.CLAIMS if c.id == "l1-df"), [])
    assert theory["choices"] == [], "an identity has no choice"
    for choice in CHOICES.values():
        assert min(choice.others) < choice.value < max(choice.others)


def test_every_choice_is_asked_for_by_a_claim():
    evidence = [*whole_run(), *l0_sizes(l0.rs_df), *bp_l0()]
    asked = {a["choice"] for claim in (*BP, *l0.CLAIMS) for a in decide(claim, evidence)["choices"]}
    assert asked == set(CHOICES)


@pytest.mark.parametrize("other", [{"penalty": {"kind": "mcp", "a": 5, "lam": 1}}, {"alpha": 0.4}, {"mean": 1.0},
                                   {"variance": 2.0}, {"design": {"kind": "ar1", "c": 0.9}}])  # fmt: skip
def test_a_run_with_other_parameters_is_no_evidence(other):
    evidence = whole_run(0.1)
    for table in evidence:
        table.attrs |= other
    table = claims_table(BP, evidence)
    assert set(table.verdict) == {"not decidable"} and (table.detail != "").all()
    if "alpha" in other:
        sizes = l0_sizes(l0.rs_df)
        for table in sizes:
            table.attrs |= other
        table = claims_table([c for c in l0.CLAIMS if c.id.startswith("exact")], sizes)
        assert set(table.verdict) == {"not decidable"}


def test_a_run_without_fixed_points_is_no_evidence():
    evidence = [table.assign(fraction_converged=0.5, iterated=0) for table in whole_run()]
    assert set(claims_table(BP, evidence).verdict) == {"not decidable"}


def test_how_bp_converges_is_told_by_iterating_alone():
    evidence = [table.assign(iterated=0, steps_median=np.nan) for table in whole_run(slow=1.5)]
    found = claims_table(BP, evidence).set_index("id").verdict
    about_steps = found.index.str.contains("convergence|worse")
    assert set(found[about_steps]) == {"not decidable"} and "reproduced" in set(found[~about_steps])


def test_limit_claims_tell_rs_from_one_step_rsb():
    claims = [c for c in l0.CLAIMS if c.id.startswith("exact-limit")]
    as_rs = claims_table(claims, l0_sizes(l0.rs_df, se=1e-4))
    one_step = claims_table(claims, l0_sizes(lambda d: {0.1: 0.5361, 0.2: 0.7887}[d], se=1e-4))
    neither = claims_table(claims, l0_sizes(lambda d: d))
    # With large errors every form fits, and some of them reach RS.
    wide = claims_table(claims, l0_sizes(lambda d: l0.rs_df(d) - 0.03, se=4e-3))
    assert set(wide.verdict) == {"not decidable"}, "a form that reaches RS keeps the claim open"
    assert set(as_rs.verdict) == {"reproduced"} and set(neither.verdict) == {"reproduced with a correction"}
    above = claims_table(claims, l0_sizes(lambda d: 1.5))
    assert set(above.verdict) == {"contradicted"}
    assert set(one_step.verdict) == {"reproduced with a correction"}
    assert set(claims_table(claims, l0_sizes(l0.rs_df, se=0.1)).verdict) == {"not decidable"}


def test_the_claim_about_small_delta_compares_its_ends():
    claim = [c for c in l0.CLAIMS if c.id == "exact-small-delta"]
    assert claims_table(claim, l0_runs((0.1, 0.1, 0.1, 0.1))).verdict[0] == "not decidable"


def test_the_same_evidence_gives_the_same_bytes_and_other_evidence_does_not():
    claims = [c for c in BP if c.id == "eff-1-l1"]

    def text(gap):
        return as_text(claims_document("made up", whole_run(gap), claims))

    assert text(0.0) == text(0.0) != text(0.1)


def test_findings_quote_the_run():
    """The numbers in the text of a finding are those of its claims, and change with them."""

    def found(gap):
        decided = [decide(c, examples_of_sizes(gap)) for c in BP if c.id.startswith("finite-size-")]
        return {finding.id: finding for finding in FINDINGS}["curvature"].as_record(decided)

    for gap in (0.05, 0.08):
        record = found(gap)
        assert len(record["claims"]) == 6 and f"to +{gap:.4f}(" in record["text"]
