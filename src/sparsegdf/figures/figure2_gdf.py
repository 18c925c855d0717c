"""Figure 2: GDF against the fraction of non-zero components for four penalties."""

from sparsegdf.figures import style
from sparsegdf.figures.bundle import Drawing


def draw(table, blocks):
    """`table` from theory_tables.rs_table, `blocks` the penalty blocks by name."""
    figure = style.new_figure(3.5, 3.1)
    ax = figure.subplots()
    colours = style.colours(blocks)
    for name, block in blocks.items():
        curve, color = table[table.penalty == name], colours[name]
        style.draw_rs_line(ax, curve, "df", color=color, label=style.label(block))
        at = curve.at_delta.iloc[0]
        if at < curve.s1_end.iloc[0] - 1e-9:
            ax.axvline(at, color=color, linewidth=0.8, linestyle=(0, (1, 1.5)), zorder=0)
            ax.text(at + 0.015, 0.03, f"AT\n{at:.3f}", fontsize=7.5)
    ax.set(xlim=(0, 1), ylim=(0, 1.03), xlabel=r"$\delta$", ylabel=r"$\mathrm{df}$")
    ax.legend(loc="lower right", bbox_to_anchor=(0.87, 0.0), borderaxespad=0.2)
    columns = ["penalty", "delta", "df", "eta", "at", "rs_stable", "branch", "residual", "converged"]
    ends = "; ".join(
        f"{name}: AT line {row.at_delta:.4f}, end of S1 {row.s1_end:.4f}"
        for name, row in table.groupby("penalty", sort=False).first().iterrows()
    )
    caption = (
        "GDF against the fraction of non-zero components, RS theory; dashed where the RS solution is unstable. "
        f"In delta: {ends} (nan: unstable everywhere)."
    )
    return Drawing(figure, table[columns], caption)
