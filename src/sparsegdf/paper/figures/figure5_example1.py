"""Figure 5: GDF and the effective fraction of non-zeros at BP fixed points, on predictors that are not iid."""

import pandas as pd

from sparsegdf.paper.experiments.by_penalty import by_penalty
from sparsegdf.paper.experiments.corrected_summaries import with_corrected
from sparsegdf.paper.figures import style
from sparsegdf.paper.figures.base import Drawing
from sparsegdf.paper.figures.bp_figure import BPFigure
from sparsegdf.paper.figures.limit_lines import draw_limit, limit_of
from sparsegdf.paper.figures.points import draw_points, drawable, ring_unreached, write_fractions


class Figure5(BPFigure):
    """Fixed points on predictors with correlated neighbours."""

    target = "paper_figures"
    shows = "GDF and δ_eff at BP fixed points on correlated predictors (Example 1), N = 1000"
    made_of = "1000 samples each, and the RS theory of the design"

    def inputs(self, config):
        others = {"limit": f"theory/limits/{self.name}", "corrected": f"corrected/{self.name}"}
        return super().inputs(config) | others

    def rs_limits(self, config):
        return {self.name: limit_of(config.runs[self.name].simulations)}

    def draw(self, tables, uses):
        summaries = by_penalty(with_corrected(tables["summaries"], tables["corrected"]))
        drawing = draw(summaries, tables["limit"], uses["penalties"], panels=self.panels)
        return drawing._replace(samples=self.samples)


def draw(summaries, limit, blocks, *, panels):
    """`summaries` from summaries.summarise by penalty, `limit` from limit_points; one panel for each of `panels`.

    The dotted line is the reference: |support|/M for l1, the trace formula for elastic net, and for SCAD the
    analogous Stein divergence (ours: the paper has none).
    """
    figure = style.new_figure(6.6, 3.1)
    axes = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
    for ax, letter, name in zip(axes, "abcdefgh", panels, strict=False):
        table = summaries[name]
        rows = drawable(table)
        ax.plot([0, 1], [0, 1], **style.GUIDE)
        curve = limit[limit.penalty == name]
        draw_limit(ax, curve, "df", color="0.25", label="RS theory")
        draw_limit(
            ax,
            curve,
            "delta_eff",
            color=style.VERMILION,
            width=0.6,
            label=r"$\delta_{\mathrm{eff}}^{\mathrm{BP}}$, RS",
        )
        ax.plot(rows.delta, rows.stein, color=style.SKY, linestyle=":", linewidth=1.2, label="Stein divergence")
        draw_points(ax, table, "gdf", color=style.BLUE, marker="o", label="GDF")
        draw_points(
            ax, table, "delta_eff", color=style.VERMILION, marker="x", label=r"$\delta_{\mathrm{eff}}^{\mathrm{BP}}$"
        )
        draw_points(
            ax,
            table,
            "delta_eff_sum",
            color=style.GREEN,
            marker="+",
            size=5,
            label=r"$\frac{1}{M}\sum_i\chi_i\hat{Q}_i$",
        )
        ring_unreached(ax, table, "gdf")
        write_fractions(ax, table, color=style.BLUE)
        ax.set(xlim=(0, 1), ylim=(0, 1.03), xlabel=r"$\delta$")
        style.panel_letter(ax, letter)
        ax.set_title(style.label(blocks[name]), fontsize=8)
    _legend(figure, axes)
    axes[0].set_ylabel(r"GDF, $\delta_{\mathrm{eff}}^{\mathrm{BP}}$")
    plotted = [table.assign(penalty=name, kind="BP") for name, table in summaries.items()]
    plotted = pd.concat([*plotted, limit.assign(kind="RS")], ignore_index=True)
    return Drawing(figure, plotted, _caption(summaries, limit))


def _legend(figure, axes):
    """The entries of all panels, each once, as in the first panel that has it: a later line may begin dashed."""
    entries = {}
    for ax in axes:
        for handle, label in zip(*ax.get_legend_handles_labels(), strict=True):
            entries.setdefault(label, handle)
    figure.legend(
        entries.values(), entries, loc="outside upper center", ncols=len(entries), fontsize=7,
        handlelength=1.6, columnspacing=1.2, handletextpad=0.5,
    )  # fmt: skip


def _caption(summaries, limit):
    """The caption, with the largest gaps and where RS ends in numbers."""
    complete = pd.concat([t[t.fraction_converged == 1].assign(penalty=name) for name, t in summaries.items()])
    largest = []
    for name, rows in complete.groupby("penalty", sort=False):
        row = rows.loc[rows.gap_delta_eff.abs().idxmax()]
        largest.append(f"{name} {row.gap_delta_eff:+.4f}({row.gap_delta_eff_se:.4f}) at delta = {row.delta:.2f}")
    ending = limit[limit.lowest_eta > 0].drop_duplicates("penalty")
    ends = [f" RS of {row.penalty} has no point below eta = {row.lowest_eta:.3f}." for row in ending.itertuples()]
    least = 100 * complete.fraction_bp.min()
    reached = "all" if least == 100 else f"at least {least:.3g} %"
    return (
        "GDF by covariance and the effective fraction of non-zeros at BP fixed points, in both definitions, with "
        "standard errors; dotted: Stein divergence, |support|/M for l1 and the trace formula for elastic net. "
        "Lines: RS theory of this design, no fit (dark: df; thin: delta_eff of BP; dashed beyond the AT line). "
        "Hollow, with their percentage: only part of the samples have a fixed point. Diamonds: iterated BP does not "
        f"reach it on all samples; where all have one, it reaches it on {reached} of them. "
        "Largest GDF - delta_eff where all have one: " + "; ".join(largest) + "." + "".join(ends)
    )
