"""claims.json: every claim of a run with its evidence and its verdict, and the findings behind them.

claims.schema.json describes it. The tables of claims and the report are made from it and from nothing else.
"""

import json
from pathlib import Path

import pandas as pd

from sparsegdf.paper.claims.findings import FINDINGS, follows
from sparsegdf.paper.claims.registry import CLAIMS
from sparsegdf.paper.claims.verdict import decide

SCHEMA = Path(__file__).with_name("claims.schema.json")
REST = ("part", "tolerance", "effect", "verdict", "correction", "finding", "detail")


def claims_document(run, tables, claims=CLAIMS) -> dict:
    """The document of a run, decided from its tables."""
    decided = [decide(claim, tables) for claim in claims]
    return {
        "schema": "claims.schema.json, version 2",
        "run": run,
        "findings": [finding.as_record(decided) for finding in FINDINGS if follows(finding, decided)],
        "claims": decided,
    }


def as_text(document) -> str:
    """The document as it is written: the same claims give the same bytes."""
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def as_frame(document) -> pd.DataFrame:
    """One row per claim, texts only."""
    return pd.DataFrame([_row(claim) for claim in document["claims"]])


def _row(claim):
    return {
        "id": claim["id"],
        "whose": claim["whose"],
        "where": claim["place"]["where"],
        "lines": " ".join(map(str, claim["place"]["lines"])),
        "statement": claim["sentence"],
        "domain": claim["domain"],
        "quoted": claim["quoted"],
        "how": claim["statistic"]["how"],
        "evidence": " ".join(file["path"] for file in claim["evidence"]),
        "measured": claim["statistic"]["measured"],
        **{name: claim[name] for name in REST},
        "choices": "; ".join(_range(asked, claim["verdict"]) for asked in claim["choices"]),
    }


def _range(asked, verdict):
    """The values of a choice with which the verdict is the same, and the verdict with others."""
    same = [asked["value"], *(other["value"] for other in asked["others"] if other["verdict"] == verdict)]
    others = [f"at {o['value']:g} {o['verdict']}" for o in asked["others"] if o["verdict"] != verdict]
    text = f"{asked['choice']} {min(same):g}" + (f" to {max(same):g}" if len(same) > 1 else "")
    return text + (f" ({', '.join(others)})" if others else "")
