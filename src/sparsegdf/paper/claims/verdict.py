"""A claim, the finding that decides it, and the verdict that follows.

A check looks at the evidence and returns a Finding; the verdict is computed from it:

    reproduced                      the statement holds as printed
    reproduced with a correction    it holds only with the named correction
    contradicted                    it does not hold
    not decidable                   the data do not decide it, and the finding says why
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import norm

# The `attrs` of each table hold what it is (`kind`, names in the configuration) and the parameters it was made with.
Evidence = Sequence[pd.DataFrame]

FALSE_ALARM = 1e-3  # The probability that noise alone contradicts a true claim, for any number of points.
SYMBOL = 0.02  # A printed figure shows no smaller difference: the size of a plotted point on an axis from 0 to 1.


class Finding(NamedTuple):
    """The outcome of a check. `holds` is None if the data do not decide; `measured` and `tolerance` are texts."""

    holds: bool | None
    measured: str
    tolerance: str
    detail: str = ""


class Undecided(Exception):
    """The evidence is missing, or is not at the scale of the claim; the message says which."""


class Claim(NamedTuple):
    """One statement of the paper; `how` names the computation, `corrected` is the check with the correction made."""

    id: str
    where: str
    statement: str
    quoted: str
    how: str
    check: Callable[[Evidence], Finding]
    correction: str = ""
    corrected: Callable[[Evidence], Finding] | None = None


def tables_of(evidence: Evidence, **identity) -> list[pd.DataFrame]:
    """The tables with this identity; Undecided if there is none."""
    found = [table for table in evidence if all(table.attrs.get(name) == value for name, value in identity.items())]
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


def claims_table(claims, evidence: Evidence) -> pd.DataFrame:
    """One row per claim: the statement, what was measured and the verdict."""
    rows = []
    for claim in claims:
        finding = _find(claim.check, evidence)
        verdict, correction = _WORDS[finding.holds], ""
        if finding.holds is False and claim.corrected:
            mended = _find(claim.corrected, evidence)
            if mended.holds is not False:
                printed = f"as printed: {finding.measured}"
                detail = "; ".join(filter(None, [printed, mended.detail]))
                finding, correction = mended._replace(detail=detail), claim.correction
                verdict = VERDICTS[1] if mended.holds else _WORDS[None]
        rows.append(
            {
                "id": claim.id,
                "where": claim.where,
                "statement": claim.statement,
                "quoted": claim.quoted,
                "how": claim.how,
                "measured": finding.measured,
                "tolerance": finding.tolerance,
                "verdict": verdict,
                "correction": correction,
                "detail": finding.detail,
            }
        )
    return pd.DataFrame(rows)


VERDICTS = ("reproduced", "reproduced with a correction", "contradicted", "not decidable")
_WORDS = {True: VERDICTS[0], False: VERDICTS[2], None: VERDICTS[3]}


def _find(check, evidence):
    try:
        finding = check(evidence)
    except Undecided as why:
        return Finding(None, "", "", str(why))
    return finding._replace(holds=None if finding.holds is None else bool(finding.holds))


def lost(claims: pd.DataFrame, reference: pd.DataFrame, *, same_scale) -> pd.DataFrame:
    """Claims that the reference run reproduced, with or without a correction, and that this run does not.

    A run with fewer or smaller samples may leave claims open that the reference decides. Unless same_scale, only
    claims that are contradicted or missing count.
    """
    before = reference[reference.verdict.str.startswith("reproduced")].id
    now = claims.set_index("id").verdict.reindex(before).fillna("missing")
    gone = ~now.str.startswith("reproduced") if same_scale else now.isin(["contradicted", "missing"])
    return now[gone].reset_index()


# --- findings ------------------------------------------------------------------------------------------------------


def number(value, quoted: str) -> Finding:
    """The value agrees with a quoted decimal number to half a unit of its last digit."""
    half = 0.5 * 10.0 ** -len(quoted.partition(".")[2])
    return Finding(abs(value - float(quoted)) <= half, f"{value:.6g}", f"± {half:g}")


def identity(difference, tolerance=1e-9) -> Finding:
    """Two expressions of one quantity agree at every point."""
    worst = float(np.max(np.abs(difference)))
    points = "1 point" if np.size(difference) == 1 else f"{np.size(difference)} points"
    return Finding(worst <= tolerance, f"|difference| ≤ {worst:.1e} at {points}", f"{tolerance:g}")


def positive(margin, what, tolerance=0.0) -> Finding:
    """An inequality: the margin is above `tolerance` at every point."""
    margin = np.ravel(margin)
    k = int(np.argmin(margin))
    return Finding(bool(margin[k] > tolerance), f"smallest {what}: {margin[k]:.4g}", f"> {tolerance:g}")


def agreement(gap, se, deltas, *, size=SYMBOL) -> Finding:
    """Two measured curves agree to `size`. Contradicted if a gap exceeds it by more than noise.

    Not decidable if |gap| plus two standard errors exceeds `size` at some point.
    """
    gap, se, deltas = _finite(gap, se, deltas)
    if not gap.size:
        return Finding(None, "", f"± {size:g}", "no point with a standard error")
    beyond = np.abs(gap) - _z_level(gap.size) * se - size
    k = int(np.argmax(beyond)) if (beyond > 0).any() else int(np.argmax(np.abs(gap)))
    measured = f"{gap[k]:+.4f}({se[k]:.4f}) at δ = {deltas[k]:.3f}, the worst of {gap.size} points"
    if beyond[k] > 0:
        return Finding(False, measured, f"± {size:g}")
    decided = bool((np.abs(gap) + 2 * se <= size).all())
    return Finding(decided or None, measured, f"± {size:g}", "" if decided else "the noise leaves both answers open")


def no_difference(gap, se, deltas, *, resolution=0.01) -> Finding:
    """Two expectations are equal: no z-score beyond chance, and standard errors up to `resolution`/2."""
    gap, se, deltas = _finite(gap, se, deltas)
    if not gap.size:
        return Finding(None, "", "", "no point with a standard error")
    z, level = np.abs(gap) / se, _z_level(gap.size)
    k = int(np.argmax(z))
    measured = f"{gap[k]:+.4f}({se[k]:.4f}) at δ = {deltas[k]:.3f}, |z| ≤ {z[k]:.1f} at {gap.size} points"
    tolerance = f"|z| ≤ {level:.1f}"
    if z[k] > level:
        return Finding(False, measured, tolerance)
    sharp = bool((2 * se <= resolution).all())
    return Finding(
        sharp or None, measured, tolerance, "" if sharp else f"standard errors up to {se.max():.3f}: too few samples"
    )


def larger(gap, se, what, level=None) -> Finding:
    """A measured quantity is above zero at every point, by more than noise."""
    gap, se = _finite(gap, se)
    if not gap.size:
        return Finding(None, "", "", "no point with a standard error")
    z, level = gap / se, level or _z_level(gap.size)
    k = int(np.argmin(z))
    measured = f"smallest {what}: {gap[k]:+.4f}({se[k]:.4f})"
    holds = True if z[k] > level else False if z[k] < -level else None
    return Finding(holds, measured, f"z > {level:.1f}", "" if holds is not None else "within noise of zero")


def every(findings: Mapping[str, Finding]) -> Finding:
    """All of several findings, by name: the first that fails decides, then the first that cannot be told."""
    for verdict in (False, None):
        for name, finding in findings.items():
            if finding.holds is verdict:
                return finding._replace(measured=f"{name}: {finding.measured}")
    return Finding(
        True,
        "; ".join(f"{name}: {finding.measured}" for name, finding in findings.items()),
        next(iter(findings.values())).tolerance,
    )


def _finite(gap, se, *others):
    arrays = [np.asarray(array, float) for array in (gap, se, *others)]
    keep = np.isfinite(arrays[0]) & (arrays[1] > 0)
    return [array[keep] for array in arrays]


def _z_level(points):
    """The |z| that the largest of so many standard normals exceeds with probability FALSE_ALARM."""
    return float(norm.isf(FALSE_ALARM / (2 * points)))
