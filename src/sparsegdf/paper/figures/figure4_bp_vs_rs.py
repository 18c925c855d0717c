"""Figure 4: GDF at the fixed points of belief propagation against the RS theory, for SCAD on iid predictors."""

from typing import Annotated

import pandas as pd
from pydantic import Field

from sparsegdf.paper.config.messages import unknown
from sparsegdf.paper.experiments.by_penalty import by_penalty
from sparsegdf.paper.figures import style
from sparsegdf.paper.figures.base import Drawing
from sparsegdf.paper.figures.bp_figure import BPFigure
from sparsegdf.paper.figures.points import draw_points, ring_unreached, write_fractions


class Figure4(BPFigure):
    """Fixed points, and in each panel the RS curve at its alpha."""

    target = "paper_figures"
    shows = "BP against RS for four SCAD settings, N = 200"
    made_of = "400 samples each (100 in the paper)"

    panels: Annotated[list[str], Field(min_length=1, max_length=4)]

    def inputs(self, config):
        return super().inputs(config) | {"theory": f"theory/bp/{self.name}"}

    def check(self, config):
        super().check(config)
        for name in config.near_at.simulations:
            if name not in self.simulations:
                raise ValueError(
                    f"near_at.simulations.{name}: {unknown('setting of figure 4', name, self.simulations)}"
                )

    def draw(self, tables, uses):
        drawing = draw(by_penalty(tables["summaries"]), tables["theory"], uses["penalties"], panels=self.panels)
        return drawing._replace(samples=self.samples)


def draw(summaries, theory, blocks, *, panels):
    """`summaries` from summaries.summarise by penalty, `theory` from theory_tables.panel_curves."""
    figure = style.new_figure(6.0, 5.2)
    axes = figure.subplots(2, 2, sharex=True, sharey=True).ravel()
    for ax, letter, name in zip(axes, "abcd", panels, strict=False):
        curve, color = theory[theory.penalty == name], style.PURPLE
        ax.plot([0, 1], [0, 1], **style.GUIDE)
        style.draw_rs_line(
            ax, curve[curve.branch == "S1"], "df", color="0.25", label="RS theory (dashed: RSB region)"
        )
        draw_points(ax, summaries[name], "gdf", color=color, label="BP, GDF by covariance")
        ring_unreached(ax, summaries[name], "gdf")
        write_fractions(ax, summaries[name], color=color)
        ax.set(xlim=(0, 1), ylim=(0, 1.03))
        style.panel_letter(ax, letter)
        text = f"{style.label(blocks[name])}\n" + rf"$\alpha={curve.alpha.iloc[0]:g}$"
        ax.text(0.96, 0.14, text, transform=ax.transAxes, ha="right", va="bottom")
    for ax in axes[-2:]:
        ax.set_xlabel(r"$\delta$")
    for ax in axes[::2]:
        ax.set_ylabel(r"$\mathrm{df}$")
    axes[0].legend(loc="upper left", fontsize=7.5)
    points = pd.concat([table.assign(penalty=name, kind="BP") for name, table in summaries.items()])
    columns = ["penalty", "alpha", "delta", "df", "eta", "rs_stable", "branch", "beyond_turning", "residual"]
    caption = (
        "GDF by covariance at BP fixed points (circles; hollow and with their percentage where only a part of the "
        "samples have one, averaged over that part; diamonds where iterating does not reach it on all samples) "
        "against RS theory for iid predictors (solid; dashed where unstable), drawn to the end of the solution S1."
    )
    return Drawing(figure, pd.concat([points, theory[columns].assign(kind="RS")], ignore_index=True), caption)
