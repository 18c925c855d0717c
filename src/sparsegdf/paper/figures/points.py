"""Monte Carlo points with error bars, which show where samples did not converge."""

import numpy as np

from sparsegdf.paper.figures import style

# A mean of fewer samples is not drawn, since its error bar would be meaningless.
FEWEST = 5


def drawable(summary):
    """The rows with enough converged samples to be drawn."""
    return summary[summary.converged >= FEWEST]


def draw_points(ax, summary, y, *, color, marker="o", label=None, size=3.6):
    """y against delta with standard errors; hollow where only a part of the samples converged."""
    rows = drawable(summary)
    complete = (rows.fraction_converged == 1).to_numpy()
    for part, face in ((complete, color), (~complete, "white")):
        chosen = rows[part]
        if len(chosen):
            ax.errorbar(
                chosen.delta,
                chosen[y],
                xerr=chosen.delta_se,
                yerr=chosen[f"{y}_se"],
                fmt=marker,
                color=color,
                markerfacecolor=face,
                markersize=size,
                elinewidth=0.8,
                markeredgewidth=0.8,
                label=label,
            )
            label = None


def ring_unreached(ax, summary, y, label="iterated BP fails on some"):
    """A ring around the points at which iterating belief propagation does not reach a fixed point on every sample."""
    rows = drawable(summary)
    rows = rows[rows.fraction_bp < 1]
    if len(rows):
        ring = {"markersize": 6, "markerfacecolor": "none", "markeredgewidth": 0.7}
        ax.plot(rows.delta, rows[y], "D", color=style.ORANGE, label=label, **ring)


def write_fractions(ax, summary, *, color):
    """Write the fraction of converged samples of each incomplete point at the bottom, or above a low point."""
    rows = drawable(summary)
    rows = rows[rows.fraction_converged < 1]
    last = -np.inf
    for row in rows.sort_values("delta").itertuples():
        if row.delta - last < 0.055:  # it would touch the text of its neighbour
            continue
        text = f"{100 * row.fraction_converged:.3g}%"
        ax.text(
            row.delta,
            0.03 if row.gdf > 0.16 else row.gdf + 0.03,  # above the ticks
            text,
            fontsize=6,
            color=color,
            rotation=90,
            ha="center",
            va="bottom",
        )
        last = row.delta
