"""Claims about belief propagation on iid predictors (section 7.1)."""

from functools import cache

import numpy as np
import pandas as pd

from sparsegdf.ensembles.ensemble import Ensemble
from sparsegdf.ensembles.iid import IID as IIDDesign
from sparsegdf.estimators.monte_carlo import mean_estimate
from sparsegdf.paper.claims.choices import chosen
from sparsegdf.paper.claims.outcomes import Outcome, agreement, every, larger
from sparsegdf.paper.claims.simulated import (
    FIGURE4,
    IID,
    NEAR_AT,
    PENALTIES,
    SHOWN,
    complete,
    iterated,
    levels,
    points,
)
from sparsegdf.paper.claims.verdict import Claim, Undecided, of_the_paper, tables_of, within
from sparsegdf.theory.replica_symmetric import rs_curve, solve_rs
from sparsegdf.theory.s1_branch import rs_stable_range

# Each verdict is taken several times (choices.py), on the same theory.
stable_range, saddle_point = cache(rs_stable_range), cache(solve_rs)


@cache
def rs_df(penalty, alpha, deltas):
    return rs_curve(penalty, alpha=alpha, deltas=np.array(deltas)).df.to_numpy()


def with_rs(table, penalty, alpha, of=""):
    """GDF minus the RS curve at the measured delta, with the error of both; `of` is "", or "_stationary"."""
    delta, delta_se, gdf, gdf_se = (table[f"{name}{of}{se}"] for name in ("delta", "gdf") for se in ("", "_se"))
    df, step = (rs_df(penalty, alpha, tuple(delta * factor)) for factor in (1, 0.999))
    slope = (df - step) / (0.001 * delta)
    return gdf - df, np.hypot(gdf_se, slope * delta_se), delta


def figure4(name, alpha):
    """GDF against RS at every level below the AT line, at N = 200 and, nearer to that line, at a larger N.

    Where nearly all samples have a fixed point of BP, its average is compared. Elsewhere that average is one over a
    selection: samples with fewer non-zeros keep their fixed point longer. There every sample counts, also by the
    stationary x that is left when the variances of BP no longer exist: without a selection no bias is left to bound.
    """

    def check(evidence):
        penalty = PENALTIES[name]
        end = stable_range(penalty, alpha=alpha)[1]
        tables = [levels(evidence, which, name, N=200, alpha=alpha) for which in (FIGURE4, NEAR_AT)]
        tables = [table[table.delta_stationary.between(0, end, inclusive="right")] for table in tables]
        whole = pd.concat([table[complete(table)] for table in tables])
        partial = pd.concat([table[~complete(table)] for table in tables])
        everyone = partial[partial.stationary >= chosen("complete") * partial.samples]
        if whole.empty:
            raise Undecided(f"no level of {name} in {FIGURE4.block} at which all samples have a fixed point")
        found = {"fixed points of BP": agreement(*with_rs(whole, penalty, alpha))}
        if len(everyone):
            found["every sample"] = agreement(*with_rs(everyone, penalty, alpha, "_stationary"))
        outcome = every(found)
        return outcome._replace(
            part=f"{reached(tables, partial, everyone)}; RS is stable up to {end:.3f}",
            detail="; ".join(filter(None, [outcome.detail, *selections(tables, penalty, alpha)])),
        )

    return check


def reached(tables, partial, everyone):
    """Up to which delta the fixed points of BP decide at each N, and up to which every sample does elsewhere."""
    parts = []
    for table in tables:
        found = table[complete(table)]
        upto = f", δ ≤ {found.delta.max():.3f}" if len(found) else ""
        parts.append(f"N = {table.attrs['N']}: fixed points of BP at {len(found)} of {len(table)} levels{upto}")
    if len(partial):
        upto = f", δ ≤ {everyone.delta_stationary.max():.3f}" if len(everyone) else ""
        parts.append(f"every sample counted at {len(everyone)} of the {len(partial)} others{upto}")
    return "; ".join(parts)


def selections(tables, penalty, alpha):
    """At the levels of each N that are not complete: how many samples have a fixed point, and what these give."""
    for table in tables:
        partial = table[~complete(table) & (table.gdf_se > 0)]
        if len(partial):
            gap, se, delta = (np.asarray(values) for values in with_rs(partial, penalty, alpha))
            k, (low, high) = int(np.argmax(np.abs(gap))), partial.fraction_converged.agg(["min", "max"])
            worst = f"{gap[k]:+.4f}({se[k]:.4f}) from RS at δ = {delta[k]:.3f}"
            share = f"{low:.0%}" + (f" to {high:.0%}" if high > low else "")
            yield f"N = {table.attrs['N']}: elsewhere {share} of the samples have one, by themselves up to {worst}"


def as_rs(name, compared=(("delta", "delta"), ("gdf", "df"), ("err_train", "err_train"))):
    """On iid predictors at N = 1000, at the same eta: averages against the RS saddle point."""

    def check(evidence):
        table = points(evidence, IID, name, N=1000)
        saddles = pd.DataFrame([saddle_point(PENALTIES[name], alpha=0.5, eta=eta) for eta in table.eta])
        return every(
            {
                column: agreement(
                    table[column] - saddles[rs].to_numpy(), table[f"{column}_se"], table.delta, to="matters"
                )
                for column, rs in compared
            }
        )

    return check


