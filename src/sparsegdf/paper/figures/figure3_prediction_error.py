"""Figure 3: prediction error against the fraction of non-zero components."""

from typing import ClassVar

import pandas as pd

from sparsegdf.paper.columns import MINIMUM, Column
from sparsegdf.paper.config.blocks import Delta
from sparsegdf.paper.figures import style
from sparsegdf.paper.figures.base import Drawing
from sparsegdf.paper.figures.rs_figure import RSFigure
from sparsegdf.penalties.registry import make_penalty


class Figure3(RSFigure):
    """err_pre of these penalties, its minima and crossings; `zoom` is the right end of panel (b)."""

    target = "paper_figures"
    shows = "prediction error, its minima and crossings"
    made_of = "RS theory"
    columns: ClassVar = {
        "delta": Column("number of non-zero components, over M; of a minimum, its place", differs=MINIMUM)
    }

    zoom: Delta

    def inputs(self, config):
        return super().inputs(config) | {"marks": "theory/prediction_marks"}

    def draw(self, tables, uses):
        return draw(tables["table"], tables["marks"], uses["penalties"], zoom=self.zoom)


def draw(table, marks, blocks, *, zoom):
    """(a) err_pre with its minima, (b) the region where the order changes, with its crossings, (c) with l0.

    `table` from theory_tables.rs_table, `marks` from theory_tables.prediction_marks, `zoom` the right end of (b).
    """
    figure = style.new_figure(4.6, 5.0)
    grid = figure.add_gridspec(2, 2, height_ratios=[1.25, 1])
    top, left, right = figure.add_subplot(grid[0, :]), figure.add_subplot(grid[1, 0]), figure.add_subplot(grid[1, 1])
    minima, crossings = marks[marks.kind == "minimum"], marks[marks.kind == "crossing"]
    colours = style.colours(blocks)
    for name, block in blocks.items():
        curve, color = table[table.penalty == name], colours[name]
        style.draw_rs_line(right, curve, "err_pre", color=color)
        best = minima[minima["first"] == name].iloc[0]
        if block["kind"] == "l0":
            top.plot([], [], color=color, linestyle=style.RSB, label=style.label(block) + ", in (c)")
            continue
        text = rf"{style.label(block)}, minimum at $\delta={best.delta:.3f}$"
        style.draw_rs_line(top, curve, "err_pre", color=color, label=text)
        style.draw_rs_line(left, curve[curve.delta <= zoom], "err_pre", color=color)
        top.plot(best.delta, best.err_pre, make_penalty(**block).marker or "P", color=color, markersize=5)
    shown = [name for name, block in blocks.items() if block["kind"] != "l0"]
    inside = crossings[crossings["first"].isin(shown) & crossings["second"].isin(shown) & (crossings.delta <= zoom)]
    for number, mark in enumerate(inside.sort_values("delta").itertuples(), start=1):
        left.plot(mark.delta, mark.err_pre, "o", markerfacecolor="white", markeredgecolor="0.2", markersize=4)
        left.annotate(rf"$\delta_{number}={mark.delta:.3f}$", (mark.delta, mark.err_pre), xytext=(6, 3),
                      textcoords="offset points", fontsize=7.5)  # fmt: skip
    main = table[table.penalty.isin(shown)]
    low, high = main.err_pre.min(), main.err_pre.max()
    top.set(xlim=(0, table.delta.max()), ylim=(low - 0.1 * (high - low), high + 0.02 * (high - low)))
    left.set(xlim=(0, zoom))
    right.set(xlim=(0, table.delta.max()))
    for ax, letter in zip((top, left, right), "abc", strict=True):
        ax.set(xlabel=r"$\delta$", ylabel=r"$\overline{\mathrm{err}}_{\mathrm{pre}}$")
        style.panel_letter(ax, letter)
    top.legend(loc="upper left")
    columns = [
        "penalty",
        "delta",
        "err_pre",
        "err_train",
        "df",
        "eta",
        "rs_stable",
        "branch",
        "residual",
        "converged",
    ]
    points = marks.rename(columns={"first": "penalty", "second": "crossed"})
    lows = ", ".join(
        f"{name} at delta = {delta:.4f}" for name, delta in zip(minima["first"], minima.delta, strict=True)
    )
    caption = (
        f"Prediction error against the fraction of non-zero components, RS theory. Minima: {lows}. "
        "Circles in (b): where two curves cross."
    )
    return Drawing(figure, pd.concat([table[columns].assign(kind="curve"), points], ignore_index=True), caption)
