"""Figure 10 (ours): how well each criterion chooses eta on planted data, by strength of the signal."""

from itertools import product
from typing import Annotated, NamedTuple

import numpy as np
from pydantic import Field, model_validator

from sparsegdf.ensembles.registry import make_design
from sparsegdf.paper.config.blocks import Count, Dimension, Positive, Samples, require_columns
from sparsegdf.paper.experiments.selection_tables import over_designs, selection_table, verdict
from sparsegdf.paper.figures import style
from sparsegdf.paper.figures.base import Drawing, Figure

# method: name, colour, marker, whether it is filled: open symbols know sigma2
LOOKS = {
    "cp": ("$C_p$", style.VERMILION, "o", True),
    "cp_known": (r"$C_p$, $\sigma^2$ known", style.VERMILION, "o", False),
    "cp_count": ("$C_p$, df = number of non-zeros", style.ORANGE, "^", True),
    "gcv": ("GCV", style.BLUE, "D", True),
    "cv": ("10-fold CV", "0.15", "s", True),
    "cv1se": ("10-fold CV, one s.e. rule", "0.55", "s", True),
    "bic": ("BIC", style.GREEN, "v", True),
    "bic_known": (r"BIC, $\sigma^2$ known", style.GREEN, "v", False),
    "ebic": ("EBIC", style.PURPLE, "p", True),
    "ebic_known": (r"EBIC, $\sigma^2$ known", style.PURPLE, "p", False),
}
MEASURES = {"ratio": "error / best on path", "true_positives": "true positives", "false_positives": "false positives"}
_WIDTH = 0.8  # of the methods at one strength, in units of the step between strengths


class Cell(NamedTuple):
    """One setting of the planted data: the name of its design, N and the strength of the signal."""

    design: str
    N: int
    strength: float

    @property
    def name(self):
        return f"n{self.N}_{self.design}_s{_in_name(self.strength)}"


def _in_name(strength):
    return f"{strength:g}".replace(".", "p")


class Figure10(Figure):
    """Planted data: every design, N and strength; a block design keeps its T/N, as in figure 9."""

    shows = "ours: criteria that choose η on planted data: C_p, GCV, cross-validation, BIC, EBIC"
    made_of = "200 samples each"

    designs: Annotated[list[str], Field(min_length=1)]
    block_N: Dimension
    M: Dimension
    sizes: Annotated[list[Dimension], Field(min_length=1)]
    nonzeros: Count
    strengths: Annotated[list[Positive], Field(min_length=1)]
    samples: Samples
    new_rows: Dimension
    bootstrap: Samples
    penalties: Annotated[list[str], Field(min_length=1)]

    @model_validator(mode="after")
    def _samples_are_possible(self):
        if self.nonzeros > min(self.sizes):
            raise ValueError(f"nonzeros = {self.nonzeros}: must be <= the smallest N, {min(self.sizes)}")
        if self.new_rows == self.M:
            raise ValueError(
                f"new_rows = {self.new_rows}: must not be M: samples are named by it, so the rows would not be new"
            )
        return self

    @model_validator(mode="after")
    def _names_differ(self):
        names = [_in_name(strength) for strength in self.strengths]
        for i, name in enumerate(names):
            if not name.isalnum():
                raise ValueError(
                    f"strengths.{i} = {self.strengths[i]!r}: allowed are numbers that print without exponent"
                )
            if name in names[:i]:
                first = self.strengths[names.index(name)]
                raise ValueError(
                    f"strengths {first!r} and {self.strengths[i]!r} would share the files of strength {first:g}: "
                    "they must differ in the first six digits"
                )
        return self

    def check(self, config):
        for name in self.penalties:
            if config.penalties[name]["kind"] == "l0":
                raise ValueError(f"{self.name}.penalties = {name!r}: l0 has no path (allowed: any other)")
        for cell in self.cells().values():
            design = make_design(**self.design_of(cell, config))
            require_columns(design, cell.N, of=f"{self.name}, {cell.name}")

    def cells(self):
        """The settings by name."""
        cells = [
            Cell(design, N, strength) for N, design, strength in product(self.sizes, self.designs, self.strengths)
        ]
        return {cell.name: cell for cell in cells}

    def design_of(self, cell, config):
        """The design block of a setting, at its N."""
        return config.resized(cell.design, cell.N, self.block_N)

    def inputs(self, config):
        return {"planted": [f"planted/{name}" for name in self.cells()]}

    def penalty_names(self):
        return self.penalties

    def design_names(self):
        return self.designs

    def draw(self, tables, uses):
        table = selection_table(dict(zip(self.cells().values(), tables["planted"], strict=True)))
        return draw(table, uses["penalties"], self.nonzeros)._replace(samples=self.samples)


