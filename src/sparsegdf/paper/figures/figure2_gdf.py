"""Figure 2: GDF against the fraction of non-zero components for four penalties."""

import numpy as np

from sparsegdf.paper.figures import style
from sparsegdf.paper.figures.base import Drawing
from sparsegdf.paper.figures.rs_figure import RSFigure


class Figure2(RSFigure):
    """df of these penalties."""

    target = "paper_figures"
    shows = "GDF against δ for four penalties, with the AT line"
    made_of = "RS theory"

    def draw(self, tables, uses):
        return draw(tables["table"], uses["penalties"])


def draw(table, blocks):
    """`table` from theory_tables.rs_table, `blocks` the penalty blocks by name."""
    figure = style.new_figure(3.5, 3.1)
    ax = figure.subplots()
    colours = style.colours(blocks)
    for name, block in blocks.items():
        curve, color = table[table.penalty == name], colours[name]
        first = curve.iloc[0]
        label = style.label(block) + (f", AT {first.at_delta:.3f}" if _has_at_line(first) else "")
        style.draw_rs_line(ax, curve, "df", color=color, label=label)
        if _has_at_line(first):
            ax.axvline(first.at_delta, color=color, linewidth=0.8, linestyle=(0, (1, 1.5)), zorder=0)
    ax.set(xlim=(0, 1), ylim=(0, 1.03), xlabel=r"$\delta$", ylabel=r"$\mathrm{df}$")
    if len(blocks) > 4:  # more would cover a curve
        figure.legend(loc="outside upper center", ncols=2, fontsize=7)
    else:  # on white, so that an AT line does not run through the text
        ax.legend(loc="lower right", frameon=True, framealpha=1, edgecolor="none", borderaxespad=0.05)
    columns = [
        "penalty",
        "delta",
        "df",
        "eta",
        "at",
        "rs_stable",
        "branch",
        "beyond_turning",
        "residual",
        "converged",
    ]
    ends = [f"{name}: {_ends(row)}" for name, row in table.groupby("penalty", sort=False).first().iterrows()]
    caption = (
        "GDF against the fraction of non-zero components, RS theory; dashed where the RS solution is unstable, "
        f"dotted lines: where it becomes so (AT). In delta: {'; '.join(ends)}."
    )
    return Drawing(figure, table[columns], caption)


def _has_at_line(row):
    """Whether S1 becomes unstable before it reaches its largest delta."""
    return row.at_delta < row.s1_largest_delta - 1e-9


def _ends(row):
    stability = "unstable everywhere" if np.isnan(row.at_delta) else "stable"
    if _has_at_line(row):
        stability = f"AT line {row.at_delta:.4f}"
    turn = f"turning point of S1 {row.s1_largest_delta:.4f}, " if row.s1_largest_delta > row.s1_end + 1e-8 else ""
    return f"{stability}, {turn}end of S1 {row.s1_end:.4f}"
