"""A claim, the evidence that decides it, and the verdict that follows.

A check looks at the evidence and returns an Outcome; the verdict is computed from it:

    reproduced                      the statement holds as printed
    reproduced with a correction    it holds only with the named correction
    contradicted                    it does not hold
    not decidable                   the data do not decide it, and the outcome says why

findings.py groups the claims that are not reproduced by the few facts behind them.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from sparsegdf.paper.claims.choices import CHOICES, choosing
from sparsegdf.paper.claims.coverage import places
from sparsegdf.paper.claims.findings import behind
from sparsegdf.paper.claims.outcomes import Outcome

OURS = "ours"


class Evidence(list):
    """The tables of a run, of which it remembers those that were asked for.

    The `attrs` of each table hold what it is (`kind`, names in the configuration) and the parameters of the run, the
    `path` of its file below results/<run> and the `sha256` of that.
    """

    def __init__(self, tables):
        super().__init__(tables)
        self.used = []


class Undecided(Exception):
    """The evidence is missing, or is not at the scale of the claim; the message says which."""


class Claim(NamedTuple):
    """One statement; `where` is its place in the paper, or OURS if the paper does not make it.

    `how` names the computation, `corrected` is the check with the correction made. `domain` says for which parameters
    and in which region the statement is meant.
    """

    id: str
    where: str
    statement: str
    quoted: str
    how: str
    check: Callable[[Evidence], Outcome]
    correction: str = ""
    corrected: Callable[[Evidence], Outcome] | None = None
    domain: str = ""

    @property
    def whose(self):
        return "ours" if self.where == OURS else "paper"


def within(domain, claims) -> list[Claim]:
    """These claims, with this domain where they state none of their own."""
    return [claim if claim.domain else claim._replace(domain=domain) for claim in claims]


def tables_of(evidence: Evidence, **identity) -> list[pd.DataFrame]:
    """The tables with this identity; Undecided if there is none."""
    found = [table for table in evidence if all(table.attrs.get(name) == value for name, value in identity.items())]
    evidence.used += [table for table in found if not any(table is other for other in evidence.used)]
    if not found:
        raise Undecided("this run has no table with " + ", ".join(f"{n} = {value}" for n, value in identity.items()))
    return found


def of_the_paper(table, *, N=0, **parameters) -> pd.DataFrame:
    """The table, if it was made with these parameters of the paper and at least N predictors; else Undecided."""
    for name, value in parameters.items():
        if table.attrs[name] != value:
            raise Undecided(f"{name} = {table.attrs[name]} in this run, {value} in the paper")
    if table.attrs["N"] < N:
        raise Undecided(
            f"N = {table.attrs['N']} in this run, {N} in the paper: finite-size effects are not the claim's"
        )
    return table


def decide(claim: Claim, tables: Sequence[pd.DataFrame]) -> dict:
    """One claim, what was measured and the verdict, as claims.schema.json describes it."""
    evidence = Evidence(tables)
    with choosing() as asked:
        outcome, verdict, correction = _decided(claim, evidence)
    files = sorted({(table.attrs.get("path", ""), table.attrs.get("sha256", "")) for table in evidence.used})
    return {
        "id": claim.id,
        "whose": claim.whose,
        "sentence": claim.statement,
        "place": {"where": claim.where, "lines": places(claim.id)},
        "domain": claim.domain,
        "quoted": claim.quoted,
        "evidence": [{"path": path, "sha256": digest} for path, digest in files],
        "statistic": {
            "how": claim.how,
            "measured": outcome.measured,
            "value": _plain(outcome.value),
            "error": _plain(outcome.error),
        },
        "tolerance": outcome.tolerance,
        "effect": outcome.effect,
        "part": outcome.part,
        "verdict": verdict,
        "correction": correction,
        "finding": "" if verdict == VERDICTS[0] else behind(claim.id),
        "detail": outcome.detail,
        "choices": [_with_others(name, claim, tables) for name in CHOICES if name in asked],
    }


def _with_others(name, claim, tables):
    """The verdicts with one choice set to other values."""
    found = []
    for value in CHOICES[name].others:
        with choosing(**{name: value}):
            found.append({"value": value, "verdict": _decided(claim, Evidence(tables))[1]})
    return {"choice": name, "value": CHOICES[name].value, "others": found}


def _decided(claim, evidence):
    """The outcome that decides, the verdict, and the correction with which it holds."""
    outcome = _find(claim.check, evidence)
    if outcome.holds is False and claim.corrected:
        mended = _find(claim.corrected, evidence)
        if mended.holds is not False:
            detail = "; ".join(filter(None, [f"as printed: {outcome.measured}", mended.detail]))
            verdict = VERDICTS[1] if mended.holds else _WORDS[None]
            return mended._replace(detail=detail), verdict, claim.correction
    return outcome, _WORDS[outcome.holds], ""


VERDICTS = ("reproduced", "reproduced with a correction", "contradicted", "not decidable")
_WORDS = {True: VERDICTS[0], False: VERDICTS[2], None: VERDICTS[3]}


def _plain(value):
    """A number for JSON, to six digits: further ones may depend on the machine."""
    return None if value is None or not np.isfinite(value) else float(f"{value:.6g}")


def _find(check, evidence):
    try:
        outcome = check(evidence)
    except Undecided as why:
        return Outcome(None, "", "", str(why))
    return outcome._replace(holds=None if outcome.holds is None else bool(outcome.holds))


def count(claims, whose) -> str:
    """How many of these decided claims, of the paper or of ours, have each verdict, as a sentence."""
    verdicts = [claim["verdict"] for claim in claims if claim["whose"] == whose]
    stated = ", ".join(f"{verdicts.count(verdict)} {verdict}" for verdict in VERDICTS)
    return f"{len(verdicts)} claims of {'the paper' if whose == 'paper' else 'ours'}: {stated}."


def lost(claims, reference, *, same_scale) -> dict[str, str]:
    """Claims that the reference run reproduced, with or without a correction, and this run does not: id and verdict.

    A run with fewer or smaller samples may leave claims open that the reference decides. Unless same_scale, only
    claims that are contradicted or missing count.
    """
    now = {claim["id"]: claim["verdict"] for claim in claims}
    held = VERDICTS[:2]
    found = {claim["id"]: now.get(claim["id"], "missing") for claim in reference if claim["verdict"] in held}
    return {
        id: verdict
        for id, verdict in found.items()
        if (verdict not in held if same_scale else verdict in ("contradicted", "missing"))
    }
