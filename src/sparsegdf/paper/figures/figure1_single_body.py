"""Figure 1: the maximiser of the effective single-body problem for four penalties."""

from typing import Annotated

import numpy as np
from pydantic import Field

from sparsegdf.paper.config.blocks import Eta, Model, Number, Positive
from sparsegdf.paper.figures import style
from sparsegdf.paper.figures.base import Drawing, Figure
from sparsegdf.penalties.registry import make_penalty

_NAMES = {
    "l1": ["1"],
    "elastic_net": [r"\mathrm{en}"],
    "l0": ["0"],
    "scad": [r"\mathrm{S}1", r"\mathrm{S}2", r"\mathrm{S}3"],
}
_NUMBERS = ["1", "2", "3"]  # The thresholds of penalties that are not in the paper are numbered.


class Panel(Model):
    penalty: str
    eta: Eta


class Figure1(Figure):
    """x*(z) of the penalty of each panel at its RS saddle point."""

    target = "paper_figures"
    shows = "the scalar estimator behind each penalty"
    made_of = "RS theory"

    alpha: Positive
    mean: Number
    variance: Positive
    z_max: Positive
    panels: Annotated[list[Panel], Field(min_length=4, max_length=4)]

    def inputs(self, config):
        return {"table": "theory/single_body"}

    def penalty_names(self):
        return [panel.penalty for panel in self.panels]

    def uses(self, config):
        return {"penalties": [config.penalties[name] for name in self.penalty_names()]}

    def draw(self, tables, uses):
        return draw(tables["table"], uses["penalties"])


def draw(table, blocks):
    """`table` from theory_tables.single_body_table, `blocks` the penalty of each panel.

    In units of sqrt(chi_hat)/Q_hat, the estimate without a penalty is the line of gradient 1.
    """
    figure = style.new_figure(6.0, 5.2)
    axes = figure.subplots(2, 2).ravel()
    plotted = table.assign(x_scaled=table.x * table.Q_hat / np.sqrt(table.chi_hat))
    for ax, letter, (_, panel), block in zip(axes, "abcd", plotted.groupby("panel"), blocks, strict=True):
        kind, z_max = block["kind"], panel.z.max()
        ax.plot([-z_max, z_max], [-z_max, z_max], **style.GUIDE)
        ax.axhline(0, color="0.85", linewidth=0.6, zorder=0)
        thresholds = panel[["threshold_1", "threshold_2", "threshold_3"]].iloc[0].dropna()
        # A jump is drawn as a gap, so that the line does not suggest intermediate values.
        x = panel.x_scaled.to_numpy().copy()
        z = panel.z.to_numpy()
        cut = np.flatnonzero((np.diff(x) > 0.2) & (np.diff(z) < 1e-9))
        color = make_penalty(**block).colour or style.ORANGE
        ax.plot(np.insert(z, cut + 1, np.nan), np.insert(x, cut + 1, np.nan), color=color)
        for k, threshold in enumerate(thresholds):
            top = np.interp(threshold + 1e-6, z, x)
            ax.plot([threshold] * 2, [-z_max, top], color="0.5", linewidth=0.6, linestyle=":")
            name = ax.text(
                threshold + 0.08, -z_max * 0.78, rf"$\theta_{{{_NAMES.get(kind, _NUMBERS)[k]}}}'$", va="center"
            )
            if len(thresholds) > 1:  # close together: the first name left of its line, the second below the third
                name.set(ha="right" if k == 0 else "left", x=threshold + (-0.08 if k == 0 else 0.08))
                name.set(
                    y=-z_max * (0.88 if k == 1 else 0.73), bbox={"facecolor": "white", "linewidth": 0, "pad": 0.3}
                )
        ax.set(xlim=(-z_max, z_max), ylim=(-z_max, z_max), xlabel="$z$", ylabel=r"$\hat{Q}x^*/\sqrt{\hat{\chi}}$")
        style.panel_letter(ax, letter)
        ax.text(0.04, 0.95, style.label(block), transform=ax.transAxes, va="top")
    saddles = plotted.groupby("panel").first()
    unstable = ", ".join(f"({'abcd'[k]})" for k in saddles.index[~saddles.rs_stable])
    caption = (
        "Maximiser of the effective single-body problem at the RS saddle point, in units of sqrt(chi_hat)/Q_hat: the "
        "dashed line is the estimate without a penalty. theta' = sqrt(2) theta are the thresholds. "
        f"Panels at a saddle point that is unstable against replica symmetry breaking: {unstable or 'none'}."
    )
    return Drawing(figure, plotted, caption)
