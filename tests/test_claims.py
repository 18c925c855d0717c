"""Claims: verdicts depend only on the data, and change when the data contradict them."""

import itertools
import json
import re
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import cache

import jsonschema
import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from conftest import ROOT

from sparsegdf.paper.claims import (
    bp_examples,
    bp_iid,
    curves,
    l0,
    l0_rs,
    l1_elastic_net,
    prediction,
    scad,
    single_body,
)
from sparsegdf.paper.claims import simulated as sim
from sparsegdf.paper.claims.coverage import sentences
from sparsegdf.paper.claims.document import SCHEMA, as_frame, as_text, claims_document
from sparsegdf.paper.claims.findings import FINDINGS, behind
from sparsegdf.paper.claims.outcomes import (
    Outcome,
    agreement,
    every,
    identity,
    larger,
    no_difference,
    number,
    positive,
)
from sparsegdf.paper.claims.registry import CLAIMS as ALL
from sparsegdf.paper.claims.verdict import Claim, Undecided, decide, lost
from sparsegdf.paper.misprints import MISPRINTS
from sparsegdf.penalties.l0 import L0
from sparsegdf.theory.one_step_rsb import solve_l0_1rsb
from sparsegdf.theory.replica_symmetric import rs_curve, solve_rs

BP = [*bp_iid.CLAIMS, *bp_examples.CLAIMS]
THEORY = [c for part in (single_body, l1_elastic_net, l0_rs, scad, prediction) for c in part.CLAIMS]
YES, NO, OPEN = (Outcome(holds, "m", "t") for holds in (True, False, None))


def claims_table(claims, tables):
    """The claims decided from these tables, one row each."""
    return as_frame({"claims": [decide(claim, tables) for claim in claims]})


def made(finished, name):
    """A table as the pipeline makes it."""
    return pd.read_csv(finished.folder / f"tiny_figures/{name}.csv", dtype=str, keep_default_na=False).set_index("id")


# --- verdicts ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "printed, corrected, verdict",
    [
        (YES, None, "reproduced"),
        (YES, NO, "reproduced"),
        (NO, None, "contradicted"),
        (NO, YES, "reproduced with a correction"),
        (NO, NO, "contradicted"),
        (NO, OPEN, "not decidable"),
        (OPEN, YES, "not decidable"),
        (YES._replace(holds=np.True_), None, "reproduced"),
        (NO._replace(holds=np.False_), YES, "reproduced with a correction"),
    ],
)
def test_verdict_follows_from_the_findings(printed, corrected, verdict):
    check = (lambda _: corrected) if corrected else None
    row = claims_table([Claim("id", "w", "s", "q", "h", lambda _: printed, "why", check)], []).iloc[0]
    assert row.verdict == verdict
    assert (row.correction == "why") == (
        verdict == "reproduced with a correction" or (corrected, printed) == (OPEN, NO)
    )


def test_missing_evidence_is_not_decidable_and_says_why():
    def check(_):
        raise Undecided("this run has no x")

    row = claims_table([Claim("id", "w", "s", "q", "h", check)], []).iloc[0]
    assert (row.verdict, row.detail) == ("not decidable", "this run has no x")


def test_quoted_digits_set_the_tolerance():
    assert number(0.24849, "0.248").holds and not number(0.24851, "0.248").holds
    assert number(0.0004, "0.000").holds and not number(1.6, "1").holds


def test_monte_carlo_findings_need_both_closeness_and_sharpness():
    close, far, sharp, dull = np.zeros(5), np.full(5, 0.05), np.full(5, 0.002), np.full(5, 0.05)
    d = np.linspace(0.1, 0.5, 5)
    assert agreement(close, sharp, d).holds is True
    assert agreement(far, sharp, d).holds is False
    assert agreement(close, dull, d).holds is None and agreement(far, dull, d).holds is None
    assert no_difference(close, sharp, d).holds is True
    assert no_difference(far, sharp, d).holds is False
    assert no_difference(close, dull, d).holds is None
    assert larger(far, sharp, "x").holds is True and larger(-far, sharp, "x").holds is False
    assert larger(close, sharp, "x").holds is None
    for empty in (agreement([], [], []), no_difference([], [], []), larger([], [], "x")):
        assert empty.holds is None
    assert positive([[0.1, 0.2], [0.3, -0.1]], "x").holds is False and identity([1e-3]).holds is False


