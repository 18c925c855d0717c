"""Claims about belief propagation on Examples 1 and 2 (section 7.2)."""

import numpy as np

from sparsegdf.paper.claims.choices import chosen
from sparsegdf.paper.claims.outcomes import agreement, every, larger, no_difference
from sparsegdf.paper.claims.simulated import (
    DESIGNS,
    EXAMPLES,
    IID,
    OTHER_C,
    OTHER_T,
    SHOWN,
    SIZES,
    Simulated,
    as_printed,
    beside_theory,
    iterated,
    points,
    summaries,
)
from sparsegdf.paper.claims.steps import Steps, all_exceed
from sparsegdf.paper.claims.verdict import Claim, Undecided, tables_of, within
from sparsegdf.paper.experiments.finite_size import finite_size_table, gap_limits

CONVEX = ("l1", "elastic_net")  # RS is stable at every level


def correspondence(simulated, name):
    """GDF - delta_eff, in the form of the paper (product of means), up to where delta is large.

    Of SCAD only the levels count at which Stein's divergence is GDF to half a symbol: beyond, the estimate jumps, and
    the RS solution that the paper speaks of is not stable.
    """

    def check(evidence):
        table = points(evidence, simulated, name, N=1000, below=chosen("large"))
        if name not in CONVEX:
            table = table[table.gap_stein.abs() <= chosen("matters")]
        return agreement(table.gap_delta_eff, table.gap_delta_eff_se, table.delta)

    return check


def appears_at_large_delta(simulated):
    """The largest |GDF - delta_eff| of the stable levels at large delta against that of the levels below."""

    def check(evidence):
        found, large = {}, chosen("large")
        for name, shown in SHOWN.items():
            table = beside_theory(evidence, simulated, name)
            table = table.assign(size=table.gap_delta_eff.abs())
            dense, sparse = table[table.delta > large], table[table.delta <= large]
            if dense.empty or sparse.empty:
                raise Undecided(f"{simulated.block} has no stable level of {name} on both sides of δ = {large:g}")
            high, low = (part.loc[part["size"].idxmax()] for part in (dense, sparse))
            gap, se = high["size"] - low["size"], np.hypot(high.gap_delta_eff_se, low.gap_delta_eff_se)
            outcome = larger([gap], [se], "growth", [high.delta])
            sizes = f"{high.gap_delta_eff:+.4f}({high.gap_delta_eff_se:.4f}) at δ = {high.delta:.3f}"
            found[shown] = outcome._replace(
                measured=f"{sizes}, below δ = {large:g} up to {low.gap_delta_eff:+.4f}",
                part=f"δ ≤ {dense.delta.max():.3f}",
            )
        return every(found)

    return check


def consistent(simulated, name, column):
    """delta_eff minus the unbiased estimator of the earlier work, up to where delta is large."""

    def check(evidence):
        table = points(evidence, simulated, name, N=1000, below=chosen("large"))
        gap = table[f"gap_{column}"] - table.gap_delta_eff
        return agreement(gap, np.hypot(table.delta_eff_se, table[f"{column}_se"]), table.delta)

    return check


def previous(simulated, name, column):
    """GDF minus the unbiased estimator of the earlier work, on the same samples."""

    def check(evidence):
        table = points(evidence, simulated, name, N=1000)
        return no_difference(table[f"gap_{column}"], table[f"gap_{column}_se"], table.delta)

    return check


def same_correspondence(several):
    """GDF - delta_eff stays within a symbol for other parameters of the design, as in `correspondence`."""

    def check(evidence):
        return every(
            {f"{simulated.design}, {SHOWN[name]}": correspondence(simulated, name)(evidence)
             for simulated in several for name in SHOWN}
        )  # fmt: skip

    return check


def convergence_differs(several):
    """The median steps of SCAD, at the level where they are most, differ by a factor beyond the choice `steps`."""

    def check(evidence):
        tables = [iterated(evidence, simulated, "scad_a5") for simulated in several]
        steps = [Steps.of(table.loc[table.steps_median.idxmax()]) for table in tables]
        least = chosen("steps")
        ratio = max(steps, key=lambda s: s.median).over(min(steps, key=lambda s: s.median))
        shown = ", ".join(f"{s.design}: {n} steps" for s, n in zip(several, steps, strict=True))
        return all_exceed({"ratio": ratio}, least)._replace(
            measured=f"{shown}, ratio {ratio}", effect=f"{least - 1:.0%} of the steps"
        )

    return check


