"""Figure 11 (ours): df on five kinds of predictors, by theory and by simulation."""

from typing import Annotated

import numpy as np
import pandas as pd
from pydantic import Field, model_validator

from sparsegdf.ensembles.registry import make_design
from sparsegdf.paper.config.blocks import (
    Count,
    Dimension,
    EtaGrid,
    Model,
    Number,
    Positive,
    Samples,
    require_columns,
    require_rows,
)
from sparsegdf.paper.config.messages import unknown
from sparsegdf.paper.figures import style
from sparsegdf.paper.figures.base import Drawing, Figure
from sparsegdf.paper.figures.limit_lines import draw_limit

COLOURS = ("0.25", style.BLUE, style.GREEN, style.VERMILION, style.PURPLE)
MARKERS = "os^Dv"
LINES = ["at_delta", "at_delta_error", "lowest_eta", "lowest_eta_error"]
NUMBERS = ["eta", "delta", "df", "df_error", "delta_eff", *LINES]  # of the theory
L0 = "l0"  # the name of the exact search among the penalties
L0_ETAS = np.linspace(5, 0.4, 24).tolist()


class L0Size(Model):
    """The best subsets of 0 to max_size of N columns."""

    N: Dimension
    max_size: Count


class L0Part(Model):
    """The exact search at several N. The first and the last of them are drawn."""

    samples: Samples
    sizes: Annotated[list[L0Size], Field(min_length=1)]


class Figure11(Figure):
    """Stationary points at N columns on each design, the RS theory of each, and the exact l0 search at small N.

    The T of a block design is given for the N of the simulations. In the l0 search it keeps T/N, with T rounded down.
    """

    shows = (
        "ours: df against δ on iid, row-orthogonal, ill-conditioned predictors and Examples 1 and 2, with the theory"
    )
    made_of = "RS theory of each design, 200 samples at N = 1000, 1000 of the exact ℓ₀ search at N = 20 to 100"

    designs: Annotated[list[str], Field(min_length=1, max_length=len(COLOURS))]
    N: Dimension
    alpha: Positive
    mean: Number
    variance: Positive
    samples: Samples
    simulations: Annotated[dict[str, EtaGrid], Field(min_length=1, max_length=3)]
    l0: L0Part

    @model_validator(mode="after")
    def _subsets_fit(self):
        require_rows(self.alpha, self.N, of="")
        for size in self.l0.sizes:
            if size.max_size > min(require_rows(self.alpha, size.N, of="l0.sizes: "), size.N):
                raise ValueError(f"l0: max_size = {size.max_size} at N = {size.N}: must be at most M = alpha N and N")
        if L0 in self.simulations:
            raise ValueError(f"simulations.{L0}: the exact search has this name")
        return self

    def check(self, config):
        for name in self.simulations:
            if name not in config.penalties:
                raise ValueError(f"{self.name}.simulations.{name}: {unknown('penalty', name, config.penalties)}")
        for name in self.designs:
            require_columns(make_design(**config.designs[name]), self.N, of=self.name)
            for N in (size.N for size in self.l0.sizes):
                require_columns(make_design(**config.resized(name, N, self.N)), N, of=f"{self.name}.l0")

    def inputs(self, config):
        return {
            "theory": [f"theory/limits/{self.name}_{design}" for design in self.designs],
            "points": [f"predictors/{design}" for design in self.designs],
            "subsets": [f"predictors/l0/{design}" for design in self.designs],
        }

    def penalty_names(self):
        return list(self.simulations)

    def design_names(self):
        return self.designs

    def problem(self, design, config):
        """The arguments of predictor_points."""
        return {
            "design": config.designs[design],
            "M": require_rows(self.alpha, self.N, of=""),
            "seed": config.seed,
            "penalties": {
                name: {"penalty": config.penalties[name], "etas": etas.values().tolist()}
                for name, etas in self.simulations.items()
            },
        } | {name: getattr(self, name) for name in ("N", "mean", "variance", "samples")}

    def l0_problems(self, design, config):
        """The arguments of l0_samples, and the block of the design, for each N."""
        shared = {"alpha": self.alpha, "variance": self.variance, "seed": config.seed, "restarts": 0}
        shared |= {"first": 0, "last": self.l0.samples - 1}
        return [
            shared | size.model_dump() | {"design": config.resized(design, size.N, self.N)} for size in self.l0.sizes
        ]

    def evidence(self, config):
        """What claims need to know of its tables, by path."""
        found = {}
        for design in self.designs:
            known = {"design_name": design, "design": config.designs[design], "alpha": self.alpha, "N": self.N}
            found[f"predictors/{design}"] = [{"kind": "predictors"} | known]
            found[f"predictors/l0/{design}"] = [{"kind": "l0_predictors"} | known]
        return found

    def rs_limits(self, config):
        """At the levels of the simulations and between them, and for l0 on a grid of its own."""
        found = {}
        for design in self.designs:
            problem = self.problem(design, config)
            settings = {
                name: {"penalty": block["penalty"], "alpha": self.alpha, "etas": refined(block["etas"])}
                for name, block in problem["penalties"].items()
            }
            settings[L0] = {"penalty": {"kind": "l0"}, "alpha": self.alpha, "etas": L0_ETAS}
            shared = {name: problem[name] for name in ("design", "N", "mean", "variance")}
            found[f"{self.name}_{design}"] = shared | {"penalties": settings}
        return found

    def draw(self, tables, uses):
        theory, points, subsets = (
            pd.concat([table.assign(design=name) for name, table in zip(self.designs, tables[kind], strict=True)])
            for kind in ("theory", "points", "subsets")
        )
        theory[NUMBERS] = theory[NUMBERS].astype(float)  # an empty table, of a design without theory, has no types
        drawing = draw(theory, points, subsets, uses["penalties"], uses["designs"])
        return drawing._replace(samples={"direct": self.samples, "l0": self.l0.samples})


