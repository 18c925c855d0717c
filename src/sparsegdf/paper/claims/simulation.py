"""Claims about belief propagation (section 7): at the paper's N and M, alpha = 0.5 unless stated."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from sparsegdf.paper.claims.verdict import (
    OURS,
    Claim,
    Outcome,
    Undecided,
    agreement,
    every,
    larger,
    no_difference,
    of_the_paper,
    tables_of,
    within,
)
from sparsegdf.paper.experiments.finite_size import finite_size_table, gap_limits
from sparsegdf.penalties.elastic_net import ElasticNet
from sparsegdf.penalties.l1 import L1
from sparsegdf.penalties.registry import make_penalty
from sparsegdf.penalties.scad import SCAD
from sparsegdf.theory.replica_symmetric import rs_curve, rs_stable_range, solve_rs

PENALTIES = {
    "l1": L1(),
    "elastic_net": ElasticNet(eta2=0.1),
    "scad_a5": SCAD(a=5, lam=1.0),
    "scad_a8_lam08": SCAD(a=8, lam=0.8),
    "scad_a6_lam09": SCAD(a=6, lam=0.9),
    "scad_a8_lam07": SCAD(a=8, lam=0.7),
}
DESIGNS = {
    "iid": {"kind": "iid"},
    "example1": {"kind": "ar1", "c": 0.5},
    "example2": {"kind": "block", "T": 125},
    "example1_weak": {"kind": "ar1", "c": 0.2},
    "example1_strong": {"kind": "ar1", "c": 0.8},
    "example2_few": {"kind": "block", "T": 50},
    "example2_many": {"kind": "block", "T": 250},
}
SHOWN = {"l1": "l1", "elastic_net": "elastic net", "scad_a5": "SCAD"}


class Simulated(NamedTuple):
    """Simulations, given by the names of their block and their design in the configuration."""

    block: str
    design: str


FIGURE4 = Simulated("figure4_bp_vs_rs", "iid")
EXAMPLES = {1: Simulated("figure5_example1", "example1"), 2: Simulated("figure6_example2", "example2")}
IID = Simulated("claims", "iid")
OTHER_C = (Simulated("claims", "example1_weak"), Simulated("claims", "example1_strong"))
OTHER_T = (Simulated("claims", "example2_few"), Simulated("claims", "example2_many"))
SIZES = "figure9_finite_size"
LARGE = 0.5  # A delta above this is "large".
SMALL = 0.1  # "Small" is up to this fraction of GDF: the discrepancy of l1, which the paper calls small, is 0.05.
MATTERS = 0.01  # A limit N -> infinity below half a plotted symbol is no discrepancy.
COMPLETE = 0.99  # Where fewer samples have a fixed point, their average is that of another ensemble.


def as_printed(table, penalty, **how):
    """The table, if it was made with the paper's parameters, including those of the penalty; else Undecided."""
    if (made := make_penalty(**table.attrs["penalty"])) != PENALTIES[penalty]:
        raise Undecided(f"{made} in this run, {PENALTIES[penalty]} in the paper")
    return of_the_paper(table, mean=0, variance=1, **how)


def summaries(evidence, simulated, penalty):
    """The summaries of the simulations of a penalty: a single one, or one for each N."""
    names = {"block": simulated.block, "design_name": simulated.design, "penalty_name": penalty}
    return tables_of(evidence, kind="summary", **names)


def points(evidence, simulated, penalty, *, N, alpha=0.5, below=1.0, converged=COMPLETE):
    """The levels of a simulation at which nearly all samples have a fixed point, up to a delta."""
    (table,) = summaries(evidence, simulated, penalty)
    table = as_printed(table, penalty, N=N, alpha=alpha, design=DESIGNS[simulated.design])
    table = table[(table.fraction_converged >= converged) & (table.delta <= below) & (table.delta > 0)]
    if table.empty:
        raise Undecided(f"BP has fixed points at no level of {penalty} in {simulated.block}, {simulated.design}")
    return table


