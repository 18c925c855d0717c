"""Figure 8 (ours): does the exact GDF of l0 go to the RS curve as N grows, or to the one-step RSB curve?"""

from typing import Annotated

import numpy as np
import pandas as pd
from pydantic import Field

from sparsegdf.paper.config.blocks import Delta
from sparsegdf.paper.experiments.l0_summaries import FORMS, limits
from sparsegdf.paper.figures import style
from sparsegdf.paper.figures.base import Drawing
from sparsegdf.paper.figures.figure7_l0_exhaustive import Figure7, draw_sizes, samples_by_size

# Rows at fixed eta are not drawn if more than this fraction of their samples is truncated.
MOST_TRUNCATED = 0.01


class Figure8(Figure7):
    """Figure 7, also at fixed eta; `limits` are the deltas at which all runs are extrapolated to N -> infinity."""

    target = "beyond"
    shows = "ours: exact ℓ₀ against RS, one-step RSB and a rigorous bound"
    made_of = "1000 samples each (N = 200: 200, by swap search)"

    limits: Annotated[list[Delta], Field(max_length=3)]

    def inputs(self, config):
        return {
            "theory": f"theory/l0/{self.name}",
            "sizes": [f"l0/{run}_sizes" for run in config.l0_search.runs],
            "etas": [f"l0/{run}_etas" for run in self.runs],
        }

    def check(self, config):
        super().check(config)
        for limit in self.limits:
            if not self.deltas.first <= limit <= self.deltas.last:
                within = f"[{self.deltas.first:g}, {self.deltas.last:g}], the deltas of its theory"
                raise ValueError(f"{self.name}.limits = {limit:g}: must lie in {within}")

    def draw(self, tables, uses):
        sizes, etas = (pd.concat(tables[name], ignore_index=True) for name in ("sizes", "etas"))
        drawing = draw(sizes, etas, tables["theory"], limit_deltas=self.limits)
        return drawing._replace(samples=samples_by_size(sizes))


def draw(sizes, etas, theory, *, limit_deltas):
    """(a) fixed size, (b) fixed eta, (c) against 1/N with every form of extrapolation.

    `sizes` and `etas` from l0_summaries for each N, `theory` from l0_tables.l0_theory.
    """
    figure = style.new_figure(6.9, 3.1)
    axes = figure.subplots(1, 3)
    extrapolated = limits(sizes, limit_deltas)
    shown = sizes[(sizes.K > 0) & sizes.N.isin(etas.N.unique()) & (sizes.delta <= theory.delta.max())]
    complete = etas[(etas.truncated <= MOST_TRUNCATED) & (etas.delta <= theory.delta.max()) & (etas.delta > 0)]
    for ax, points in zip(axes, (shown, complete), strict=False):
        highest = np.fmin(theory.bound, theory.rs)
        ax.fill_between(
            theory.delta, highest, 1.05, color="0.9", linewidth=0, label="excluded (first moment, Gordon)"
        )
        ax.plot(theory.delta, theory.rs, color=style.VERMILION, linestyle=style.RSB, label="RS")
        ax.plot(theory.delta, theory.one_step_rsb, color="black", label="one-step RSB")
        draw_sizes(ax, points)
        ax.set(xlim=(0, theory.delta.max()), ylim=(0, 1.03), ylabel=r"$\mathrm{df}$")
    best = extrapolated[extrapolated.form == "ln N/N"]
    axes[0].errorbar(best.delta, best.limit, yerr=best.limit_se, fmt="*", color=style.ORANGE, markersize=8, zorder=5,
                     markeredgecolor="black", markeredgewidth=0.4, label=r"$N\to\infty$ (ln $N/N$)")  # fmt: skip
    axes[0].set_xlabel(r"$\delta=K/M$, fixed $K$")
    axes[1].set_xlabel(r"$\delta$, fixed $\eta$")
    _against_size(axes[2], sizes, extrapolated, theory, limit_deltas)
    for ax, letter in zip(axes, "abc", strict=True):
        style.panel_letter(ax, letter)
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=5, fontsize=7.5)
    plotted = [shown.assign(kind="fixed K"), complete.assign(kind="fixed eta"), theory.assign(kind="theory")]
    plotted.append(extrapolated.assign(kind="N to infinity"))
    return Drawing(figure, pd.concat(plotted, ignore_index=True), _caption(extrapolated, theory))


def _caption(extrapolated, theory):
    """The caption, with the limits of the exact GDF in numbers."""
    excluded = theory.delta[theory.rs > theory.bound]
    sentences = [
        "GDF of exact l0 at fixed K (a) and fixed eta (b), with RS and one-step RSB; shaded is what two theorems "
        "exclude as N grows: Gordon's inequality all above RS, the first moment all above its bound. (c) Its "
        "limit at fixed K (solid: ln N/N, dotted: 1/N, dashed: N^(-2/3), dash-dotted: N^(-1/2); hollow circle: "
        "swap search, a lower bound).",
        f"The first moment excludes RS as the limit from delta = {excluded.min():.3f} on." if len(excluded) else "",
    ]
    for delta, fits in extrapolated.groupby("delta"):
        rs, one_step = (np.interp(delta, theory.delta, theory[name]) for name in ("rs", "one_step_rsb"))
        each = ", ".join(
            f"{fit.form} {fit.limit:.4f}({fit.limit_se:.4f}), chi2 = {fit.chi2:.1f}/{fit.dof}"
            for fit in fits.itertuples()
        )
        sentences.append(f"Limits at delta = {delta:g}: {each}; RS {rs:.4f}, one-step RSB {one_step:.4f}.")
    return " ".join(sentence for sentence in sentences if sentence)


def _against_size(ax, sizes, extrapolated, theory, deltas):
    N = np.geomspace(8, 1e5, 400)
    for delta, color in zip(deltas, (style.BLUE, style.PURPLE, style.GREEN), strict=False):
        points = sizes[(np.abs(sizes.delta - delta) < 1e-9)]
        for exact, face in ((True, color), (False, "white")):
            part = points[points.exact == exact]
            ax.errorbar(
                1 / part.N, part.df, yerr=part.df_se, fmt="o", color=color, markerfacecolor=face, markersize=3.4
            )
        for fit in extrapolated[extrapolated.delta == delta].itertuples():
            line = {"1/N": ":", "ln N/N": "-", "N^(-2/3)": "--", "N^(-1/2)": "-."}[fit.form]
            ax.plot(1 / N, fit.limit + fit.slope * FORMS[fit.form](N), color=color, linestyle=line, linewidth=0.9)
            ax.errorbar(0, fit.limit, yerr=fit.limit_se, fmt="*", color=color, markersize=6, clip_on=False,
                        markerfacecolor=color if line == "-" else "white")  # fmt: skip
        for name, mark in (("rs", style.VERMILION), ("one_step_rsb", "black")):
            value = np.interp(delta, theory.delta, theory[name])
            ax.plot([-0.004, 0.0], [value, value], color=mark, linewidth=2, clip_on=False)
        ax.text(0.098, points.df.min() + 0.045, rf"$\delta={delta:g}$", fontsize=8, ha="right", color=color)
    ax.set(xlim=(-0.004, 0.105), xlabel=r"$1/N$", ylabel=r"$\mathrm{df}$, fixed $K$")