def refined(etas):
    """The levels and three more between each two, so that a line through them looks smooth."""
    etas = np.asarray(etas)
    return np.interp(np.arange(4 * len(etas) - 3) / 4, np.arange(len(etas)), etas).tolist()


def draw(theory, points, subsets, blocks, designs):
    """`theory` from limit_points, `points` from predictor_points, `subsets` from fixed_size, each with the design.

    Above df against delta, below df minus the theory: at the same eta, for l0 at the same delta.
    """
    penalties = [*blocks, L0]
    figure = style.new_figure(7.0, 4.3)
    axes = figure.subplots(2, len(penalties), sharex="col", squeeze=False, height_ratios=(1.5, 1))
    looks = dict(zip(designs, zip(COLOURS, MARKERS, strict=True), strict=False))
    compared = pd.concat([compare(points, theory), compare_subsets(subsets, theory)], ignore_index=True)
    for column, name in enumerate(penalties):
        top, bottom = axes[:, column]
        top.plot([0, 1], [0, 1], **style.GUIDE)
        bottom.axhline(0, **style.GUIDE)
        curves = theory[theory.penalty == name]
        if one_curve(curves):
            draw_limit(top, curves[curves.design == curves.design.iloc[0]], "df", color="0.25", width=1.0)
            place = {"x": 0.96, "y": 0.05, "ha": "right", "va": "bottom", "fontsize": 7}
            top.text(s="RS: one curve for\nall predictors", transform=top.transAxes, **place)
        for design, (color, marker) in looks.items():
            curve = curves[curves.design == design]
            if not one_curve(curves):
                draw_limit(top, curve, "df", color=color, width=1.0)
                draw_limit(bottom, curve.assign(gap=curve.delta_eff - curve.df), "gap", color=color, width=0.7)
            chosen = compared[(compared.penalty == name) & (compared.design == design)]
            look = {"fmt": marker, "color": color, "markersize": 2.8, "elinewidth": 0.7, "markeredgewidth": 0.7}
            for face, part in _sizes(chosen, color):
                look |= {"markerfacecolor": face, "zorder": 3}
                top.errorbar(part.delta, part.gdf, xerr=part.delta_se, yerr=part.gdf_se, **look)
                bottom.errorbar(part.delta, part.gap_rs, yerr=part.gap_rs_se, **look)
        if name == L0 and (sizes := compared.N.dropna().unique()).size > 1:
            place = {"x": 0.97, "y": 0.04, "ha": "right", "va": "bottom", "fontsize": 6.5}
            text = f"hollow:\n$N = {sizes[0]:.0f}$\nfilled:\n$N = {sizes[-1]:.0f}$"
            bottom.text(s=text, transform=bottom.transAxes, **place)
        right = 0.5 if name == L0 else 1  # no larger subsets are searched
        top.set(xlim=(0, right), ylim=(0, 1.02), xticks=(0, right / 2, right))
        top.label_outer()
        bottom.set_xlabel(r"$\delta$")
        style.panel_letter(top, "abcd"[column])
        top.set_title(style.label(blocks[name] if name != L0 else {"kind": "l0"}), fontsize=8)
    _share_y(axes[1, :-1])
    axes[0, 0].set_ylabel(r"$\mathrm{df}$")
    axes[1, 0].set_ylabel(r"$\mathrm{df}-\mathrm{RS}$")
    handles = [
        axes[0, 0].plot([], [], marker=marker, color=color, markersize=3.5, markerfacecolor="white", linewidth=1.0)[0]
        for color, marker in looks.values()
    ]
    handles += axes[0, 0].plot([], [], color="0.25", linewidth=0.7)
    labels = [make_design(**block).label for block in designs.values()]
    labels += [r"below: $\delta_{\mathrm{eff}}^{\mathrm{BP}}-\mathrm{RS}$"]
    figure.legend(handles, labels, loc="outside upper center", ncols=len(labels), fontsize=7.5, columnspacing=1.2)
    plotted = pd.concat([compared.assign(kind="simulation"), theory.assign(kind="RS")], ignore_index=True)
    return Drawing(figure, plotted, _caption(compared, theory))


