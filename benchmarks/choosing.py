"""Which criterion when? Writes the tables of docs/choosing.md from figure 10 of the reference run."""

import re
from pathlib import Path

import pandas as pd

from sparsegdf.paper.experiments.selection_tables import over_designs

ROOT = Path(__file__).resolve().parents[1]
NAMES = {"l1": "ℓ₁", "elastic_net_strong": "elastic net", "scad_a8": "SCAD"}
SHOWN = ("cp", "cp_known", "cp_stein", "cp_count", "gcv", "cv", "cv1se", "bic", "bic_known", "ebic", "ebic_known")
MEASURES = {"ratio": "error over the best on the path", "f1": "F₁ of the support"}


def over_strengths(table):
    """Means over designs and strengths. The strengths share samples, so that the mean of their errors is a bound."""
    means = over_designs(table, MEASURES)
    return means.groupby(["penalty", "N", "method"], sort=False).mean(numeric_only=True)


def as_markdown(means, measure):
    """One row per criterion, a column per penalty and N; the standard error in units of the last digit."""
    columns = list(dict.fromkeys(zip(means.index.get_level_values(0), means.index.get_level_values(1), strict=True)))
    head = ["criterion", *(f"{NAMES[penalty]}, N = {N}" for penalty, N in columns)]
    lines = [head, ["---"] * len(head)]
    for method in SHOWN:
        cells = [means.loc[(*column, method)] for column in columns]
        lines.append([f"`{method}`", *(f"{cell[measure]:.3f}({1000 * cell[f'{measure}_se']:.0f})" for cell in cells)])
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def page(text, table):
    """The text of docs/choosing.md with the tables and the number of samples of `table`."""
    means = over_strengths(table)
    for measure in MEASURES:
        begin, rows = f"<!-- {measure}: benchmarks/choosing.py -->\n", as_markdown(means, measure)
        text = re.sub(f"{begin}.*?<!-- end -->", f"{begin}{rows}<!-- end -->", text, flags=re.S)
    cells = table.groupby(["design", "N", "strength"]).ngroups
    samples = f"{table.samples.min()} samples of each of {cells} settings"
    return re.sub(r"\d+ samples of each of \d+ settings", samples, text)


def main():
    file, table = ROOT / "docs/choosing.md", pd.read_csv(ROOT / "reference/figure10_selection.csv")
    file.write_text(page(file.read_text(encoding="utf-8"), table), encoding="utf-8")


if __name__ == "__main__":
    main()