def bp_l0(undamped=False):
    """The largest fraction of converged BP runs for l0, over all runs or over undamped ones that are not sparse."""

    def check(evidence):
        (table,) = tables_of(evidence, kind="bp_l0")
        table = of_the_paper(table, N=1000, alpha=0.5)
        if undamped:
            table = table[(table.damping == 1) & ~(table.delta < chosen("sparse"))]
            if table.empty:
                raise Undecided("this run has no undamped BP for l0")
        k = table.fraction_converged.idxmax()
        row = table.loc[k]
        how = "without damping" if row.damping == 1 else f"with damping {row.damping:g}"
        measured = f"{row.fraction_converged:.0%} of {row.samples:.0f} runs converge at η = {row.eta:g} {how}"
        share = row.fraction_converged
        return Outcome(share == 0, measured, "0 %", effect="one run", value=share)

    return check


LARS_SAMPLES = 20  # the first of those on which BP is iterated


@cache
def lars_multiplications(M, N, seed, eta):
    """Multiplications, in units of M N, and knots of LARS on l1 from x = 0 down to eta, on the first samples.

    A knot has one product with A, one with the k columns of its support and two triangular ones of size k.
    """
    from sklearn.linear_model import lars_path

    ensemble, found = Ensemble(IIDDesign(), M, N, seed=seed), []
    for index in range(LARS_SAMPLES):
        A, y = ensemble.sample(index)
        sizes = np.count_nonzero(lars_path(A, y, method="lasso", alpha_min=eta / M)[2], axis=0)
        found.append(((M * N + M * sizes + sizes**2).sum() / (M * N), len(sizes)))
    return np.array(found).T


def lars_is_cheaper(evidence):
    """Multiplications of belief propagation at the levels of l1 over those of LARS along the path to the densest.

    A step of BP has four products with the M x N matrices A and A^2. Its steps are the medians of the levels, whose
    errors are added up: the same samples are behind all levels.
    """
    table = iterated(evidence, IID, "l1")
    N, M = table.attrs["N"], round(table.attrs["N"] * table.attrs["alpha"])
    costs, knots = lars_multiplications(M, N, table.attrs["seed"], table.eta.min())
    lars, steps, steps_se = mean_estimate(costs), table.steps_median.sum(), table.steps_median_se.sum(skipna=False)
    outcome = larger([4 * steps - lars.value], [np.hypot(4 * steps_se, lars.se)], "difference")
    ratio = 4 * steps / lars.value
    bp, path = f"{4 * steps:.0f}({4 * steps_se:.0f}) MN", f"{lars.value:.0f}({lars.se:.0f}) MN"
    whole = f"for the whole path, {knots.mean():.0f} knots, mean of {lars.samples} samples"
    return outcome._replace(
        measured=f"BP {bp} at {len(table)} levels, LARS {path} {whole}",
        part=f"δ ≤ {table.delta.max():.3f}",
        value=ratio,
        error=ratio * np.hypot(steps_se / steps, lars.se / lars.value),
    )


def damping_required(evidence):
    """Whether undamped belief propagation is unstable at fixed points that exist, in Figs. BP to example2."""
    (table,) = tables_of(evidence, kind="bp_region")
    table = of_the_paper(table, N=1000)
    if "radius_1" not in table:
        raise Undecided("this run has no undamped BP")
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
            "coincides", f"summaries/figure4_bp_vs_rs and near_at_iid, {name}: GDF - RS df at the same δ",
            figure4(name, alpha), domain="the RS region: every δ below the AT line")
      for panel, name, alpha in (("a", "scad_a5", 0.5), ("b", "scad_a8_lam08", 0.5),
                                 ("c", "scad_a6_lam09", 0.8), ("d", "scad_a8_lam07", 0.8))),
    *(Claim(f"bp-to-rs-{name}", "Sec. 7.1", f"For {SHOWN[name]} BP goes to the RS values as N grows.", "converges",
            f"summaries/claims_iid, {name}: δ, GDF and err_train at N = 1000 against RS at the same η", as_rs(name))
      for name in SHOWN),
    Claim("bp-l0", "Sec. 7.1", "BP for l0 does not converge.", "does not converge",
          "table_bp_l0: largest fraction of converged runs, any damping", bp_l0(),
          "without damping and for δ ≥ 0.05", bp_l0(undamped=True),
          domain="N = 1000, α = 0.5; every η and damping of the table"),
    Claim("en-trace", "Sec. 5.2", "eq. (df_en) is the expectation of Zou's trace for a Gaussian A.", "expectation",
          "summaries/claims_iid, elastic_net: stein at N = 1000 against RS df at the same η",
          as_rs("elastic_net", (("stein", "df"),)), domain="iid predictors, η₂ = 0.1; δ from 0.1 to 0.8"),
    *(Claim(f"eff-iid-{name}", "Sec. 7.2", f"δ_eff of BP is the RS value for {SHOWN[name]}.", "χ/Q̂⁻¹",
            f"summaries/claims_iid, {name}: δ_eff at N = 1000 against RS df at the same η",
            as_rs(name, (("delta_eff", "df"),)))
      for name in SHOWN),
    Claim("lars-cheaper", "Sec. 7.1", "For l1 LARS costs less than BP.", "lower cost",
          "summaries/claims_iid, l1: steps of BP; scikit-learn's LARS on the same samples: knots; both in "
          "multiplications, not in time", lars_is_cheaper, domain="l1, N = 1000, α = 0.5, the levels of the run"),
    Claim("damping", "Sec. 7.1", "BP needs damping to converge.", "required",
          "table_bp_region: spectral radius of undamped BP at fixed points", damping_required,
          domain="the levels of Figs. BP, example1 and example2 that have fixed points"),
])  # fmt: skip
