"""The claims, misprints and findings of a run, their document, and their places in the paper."""

import json
import re
from dataclasses import replace
from fnmatch import fnmatchcase

import jsonschema
import pandas as pd
import pyarrow.parquet as pq
import pytest
from conftest import ROOT
from made_up_evidence import claims_table

from sparsegdf.paper.claims import l0, l0_rs, l1_elastic_net, prediction, scad, single_body
from sparsegdf.paper.claims import simulated as sim
from sparsegdf.paper.claims.coverage import sentences
from sparsegdf.paper.claims.document import SCHEMA
from sparsegdf.paper.claims.findings import FINDINGS, behind
from sparsegdf.paper.claims.outcomes import Outcome
from sparsegdf.paper.claims.registry import CLAIMS as ALL
from sparsegdf.paper.claims.verdict import Claim
from sparsegdf.paper.misprints import MISPRINTS
from sparsegdf.penalties.l0 import L0
from sparsegdf.theory.one_step_rsb import solve_l0_1rsb

THEORY = [c for part in (single_body, l1_elastic_net, l0_rs, scad, prediction) for c in part.CLAIMS]
YES, NO = (Outcome(holds, "m", "t") for holds in (True, False))


def made(finished, name):
    """A table as the pipeline makes it."""
    return pd.read_csv(finished.folder / f"tiny_figures/{name}.csv", dtype=str, keep_default_na=False).set_index("id")


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
    for claim in document["claims"]:  # a file once, even if several of its penalties count
        assert len({file["path"] for file in claim["evidence"]}) == len(claim["evidence"]), claim["id"]
    assert len(files) > 20
    for path, digest in files.items():
        metadata = pq.read_schema(finished.folder / f"results/tiny/{path}.parquet").metadata
        assert metadata[b"sparsegdf.digest"].decode() == digest


def test_tables_of_claims_are_made_from_the_document(finished):
    document = json.loads((finished.folder / "tiny_figures/claims.json").read_text(encoding="utf-8"))
    table = made(finished, "claims")
    assert list(table.verdict) == [claim["verdict"] for claim in document["claims"]]
    assert list(table.measured) == [claim["statistic"]["measured"] for claim in document["claims"]]


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
