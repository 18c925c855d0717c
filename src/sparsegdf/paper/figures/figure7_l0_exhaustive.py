"""Figure 7: exact GDF of l0 at small N against the RS theory."""

from typing import Annotated

import numpy as np
import pandas as pd
from pydantic import Field

from sparsegdf.paper.config.blocks import DeltaGrid
from sparsegdf.paper.config.messages import unknown
from sparsegdf.paper.figures import style
from sparsegdf.paper.figures.base import Drawing, Figure

# One colour and marker per system size, here and in figure 8.
SIZE_STYLE = {
    10: (style.ORANGE, "v"),
    20: (style.SKY, "o"),
    30: (style.GREEN, "s"),
    50: (style.BLUE, "^"),
    100: (style.PURPLE, "D"),
    200: ("0.35", "x"),
}


class Figure7(Figure):
    """These runs of the l0 search, and the theory at these deltas."""

    target = "paper_figures"
    shows = "exact ℓ₀ against RS, N = 20, 30, 50"
    made_of = "1000 samples each"

    runs: Annotated[list[str], Field(min_length=1)]
    deltas: DeltaGrid

    def inputs(self, config):
        return {"theory": f"theory/l0/{self.name}", "sizes": [f"l0/{run}_sizes" for run in self.runs]}

    def uses(self, config):
        return {"l0_search": config.l0_search.model_dump()}

    def settings(self, uses):
        return {self.name: self.model_dump()} | uses

    def check(self, config):
        for name in self.runs:
            if name not in config.l0_search.runs:
                raise ValueError(f"{self.name}.runs = {name!r}: " + unknown("run", name, config.l0_search.runs))
        top = min(1, 1 / config.l0_search.alpha)
        if self.deltas.last >= top:
            raise ValueError(
                f"{self.name}.deltas.last = {self.deltas.last:g}: must be < {top:g} (with all rows or columns there "
                "is nothing to choose)"
            )

    def draw(self, tables, uses):
        sizes = pd.concat(tables["sizes"], ignore_index=True)
        return draw(sizes, tables["theory"])._replace(samples=samples_by_size(sizes))


def samples_by_size(sizes):
    """{N: number of samples}, as written to the sidecar."""
    return {str(N): int(n) for N, n in sizes.groupby("N").samples.first().items()}


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