def _sizes(chosen, color):
    """(colour of the faces, points) of each N that is drawn: hollow, and for l0 filled at the last N."""
    if "N" not in chosen or chosen.N.isna().all():
        return [("white", chosen)]
    first, last = chosen.N.iloc[[0, -1]]
    return [(color if N == last != first else "white", chosen[chosen.N == N]) for N in dict.fromkeys((first, last))]


def one_curve(curves):
    """Whether df of the theory is the same function of delta for all designs, up to the errors of sampled ones."""
    if curves.empty:
        return False
    curves = curves.sort_values("delta")
    first = curves[curves.design == curves.design.iloc[0]]
    inside = curves[curves.delta.between(first.delta.min(), first.delta.max())]
    return bool(np.abs(inside.df - np.interp(inside.delta, first.delta, first.df)).max() < 2e-3)


def _share_y(axes):
    """The same limits for all of these panels, with numbers at the first."""
    low, high = (f(limit[k] for limit in [ax.get_ylim() for ax in axes]) for k, f in ((0, min), (1, max)))
    for ax in axes:
        ax.set_ylim(low, high)
    for ax in axes[1:]:
        ax.tick_params(labelleft=False)


def compare(points, theory):
    """The simulated points with gap_rs, GDF minus df of the theory at the same eta."""
    known = theory[["design", "penalty", "eta", "df", "df_error"]]
    table = points.merge(known, on=["design", "penalty", "eta"], how="left")
    gap = {"gap_rs": table.gdf - table.df, "gap_rs_se": np.hypot(table.gdf_se, table.df_error)}
    return table.assign(**gap).drop(columns=["df", "df_error"])


def compare_subsets(subsets, theory):
    """The same for the exact search at the same delta, with the RS curve of l0, which no spectrum changes."""
    table = subsets[subsets.K > 0].rename(columns={"df": "gdf", "df_se": "gdf_se"})
    curve = theory[theory.penalty == L0].drop_duplicates("eta").sort_values("delta")
    expected = np.interp(table.delta, np.append(0, curve.delta), np.append(0, curve.df), right=1.0)
    gap = {"gap_rs": table.gdf - expected, "gap_rs_se": table.gdf_se}
    columns = ["design", "delta", "gdf", "gdf_se", "samples", "N", "K"]
    return table[columns].assign(penalty=L0, delta_se=0.0, **gap)


def _caption(compared, theory):
    curves = theory[theory.penalty == L0].pivot_table(index="eta", columns="design", values="df")
    spread = float((curves.max(axis=1) - curves.min(axis=1)).max())
    N = compared.N.dropna().unique()
    z = (compared.gap_rs / compared.gap_rs_se)[compared.penalty != L0].abs()
    return (
        "df against delta on several kinds of predictors. Lines: RS theory of each, without a fit (dashed beyond the "
        "AT line, for l0 everywhere). Points: GDF by covariance at stationary points, for l0 the exact search "
        f"(hollow: N = {N[0]:.0f}, filled: N = {N[-1]:.0f}), with standard errors. Below: the same minus the theory, "
        "at the same eta (l0: the same delta), and as thin lines delta_eff of BP minus the theory. For l1, df = "
        f"delta, and for l0 the RS curve is the same for all (largest difference {spread:.0e}). Largest |z| of the "
        f"simulations against the theory, l0 aside: {z.max():.1f} of {z.notna().sum()} points."
    )
