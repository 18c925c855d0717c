"""Claims about belief propagation on iid predictors (section 7.1)."""

import numpy as np
import pandas as pd

from sparsegdf.ensembles.ensemble import Ensemble
from sparsegdf.ensembles.iid import IID as IIDDesign
from sparsegdf.paper.claims.outcomes import MATTERS, Outcome, agreement, every
from sparsegdf.paper.claims.simulated import (
    COMPLETE,
    DESIGNS,
    FIGURE4,
    IID,
    PENALTIES,
    SHOWN,
    SIZES,
    Simulated,
    as_printed,
    iterated,
    points,
    summaries,
)
from sparsegdf.paper.claims.verdict import Claim, Undecided, of_the_paper, tables_of, within
from sparsegdf.theory.replica_symmetric import rs_curve, rs_stable_range, solve_rs


def with_rs(table, penalty, alpha):
    """GDF minus the RS curve at the measured delta, with the error of both."""
    df = rs_curve(penalty, alpha=alpha, deltas=table.delta).df.to_numpy()
    step = rs_curve(penalty, alpha=alpha, deltas=table.delta * 0.999).df.to_numpy()
    slope = (df - step) / (0.001 * table.delta)
    return table.gdf - df, np.hypot(table.gdf_se, slope * table.delta_se), table.delta


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
        missing = table[table.fraction_converged < COMPLETE].fraction_converged
        part = f"{len(complete)} of {len(table)} RS-stable levels at N = 200, δ ≤ {complete.delta.max():.3f}"
        part += f"; {len(denser)} at larger N, δ ≤ {denser.delta.max():.3f}" if len(denser) else ""
        why = f"elsewhere {missing.min():.0%} to {missing.max():.0%} of the samples have a fixed point at N = 200"
        return outcome._replace(
            part=f"{part}; RS is stable up to {end:.3f}",
            detail="; ".join(filter(None, [outcome.detail, why if len(missing) else ""])),
        )

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
                    table[column] - saddles[rs].to_numpy(), table[f"{column}_se"], table.delta, size=MATTERS
                )
                for column, rs in compared
            }
        )

    return check


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
        share = row.fraction_converged
        return Outcome(share == 0, measured, "0 %", effect="one run", value=share)

    return check


def lars_is_cheaper(evidence):
    """Multiplications of belief propagation at the levels of l1 over those of LARS along the path to the densest.

    A step of BP has four products with the M x N matrices A and A^2. A knot of LARS has one with A, one with the k
    columns of its support and two triangular ones of size k.
    """
    from sklearn.linear_model import lars_path

    table = iterated(evidence, IID, "l1")
    N, M = table.attrs["N"], round(table.attrs["N"] * table.attrs["alpha"])
    A, y = Ensemble(IIDDesign(), M, N, seed=20180621).sample(0)
    path = lars_path(A, y, method="lasso", alpha_min=table.eta.min() / M)[2]
    sizes = np.count_nonzero(path, axis=0)
    lars = (M * N + M * sizes + sizes**2).sum() / (M * N)
    steps = table.steps_median.sum()
    measured = (
        f"BP {4 * steps:.0f} MN at {len(table)} levels, LARS {lars:.0f} MN for the whole path of {len(sizes)} knots"
    )
    return Outcome(
        4 * steps > lars,
        measured,
        "ratio > 1",
        effect="the sign",
        part=f"δ ≤ {table.delta.max():.3f}",
        value=4 * steps / lars,
    )


def damping_required(evidence):
    """Whether undamped belief propagation is unstable at fixed points that exist, in Figs. BP to example2."""
    (table,) = tables_of(evidence, kind="bp_region")
    table = of_the_paper(table, N=1000)
    table = table[table.fraction_converged > 0]
    unstable = table[table.radius_1 - 3 * table.radius_1_se > 1]
    counts = [
        f"{(unstable.figure == figure).sum()} of {len(t)} levels of {figure}" for figure, t in table.groupby("figure")
    ]
    largest = table.radius_1.max()
    measured = f"undamped BP is unstable at {', '.join(counts)}; spectral radius up to {largest:.1f}"
    return Outcome(len(unstable) > 0, measured, "radius > 1", effect="one level", value=largest)


CLAIMS = within("iid predictors, N = 1000, α = 0.5, m_y = 0; levels at which all samples have a fixed point", [
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
    *(Claim(f"eff-iid-{name}", "Sec. 7.2", f"δ_eff of BP is the RS value for {SHOWN[name]}.", "χ/Q̂⁻¹",
            f"summaries/claims_iid/{name}: δ_eff at N = 1000 against RS df at the same η",
            as_rs(name, (("delta_eff", "df"),)))
      for name in SHOWN),
    Claim("lars-cheaper", "Sec. 7.1", "For l1 LARS costs less than BP.", "lower cost",
          "summaries/claims_iid/l1: steps of BP; scikit-learn's LARS on one sample: knots; both in multiplications",
          lars_is_cheaper, domain="l1, N = 1000, α = 0.5, the levels of the run"),
    Claim("damping", "Sec. 7.1", "BP needs damping to converge.", "required",
          "table_bp_region: spectral radius of undamped BP at fixed points", damping_required,
          domain="the levels of Figs. BP, example1 and example2 that have fixed points"),
])  # fmt: skip