def draw(table, blocks, nonzeros):
    """`table` from selection_tables.selection_table: a row per penalty and N, the mean over the designs."""
    means = over_designs(table, MEASURES)
    strengths, sizes = sorted(means.strength.unique()), list(means.N.unique())
    rows = [(penalty, N) for penalty in blocks for N in sizes]
    figure = style.new_figure(7.2, 0.9 + 1.3 * len(rows))
    axes = figure.subplots(len(rows), len(MEASURES), sharex=True, sharey="col", squeeze=False)
    for row, (penalty, N) in zip(axes, rows, strict=True):
        panel = means[(means.penalty == penalty) & (means.N == N)].set_index("method")
        for ax, measure in zip(row, MEASURES, strict=True):
            _draw_panel(ax, panel, measure, strengths)
        row[0].set_ylabel(f"{style.label(blocks[penalty])}\n$N={N}$", fontsize=8)
    for ax, (measure, text) in zip(axes[0], MEASURES.items(), strict=True):
        ax.set_title(text + (f" (of {nonzeros})" if measure == "true_positives" else ""), fontsize=9)
    _scale(axes, means, nonzeros)
    for ax in axes[-1]:
        ax.set_xticks(range(len(strengths)), [f"{strength:g}" for strength in strengths])
        ax.set_xlabel("strength of the signal", fontsize=8)
    handles, names = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside upper center", ncols=4, fontsize=7.5, columnspacing=1.2)
    return Drawing(figure, table, _caption(table))


def _draw_panel(ax, panel, measure, strengths):
    """The methods side by side at each strength."""
    step = _WIDTH / len(LOOKS)
    for k, (method, (name, color, marker, filled)) in enumerate(LOOKS.items()):
        shown = panel.loc[[method]].set_index("strength").loc[strengths]
        ax.errorbar(
            np.arange(len(strengths)) + step * (k - (len(LOOKS) - 1) / 2),
            shown[measure],
            yerr=shown[f"{measure}_se"],
            fmt=marker,
            color=color,
            markerfacecolor=color if filled else "white",
            label=name,
            markersize=3.2,
            markeredgewidth=0.8,
            elinewidth=0.7,
            capsize=0,
        )
    for k in range(1, len(strengths)):
        ax.axvline(k - 0.5, color="0.85", linewidth=0.5, zorder=0)
    ax.tick_params(axis="x", length=0)


def _scale(axes, means, nonzeros):
    """Errors on a logarithmic axis from the best on, false positives on one of their square root, which shows 0."""
    shown = means[means.method.isin(LOOKS)]
    axes[0, 0].set(yscale="log", ylim=(0.97, 1.1 * (shown.ratio + shown.ratio_se).max()))
    ticks = [tick for tick in (1, 1.2, 1.5, 2, 3, 5, 10) if tick < 1.1 * shown.ratio.max()]
    axes[0, 0].set_yticks(ticks, [f"{tick:g}" for tick in ticks])
    axes[0, 0].set_yticks([], minor=True)
    axes[0, 1].set(ylim=(0, 1.05 * nonzeros), yticks=[0, nonzeros / 2, nonzeros])
    most = (shown.false_positives + shown.false_positives_se).max()
    for ax in axes[:, 2]:
        ax.set_yscale("function", functions=(_root, _square))
    axes[0, 2].set_ylim(0, 1.15 * most + 1)
    axes[0, 2].set_yticks([tick for tick in (0, 1, 5, 20, 50, 100, 200) if tick <= most + 1])
    for ax in axes[:, 0]:
        ax.axhline(1, **style.GUIDE)


def _root(values):
    return np.sqrt(np.maximum(values, 0))


def _square(values):
    return np.square(values)


def _caption(table):
    designs = table.design.nunique()
    return (
        "Criteria that choose eta on planted data (y = A x0 + noise of variance 1), by penalty, N and strength of "
        "the signal in units of the error of one coefficient. Means over "
        f"{designs} designs with {table.samples.max()} samples each, with standard errors; sigma2 is estimated from "
        "the same data or (open symbols) known. Left: prediction error at the same A, less the noise, over that of "
        "the best eta, which needs the truth. Middle and right: predictors chosen that are in x0, and that are not. "
        "df is Stein's for convex penalties, the bootstrap's for others. By design: " + verdict(table)
    )
