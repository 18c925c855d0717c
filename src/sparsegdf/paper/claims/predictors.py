"""Claims about predictors that are not iid. They are ours: the paper ends where they begin."""

import numpy as np

from sparsegdf.ensembles.block import Block
from sparsegdf.ensembles.iid import IID
from sparsegdf.ensembles.ill_conditioned import IllConditioned
from sparsegdf.ensembles.row_orthogonal import RowOrthogonal
from sparsegdf.paper.claims.choices import chosen
from sparsegdf.paper.claims.outcomes import agreement, every, identity, larger, no_difference
from sparsegdf.paper.claims.simulated import EXAMPLES, SHOWN, beside_theory
from sparsegdf.paper.claims.verdict import OURS, Claim, Undecided, of_the_paper, tables_of, within
from sparsegdf.paper.experiments.corrected_summaries import with_corrected
from sparsegdf.paper.experiments.finite_size import finite_size_table, gap_limits, with_predicted
from sparsegdf.paper.experiments.l0_summaries import limits
from sparsegdf.penalties.l0 import L0
from sparsegdf.theory.replica_symmetric import rs_curve

HAAR = {"row_orthogonal": "row-orthogonal", "ill_conditioned": "ill-conditioned"}
BENT = {"elastic_net": "elastic net", "scad_a5": "SCAD"}  # the penalties whose curvature is not zero


def theory_holds(simulated, name):
    """delta, GDF and training error at N = 1000 against the theory at the same eta; 1/M = 0.002 of it is finite N."""

    def check(evidence):
        table = beside_theory(evidence, simulated, name)
        compared = {"delta": "delta_rs", "gdf": "df", "err_train": "err_train_rs"}
        return every(
            {
                column: agreement(
                    table[column] - table[rs], np.hypot(table[f"{column}_se"], table.df_error), table.delta
                )
                for column, rs in compared.items()
            }
        )

    return check


def haar_theory_holds(design):
    """The same by no difference beyond noise at any level of any penalty: Haar predictors have no offset of 1/M."""

    def check(evidence):
        (table,) = tables_of(evidence, kind="predictors", design_name=design)
        table = of_the_paper(table, N=1000, alpha=0.5)
        (theory,) = tables_of(evidence, kind="limits", block="figure11_predictors", design=table.attrs["design"])
        table = table[table.fraction_converged == 1].merge(theory, on=["penalty", "eta"], suffixes=("", "_rs"))
        table = table[table.rs_stable]
        compared = {"delta": "delta_rs", "gdf": "df", "stein": "df", "err_train": "err_train_rs"}
        gap = np.concatenate([table[column] - table[rs] for column, rs in compared.items()])
        se = np.concatenate([table[f"{column}_se"] for column in compared])
        return no_difference(gap, se, np.tile(table.delta, len(compared)), resolution=0.02)

    return check


def cavity_holds(simulated):
    """GDF minus Stein's divergence, which is the effective fraction with the cavity variances."""

    def check(evidence):
        tables = {SHOWN[name]: beside_theory(evidence, simulated, name) for name in BENT}
        return every({name: agreement(t.gap_stein, t.gap_stein_se, t.delta) for name, t in tables.items()})

    return check


def corrected_holds(simulated):
    """GDF minus the corrected fraction, where at least nine in ten samples have a stable root."""

    def check(evidence):
        found = {}
        for name in BENT:
            where = {"block": simulated.block, "penalty_name": name}
            (corrected,) = tables_of(evidence, kind="corrected", **where)
            table = with_corrected(beside_theory(evidence, simulated, name), corrected)
            table = table[table.corrected_samples >= 0.9 * corrected.attrs["samples"]]
            found[SHOWN[name]] = agreement(table.gap_corrected, table.gap_corrected_se, table.delta)
        return every(found)

    return check


def signs(simulated):
    """delta_eff of BP exceeds GDF for the elastic net and falls short of it for SCAD, at large delta."""

    def check(evidence):
        enet, scad = (beside_theory(evidence, simulated, name) for name in BENT)
        enet, scad = (table[table.delta > chosen("large")] for table in (enet, scad))
        return every(
            {
                SHOWN["elastic_net"]: larger(-enet.gap_delta_eff, enet.gap_delta_eff_se, "δ_eff - GDF", enet.delta),
                SHOWN["scad_a5"]: larger(scad.gap_delta_eff, scad.gap_delta_eff_se, "GDF - δ_eff", scad.delta),
            }
        )

    return check


def gaps_predicted(evidence):
    """The extrapolated limits of GDF - delta_eff of figure 9 against the predicted ones, at stable levels."""
    cells, theory = {}, {}
    for table in tables_of(evidence, kind="summary", block="figure9_finite_size"):
        where = table.attrs
        cells[where["N"], where["design_name"], where["penalty_name"]] = table
    for table in tables_of(evidence, kind="limits", block="figure9_finite_size"):
        for cell in cells.values():
            if cell.attrs["design"] == table.attrs["design"]:
                theory[cell.attrs["design_name"]] = table
    if max(N for N, _, _ in cells) < 2000:
        raise Undecided("this run has no N = 2000")
    found = with_predicted(gap_limits(finite_size_table(cells, shown=100)), theory)
    found = found[(found.gap == "delta_eff") & found.rs_stable & (found.largest_N >= 2000)]
    se = np.hypot(found.limit_se, found.predicted_error)
    return agreement(found.limit - found.predicted, se, found.delta)


