"""Figure 9 (ours): GDF minus the effective fraction of non-zeros and minus the Stein divergence, against 1/N."""

from itertools import product
from typing import Annotated, ClassVar

import numpy as np
import pandas as pd
from pydantic import Field, model_validator

from sparsegdf.ensembles.registry import make_design
from sparsegdf.paper.columns import UNJUDGED, Column
from sparsegdf.paper.config.blocks import (
    Count,
    Dimension,
    EtaGrid,
    Model,
    Positive,
    Samples,
    Simulated,
    SimulationBlock,
    require_rows,
)
from sparsegdf.paper.experiments.finite_size import by_cell, finite_size_table, gap_limits, with_predicted
from sparsegdf.paper.figures import style
from sparsegdf.paper.figures.base import Drawing, Figure
from sparsegdf.paper.figures.limit_lines import limit_of

MARKERS = {"delta_eff": "x", "delta_eff_sum": "+", "stein": "o"}
NAMES = {
    "delta_eff": r"GDF $-\ \delta_{\mathrm{eff}}$",
    "delta_eff_sum": r"GDF $-\ \frac{1}{M}\sum_i\chi_i\hat{Q}_i$",
    "stein": "GDF $-$ Stein divergence",
}
PREDICTED = {
    "marker": "*",
    "linestyle": "none",
    "markersize": 7,
    "markeredgewidth": 0.7,
    "zorder": 4,
}
WIDE = 0.2  # a range of gaps that hides the small ones
LEVELS = (style.SKY, style.BLUE, style.PURPLE, style.VERMILION)  # sparse to dense


class Size(Model):
    N: Dimension
    samples: Samples
    chunk: Count | None = None


class Figure9(Figure, Simulated):
    """The same fixed points at several N; the last `shown` levels of each grid are drawn.

    The T of a block design is given for N = `block_N`. At other N it keeps T/N, with T rounded down.
    """

    shows = "ours: GDF − δ_eff and GDF − Stein divergence against 1/N, N = 250 to 2000, with predicted limits"
    made_of = "300 to 800 samples each, and the RS theory of each design"
    columns: ClassVar = {"z": Column("`limit` over its standard error", differs=UNJUDGED)}

    designs: Annotated[list[str], Field(min_length=1)]
    block_N: Dimension
    alpha: Positive
    sizes: Annotated[list[Size], Field(min_length=3)]
    shown: Count
    simulations: Annotated[dict[str, EtaGrid], Field(min_length=1)]

    @model_validator(mode="after")
    def _sizes_differ(self):
        N = [size.N for size in self.sizes]
        if len(set(N)) < len(N):
            raise ValueError(f"sizes have N = {', '.join(map(str, N))}: each must differ from the others")
        for one in N:
            require_rows(self.alpha, one, of="sizes: ")
        return self

    def fixed_points(self, config):
        found = {}
        for size, design in product(self.sizes, self.designs):
            found[f"size{size.N}_{design}"] = self.run(
                config,
                block=self.name,
                design_name=design,
                design=config.resized(design, size.N, self.block_N),
                N=size.N,
                samples=size.samples,
                simulations={
                    name: SimulationBlock(
                        M=require_rows(self.alpha, size.N, of="sizes: "), etas=etas, chunk=size.chunk
                    )
                    for name, etas in self.simulations.items()
                },
            )
        return found

    def cells(self):
        """N and design of each summary."""
        return list(product((size.N for size in self.sizes), self.designs))

    def _largest(self, design):
        """The set of fixed points at the largest N."""
        return f"size{max(size.N for size in self.sizes)}_{design}"

    def inputs(self, config):
        return {
            "summaries": [f"summaries/size{N}_{design}" for N, design in self.cells()],
            "theory": [f"theory/limits/{self._largest(design)}" for design in self.designs],
        }

    def rs_limits(self, config):
        """At the levels that are shown, of each design as it is at the largest N."""
        names = map(self._largest, self.designs)
        return {
            name: limit_of(config.runs[name].simulations, lambda etas: list(etas[-self.shown :])) for name in names
        }

    def penalty_names(self):
        return list(self.simulations)

    def design_names(self):
        return self.designs

    def draw(self, tables, uses):
        table = finite_size_table(by_cell(self.cells(), tables["summaries"]), self.shown)
        limits = with_predicted(gap_limits(table), dict(zip(self.designs, tables["theory"], strict=True)))
        drawing = draw(table, limits, uses["penalties"], uses["designs"])
        return drawing._replace(samples={str(size.N): size.samples for size in self.sizes})