def converges_worse(simulated):
    """Median steps on the example against iid predictors, at the largest delta that both have."""

    def check(evidence):
        ratios = {}
        for name in SHOWN:
            iid, other = (iterated(evidence, which, name) for which in (IID, simulated))
            at = min(iid.delta.max(), other.delta.max())
            ratios[f"{SHOWN[name]} at δ = {at:.2f}"] = Steps.at(at, other).over(Steps.at(at, iid))
        shown = ", ".join(f"{name}: {ratio} times the steps" for name, ratio in ratios.items())
        return all_exceed(ratios)._replace(measured=shown)

    return check


def worse_at_large_delta(simulated):
    """The ratio of the median steps to those on iid predictors: at the largest common delta against the smallest."""

    def check(evidence):
        ends, rises = {}, {}
        for name in SHOWN:
            iid, other = (iterated(evidence, which, name) for which in (IID, simulated))
            deltas = max(iid.delta.min(), other.delta.min()), min(iid.delta.max(), other.delta.max())
            low, high = (Steps.at(delta, other).over(Steps.at(delta, iid)) for delta in deltas)
            ends[SHOWN[name]], rises[name] = f"{low} to {high} times the steps", high.over(low)
        shown = ", ".join(f"{name}: {text}" for name, text in ends.items())
        return all_exceed(rises)._replace(measured=f"{shown}, from the smallest to the largest common δ")

    return check