def one_curve_of_l0(evidence):
    """df of the RS solution of l0 on other predictors minus that on iid ones, at the same delta."""
    deltas = np.linspace(0.01, 0.22, 15)
    iid = rs_curve(L0(), alpha=0.5, deltas=deltas, predictors=IID()).df
    others = (RowOrthogonal(), IllConditioned(10.0), IllConditioned(1000.0), Block(fraction=0.375))
    return identity([rs_curve(L0(), alpha=0.5, deltas=deltas, predictors=other).df - iid for other in others])


def exact_l0(design, sign, delta=0.1):
    """The exact df at fixed delta on this design and on iid predictors differ, with this sign, at every N."""

    def check(evidence):
        found = []
        for name in (design, "iid"):
            (sizes,) = tables_of(evidence, kind="l0_predictors", design_name=name)
            sizes = of_the_paper(sizes, alpha=0.5)
            found.append(sizes[(np.abs(sizes.delta - delta) < 1e-9) & sizes.exact])
        table = found[0].merge(found[1], on="N", suffixes=("", "_iid")).sort_values("N")
        if table.empty or table.N.max() < 100:
            raise Undecided("this run has no exact search at N = 100")
        gap, se = table.df - table.df_iid, np.hypot(table.df_se, table.df_se_iid)
        ends = [limits(sizes, [delta]).set_index("form") for sizes in found]
        apart = ", ".join(f"{form} {ends[0].limit[form] - ends[1].limit[form]:+.3f}" for form in ends[0].index)
        outcome = larger(sign * gap, se, f"{'excess' if sign > 0 else 'shortfall'} at δ = {delta:g}")
        part = f"N = {table.N.min():.0f} to {table.N.max():.0f}"
        return outcome._replace(part=part, detail=f"difference of the limits by form: {apart}")

    return check


CLAIMS = within("α = 0.5, m_y = 0, σ_y² = 1; as far as RS is stable (the AT line of the design)", [
    *(Claim(f"theory-{number}-{name}", OURS,
            f"The RS theory of Example {number} gives δ, GDF and training error for {SHOWN[name]}.",
            "no fit", f"summaries/{example.block}, {name} against theory/limits, at the same η below the AT line",
            theory_holds(example, name))
      for number, example in EXAMPLES.items() for name in SHOWN),
    *(Claim(f"haar-{design}", OURS, f"The RS theory with the spectrum of {shown} predictors is exact.", "no fit",
            f"predictors/{design}: δ, GDF, Stein divergence, training error against theory/limits, all levels",
            haar_theory_holds(design))
      for design, shown in HAAR.items()),
    *(Claim(f"cavity-{number}", OURS,
            f"With the cavity variances, GDF is the effective fraction of non-zeros in Example {number}.",
            "identity with Stein", f"summaries/{example.block}: gap_stein of elastic net and SCAD below the AT line",
            cavity_holds(example))
      for number, example in EXAMPLES.items()),
    *(Claim(f"corrected-{number}", OURS,
            f"With the known covariance, one sample has the effective fraction that is GDF in Example {number}.",
            "root of chi", f"corrected/{example.block}: gap_corrected of elastic net and SCAD below the AT line",
            corrected_holds(example))
      for number, example in EXAMPLES.items()),
    *(Claim(f"sign-{number}", OURS,
            f"BP's δ_eff is too large for the elastic net and too small for SCAD, Example {number}.", "D > 0, D < 0",
            f"summaries/{example.block}: gap_delta_eff for δ > 0.5 below the AT line", signs(example))
      for number, example in EXAMPLES.items()),
    Claim("gaps-predicted", OURS, "The gaps GDF - δ_eff of figure 9 tend to those that the theory predicts.",
          "no fit", "table_gaps: limit - predicted of δ_eff at the levels below the AT line", gaps_predicted),
    Claim("l0-one-curve", OURS, "The RS curve df(δ) of l0 is the same for every spectrum.", "generality",
          "rs_curve(L0) on row-orthogonal, ill-conditioned and block predictors minus iid", one_curve_of_l0),
    *(Claim(f"l0-exact-{design}", OURS,
            f"The exact df of l0 on {HAAR[design]} predictors is {text} than on iid ones.", "unlike the RS curve",
            f"predictors/l0/{design}: df at δ = 0.1 minus iid at every N", exact_l0(design, sign),
            domain="δ = 0.1, every N of the exact search; not a statement on N → ∞")
      for design, text, sign in (("row_orthogonal", "larger", 1), ("ill_conditioned", "smaller", -1))),
])  # fmt: skip