def iterated(evidence, simulated, penalty):
    """The levels of a simulation on which belief propagation was iterated."""
    table = points(evidence, simulated, penalty, N=1000, converged=0.0)
    if not table.iterated.any():
        raise Undecided(f"BP was not iterated for {penalty} in {simulated.block}, {simulated.design}")
    return table


def with_rs(table, penalty, alpha):
    """GDF minus the RS curve at the measured delta, with the error of both."""
    df = rs_curve(penalty, alpha=alpha, deltas=table.delta).df.to_numpy()
    step = rs_curve(penalty, alpha=alpha, deltas=table.delta * 0.999).df.to_numpy()
    slope = (df - step) / (0.001 * table.delta)
    return table.gdf - df, np.hypot(table.gdf_se, slope * table.delta_se), table.delta


def theory_of(evidence, block, design, penalty):
    """The RS theory of a design, asked for by this block, at the levels of a penalty where it is stable."""
    (table,) = tables_of(evidence, kind="limits", block=block, design=DESIGNS[design])
    table = table[(table.penalty == penalty) & table.rs_stable]
    if table.empty:
        raise Undecided(f"the theory of {design} has no stable level of {penalty} in this run")
    return table


def beside_theory(evidence, simulated, penalty):
    """The levels of a simulation at which the theory of its design is stable, with its df, delta_eff and so on."""
    theory = theory_of(evidence, simulated.block, simulated.design, penalty).drop(columns="penalty")
    table = points(evidence, simulated, penalty, N=1000).merge(theory, on="eta", suffixes=("", "_rs"))
    if table.empty:
        raise Undecided(f"{simulated.block} has no level of {penalty} in common with the theory")
    return table


def figure4(name, alpha):
    """GDF against RS at every complete level of the RS-stable region; where N = 200 has none, at a larger N."""

    def check(evidence):
        penalty = PENALTIES[name]
        end = rs_stable_range(penalty, alpha=alpha)[1]
        table = points(evidence, FIGURE4, name, N=200, alpha=alpha, below=end, converged=0.0)
        complete = table[table.fraction_converged >= COMPLETE]
        if complete.empty:
            raise Undecided(f"no level of {name} in {FIGURE4.block} at which all samples have a fixed point")
        denser = pd.concat([complete.head(0), *denser_levels(evidence, name, alpha, complete.delta.max(), end)])
        outcome = agreement(*with_rs(pd.concat([complete, denser]), penalty, alpha))
        part = f"{len(complete)} of {len(table)} RS-stable levels at N = 200, δ ≤ {complete.delta.max():.3f}"
        part += f"; {len(denser)} at larger N, δ ≤ {denser.delta.max():.3f}" if len(denser) else ""
        return outcome._replace(part=f"{part}; RS is stable up to {end:.3f}")

    return check


def denser_levels(evidence, name, alpha, above, below):
    """The complete levels of iid predictors at N >= 1000 in this range of delta, if the run has any."""
    try:
        found = summaries(evidence, Simulated(SIZES, "iid"), name)
    except Undecided:
        return []
    tables = [as_printed(t, name, design=DESIGNS["iid"]) for t in found if t.attrs["N"] >= 1000]
    tables = [table for table in tables if table.attrs["alpha"] == alpha]
    return [t[(t.fraction_converged >= COMPLETE) & (t.delta > above) & (t.delta <= below)] for t in tables]


def as_rs(name, compared=(("delta", "delta"), ("gdf", "df"), ("err_train", "err_train"))):
    """On iid predictors at N = 1000, at the same eta: averages against the RS saddle point."""

    def check(evidence):
        table = points(evidence, IID, name, N=1000)
        saddles = pd.DataFrame([solve_rs(PENALTIES[name], alpha=0.5, eta=eta) for eta in table.eta])
        return every(
            {
                column: agreement(
                    table[column] - saddles[rs].to_numpy(), table[f"{column}_se"], table.delta, size=0.01
                )
                for column, rs in compared
            }
        )

    return check


def correspondence(simulated, name):
    """GDF - delta_eff, in the form of the paper (product of means)."""

    def check(evidence):
        table = points(evidence, simulated, name, N=1000, below=LARGE)
        return agreement(table.gap_delta_eff, table.gap_delta_eff_se, table.delta)

    return check


