"""Figure 10 (ours): how well each method to choose eta works on planted data, by strength of the signal."""

from itertools import product
from typing import Annotated, NamedTuple

import numpy as np
from pydantic import Field, model_validator

from sparsegdf.ensembles.registry import make_design
from sparsegdf.paper.config.blocks import Count, Dimension, Positive, Samples, require_columns
from sparsegdf.paper.experiments.selection_tables import selection_table, verdict
from sparsegdf.paper.figures import style
from sparsegdf.paper.figures.base import Drawing, Figure

LOOKS = {  # method: name, colour, marker
    "cp": (r"$C_p$, our df", style.VERMILION, "o"),
    "cp_known": (r"$C_p$, our df, $\sigma^2$ known", style.ORANGE, "s"),
    "count": (r"$C_p$, df = number of non-zeros", style.BLUE, "^"),
    "bic": ("BIC", style.GREEN, "v"),
    "cv": ("10-fold cross-validation", "0.25", "x"),
}
ROWS = {"error": "error / oracle", "f1": "$F_1$ of support"}
_SPREAD = 0.07  # Methods at one strength are drawn this far apart, in units of the step between strengths.


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

    shows = "ours: ways to choose η on planted data: C_p with our df, cross-validation, BIC"
    made_of = "200 samples each"

    designs: Annotated[list[str], Field(min_length=1)]
    block_N: Dimension
    M: Dimension
    sizes: Annotated[list[Dimension], Field(min_length=1)]
    nonzeros: Count
    strengths: Annotated[list[Positive], Field(min_length=1)]
    samples: Samples
    new_rows: Dimension
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
        return draw(table, uses["penalties"], uses["designs"])._replace(samples=self.samples)


def draw(table, blocks, designs):
    """`table` from selection_tables.selection_table: two rows of panels per penalty, a column per design and N."""
    columns = list(table.groupby(["N", "design"], sort=False).groups)
    strengths = sorted(table.strength.unique())
    figure = style.new_figure(1.0 + 1.15 * len(columns), 0.8 + 2.3 * len(blocks))
    axes = figure.subplots(2 * len(blocks), len(columns), sharex=True, sharey="row", squeeze=False)
    for i, penalty in enumerate(blocks):
        for j, (N, design) in enumerate(columns):
            panel = table[(table.penalty == penalty) & (table.N == N) & (table.design == design)]
            best = panel[panel.method == "oracle"].set_index("strength").error
            for k, (method, (name, color, marker)) in enumerate(LOOKS.items()):
                rows = panel[panel.method == method].set_index("strength").loc[strengths]
                x = np.arange(len(strengths)) + _SPREAD * (k - (len(LOOKS) - 1) / 2)
                for ax, measure in zip(axes[2 * i : 2 * i + 2, j], ROWS, strict=True):
                    unit = best.loc[strengths].to_numpy() if measure == "error" else 1.0
                    ax.errorbar(
                        x,
                        rows[measure] / unit,
                        yerr=rows[f"{measure}_se"] / unit,
                        fmt=marker,
                        color=color,
                        label=name,
                        linestyle="-",
                        linewidth=0.6,
                        markersize=3,
                        elinewidth=0.7,
                        capsize=0,
                    )
            axes[2 * i, j].axhline(1, **style.GUIDE)
            if i == 0:
                axes[0, j].set_title(f"{make_design(**designs[design]).label}\n$N={N}$", fontsize=8)
        for ax, (measure, text) in zip(axes[2 * i : 2 * i + 2, 0], ROWS.items(), strict=True):
            ax.set_ylabel((style.label(blocks[penalty]) + "\n" if measure == "error" else "") + text, fontsize=7.5)
        _limit(axes[2 * i], table[(table.penalty == penalty)])
        axes[2 * i + 1, 0].set_ylim(0, 1)
    for ax in axes[-1]:
        ax.set_xticks(range(len(strengths)), [f"{strength:g}" for strength in strengths])
        ax.set_xlabel("strength", fontsize=8)
    handles, names = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside upper center", ncols=3, fontsize=8)
    return Drawing(figure, table, _caption(table))


def _limit(row, table):
    """Set the limits from just below the oracle to the worst of the others, except BIC, which may be far off."""
    errors = table.pivot(index=["N", "design", "strength"], columns="method", values="error")
    others = errors.drop(columns=["oracle", "bic"]).max(axis=1) / errors.oracle
    row[0].set_ylim(0.9, max(1.5, 1.1 * others.max()))


def _caption(table):
    return (
        f"Ways to choose eta on planted data (y = A x0 + noise of variance 1, {table.samples.max()} samples per "
        "setting), against the strength of the signal in units of the error of one coefficient, by penalty, design "
        "and N. Upper rows: prediction error at the same A, less the noise, over that of the best eta (which needs "
        "the truth); BIC may lie outside. Lower rows: F1 of the chosen support. Standard errors over samples. "
        + verdict(table)
    )
