"""The picture of a Selection."""

import matplotlib.pyplot as plt
import numpy as np

_LABELS = {"cp": r"$C_p$", "aic": "AIC"}
_NAMED = 8  # the largest coefficients that are named


def plot_selection(selection):
    """Three axes over eta, sparse on the left: the criterion with err_train, df with delta, and the coefficients."""
    figure, axes = plt.subplots(3, 1, figsize=(7, 8.5), sharex=True, layout="constrained", height_ratios=(1, 1, 1.2))
    path, best = selection.path[selection.path.converged], selection.best
    error = path.err_train if selection.criterion == "cp" else path.err_train / selection.sigma2
    top, middle, bottom = axes

    top.plot(path.eta, path[selection.criterion], color="C0", label=_LABELS[selection.criterion])
    top.plot(path.eta, error, color="0.5", linestyle="--", label="training error")
    top.plot(best.eta, best[selection.criterion], "o", color="C3", label=f"chosen: {best.nonzeros:.0f} non-zeros")
    # The empty model may be far above everything that is worth a look.
    low, chosen = error.min(), best[selection.criterion]
    room = chosen - low
    top.set_ylim(max(top.get_ylim()[0], low - room / 2), min(top.get_ylim()[1], chosen + 4 * room))
    top.set_ylabel("squared error per row" + (r" / $\sigma^2$" if selection.criterion == "aic" else ""))
    top.legend(frameon=False)

    middle.plot(path.eta, path.df, color="C0", label=f"df ({selection.df_source})")
    if "df_se" in path:
        middle.fill_between(
            path.eta, path.df - path.df_se, path.df + path.df_se, color="C0", alpha=0.3, linewidth=0, label="± s.e."
        )
        middle.plot(path.eta, path.df_stein, color="C1", linestyle=":", label="Stein divergence")
    elif path.jumps.any():
        jumping = path.df.where(path.jumps)
        middle.plot(path.eta, jumping, color="C1", linewidth=3, alpha=0.6, label="may be too small: the fit may jump")
    middle.plot(path.eta, path.delta, color="0.5", linestyle="--", label=r"$\delta$ = non-zeros / M")
    middle.set_ylabel("df, fraction of M")
    middle.legend(frameon=False)

    # Comparable between columns only as contributions to the fit, which is what the standardised x is.
    shown = selection.coefficients[:, path.index] * selection.spread[:, None]
    largest = np.argsort(-np.abs(selection.coef * selection.spread), kind="stable")[:_NAMED]
    for i in np.setdiff1d(np.arange(len(shown)), largest):
        bottom.plot(path.eta, shown[i], linewidth=0.6, color="0.75")
    for i in largest[selection.coef[largest] != 0]:
        bottom.plot(path.eta, shown[i], linewidth=1.3, label=selection.names[i])
    bottom.axhline(0, color="0.6", linewidth=0.6, zorder=1)
    bottom.set_ylabel("coefficient × s.d. of its column")
    bottom.set_xlabel(r"$\eta$")
    if selection.coef.any():
        bottom.legend(frameon=False, fontsize="small", loc="center left", bbox_to_anchor=(1, 0.5))
    for ax in axes:
        ax.axvline(best.eta, color="C3", linewidth=0.8, linestyle=(0, (4, 3)), zorder=1)
    bottom.set_xscale("log")
    bottom.invert_xaxis()
    figure.suptitle(repr(selection.penalty), fontsize="medium")
    return axes