def draw(table, limits, blocks, designs):
    """`table` from finite_size_table, `limits` from with_predicted: a row of panels per penalty, a column per design.

    `blocks` and `designs` are the blocks of the penalties and the designs by name.
    """
    penalties = list(blocks)
    figure = style.new_figure(6.6, 2.0 * len(penalties) + 0.4)
    axes = figure.subplots(len(penalties), len(designs), sharex=True, sharey="row", squeeze=False)
    for row, penalty in enumerate(penalties):
        for ax, (design, block) in zip(axes[row], designs.items(), strict=True):
            panel = table[(table.penalty == penalty) & (table.design == design)]
            ax.axhline(0, **style.GUIDE)
            for color, (eta, level) in zip(_colours(panel), panel.groupby("eta", sort=False), strict=False):
                for name, marker in MARKERS.items():
                    _draw_series(ax, level, name, marker, color)
                    wanted = {"penalty": penalty, "design": design, "eta": eta, "gap": name}
                    fit = limits[(limits[list(wanted)] == pd.Series(wanted)).all(axis=1)]
                    if len(fit) and name != "delta_eff_sum":
                        _draw_fit(ax, fit.iloc[0], 1 / level.N.min(), color, "-" if name == "delta_eff" else ":")
                    if len(fit) and name == "delta_eff":
                        _draw_predicted(ax, fit.iloc[0], color)
                largest = level.loc[level.N.idxmax()]
                ax.plot([], [], "s", color=color, markersize=3, label=rf"$\delta={largest.delta:.2f}$")
            ax.set_xlim(-0.03 / panel.N.min(), None)  # so that a mark at zero is seen whole
            # The limits below leave room under the points for short labels in two lines.
            ax.legend(
                loc="lower center", fontsize=6.5, ncols=2, handlelength=0.6, columnspacing=0.8, handletextpad=0.3,
                labelspacing=0.2,
            )  # fmt: skip
            if row == 0:
                ax.set_title(make_design(**block).label, fontsize=9)
            if row == len(penalties) - 1:
                ax.set_xlabel(r"$1/N$")
        _set_range(axes[row, 0])
        axes[row, 0].set_ylabel(style.label(blocks[penalty]), fontsize=8)
    handles = [
        axes[0, 0].plot([], [], m, color="0.3", markersize=4, markerfacecolor="none")[0] for m in MARKERS.values()
    ]
    handles += axes[0, 0].plot([], [], color="0.3", **PREDICTED)
    names = [*(NAMES[name] for name in MARKERS), r"RS theory of GDF $-\ \delta_{\mathrm{eff}}$"]
    figure.legend(handles, names, loc="outside upper center", ncols=4, fontsize=8, columnspacing=1.2)
    plotted = pd.concat([table.assign(kind="point"), limits.assign(kind="limit")], ignore_index=True)
    return Drawing(figure, plotted, _caption(limits))


def _set_range(ax):
    """Room for two lines of labels below. A wide range (l1 near delta = 1) is logarithmic beyond the small gaps."""
    low, high = ax.get_ylim()
    if high - low > WIDE:
        ax.set_yscale("symlog", linthresh=0.02, linscale=1.5)
        ax.set_ylim(5 * low, max(high, 0.02))
        ax.set_yticks([-0.1, -0.01, 0, 0.01], ["$-0.1$", "$-0.01$", "$0$", "$0.01$"])
    else:
        ax.set_ylim(low - 0.25 * (high - low), high)


def _colours(panel):
    count = panel.eta.nunique()
    return [LEVELS[k] for k in np.linspace(0, len(LEVELS) - 1, count).astype(int)[::-1]]


def _draw_series(ax, level, name, marker, color):
    complete = level.fraction_converged == 1
    for part, alpha in ((complete, 1.0), (~complete, 0.35)):
        chosen = level[part]
        look = {"markerfacecolor": "none", "markersize": 4, "elinewidth": 0.8, "markeredgewidth": 0.9, "alpha": alpha}
        gap, se = chosen[f"gap_{name}"], chosen[f"gap_{name}_se"]
        ax.errorbar(1 / chosen.N, gap, yerr=se, fmt=marker, color=color, **look)


def _draw_fit(ax, fit, right, color, linestyle):
    x = np.linspace(0, right, 40)  # not two points: the axis may be logarithmic
    ax.plot(x, fit.limit + fit.slope * x, linestyle, color=color, linewidth=0.8)


def _draw_predicted(ax, fit, color):
    face = color if fit.rs_stable else "white"
    ax.plot(0, fit.predicted, color=color, **PREDICTED | {"markerfacecolor": face})


def _caption(limits):
    stated = []
    for (penalty, design), rows in limits[limits.gap == "delta_eff"].groupby(["penalty", "design"], sort=False):
        row = rows.loc[rows.delta.idxmax()]
        stated.append(f"{penalty} on {design} {row.limit:+.4f}({row.limit_se:.4f}), predicted {row.predicted:+.4f}")
    return (
        "GDF minus the effective fraction of non-zeros, in both definitions, and minus the Stein divergence, against "
        "1/N, with standard errors; lines: fits limit + slope/N (solid: delta_eff, dotted: Stein divergence); "
        "stars at 1/N = 0: GDF - delta_eff by the RS theory of the design (hollow: beyond the AT line); "
        "faint: not every sample has a fixed point; a wide axis is logarithmic beyond 0.02. Limits N -> infinity of "
        "GDF - delta_eff at the largest delta that is complete: " + ("; ".join(stated) or "none") + "."
    )
