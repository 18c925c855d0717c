"""The few independent facts behind the verdicts that are not "reproduced"."""

from fnmatch import fnmatchcase
from typing import NamedTuple


class Finding(NamedTuple):
    """One fact. `claims` are patterns of the ids of the claims that it decides; `text` is for readers."""

    id: str
    title: str
    text: str
    claims: tuple[str, ...]


FINDINGS = [
    Finding(
        "curvature",
        "δ_eff is not GDF on correlated predictors when the penalty bends",
        "On Examples 1 and 2 BP's δ_eff is too large for the elastic net and too small for SCAD. The gap does not "
        "vanish as N grows, so it is not a finite-size effect; for ℓ₁, whose pieces are straight, it does vanish. "
        "BP takes the predictors for independent. With the cavity variances of the true covariance the effective "
        "fraction of non-zeros is GDF again (claims cavity-* and corrected-*), so the paper's interpretation "
        "survives and its estimator does not.",
        ("eff-*", "finite-size-*", "consistent-*", "c-correspondence", "T-correspondence", "c-curve-*", "T-curve-*"),
    ),
    Finding(
        "elastic-net-numbers",
        "No single η₂ gives the numbers quoted for the elastic net in Fig. pre_error",
        "The minimum 0.170 and the crossings δ₁ = 0.028 and δ₂ = 0.045 do not follow from the caption's η₂ = 0.1. "
        "η₂ = 0.5 gives the crossings, not the minimum. The order of the prediction errors holds between the "
        "crossings that do follow.",
        ("min-en", "one-eta2", "delta1", "delta2", "order-1", "order-2"),
    ),
    Finding(
        "beyond-rs",
        "For ℓ₀ the exact GDF approaches a limit below RS",
        "That RS bounds the limit from above is a theorem (Gordon's inequality). Extrapolations by 1/N, ln N/N "
        "and N^(-2/3) all end below RS, and one-step RSB lies in their range; this does not prove that one-step "
        "RSB is the limit. In one-step RSB the paper's form of GDF holds if the switching between states is "
        "counted with the jumps.",
        ("exact-limit-*", "one-step-form"),
    ),
    Finding(
        "damping",
        "Damped BP has fixed points for ℓ₀",
        "Undamped BP for ℓ₀ does not converge, as the paper says, unless almost no component is non-zero. With "
        "strong damping it converges on most samples.",
        ("bp-l0",),
    ),
    Finding(
        "pure-noise",
        "On standardised data the best model is empty",
        "The data of the paper are noise around a mean. At m_y = 0 no predictor helps, and the prediction error "
        "of every penalty is least at δ = 0. What the theory identifies in Fig. pre_error comes from m_y = 0.5.",
        ("standardize",),
    ),
    Finding(
        "jumps",
        "Ye's derivative form of GDF needs a fit without jumps",
        "The mean divergence of the fit is the covariance form only if the fit is weakly differentiable in the "
        "data. For ℓ₀ it is δ, which falls short of GDF.",
        ("ye-form",),
    ),
    Finding(
        "misprints",
        "Misprints that change no conclusion",
        "A missing factor, a limit, a digit cut off instead of rounded, a parameter that differs between text and "
        "caption.",
        ("l2-df", "l2-limit", "scad-at", "scad-pi4", "single-body-d"),
    ),
]


def behind(claim_id) -> str:
    """The id of the finding that decides this claim; empty if none does."""
    return next((f.id for f in FINDINGS if any(fnmatchcase(claim_id, pattern) for pattern in f.claims)), "")