def test_noise_alone_seldom_contradicts():
    """Of 2000 true claims with 25 points each, at most a handful are contradicted (expected: 2)."""
    rng = np.random.default_rng(0)
    wrong = sum(no_difference(rng.normal(size=25) * 1e-3, np.full(25, 1e-3), np.ones(25)).holds is False
                for _ in range(2000))  # fmt: skip
    assert wrong <= 8


def test_the_worst_of_several_findings_decides():
    assert every({"a": YES, "b": YES}).holds is True
    assert every({"a": YES, "b": OPEN}).holds is None
    assert every({"a": OPEN, "b": NO}).holds is False and every({"a": OPEN, "b": NO}).measured.startswith("b: ")


def test_lost_claims_are_those_reproduced_before_and_no_longer():
    def claims(*verdicts):
        return [{"id": id, "verdict": verdict} for id, verdict in zip("abcd", verdicts, strict=False)]

    reference = claims("reproduced", "reproduced with a correction", "contradicted", "reproduced")
    now = claims("contradicted", "contradicted", "contradicted", "not decidable")
    assert lost(now, reference, same_scale=True) == {"a": "contradicted", "b": "contradicted", "d": "not decidable"}
    assert list(lost(now, reference, same_scale=False)) == ["a", "b"], "a preview may leave a claim open"
    assert not lost(reference, reference, same_scale=True)
    assert not lost(claims(*["reproduced with a correction"] * 4), reference, same_scale=True)
    for same_scale in (True, False):
        assert lost(reference[1:], reference, same_scale=same_scale) == {"a": "missing"}


# --- the claims ----------------------------------------------------------------------------------------------------


def test_there_are_enough_claims_with_names_of_their_own():
    assert len(ALL) >= 35
    assert len({claim.id for claim in ALL}) == len(ALL)
    for claim in ALL:
        assert all([claim.where, claim.statement, claim.quoted, claim.how, claim.domain]), claim.id
        assert bool(claim.correction) == bool(claim.corrected)


def test_theory_verdicts(finished):
    """They do not depend on the scale of the run."""
    verdicts = made(finished, "claims").verdict[[claim.id for claim in THEORY]]
    corrected = {"l2-df", "l2-limit", "scad-at", "delta1", "delta2", "order-1", "order-2"}
    corrected |= {"standardize", "scad-pi4", "single-body-d"}
    contradicted = {"min-en", "one-eta2"}
    assert set(verdicts[verdicts == "reproduced with a correction"].index) == corrected
    assert set(verdicts[verdicts == "contradicted"].index) == contradicted
    assert (verdicts.drop([*corrected, *contradicted]) == "reproduced").all()


def test_findings_decide_claims_that_exist_and_none_twice():
    ids = [claim.id for claim in ALL]
    found = {
        finding.id: [id for id in ids if any(fnmatchcase(id, p) for p in finding.claims)] for finding in FINDINGS
    }
    for finding in FINDINGS:
        assert all(any(fnmatchcase(id, pattern) for id in ids) for pattern in finding.claims), finding
    decided = [id for claims in found.values() for id in claims]
    assert len(decided) == len(set(decided)) and behind("min-en") == "elastic-net-numbers" and behind("l1-df") == ""
    row = claims_table([Claim("min-en", "w", "s", "q", "h", lambda _: NO)], []).iloc[0]
    held = claims_table([Claim("min-en", "w", "s", "q", "h", lambda _: YES)], []).iloc[0]
    assert (row.finding, held.finding) == ("elastic-net-numbers", ""), "a claim that holds follows from no finding"