def vanishes(design, name):
    """The limits N -> infinity of GDF - delta_eff at the stable levels of large delta, in 1/N and in N^(-2/3).

    Where the RS solution is stable, corrections to it are an expansion in 1/N; N^(-2/3) is how they fall at the AT
    line, where that expansion ends.
    Only levels that are complete at three N, including 2000, count. Contradicted if both forms leave more than
    `matters`; reproduced if one leaves less and the other does not contradict. Levels that are not sharp enough to
    tell are named.
    """

    def check(evidence):
        found = {}
        for table in summaries(evidence, Simulated(SIZES, design), name):
            N, printed = table.attrs["N"], DESIGNS[design]
            resized = printed | ({"T": N // 8} if "T" in printed else {})
            found[N, design, name] = as_printed(table, name, alpha=0.5, design=resized)
        resized = found[max(found)].attrs["design"]
        (theory,) = tables_of(evidence, kind="limits", block=SIZES, design=resized)
        stable = theory[(theory.penalty == name) & theory.rs_stable].eta
        forms = {}
        for form, power in (("1/N", 1.0), ("N^(-2/3)", 2 / 3)):
            limits = gap_limits(finite_size_table(found, shown=100), power=power)
            limits = limits[
                (limits.gap == "delta_eff") & (limits.largest_N >= 2000) & (limits.delta > chosen("large"))
            ]
            limits = limits[limits.eta.isin(stable)]
            if limits.empty:
                raise Undecided("no stable level at which every sample has a fixed point at N = 2000 and two other N")
            is_sharp = 2 * limits.limit_se <= chosen("matters")
            sharp = limits[is_sharp]
            everywhere = agreement(limits.limit, limits.limit_se, limits.delta, to="matters")
            if everywhere.holds is False or sharp.empty:
                forms[form] = everywhere
            else:
                known = agreement(sharp.limit, sharp.limit_se, sharp.delta, to="matters")
                forms[form] = known._replace(detail=_not_sharp(limits[~is_sharp]))
        return _of_all_forms(forms)

    return check


def _of_all_forms(forms):
    """Contradicted if every form is, reproduced if one is and none is contradicted."""
    verdicts, first = {outcome.holds for outcome in forms.values()}, forms["1/N"]
    holds, detail = None, first.detail
    if verdicts == {False}:
        holds = False
    elif True in verdicts and False not in verdicts:
        holds = True
    elif len(verdicts) > 1 or not detail:
        detail = "the forms of extrapolation do not agree"
    shown = "; ".join(f"{form}: {outcome.measured}" for form, outcome in forms.items())
    return first._replace(holds=holds, measured=shown, detail=detail)


def _not_sharp(limits):
    """The levels that cannot tell, with their limits, as text."""
    levels = [f"{row.limit:+.3f}({row.limit_se:.3f}) at δ = {row.delta:.2f}" for row in limits.itertuples()]
    return f"not sharp enough to tell: {', '.join(levels)}" if levels else ""


def scad_greater(simulated):
    def check(evidence):
        table = points(evidence, simulated, "scad_a5", N=1000)
        table = table[table.delta > chosen("some")]
        return larger(table.gdf - table.delta, np.hypot(table.gdf_se, table.delta_se), "GDF - δ", table.delta)

    return check


CLAIMS = within("N = 1000, α = 0.5, m_y = 0, σ_y² = 1; levels at which all samples have a fixed point", [
    *(Claim(f"eff-{number}-{name}", f"Fig. {example.design}",
            f"GDF = δ_eff for {SHOWN[name]} in Example {number}, δ ≤ 0.5.", "correspondence",
            f"summaries/{example.block}, {name}: gap_delta_eff", correspondence(example, name),
            domain="δ ≤ 0.5, every sample has a fixed point; SCAD as far as Stein's divergence is GDF")
      for number, example in EXAMPLES.items() for name in SHOWN),
    *(Claim(f"eff-{number}-large", "Sec. 7.2", f"A discrepancy appears at large δ, Example {number}.",
            "a small discrepancy", f"summaries/{example.block}: largest |gap_delta_eff| beyond δ = 0.5 and below it",
            appears_at_large_delta(example), domain="levels at which RS is stable (SCAD: the AT line of the design)")
      for number, example in EXAMPLES.items()),
    *(Claim(f"finite-size-{number}-{name}", "Sec. 7.2",
            f"The discrepancy of {SHOWN[name]} is a finite-size effect, Example {number}.", "→ 0",
            f"summaries/size*_{example.design}, {name}: limits N → ∞ of gap_delta_eff in 1/N and N^(-2/3)",
            vanishes(example.design, name), domain="δ > 0.5, RS-stable, N from 250 to 2000")
      for number, example in EXAMPLES.items() for name in SHOWN),
    *(Claim(f"zou-{number}-{name}", "Sec. 7.2", f"GDF of {SHOWN[name]} is that of earlier work, Example {number}.",
            text, f"summaries/{example.block}, {name}: gap_{column}", previous(example, name, column))
      for number, example in EXAMPLES.items()
      for name, column, text in (("l1", "delta_eff_sum", "|S|/M"), ("elastic_net", "stein", "trace formula"))),
    *(Claim(f"consistent-{number}-{name}", "Sec. 7.2",
            f"δ_eff of {SHOWN[name]} is consistent with earlier work, Example {number}.", text,
            f"summaries/{example.block}, {name}: δ_eff - {column}", consistent(example, name, column),
            domain="δ ≤ 0.5: beyond it the paper names a discrepancy itself (eff-*-large, finite-size-*)")
      for number, example in EXAMPLES.items()
      for name, column, text in (("l1", "delta_eff_sum", "|S|/M"), ("elastic_net", "stein", "trace formula"))),
    *(Claim(f"scad-greater-{number}", "Sec. 5.4", f"GDF of SCAD is greater than δ, Example {number}.", "df > δ",
            f"summaries/{example.block}, scad_a5: gdf - delta for δ > 0.1", scad_greater(example))
      for number, example in EXAMPLES.items()),
    Claim("c-correspondence", "Sec. 7.2", "c does not influence the correspondence.", "no influence",
          "summaries/claims_example1_weak and _strong (c = 0.2, 0.8): gap_delta_eff", same_correspondence(OTHER_C),
          domain="c = 0.2 and 0.8, δ ≤ 0.5; SCAD as far as Stein's divergence is GDF"),
    Claim("T-correspondence", "Sec. 7.2", "T does not influence the correspondence.", "no influence",
          "summaries/claims_example2_few and _many (T = 50, 250): gap_delta_eff", same_correspondence(OTHER_T),
          domain="T = 50 and 250, δ ≤ 0.5; SCAD as far as Stein's divergence is GDF"),
    Claim("c-convergence", "Sec. 7.2", "c affects the convergence of BP.", "affects",
          "steps of SCAD at c = 0.2 and 0.8", convergence_differs(OTHER_C)),
    Claim("T-convergence", "Sec. 7.2", "T affects the convergence of BP.", "affects",
          "steps of SCAD at T = 50 and 250", convergence_differs(OTHER_T)),
    *(Claim(f"worse-{number}", "Sec. 7.2", f"BP converges worse than on iid predictors, Example {number}.", "worse",
            f"median steps of {example.block} against claims_iid", converges_worse(example))
      for number, example in EXAMPLES.items()),
    *(Claim(f"worse-dense-{number}", "Sec. 7.2", f"It is worse particularly at large δ, Example {number}.",
            "particularly at large δ", f"ratio of the median steps of {example.block} to claims_iid against δ",
            worse_at_large_delta(example))
      for number, example in EXAMPLES.items()),
])  # fmt: skip