def small_at_large_delta(simulated):
    """The largest GDF - delta_eff beyond delta = LARGE, as far as RS is stable, is at most SMALL times GDF."""

    def check(evidence):
        found = {}
        for name, shown in SHOWN.items():
            table = beside_theory(evidence, simulated, name)
            table = table[table.delta > LARGE]
            found[shown] = agreement(
                table.gap_delta_eff, table.gap_delta_eff_se, table.delta, size=SMALL * table.gdf.to_numpy()
            )
        return every(found)

    return check


def consistent(simulated, name, column, below=1.0):
    """delta_eff minus the unbiased estimator of the earlier work."""

    def check(evidence):
        table = points(evidence, simulated, name, N=1000, below=below)
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
    """GDF - delta_eff stays within a symbol for other parameters of the design."""

    def check(evidence):
        return every(
            {f"{simulated.design}, {SHOWN[name]}": correspondence(simulated, name)(evidence)
             for simulated in several for name in SHOWN}
        )  # fmt: skip

    return check


def same_curve(several, name):
    """GDF as a function of delta for two parameters of one design, compared at the deltas of the first."""

    def check(evidence):
        first, second = (points(evidence, simulated, name, N=1000) for simulated in several)
        second = second.sort_values("delta")
        inside = first[(first.delta >= second.delta.min()) & (first.delta <= second.delta.max())]
        if inside.empty:
            raise Undecided("the two runs have no common range of δ")
        # df - delta is smooth, so linear interpolation between few points is accurate enough.
        other, other_se = (np.interp(inside.delta, second.delta, second[c] - (c == "gdf") * second.delta)
                           for c in ("gdf", "gdf_se"))  # fmt: skip
        return agreement(inside.gdf - inside.delta - other, np.hypot(inside.gdf_se, other_se), inside.delta)

    return check


def convergence_differs(several):
    """The median number of steps of SCAD, taken at the level where it is largest, differs by more than 10 %."""

    def check(evidence):
        steps = [iterated(evidence, simulated, "scad_a5").steps_median.max() for simulated in several]
        ratio = max(steps) / min(steps)
        shown = ", ".join(f"{s.design}: {n:.0f} steps" for s, n in zip(several, steps, strict=True))
        return Outcome(ratio > 1.1, f"{shown}, ratio {ratio:.2f}", "ratio > 1.1", effect="10 % of the steps")

    return check


def converges_worse(simulated):
    """Median steps on the example against iid predictors, at the largest delta that both have."""

    def check(evidence):
        ratios = {}
        for name in SHOWN:
            iid, other = (iterated(evidence, which, name) for which in (IID, simulated))
            at = min(iid.delta.max(), other.delta.max())
            steps = [np.interp(at, *t.sort_values("delta")[["delta", "steps_median"]].to_numpy().T)
                     for t in (iid, other)]  # fmt: skip
            ratios[f"{SHOWN[name]} at δ = {at:.2f}"] = steps[1] / steps[0]
        shown = ", ".join(f"{name}: {ratio:.1f} times the steps" for name, ratio in ratios.items())
        return Outcome(min(ratios.values()) > 1, shown, "> 1", effect="the sign")

    return check


def worse_at_large_delta(simulated):
    """The ratio of the median steps to those on iid predictors: at the largest common delta against the smallest."""

    def check(evidence):
        rises = {}
        for name in SHOWN:
            iid, other = (iterated(evidence, which, name).sort_values("delta") for which in (IID, simulated))
            ends = max(iid.delta.min(), other.delta.min()), min(iid.delta.max(), other.delta.max())
            steps = [np.interp(ends, table.delta, table.steps_median) for table in (iid, other)]
            rises[SHOWN[name]] = steps[1] / steps[0]
        shown = ", ".join(f"{name}: {low:.1f} to {high:.1f} times the steps" for name, (low, high) in rises.items())
        holds = all(high > low for low, high in rises.values())
        return Outcome(holds, f"{shown}, from the smallest to the largest common δ", "rising", effect="the sign")

    return check