def test_one_step_rsb_counts_the_switching_between_states():
    """df = chi_tot/(1 + chi_tot) by a quadrature of its own; a state alone falls short, a wrong mu is seen."""
    point = solve_l0_1rsb(alpha=0.5, delta=0.2)
    total = l0.whole_response(point)
    assert total == pytest.approx(point.chi + point.mu * (point.q1 - point.q0), rel=1e-5)
    assert total / (1 + total) == pytest.approx(point.df, abs=1e-5)
    other = l0.whole_response(replace(point, mu=1.05 * point.mu))
    assert abs(other / (1 + other) - point.df) > 1e-3


def test_a_penalty_that_is_never_stable_loses_the_claim_that_it_is():
    assert l1_elastic_net.never_unstable(sim.PENALTIES["l1"]).holds is True
    found = l1_elastic_net.never_unstable(L0())
    assert found.holds is False and "stable up to δ = 0 " in found.measured


def test_a_wrong_theory_loses_claims(monkeypatch):
    """If df were 1 % larger, the claims about it would be contradicted."""
    true = curves.rs_curve
    monkeypatch.setattr(curves, "rs_curve", lambda *a, **k: (t := true(*a, **k)).assign(df=1.01 * t.df))
    curves.curve.cache_clear()
    try:
        table = claims_table([c for c in THEORY if c.id in ("l1-df", "en-df", "l0-df", "scad-df")], [])
    finally:
        curves.curve.cache_clear()
    assert (table.verdict == "contradicted").all() and len(table) == 4


BLOCKS = {
    "l1": {"kind": "l1"},
    "elastic_net": {"kind": "elastic_net", "eta2": 0.1},
    "scad_a5": {"kind": "scad", "a": 5, "lam": 1},
    "scad_a8_lam08": {"kind": "scad", "a": 8, "lam": 0.8},
    "scad_a6_lam09": {"kind": "scad", "a": 6, "lam": 0.9},
    "scad_a8_lam07": {"kind": "scad", "a": 8, "lam": 0.7},
}


def made_with(table, **parameters):
    table.attrs = {"N": 1000, "alpha": 0.5, "mean": 0, "variance": 1, **parameters}
    return table


def bp_table(simulated, name, gap=0.0, se=1e-3, alpha=0.5, N=1000, **columns):
    """A made-up summary of one simulation in which GDF - (any estimator) is `gap`."""
    delta = np.linspace(0.05, 0.9, 12)
    table = pd.DataFrame({"eta": 2 - 2 * delta, "delta": delta, "delta_se": se, "gdf": delta + gap, "gdf_se": se})
    for other in ("delta_eff", "effective", "stein"):
        table = table.assign(**{f"gap_{other}": gap, f"gap_{other}_se": se, other: delta, f"{other}_se": se})
    if name.startswith("scad"):  # else its levels are those of an estimate that jumps
        table["gap_stein"] = 0.0
    columns = {
        "err_train": 0.5,
        "err_train_se": se,
        "fraction_converged": 1.0,
        "iterated": 50,
        "steps_median": 100.0,
    } | columns
    names = {"block": simulated.block, "design_name": simulated.design, "penalty_name": name}
    design, penalty = sim.DESIGNS[simulated.design], BLOCKS[name]
    return made_with(
        table.assign(**columns), kind="summary", **names, design=design, penalty=penalty, alpha=alpha, N=N
    )


def stable_theory(simulated, design=None):
    """A made-up theory of a design that is stable at every level of bp_table."""
    eta = bp_table(simulated, "l1").eta
    tables = [pd.DataFrame({"eta": eta, "penalty": name, "rs_stable": True, "delta": 0.5}) for name in sim.SHOWN]
    table = pd.concat(tables, ignore_index=True)
    design = design or sim.DESIGNS[simulated.design]
    return made_with(table, kind="limits", block=simulated.block, design=design)


@pytest.mark.parametrize("gap, N, verdict", [(0.0, 1000, "reproduced"), (0.12, 1000, "contradicted"),
                                             (0.12, 40, "not decidable")])  # fmt: skip
