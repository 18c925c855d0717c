"""How a number decides, and what verdict follows."""

import numpy as np
import pytest
from made_up_evidence import claims_table

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
from sparsegdf.paper.claims.verdict import Claim, Undecided, lost

YES, NO, OPEN = (Outcome(holds, "m", "t") for holds in (True, False, None))


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
