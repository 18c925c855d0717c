"""How the figures look: one style, one colour and one label per penalty."""

from dataclasses import fields

from sparsegdf.penalties.registry import make_penalty

# The palette of Okabe and Ito, which colour-blind readers can distinguish, and which works in grey.
BLUE, ORANGE, GREEN, VERMILION, PURPLE, SKY = "#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9"
PALETTE = (BLUE, ORANGE, GREEN, VERMILION, PURPLE, SKY, "0.15", "#8C510A")
GUIDE = {"color": "0.6", "linewidth": 0.7, "linestyle": (0, (4, 3)), "zorder": 0}
RS, RSB = "-", (0, (3.2, 1.6))  # solid where the RS solution is stable, dashed where it is not

_RC = {
    "font.family": "STIXGeneral",
    "mathtext.fontset": "stix",
    "font.size": 9,
    "axes.labelsize": 10,
    "legend.fontsize": 8,
    "legend.frameon": False,
    "legend.handlelength": 2.2,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "xtick.direction": "in",
    "ytick.direction": "in",
    "xtick.top": True,
    "ytick.right": True,
    "axes.linewidth": 0.7,
    "lines.linewidth": 1.4,
    "lines.markersize": 4,
    "errorbar.capsize": 1.5,
    "pdf.fonttype": 42,
    "figure.dpi": 300,
}


def new_figure(width, height):
    """An empty figure of this size in inches. It also sets the style of the project for all later drawing."""
    import matplotlib
    from matplotlib.figure import Figure

    matplotlib.rcParams.update(_RC)
    return Figure(figsize=(width, height), layout="constrained")


def colours(blocks):
    """A colour for each penalty of a figure: that of its kind, or a free one if it is taken or the kind has none."""
    usual = {name: make_penalty(**block).colour for name, block in blocks.items()}
    free = [colour for colour in PALETTE if colour not in usual.values()]
    chosen = {}
    for name, colour in usual.items():
        taken = colour is None or colour in chosen.values()
        chosen[name] = free.pop(0) if taken and free else colour or PALETTE[0]
    return chosen


def label(block):
    """The name of a penalty block in a legend."""
    penalty = make_penalty(**block)
    shown = [f"${f.metadata.get('symbol', f.name)}={getattr(penalty, f.name):g}$" for f in fields(penalty)]
    return (penalty.label or block["kind"]) + (f" ({', '.join(shown)})" if shown else "")


def panel_letter(ax, letter):
    ax.set_title(f"({letter})", loc="left", fontsize=10, pad=4)


def draw_rs_line(ax, curve, y, *, color, label=None, **look):
    """y against delta: solid where RS is stable, dashed where it is not, a gap where S1 jumps to another branch."""
    stable = curve["rs_stable"].to_numpy()
    branch = curve["branch"].to_numpy()
    x, values = curve["delta"].to_numpy(), curve[y].to_numpy()
    start = 0
    for k in range(1, len(x) + 1):
        if k < len(x) and stable[k] == stable[start] and branch[k] == branch[start]:
            continue
        # The curve is continuous where stability changes inside a branch, so the two lines share their end point.
        stop = k + 1 if k < len(x) and branch[k] == branch[start] else k
        line = RS if stable[start] else RSB
        ax.plot(x[start:stop], values[start:stop], color=color, linestyle=line, label=label, **look)
        start, label = k, None
