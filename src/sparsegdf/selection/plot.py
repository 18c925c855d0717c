"""The plot of a Selection."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib import font_manager

from sparsegdf.selection.criteria import CRITERIA

_LABELS = {"cp": r"$C_p$"}  # the others are shown as they are
_NAMED = 8  # This many of the largest coefficients are named in the legend.


def plot_selection(selection, predicted=False):
    """Three axes over eta, sparse on the left: the criterion with err_train, df with delta, and the coefficients.

    With `predicted` the df of the theory for this number of non-zeros is drawn, dotted where RS is not stable.
    The band around the criterion is its standard error: that of the bootstrap's df, or that over the folds.
    """
    figure, axes = plt.subplots(3, 1, figsize=(7, 8.5), sharex=True, layout="constrained", height_ratios=(1, 1, 1.2))
    usable = selection.path.converged.to_numpy()
    path = selection.path[usable]
    se = selection.criterion_se
    _draw_criterion(axes[0], selection, path, None if se is None else se[usable])
    _draw_df(axes[1], selection, path)
    if predicted:
        _draw_predicted(axes[1], path.eta, selection.df_predicted[usable], selection.rs_stable[usable])
    axes[1].legend(edgecolor="none", fontsize="small")  # on white: there is not always room beside the curves
    _draw_coefficients(axes[2], selection, path)
    for ax in axes:
        ax.axvline(selection.best.eta, color="C3", linewidth=0.8, linestyle=(0, (4, 3)), zorder=1)
    axes[2].set_xlabel(r"$\eta$")
    axes[2].set_xscale("log")
    axes[2].invert_xaxis()
    figure.suptitle(repr(selection.penalty), fontsize="medium")
    return axes


def _draw_criterion(ax, selection, path, se):
    best, used = selection.best, CRITERIA[selection.criterion]
    relative = used.column in ("aic", "bic", "ebic")
    error, value = path.err_train / (selection.sigma2 if relative else 1.0), path[used.column]
    ax.plot(path.eta, value, color="C0", label=_LABELS.get(selection.criterion, used.symbol))
    if se is not None:
        ax.fill_between(path.eta, value - se, value + se, color="C0", alpha=0.3, linewidth=0, label="± s.e.")
    ax.plot(path.eta, error, color="0.5", linestyle="--", label="training error")
    ax.plot(best.eta, best[used.column], "o", color="C3", label=f"chosen: {best.nonzeros:.0f} non-zeros")
    # The empty model may be far above the interesting range.
    low, chosen = error.min(), best[used.column]
    room = chosen - low
    ax.set_ylim(max(ax.get_ylim()[0], low - room / 2), min(ax.get_ylim()[1], chosen + 4 * room))
    ax.set_ylabel("squared error per row" + (r" / $\sigma^2$" if relative else ""))
    ax.legend(frameon=False)


def _draw_df(ax, selection, path):
    ax.plot(path.eta, path.df, color="C0", label=f"df ({selection.df_source})")
    if "df_se" in path:
        ax.fill_between(
            path.eta, path.df - path.df_se, path.df + path.df_se, color="C0", alpha=0.3, linewidth=0, label="± s.e."
        )
        ax.plot(path.eta, path.df_stein, color="C1", linestyle=":", label="Stein divergence")
    elif path.jumps.any():
        jumping = path.df.where(path.jumps)
        ax.plot(path.eta, jumping, color="C1", linewidth=3, alpha=0.6, label="may be too small: the fit may jump")
    ax.plot(path.eta, path.delta, color="0.5", linestyle="--", label=r"$\delta$ = non-zeros / M")
    ax.set_ylabel("df, fraction of M")


def _draw_predicted(ax, eta, df, stable):
    for part, linestyle, label in ((stable, "-", ""), (~stable, ":", ", unstable")):
        if part.any():
            shown = np.where(part, df, np.nan)
            ax.plot(eta, shown, linestyle, color="C2", linewidth=1, label=f"theory, from singular values{label}")


def _draw_coefficients(ax, selection, path):
    """Those of different columns are comparable only as contributions to the fit: the standardised x."""
    shown = selection.coefficients[:, path.index] * selection.spread[:, None]
    largest = np.argsort(-np.abs(selection.coef * selection.spread), kind="stable")[:_NAMED]
    others = np.setdiff1d(np.flatnonzero(np.nan_to_num(shown).any(axis=1)), largest)
    if others.size:  # columns that are zero at every eta are the line at zero
        ax.plot(path.eta, shown[others].T, linewidth=0.6, color="0.75")
    named = largest[selection.coef[largest] != 0]
    lines = [ax.plot(path.eta, shown[i], linewidth=1.3)[0] for i in named]
    ax.axhline(0, color="0.6", linewidth=0.6, zorder=1)
    ax.set_ylabel("coefficient × s.d. of its column")
    if lines:
        _name(ax, lines, {i: selection.names[i] for i in named})


def _name(ax, lines, names):
    """Draw a legend with the names exactly as they are, in any script and without math.

    A name that no installed font can show is replaced by the position of its column.
    """
    # Matplotlib drops labels that begin with "_", so the text is set afterwards.
    legend = ax.legend(lines, ["name"] * len(lines), frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
    for text, (i, name) in zip(legend.get_texts(), names.items(), strict=True):
        font = _font_with(name)
        if font is not None:
            text.set_fontproperties(font)
        text.set(parse_math=False, usetex=False, fontsize="small")
        text.set_text(f"column {i}" if font is None else name)


def _font_with(name):
    """The first font with every character of `name`, starting with the default font; None if there is none."""
    needed = {ord(character) for character in name if not character.isspace()}
    usual = font_manager.FontProperties()
    installed = {font.fname for font in font_manager.fontManager.ttflist if "LastResort" not in font.fname}  # boxes
    for file in [font_manager.findfont(usual), *sorted(installed)]:
        try:
            if needed <= font_manager.get_font(file).get_charmap().keys():
                return font_manager.FontProperties(fname=file)
        except (OSError, RuntimeError):  # a font that Matplotlib cannot read
            continue
    return None
