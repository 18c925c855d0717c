"""A claim, the outcome of the check that decides it, and the verdict that follows.

A check looks at the evidence and returns an Outcome; the verdict is computed from it:

    reproduced                      the statement holds as printed
    reproduced with a correction    it holds only with the named correction
    contradicted                    it does not hold
    not decidable                   the data do not decide it, and the outcome says why

findings.py groups the claims that are not reproduced by the few facts behind them.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import norm

from sparsegdf.paper.claims.findings import behind

FALSE_ALARM = 1e-3  # The probability that noise alone contradicts a true claim, for any number of points.
SYMBOL = 0.02  # A printed figure shows no smaller difference: the size of a plotted point on an axis from 0 to 1.


class Evidence(list):
    """The tables of a run, of which it remembers those that were asked for.

    The `attrs` of each table hold what it is (`kind`, names in the configuration) and the parameters of the run.
    """

    def __init__(self, tables):
        super().__init__(tables)
        self.used = []


class Outcome(NamedTuple):
    """The outcome of a check. `holds` is None if the data do not decide; the other fields are texts.

    `effect` is the size of a difference that would matter to a reader; `part` says on which part of the domain
    it was decided.
    """

    holds: bool | None
    measured: str
    tolerance: str
    detail: str = ""
    effect: str = ""
    part: str = ""


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


OURS = "ours"


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


def claims_table(claims, tables: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """One row per claim: the statement, what was measured and the verdict.

    `evidence` are the tables that the checks looked at, by their `path`.
    """
    rows = []
    for claim in claims:
        evidence = Evidence(tables)
        outcome = _find(claim.check, evidence)
        verdict, correction = _WORDS[outcome.holds], ""
        if outcome.holds is False and claim.corrected:
            mended = _find(claim.corrected, evidence)
            if mended.holds is not False:
                printed = f"as printed: {outcome.measured}"
                detail = "; ".join(filter(None, [printed, mended.detail]))
                outcome, correction = mended._replace(detail=detail), claim.correction
                verdict = VERDICTS[1] if mended.holds else _WORDS[None]
        rows.append(
            {
                "id": claim.id,
                "whose": claim.whose,
                "where": claim.where,
                "statement": claim.statement,
                "domain": claim.domain,
                "quoted": claim.quoted,
                "how": claim.how,
                "evidence": " ".join(sorted(table.attrs.get("path", "") for table in evidence.used)),
                "measured": outcome.measured,
                "part": outcome.part,
                "tolerance": outcome.tolerance,
                "effect": outcome.effect,
                "verdict": verdict,
                "correction": correction,
                "finding": "" if verdict == VERDICTS[0] else behind(claim.id),
                "detail": outcome.detail,
            }
        )
    return pd.DataFrame(rows)


VERDICTS = ("reproduced", "reproduced with a correction", "contradicted", "not decidable")
_WORDS = {True: VERDICTS[0], False: VERDICTS[2], None: VERDICTS[3]}


def count(claims: pd.DataFrame, whose) -> str:
    """How many claims of the paper, or of ours, have each verdict, as a sentence."""
    verdicts = claims.verdict[claims.whose == whose]
    stated = ", ".join(f"{(verdicts == verdict).sum()} {verdict}" for verdict in VERDICTS)
    return f"{len(verdicts)} claims of {'the paper' if whose == 'paper' else 'ours'}: {stated}."


def _find(check, evidence):
    try:
        outcome = check(evidence)
    except Undecided as why:
        return Outcome(None, "", "", str(why))
    return outcome._replace(holds=None if outcome.holds is None else bool(outcome.holds))


def lost(claims: pd.DataFrame, reference: pd.DataFrame, *, same_scale) -> pd.DataFrame:
    """Claims that the reference run reproduced, with or without a correction, and that this run does not.

    A run with fewer or smaller samples may leave claims open that the reference decides. Unless same_scale, only
    claims that are contradicted or missing count.
    """
    before = reference[reference.verdict.str.startswith("reproduced")].id
    now = claims.set_index("id").verdict.reindex(before).fillna("missing")
    gone = ~now.str.startswith("reproduced") if same_scale else now.isin(["contradicted", "missing"])
    return now[gone].reset_index()


# --- outcomes ------------------------------------------------------------------------------------------------------


def number(value, quoted: str) -> Outcome:
    """The value agrees with a quoted decimal number to half a unit of its last digit."""
    half = 0.5 * 10.0 ** -len(quoted.partition(".")[2])
    return Outcome(abs(value - float(quoted)) <= half, f"{value:.6g}", f"± {half:g}", effect="the last quoted digit")


def identity(difference, tolerance=1e-9) -> Outcome:
    """Two expressions of one quantity agree at every point."""
    worst = float(np.max(np.abs(difference)))
    points = "1 point" if np.size(difference) == 1 else f"{np.size(difference)} points"
    measured = f"|difference| ≤ {worst:.1e} at {points}"
    return Outcome(worst <= tolerance, measured, f"{tolerance:g}", effect="any beyond rounding")


def positive(margin, what, tolerance=0.0) -> Outcome:
    """An inequality: the margin is above `tolerance` at every point."""
    margin = np.ravel(margin)
    k = int(np.argmin(margin))
    measured = f"smallest {what}: {margin[k]:.4g}"
    return Outcome(bool(margin[k] > tolerance), measured, f"> {tolerance:g}", effect="the sign")


def agreement(gap, se, deltas, *, size=SYMBOL) -> Outcome:
    """Two measured curves agree to `size`. Contradicted if a gap exceeds it by more than noise.

    Not decidable if |gap| plus two standard errors exceeds `size` at some point. `size` is one number, or one per
    point.
    """
    gap, se, deltas, sizes = _finite(gap, se, deltas, np.broadcast_to(size, np.shape(gap)))
    allowed = f"± {size:g}" if np.ndim(size) == 0 else f"± {sizes.min():.3g} to {sizes.max():.3g}"
    if not gap.size:
        return Outcome(None, "", allowed, "no point with a standard error")
    beyond = np.abs(gap) - _z_level(gap.size) * se - sizes
    k = int(np.argmax(beyond)) if (beyond > 0).any() else int(np.argmax(np.abs(gap)))
    measured = f"{gap[k]:+.4f}({se[k]:.4f}) at δ = {deltas[k]:.3f}, the worst of {gap.size} points"
    shown = {"effect": f"{allowed.removeprefix('± ')} in df", "part": _range(deltas)}
    if beyond[k] > 0:
        return Outcome(False, measured, allowed, **shown)
    decided = bool((np.abs(gap) + 2 * se <= sizes).all())
    return Outcome(
        decided or None, measured, allowed, "" if decided else "the noise leaves both answers open", **shown
    )


def no_difference(gap, se, deltas, *, resolution=0.01) -> Outcome:
    """Two expectations are equal: no z-score beyond chance, and standard errors up to `resolution`/2."""
    gap, se, deltas = _finite(gap, se, deltas)
    if not gap.size:
        return Outcome(None, "", "", "no point with a standard error")
    z, level = np.abs(gap) / se, _z_level(gap.size)
    k = int(np.argmax(z))
    measured = f"{gap[k]:+.4f}({se[k]:.4f}) at δ = {deltas[k]:.3f}, |z| ≤ {z[k]:.1f} at {gap.size} points"
    tolerance = f"|z| ≤ {level:.1f}"
    shown = {"effect": f"{resolution:g} in df", "part": _range(deltas)}
    if z[k] > level:
        return Outcome(False, measured, tolerance, **shown)
    sharp = bool((2 * se <= resolution).all())
    why = "" if sharp else f"standard errors up to {se.max():.3f}: too few samples"
    return Outcome(sharp or None, measured, tolerance, why, **shown)


def larger(gap, se, what, level=None) -> Outcome:
    """A measured quantity is above zero at every point, by more than noise."""
    gap, se = _finite(gap, se)
    if not gap.size:
        return Outcome(None, "", "", "no point with a standard error")
    z, level = gap / se, level or _z_level(gap.size)
    k = int(np.argmin(z))
    measured = f"smallest {what}: {gap[k]:+.4f}({se[k]:.4f})"
    holds = True if z[k] > level else False if z[k] < -level else None
    why = "" if holds is not None else "within noise of zero"
    return Outcome(holds, measured, f"z > {level:.1f}", why, effect="the sign")


def every(outcomes: Mapping[str, Outcome]) -> Outcome:
    """All of several outcomes, by name: the first that fails decides, then the first that cannot be told."""
    for verdict in (False, None):
        for name, outcome in outcomes.items():
            if outcome.holds is verdict:
                return outcome._replace(measured=f"{name}: {outcome.measured}")
    first = next(iter(outcomes.values()))
    parts = {f"{name}: {outcome.part}" for name, outcome in outcomes.items() if outcome.part}
    return first._replace(
        measured="; ".join(f"{name}: {outcome.measured}" for name, outcome in outcomes.items()),
        detail="; ".join(f"{name}: {outcome.detail}" for name, outcome in outcomes.items() if outcome.detail),
        part="; ".join(sorted(parts)),
    )


def _range(deltas):
    return f"{deltas.size} levels, δ = {deltas.min():.3f} to {deltas.max():.3f}"


def _finite(gap, se, *others):
    arrays = [np.asarray(array, float) for array in (gap, se, *others)]
    keep = np.isfinite(arrays[0]) & (arrays[1] > 0)
    return [array[keep] for array in arrays]


def _z_level(points):
    """The |z| that the largest of so many standard normals exceeds with probability FALSE_ALARM."""
    return float(norm.isf(FALSE_ALARM / (2 * points)))