def test_simulation_claims_decide_from_their_data(gap, N, verdict):
    evidence = [bp_table(example, name, gap, N=N) for example in sim.EXAMPLES.values() for name in sim.SHOWN]
    evidence += [stable_theory(example) for example in sim.EXAMPLES.values()]
    claims = [c for c in BP if c.id.startswith(("eff-1-", "eff-2-", "zou-")) and not c.id.endswith("large")]
    assert len(claims) == 10
    assert set(claims_table(claims, evidence).verdict) == {verdict}
    assert set(claims_table(claims, []).verdict) == {"not decidable"}


def examples_of_sizes(limit, se=1e-3):
    """Made-up summaries of figure 9 with GDF - delta_eff = limit + 5/N, and their theory, stable at every level."""
    evidence = [
        bp_table(sim.Simulated("figure9_finite_size", example.design), name, limit + 5 / N, se, N=N)
        for N in (250, 500, 1000, 2000) for example in sim.EXAMPLES.values() for name in sim.SHOWN
    ]  # fmt: skip
    for table in evidence:
        if table.attrs["design_name"] == "example2":
            table.attrs["design"] = {"kind": "block", "T": table.attrs["N"] // 8}
    sizes = [table for table in evidence if table.attrs["N"] == 2000 and table.attrs["penalty_name"] == "l1"]
    return evidence + [
        stable_theory(sim.Simulated("figure9_finite_size", table.attrs["design_name"]), table.attrs["design"])
        for table in sizes
    ]


@pytest.mark.parametrize("limit, se, verdict", [(0.0, 1e-3, "reproduced"), (0.03, 1e-3, "contradicted"),
                                                (0.0, 0.1, "not decidable")])  # fmt: skip
def test_finite_size_claims_follow_the_limit(limit, se, verdict):
    claims = [c for c in BP if c.id.startswith("finite-size-")]
    tables = examples_of_sizes(limit, se)
    assert len(claims) == 6 and set(claims_table(claims, tables).verdict) == {verdict}
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
    rows = [(1.0, 4.0, 0.8, 0.01), (1.0, 2.0, 0.0, np.nan), (0.5, 2.0, 0.6, 0.1)]
    table = pd.DataFrame(rows, columns=["damping", "eta", "fraction_converged", "delta"]).assign(samples=20)
    table = made_with(table, kind="bp_l0")
    row = claims_table(claim, [table]).iloc[0]
    assert row.verdict == "reproduced with a correction" and "80%" in row.detail
    table.loc[1, "fraction_converged"] = 0.5
    assert claims_table(claim, [table]).verdict[0] == "contradicted"
    assert claims_table(claim, [made_with(table, kind="bp_l0", N=200)]).verdict[0] == "not decidable"


curve, saddle_point = cache(rs_curve), cache(solve_rs)  # the made-up runs ask for the same again and again


def whole_run(gap=0.0, slow=1.0):
    """Made-up summaries of every simulation on which GDF is RS + gap, or, on correlated designs, delta_eff + gap.

    BP takes `slow` times the steps on correlated designs, more so on the stronger of two and at larger delta.
    """
    evidence = []
    for name, alpha in {"scad_a5": 0.5, "scad_a8_lam08": 0.5, "scad_a6_lam09": 0.8, "scad_a8_lam07": 0.8}.items():
        table = bp_table(sim.FIGURE4, name, gap, alpha=alpha, N=200)
        rs = curve(sim.PENALTIES[name], alpha=alpha, deltas=tuple(table.delta)).df.to_numpy()
        evidence.append(table.assign(gdf=rs + gap))
    (weak, strong), (few, many), iid = sim.OTHER_C, sim.OTHER_T, sim.IID
    everywhere = [*sim.EXAMPLES.values(), iid, weak, strong, few, many]
    for name, simulated in itertools.product(sim.SHOWN, everywhere):
        table = bp_table(simulated, name, 0.0 if simulated in (weak, few) else gap)
        if simulated == iid:
            saddles = [saddle_point(sim.PENALTIES[name], alpha=0.5, eta=eta) for eta in table.eta]
            for column, rs in (
                ("delta", "delta"),
                ("gdf", "df"),
                ("err_train", "err_train"),
                ("delta_eff", "df"),
                ("stein", "df"),
            ):
                table[column] = [getattr(saddle, rs) + gap for saddle in saddles]
        steps = 100.0 * slow ** (0 if simulated == iid else 2 if simulated in (strong, many) else 1)
        steeper = 1.0 if simulated == iid else 1 + (slow - 1) * table.delta
        evidence.append(table.assign(steps_median=steps * steeper))
    return evidence


def test_claims_about_bp_follow_the_data():
    """Each family of claims holds on data made for it, and is lost on data made against it."""
    ids = {"agree": ("bp-rs-", "bp-to-rs-", "c-corr", "T-corr", "eff-iid", "en-trace"),
           "greater": ("scad-greater-",), "slower": ("worse-", "c-conv", "T-conv")}  # fmt: skip
    claims = {family: [c for c in BP if c.id.startswith(start)] for family, start in ids.items()}
    assert {family: len(found) for family, found in claims.items()} == {"agree": 13, "greater": 2, "slower": 6}
    for family, good, bad in (("agree", whole_run(), whole_run(0.1)), ("greater", whole_run(0.1), whole_run(-0.1)),
                              ("slower", whole_run(slow=1.5), whole_run(slow=0.9))):  # fmt: skip
        for evidence, verdict in ((good, "reproduced"), (bad, "contradicted")):
            found = claims_table(claims[family], evidence).set_index("id").verdict
            if family == "slower" and verdict == "contradicted":
                found = found.filter(like="worse")  # "c affects": faster is an effect, too
            assert set(found) == {verdict}, found
    affects = [c for c in claims["slower"] if c.id.endswith("-convergence")]
    assert len(affects) == 2 and set(claims_table(affects, whole_run()).verdict) == {"contradicted"}


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


def l0_sizes(limit, slope=-0.5, se=1e-3):
    """df = limit(delta) + slope ln N/N at delta = 0.1 and 0.2."""
    tables = []
    for N in (20, 30, 50, 80, 100):
        K = np.array([round(0.05 * N), round(0.1 * N)])
        df = [limit(d) + slope * np.log(N) / N for d in (0.1, 0.2)]
        table = pd.DataFrame({"K": K, "delta": [0.1, 0.2], "df": df, "df_se": se, "exact": True})
        tables.append(made_with(table, kind="l0_sizes", run=f"n{N}", N=N))
    return tables


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


def test_claims_about_exact_l0_follow_the_data():
    """df rises to RS from below and is lost when it falls with N, lies above RS or below delta."""
    claims = [c for c in l0.CLAIMS if c.id in ("exact-grows", "exact-below", "exact-greater")]
    assert set(claims_table(claims, l0_sizes(l0.rs_df)).verdict) == {"reproduced"}
    above = l0_sizes(lambda d: 1.0)[0]
    above.attrs["run"] = "n10"
    against = [*l0_sizes(lambda d: d - 0.1, slope=0.3), above]
    assert set(claims_table(claims, against).verdict) == {"contradicted"}


@pytest.mark.parametrize(
    "growth, verdict",
    [
        ((0.3, 0.2, 0.1, 0.05), "reproduced"),
        ((0.05, 0.1, 0.2, 0.3), "contradicted"),
        ((0.1, 0.1, 0.1, 0.1), "not decidable"),
    ],
)
def test_the_claim_about_small_delta_compares_its_ends(growth, verdict):
    delta = np.array([0.1, 0.2, 0.3, 0.4])
    evidence = []
    for N, df in ((20, 2 * delta), (40, 2 * delta * (1 + np.array(growth)))):
        table = pd.DataFrame({"K": np.round(delta * N / 2), "delta": delta, "df": df, "df_se": 1e-3, "exact": True})
        evidence.append(made_with(table, kind="l0_sizes", run=f"n{N}", N=N))
    claim = [c for c in l0.CLAIMS if c.id == "exact-small-delta"]
    assert claims_table(claim, evidence).verdict[0] == verdict


# --- misprints -----------------------------------------------------------------------------------------------------


def test_misprints_decide(finished):
    """The two forms give different numbers."""
    table = made(finished, "misprints")
    assert len(table) == len(MISPRINTS) and (table.number_printed != table.number_corrected).all()
    for id in ("sigma2", "delta-eff", "scad-and", "l2-df"):  # "value (trace t)"
        printed, right = (
            [float(v) for v in re.findall(r"[\d.]+", table.loc[id, c])]
            for c in ("number_printed", "number_corrected")
        )
        assert abs(right[0] - right[1]) < 0.02 < abs(printed[0] - printed[1])
    objectives = [float(re.search(r"objective ([\d.]+)", table.loc["scad-maximiser", c]).group(1))
                  for c in ("number_printed", "number_corrected")]  # fmt: skip
    assert objectives[0] < objectives[1]


# --- claims.json ---------------------------------------------------------------------------------------------------


def as_schema_says(document):
    jsonschema.validate(document, json.loads(SCHEMA.read_text(encoding="utf-8")))


def test_the_document_is_as_its_schema_says(finished):
    document = json.loads((finished.folder / "tiny_figures/claims.json").read_text(encoding="utf-8"))
    as_schema_says(document)
    assert [claim["id"] for claim in document["claims"]] == [claim.id for claim in ALL]
    as_schema_says(json.loads((ROOT / "reference/claims.json").read_text(encoding="utf-8")))
    for wrong in ({"verdict": "maybe"}, {"evidence": [{"path": "x", "sha256": "12"}]}, {"more": 1}):
        with pytest.raises(jsonschema.ValidationError):
            as_schema_says(document | {"claims": [document["claims"][0] | wrong]})


def test_evidence_has_the_digests_that_the_tables_record(finished):
    document = json.loads((finished.folder / "tiny_figures/claims.json").read_text(encoding="utf-8"))
    files = {file["path"]: file["sha256"] for claim in document["claims"] for file in claim["evidence"]}
    assert len(files) > 20
    for path, digest in files.items():
        metadata = pq.read_schema(finished.folder / f"results/tiny/{path}.parquet").metadata
        assert metadata[b"sparsegdf.digest"].decode() == digest


def test_tables_of_claims_are_made_from_the_document(finished):
    document = json.loads((finished.folder / "tiny_figures/claims.json").read_text(encoding="utf-8"))
    table = made(finished, "claims")
    assert list(table.verdict) == [claim["verdict"] for claim in document["claims"]]
    assert list(table.measured) == [claim["statistic"]["measured"] for claim in document["claims"]]


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


# --- coverage ------------------------------------------------------------------------------------------------------


def test_every_claim_of_the_paper_has_a_place_in_it():
    placed = {claim.id: {s.section for s in sentences() if s.decided_by([claim.id])} for claim in ALL}
    assert {claim.id for claim in ALL if claim.whose == "paper"} == {id for id, where in placed.items() if where}
    for claim in ALL:
        if named := re.match(r"Sec\. ([\d.]+)", claim.where):
            assert any(f"{section}.".startswith(f"{named[1]}.") for section in placed[claim.id]), claim.id


def test_every_sentence_has_claims_that_exist_or_a_reason():
    ids, known = [claim.id for claim in ALL], {item.id for item in MISPRINTS}
    lines = [sentence.line for sentence in sentences()]
    assert lines == sorted(lines) and len(lines) > 140 and max(lines) < 1693
    for sentence in sentences():
        assert sentence.says and (sentence.claims or sentence.reason), sentence
        assert not (sentence.claims and sentence.reason), sentence
        for pattern in sentence.claims:
            assert any(fnmatchcase(id, pattern) for id in ids), (sentence.line, pattern)
        assert set(sentence.misprints) <= known, sentence
