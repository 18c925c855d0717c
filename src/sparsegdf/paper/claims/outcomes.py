"""What a check found, and the few ways to find it: a number, an identity, a sign, an agreement of measured curves."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from scipy.stats import norm

from sparsegdf.paper.claims.choices import chosen


class Outcome(NamedTuple):
    """The outcome of a check. `holds` is None if the data do not decide.

    `measured` and `tolerance` are texts; `effect` is the size of a difference that would matter to a reader; `part`
    says on which part of the domain it was decided. `value` is the number that decided, with its standard error
    `error` if it was measured.
    """

    holds: bool | None
    measured: str
    tolerance: str
    detail: str = ""
    effect: str = ""
    part: str = ""
    value: float | None = None
    error: float | None = None


def number(value, quoted: str) -> Outcome:
    """The value agrees with a quoted decimal number to half a unit of its last digit."""
    half = 0.5 * 10.0 ** -len(quoted.partition(".")[2])
    holds = abs(value - float(quoted)) <= half
    return Outcome(holds, f"{value:.6g}", f"± {half:g}", effect="the last quoted digit", value=value)


def identity(difference, tolerance=1e-9) -> Outcome:
    """Two expressions of one quantity agree at every point."""
    worst = float(np.max(np.abs(difference)))
    points = "1 point" if np.size(difference) == 1 else f"{np.size(difference)} points"
    measured = f"|difference| ≤ {worst:.1e} at {points}"
    return Outcome(worst <= tolerance, measured, f"{tolerance:g}", effect="any beyond rounding", value=worst)


def positive(margin, what, tolerance=0.0) -> Outcome:
    """An inequality: the margin is above `tolerance` at every point."""
    margin = np.ravel(margin)
    k = int(np.argmin(margin))
    measured = f"smallest {what}: {margin[k]:.4g}"
    return Outcome(bool(margin[k] > tolerance), measured, f"> {tolerance:g}", effect="the sign", value=margin[k])


def shrinks(differences, what) -> Outcome:
    """A limit: the largest difference falls at each step, and ends below 1e-3."""
    steps = np.array(differences)
    holds = bool((np.diff(steps) < 0).all() and steps[-1] < 1e-3)
    measured = f"largest |difference| {', '.join(f'{d:.1e}' for d in steps)} for {what}"
    return Outcome(holds, measured, "falling, < 0.001", effect="0.001 in df", value=steps[-1])


def agreement(gap, se, deltas, *, to="symbol") -> Outcome:
    """Two measured curves agree to a size, the choice `to`. Contradicted if a gap exceeds it by more than noise.

    Not decidable if |gap| plus two standard errors exceeds it at some point.
    """
    size, (gap, se, deltas) = chosen(to), _finite(gap, se, deltas)
    allowed = f"± {size:g}"
    if not gap.size:
        return Outcome(None, "", allowed, "no point with a standard error")
    beyond = np.abs(gap) - _z_level(gap.size) * se - size
    k = int(np.argmax(beyond)) if (beyond > 0).any() else int(np.argmax(np.abs(gap)))
    measured = f"{gap[k]:+.4f}({se[k]:.4f}) at δ = {deltas[k]:.3f}, the worst of {_points(gap.size)}"
    shown = {"effect": f"{size:g} in df", "part": _range(deltas), "value": gap[k], "error": se[k]}
    if beyond[k] > 0:
        return Outcome(False, measured, allowed, **shown)
    decided = bool((np.abs(gap) + 2 * se <= size).all())
    return Outcome(
        decided or None, measured, allowed, "" if decided else "the noise leaves both answers open", **shown
    )


def no_difference(gap, se, deltas, *, resolution=None) -> Outcome:
    """Two expectations are equal: no z-score beyond chance, and standard errors up to `resolution`/2."""
    resolution = chosen("resolution") if resolution is None else resolution
    gap, se, deltas = _finite(gap, se, deltas)
    if not gap.size:
        return Outcome(None, "", "", "no point with a standard error")
    z, level = np.abs(gap) / se, _z_level(gap.size)
    k = int(np.argmax(z))
    measured = f"{gap[k]:+.4f}({se[k]:.4f}) at δ = {deltas[k]:.3f}, |z| ≤ {z[k]:.1f} at {_points(gap.size)}"
    tolerance = f"|z| ≤ {level:.1f}"
    shown = {"effect": f"{resolution:g} in df", "part": _range(deltas), "value": gap[k], "error": se[k]}
    if z[k] > level:
        return Outcome(False, measured, tolerance, **shown)
    sharp = bool((2 * se <= resolution).all())
    why = "" if sharp else f"standard errors up to {se.max():.3f}: too few samples"
    return Outcome(sharp or None, measured, tolerance, why, **shown)


def larger(gap, se, what, deltas=None) -> Outcome:
    """A measured quantity is above zero at every point, by more than noise."""
    deltas = np.full(np.shape(gap), np.nan) if deltas is None else deltas
    gap, se, deltas = _finite(gap, se, deltas)
    if not gap.size:
        return Outcome(None, "", "", "no point with a standard error")
    z, level = gap / se, _z_level(gap.size)
    k = int(np.argmin(z))
    measured = f"smallest {what}: {gap[k]:+.4f}({se[k]:.4f})"
    holds = True if z[k] > level else False if z[k] < -level else None
    why = "" if holds is not None else "within noise of zero"
    part = "" if np.isnan(deltas).all() else _range(deltas)
    return Outcome(holds, measured, f"z > {level:.1f}", why, "the sign", part, gap[k], se[k])


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


def _points(count):
    return "1 point" if count == 1 else f"{count} points"


def _range(deltas):
    levels = "1 level" if deltas.size == 1 else f"{deltas.size} levels"
    return f"{levels}, δ = {deltas.min():.3f}" + (f" to {deltas.max():.3f}" if deltas.size > 1 else "")


def _finite(gap, se, *others):
    arrays = [np.asarray(array, float) for array in (gap, se, *others)]
    keep = np.isfinite(arrays[0]) & (arrays[1] > 0)
    return [array[keep] for array in arrays]


def _z_level(points):
    """The |z| that the largest of so many standard normals exceeds with the chosen probability."""
    return float(norm.isf(chosen("noise") / (2 * points)))
