"""Figure 5: GDF and the effective fraction of non-zeros at BP fixed points, on predictors that are not iid."""

import pandas as pd

from sparsegdf.paper.figures import style
from sparsegdf.paper.figures.base import Drawing
from sparsegdf.paper.figures.bp_figure import BPFigure
from sparsegdf.paper.figures.points import draw_points, drawable, ring_unreached, write_fractions


class Figure5(BPFigure):
    """Fixed points on predictors with correlated neighbours."""

    target = "paper_figures"
    shows = "GDF and δ_eff at BP fixed points on correlated predictors (Example 1), N = 1000"
    made_of = "1000 samples each"

    def draw(self, tables, uses):
        drawing = draw(self.summaries(tables), uses["penalties"], panels=self.panels)
        return drawing._replace(samples=self.samples)


def draw(summaries, blocks, *, panels):
    """`summaries` from summaries.summarise by penalty; one panel for each penalty in `panels`.

    The dashed line is the reference: |support|/M for l1, the trace formula for elastic net, and for SCAD the
    analogous Stein divergence (ours: the paper has none).
    """
    figure = style.new_figure(6.6, 2.7)
    axes = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
    for ax, letter, name in zip(axes, "abcdefgh", panels, strict=False):
        table = summaries[name]
        rows = drawable(table)
        ax.plot([0, 1], [0, 1], **style.GUIDE)
        reference = {"l1": r"$|\mathcal{A}|/M$", "elastic_net": "trace formula"}.get(
            blocks[name]["kind"], "Stein divergence"
        )
        ax.plot(rows.delta, rows.stein, color="0.2", linestyle=style.RSB, linewidth=1.0, label=reference)
        draw_points(ax, table, "gdf", color=style.BLUE, marker="o", label="GDF")
        draw_points(
            ax, table, "delta_eff", color=style.VERMILION, marker="x", label=r"$\delta_{\mathrm{eff}}^{\mathrm{BP}}$"
        )
        draw_points(
            ax, table, "effective", color=style.GREEN, marker="+", size=5, label=r"$\frac{1}{M}\sum_i\chi_i\hat{Q}_i$"
        )
        ring_unreached(ax, table, "gdf")
        write_fractions(ax, table, color=style.BLUE)
        ax.set(xlim=(0, 1), ylim=(0, 1.03), xlabel=r"$\delta$")
        style.panel_letter(ax, letter)
        ax.set_title(style.label(blocks[name]), fontsize=8)
        ax.legend(loc="upper left", fontsize=7, handlelength=1.6, labelspacing=0.3)
    axes[0].set_ylabel(r"GDF, $\delta_{\mathrm{eff}}^{\mathrm{BP}}$")
    complete = pd.concat([t[t.fraction_converged == 1].assign(penalty=name) for name, t in summaries.items()])
    largest = []
    for name, rows in complete.groupby("penalty", sort=False):
        row = rows.loc[rows.gap_delta_eff.abs().idxmax()]
        largest.append(f"{name} {row.gap_delta_eff:+.4f}({row.gap_delta_eff_se:.4f}) at delta = {row.delta:.2f}")
    caption = (
        "GDF by covariance and the effective fraction of non-zeros at BP fixed points, in both definitions, with "
        "standard errors; dashed: |support|/M, trace formula, Stein divergence. Hollow, with their percentage: only "
        "part of the samples have a fixed point. Diamonds: iterating, BP does not reach it on all samples (on a "
        f"fraction of {complete.fraction_bp.min():.2f} or more where all have one). Largest GDF - delta_eff where "
        "all have one: " + "; ".join(largest) + "."
    )
    plotted = pd.concat([table.assign(penalty=name) for name, table in summaries.items()], ignore_index=True)
    return Drawing(figure, plotted, caption)
