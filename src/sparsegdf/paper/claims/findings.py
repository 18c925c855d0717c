"""The few independent facts behind the verdicts that are not "reproduced".

`number` and `text` quote the run: {id} stands for the first number that the claim of that id measured, {id:3} for
that number with three decimals, {id:range} for its first "x to y", {id:all} for the whole.
"""

import re
from collections import defaultdict
from fnmatch import fnmatchcase
from typing import NamedTuple

PARTS = {"": r"[+-]?\d+\.\d+(?:\([\d.]+\))?", "range": r"\d+\.\d+ to \d+\.\d+", "all": r".+"}


class Quoted(str):
    """What a claim measured, for a format string: {id} is its first number, {id:3} with so many decimals."""

    def __format__(self, part):
        found = re.search(PARTS.get(part, PARTS[""]), self)
        if not found:
            return "(not measured)"
        return f"{float(found[0]):.{part}f}" if part.isdigit() else found[0]


class Finding(NamedTuple):
    """One fact. `claims` are patterns of the ids of the claims that it decides; `text` is for readers.

    `number` is what to quote of it beside the title.
    """

    id: str
    title: str
    number: str
    text: str
    claims: tuple[str, ...]

    def decides(self, claim_id):
        return any(fnmatchcase(claim_id, pattern) for pattern in self.claims)

    def as_record(self, decided) -> dict:
        """The finding with its numbers from these decided claims and the ids of the claims that follow from it."""
        measured = defaultdict(Quoted, {claim["id"]: Quoted(claim["statistic"]["measured"]) for claim in decided})
        ids = [claim["id"] for claim in follows(self, decided)]
        quoted = {name: getattr(self, name).format_map(measured) for name in ("number", "text")}
        return {"id": self.id, "title": self.title, **quoted, "claims": ids}


def follows(finding, decided) -> list[dict]:
    """The decided claims that are not reproduced as printed because of this finding."""
    return [claim for claim in decided if claim["finding"] == finding.id]


FINDINGS = [
    Finding(
        "curvature",
        "δ_eff is not GDF on correlated predictors when the penalty is curved",
        "for SCAD in Example 2 the gap goes to {finite-size-2-scad_a5} as N grows",
        "On Examples 1 and 2 BP's δ_eff is too large for the elastic net and too small for SCAD. The gap does not "
        "vanish as N grows: it goes to {finite-size-1-elastic_net} and {finite-size-2-elastic_net} for the elastic "
        "net and to {finite-size-1-scad_a5} and {finite-size-2-scad_a5} for SCAD. So it is not a finite-size effect; "
        "for ℓ₁, which has no curvature, it does vanish. BP takes the predictors for independent. With the cavity "
        "variances of the true covariance the effective fraction of non-zeros is GDF again (claims cavity-* and "
        "corrected-*), so the paper's interpretation survives and its estimator does not.",
        ("eff-1-*", "eff-2-*", "finite-size-*", "c-correspondence", "T-correspondence"),
    ),
    Finding(
        "elastic-net-numbers",
        "No single η₂ gives the numbers quoted for the elastic net in Fig. pre_error",
        "with η₂ = 0.1, as in the caption, the best δ is {min-en:3}, not 0.170",
        "The minimum 0.170 and the crossings δ₁ = 0.028 and δ₂ = 0.045 do not follow from the caption's η₂ = 0.1, "
        "with which the minimum is at {min-en:3}. Each needs another value ({one-eta2:all}). η₂ = 0.5 gives the "
        "crossings, not the minimum. The order of the prediction errors holds between the crossings that do follow.",
        ("min-en", "one-eta2", "delta1", "delta2", "order-1", "order-2"),
    ),
    Finding(
        "beyond-rs",
        "For ℓ₀ the exact GDF approaches a limit below RS, at least at δ = 0.2",
        "{exact-limit-2:range} there, below RS for every form of extrapolation",
        "That RS bounds the limit from above is a theorem (Gordon's inequality). At δ = 0.2 the extrapolations by "
        "1/N, ln N/N, N^(-2/3) and N^(-1/2) end at {exact-limit-2:range}, below RS. At δ = 0.1 they end at "
        "{exact-limit-1:range}, which does not exclude RS. One-step RSB lies in both ranges; this does not "
        "prove that it is the limit. In one-step RSB the paper's form of GDF holds if the switching between states "
        "is counted with the jumps.",
        ("exact-limit-*", "one-step-form"),
    ),
    Finding(
        "damping",
        "Damped BP has fixed points for ℓ₀",
        "{bp-l0:all}; with strong damping most do",
        "Undamped BP for ℓ₀ does not converge, as the paper says, unless almost no component is non-zero "
        "({bp-l0:all}). With strong damping it converges on most samples, but often to another support if the "
        "damping is another one (table_bp_l0). So these fixed points do not decide whether GDF is the effective "
        "fraction for ℓ₀, which the paper leaves open.",
        ("bp-l0",),
    ),
    Finding(
        "pure-noise",
        "On standardised data the best model is empty",
        "at m_y = 0 {standardize:all}",
        "The data of the paper are noise around a mean. At m_y = 0 no predictor helps, and the prediction error "
        "of every penalty is least at δ = 0 ({standardize:all}). What the theory identifies in Fig. pre_error "
        "comes from m_y = 0.5.",
        ("standardize",),
    ),
    Finding(
        "jumps",
        "Ye's derivative form of GDF needs a fit without jumps",
        "for ℓ₀ GDF exceeds it by {exact-greater} and more",
        "The mean divergence of the fit is the covariance form only if the fit is weakly differentiable in the "
        "data. For ℓ₀ it is δ, from which GDF differs by {exact-greater} and more.",
        ("ye-form",),
    ),
    Finding(
        "misprints",
        "Misprints that change no conclusion",
        "for example an AT line at {scad-at:4}, cut off to 0.866",
        "A missing factor, a limit, a digit cut off instead of rounded ({scad-at:4}), a parameter that differs "
        "between text and caption.",
        ("l2-df", "l2-limit", "scad-at", "scad-pi4", "single-body-d"),
    ),
]


def behind(claim_id) -> str:
    """The id of the finding that decides this claim; empty if none does."""
    return next((finding.id for finding in FINDINGS if finding.decides(claim_id)), "")
