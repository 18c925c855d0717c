"""Figure 7: exact GDF of l0 at small N against the RS theory."""

import numpy as np
import pandas as pd

from sparsegdf.paper.figures import style
from sparsegdf.paper.figures.bundle import Drawing

# One colour and marker per system size, here and in figure 8.
SIZE_STYLE = {
    10: (style.ORANGE, "v"),
    20: (style.SKY, "o"),
    30: (style.GREEN, "s"),
    50: (style.BLUE, "^"),
    100: (style.PURPLE, "D"),
    200: ("0.35", "x"),
}


def draw_sizes(ax, points):
    """df with standard errors for each N, at fixed size or fixed eta; "(lower bound)" marks swap search."""
    for k, (N, group) in enumerate(points.groupby("N")):
        color, marker = SIZE_STYLE.get(N, (f"C{k}", "o"))
        label = rf"$N={N}$" + ("" if group.exact.all() else " (lower bound)")
        errors = {"yerr": group.df_se, "elinewidth": 0.8, "markersize": 3.6, "linewidth": 0.6, "alpha": 0.95}
        ax.errorbar(group.delta, group.df, fmt=marker, color=color, label=label, **errors)


def draw(sizes, theory):
    """`sizes` from l0_summaries.fixed_size of each N, `theory` from l0_tables.l0_theory."""
    figure = style.new_figure(3.3, 2.9)
    ax = figure.subplots()
    ax.plot(theory.delta, theory.rs, color=style.VERMILION, linestyle=style.RSB, label="RS theory")
    points = sizes[sizes.K > 0]
    draw_sizes(ax, points)
    ax.set(xlim=(0, 1), ylim=(0, 1.03), xlabel=r"$\delta=K/M$", ylabel=r"$\mathrm{df}$")
    ax.legend(loc="lower right")
    lines = theory[["delta", "rs", "rs_branch", "rs_residual"]].assign(kind="RS")
    above = points[points.df > np.interp(points.delta, theory.delta, theory.rs)]
    caption = (
        "GDF of the best subset of K columns (exact search, fixed K, mean R^2 with standard errors) against the RS "
        f"theory, unstable throughout. Exact points above the RS curve: {len(above)} of {len(points)}. Figure 8 "
        "shows where the points go as N grows."
    )
    return Drawing(figure, pd.concat([points.assign(kind="exact"), lines], ignore_index=True), caption)
