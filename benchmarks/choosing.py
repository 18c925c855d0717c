"""Which criterion chooses well? The table and the picture of docs/choosing.md, on planted data.

    python benchmarks/choosing.py [SAMPLES]      writes docs/choosing.png and docs/choosing.csv

y = A x0 + noise of variance 1, A iid with columns of about unit length, M = 100, ten non-zeros of one strength, in
units of the standard error of a single coefficient. sigma2 is estimated from the same data. Every criterion chooses
on the same path with the same df.
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import numpy as np
import pandas as pd

from sparsegdf.ensembles.ensemble import Ensemble
from sparsegdf.ensembles.iid import IID
from sparsegdf.paper.experiments.planted import planted_sample
from sparsegdf.paper.figures import style
from sparsegdf.selection.criteria import CRITERIA, choose
from sparsegdf.selection.select import select

DOCS = Path(__file__).resolve().parents[1] / "docs"
PENALTIES = ("l1", "scad", "mcp")
SIZES, STRENGTHS = (50, 200), (2.0, 4.0, 8.0)
NAMES = [name for name in CRITERIA if name != "aic"]  # which chooses what cp does
COLOURS = dict(zip(NAMES, ("C0", "C1", "C3", "C4", "C2", "C5"), strict=True))


def one_problem(N, strength, index):
    """One row per penalty and criterion: the error of the chosen model over the smallest on the path, and its F1."""
    A, y, x0 = planted_sample(Ensemble(IID(), 100, N, seed=24), index, nonzeros=10, strength=strength)
    for penalty in PENALTIES:
        found = select(A, y, penalty, criterion="cv")
        path = found.path
        error = np.square(A @ (found.coefficients - x0[:, None]) + found.intercepts).mean(axis=0)
        on = found.coefficients != 0
        f1 = 2 * on[x0 != 0].sum(axis=0) / (on.sum(axis=0) + 10)
        for name in NAMES:
            k = choose(name, path[CRITERIA[name].column], path.converged, path.cv_se)
            yield {
                "N": N, "strength": strength, "sample": index, "penalty": penalty, "criterion": name,
                "nonzeros": int(on[:, k].sum()), "error": error[k], "ratio": error[k] / np.nanmin(error), "f1": f1[k],
            }  # fmt: skip


def draw(summary):
    """Upper row: error over the smallest on the path; lower row: F1 of the support. Solid: N = 50, dashed: 200."""
    figure = style.new_figure(7, 4.4)
    axes = figure.subplots(2, 3, sharex=True, sharey="row")
    for column, penalty in enumerate(PENALTIES):
        for row, (value, label) in enumerate((("ratio", "error / smallest"), ("f1", "F1 of the support"))):
            ax = axes[row, column]
            for (name, N), part in summary[summary.penalty == penalty].groupby(["criterion", "N"], sort=False):
                look = {"linestyle": "-" if N == SIZES[0] else "--", "marker": "o", "markersize": 3}
                label_once = name if (row, column, N) == (0, 0, SIZES[0]) else None
                ax.plot(part.strength, part[value], color=COLOURS[name], label=label_once, **look)
            if column == 0:
                ax.set_ylabel(label)
        axes[0, column].set(title=penalty, ylim=(1, 3.5))
        axes[1, column].set(xlabel="strength of the signal", xscale="log", xticks=STRENGTHS)
        axes[1, column].set_xticks([], minor=True)
        axes[1, column].set_xticklabels([f"{strength:g}" for strength in STRENGTHS])
    figure.legend(loc="outside upper center", ncols=len(NAMES))
    return figure


def main():
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    rows = [
        row
        for N in SIZES
        for strength in STRENGTHS
        for index in range(samples)
        for row in one_problem(N, strength, index)
    ]
    table = pd.DataFrame(rows)
    mean = table.groupby(["penalty", "N", "strength", "criterion"], sort=False)[["nonzeros", "error", "ratio", "f1"]]
    summary = mean.mean().round(3).reset_index()
    summary.to_csv(DOCS / "choosing.csv", index=False)
    draw(summary).savefig(DOCS / "choosing.png", dpi=150)
    print(
        table.groupby(["penalty", "criterion"], sort=False)[["nonzeros", "ratio", "f1"]].mean().round(2).to_string()
    )


if __name__ == "__main__":
    main()