def vanishes(design, name):
    """The limits N -> infinity of GDF - delta_eff at the stable levels beyond delta = LARGE, in 1/N and in N^(-2/3).

    Only levels that are complete at three N, including 2000, count. Contradicted if both forms leave more than
    MATTERS; reproduced if one leaves less and the other does not contradict. Levels that are not sharp enough to
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
            limits = limits[(limits.gap == "delta_eff") & (limits.largest_N >= 2000) & (limits.delta > LARGE - 0.01)]
            limits = limits[limits.eta.isin(stable)]
            if limits.empty:
                raise Undecided("no stable level at which every sample has a fixed point at N = 2000 and two other N")
            sharp = limits[2 * limits.limit_se <= MATTERS]
            everywhere = agreement(limits.limit, limits.limit_se, limits.delta, size=MATTERS)
            forms[form] = (
                everywhere
                if everywhere.holds is False or sharp.empty
                else agreement(sharp.limit, sharp.limit_se, sharp.delta, size=MATTERS)._replace(
                    detail=_not_sharp(limits[2 * limits.limit_se > MATTERS])
                )
            )
        verdicts = {outcome.holds for outcome in forms.values()}
        holds = False if verdicts == {False} else True if True in verdicts and False not in verdicts else None
        shown = "; ".join(f"{form}: {outcome.measured}" for form, outcome in forms.items())
        detail = "" if holds is None and len(verdicts) > 1 else forms["1/N"].detail
        return forms["1/N"]._replace(holds=holds, measured=shown, detail=detail or ("" if holds is not None else
                                     "the forms of extrapolation do not agree"))  # fmt: skip

    return check


def _not_sharp(limits):
    """The levels that cannot tell, with their limits, as text."""
    levels = [f"{row.limit:+.3f}({row.limit_se:.3f}) at δ = {row.delta:.2f}" for row in limits.itertuples()]
    return f"not sharp enough to tell: {', '.join(levels)}" if levels else ""


def bp_l0(undamped_above=None):
    """The largest fraction of converged BP runs for l0, over all runs or over the undamped ones above a delta."""

    def check(evidence):
        (table,) = tables_of(evidence, kind="bp_l0")
        table = of_the_paper(table, N=1000, alpha=0.5)
        if undamped_above is not None:
            table = table[(table.damping == 1) & ~(table.delta < undamped_above)]
            if table.empty:
                raise Undecided("this run has no undamped BP for l0")
        k = table.fraction_converged.idxmax()
        row = table.loc[k]
        setting = f"η = {row.eta:g}, damping {row.damping:g}"
        measured = f"{row.fraction_converged:.0%} of {row.samples:.0f} runs converge at {setting}"
        return Outcome(row.fraction_converged == 0, measured, "0 %", effect="one run")

    return check


def scad_greater(simulated):
    def check(evidence):
        table = points(evidence, simulated, "scad_a5", N=1000)
        table = table[table.delta > 0.1]
        return larger(table.gdf - table.delta, np.hypot(table.gdf_se, table.delta_se), "GDF - δ")

    return check


CLAIMS = within("N = 1000, α = 0.5, m_y = 0, σ_y² = 1; levels at which all samples have a fixed point", [
    *(Claim(f"bp-rs-{panel}", f"Fig. BP({panel})",
            f"BP agrees with RS for SCAD a = {PENALTIES[name].a}, λ = {PENALTIES[name].lam}, α = {alpha}.",
            "coincides", f"summaries/figure4_bp_vs_rs/{name}: GDF - RS df at the same δ",
            figure4(name, alpha), domain="the RS region: every δ below the AT line, all samples with a fixed point")
      for panel, name, alpha in (("a", "scad_a5", 0.5), ("b", "scad_a8_lam08", 0.5),
                                 ("c", "scad_a6_lam09", 0.8), ("d", "scad_a8_lam07", 0.8))),
    *(Claim(f"bp-to-rs-{name}", "Sec. 7.1", f"For {SHOWN[name]} BP goes to the RS values as N grows.", "converges",
            f"summaries/claims_iid/{name}: δ, GDF and err_train at N = 1000 against RS at the same η", as_rs(name))
      for name in SHOWN),
    Claim("bp-l0", "Sec. 7.1", "BP for l0 does not converge.", "does not converge",
          "table_bp_l0: largest fraction of converged runs, any damping", bp_l0(),
          "without damping and for δ ≥ 0.05", bp_l0(0.05),
          domain="N = 1000, α = 0.5; every η and damping of the table"),
    Claim("en-trace", "Sec. 5.2", "eq. (df_en) is the expectation of Zou's trace for a Gaussian A.", "expectation",
          "summaries/claims_iid/elastic_net: stein at N = 1000 against RS df at the same η",
          as_rs("elastic_net", (("stein", "df"),)), domain="iid predictors, η₂ = 0.1; δ from 0.1 to 0.8"),
    *(Claim(f"eff-{number}-{name}", f"Fig. {example.design}",
            f"GDF = δ_eff for {SHOWN[name]} in Example {number}, δ ≤ 0.5.", "correspondence",
            f"summaries/{example.block}/{name}: gap_delta_eff", correspondence(example, name),
            domain="δ ≤ 0.5, where RS is stable and every sample has a fixed point")
      for number, example in EXAMPLES.items() for name in SHOWN),
    *(Claim(f"eff-{number}-large", "Sec. 7.2", f"At larger δ only a small discrepancy appears, Example {number}.",
            "small", f"summaries/{example.block}: gap_delta_eff beyond δ = 0.5, in units of GDF",
            small_at_large_delta(example), domain="δ > 0.5, as far as RS is stable (SCAD: the AT line of the design)")
      for number, example in EXAMPLES.items()),
    *(Claim(f"finite-size-{number}-{name}", "Sec. 7.2",
            f"The discrepancy of {SHOWN[name]} is a finite-size effect, Example {number}.", "→ 0",
            f"summaries/size*_{example.design}/{name}: limits N → ∞ of gap_delta_eff in 1/N and N^(-2/3)",
            vanishes(example.design, name), domain="δ > 0.5, RS-stable, N from 250 to 2000")
      for number, example in EXAMPLES.items() for name in SHOWN),
    *(Claim(f"zou-{number}-{name}", "Sec. 7.2", f"GDF of {SHOWN[name]} is that of earlier work, Example {number}.",
            text, f"summaries/{example.block}/{name}: gap_{column}", previous(example, name, column))
      for number, example in EXAMPLES.items()
      for name, column, text in (("l1", "effective", "|S|/M"), ("elastic_net", "stein", "trace formula"))),
    *(Claim(f"consistent-{number}-{name}", "Sec. 7.2",
            f"δ_eff of {SHOWN[name]} is consistent with earlier work, Example {number}.", text,
            f"summaries/{example.block}/{name}: δ_eff - {column}", consistent(example, name, column),
            "up to δ = 0.7", consistent(example, name, column, 0.7))
      for number, example in EXAMPLES.items()
      for name, column, text in (("l1", "effective", "|S|/M"), ("elastic_net", "stein", "trace formula"))),
    *(Claim(f"scad-greater-{number}", "Sec. 7.2", f"GDF of SCAD is greater than δ, Example {number}.", "df > δ",
            f"summaries/{example.block}/scad_a5: gdf - delta for δ > 0.1", scad_greater(example))
      for number, example in EXAMPLES.items()),
    Claim("c-correspondence", "Sec. 7.2", "c does not influence the correspondence.", "no influence",
          "summaries/claims_example1_weak and _strong (c = 0.2, 0.8): gap_delta_eff", same_correspondence(OTHER_C)),
    Claim("T-correspondence", "Sec. 7.2", "T does not influence the correspondence.", "no influence",
          "summaries/claims_example2_few and _many (T = 50, 250): gap_delta_eff", same_correspondence(OTHER_T)),
    *(Claim(f"{letter}-curve-{name}", OURS, f"{letter} does not change GDF against δ of {SHOWN[name]}.",
            "a stricter reading",
            f"summaries/claims_{several[0].design} and {several[1].design}: gdf - delta at the same δ",
            same_curve(several, name))
      for letter, several in (("c", OTHER_C), ("T", OTHER_T))
      for name in ("elastic_net", "scad_a5")),
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
