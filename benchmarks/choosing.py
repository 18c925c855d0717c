"""Which criterion when? The tables and the picture of docs/choosing.md, from the data of figure 10.

    python benchmarks/choosing.py [FOLDER]      writes docs/choosing.md (its tables) and docs/choosing.png

FOLDER has the choices on planted data of a run, by default results/paper/planted (snakemake figure10_selection).
"""

import re
import sys
from pathlib import Path

import pandas as pd
import yaml

from sparsegdf.paper.config.model import load
from sparsegdf.paper.experiments.selection_tables import over_designs, selection_table

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


def main():
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "results/paper/planted"
    config = load(yaml.safe_load((ROOT / "config/paper.yaml").read_text()))
    figure = config.figure10_selection
    tables = [pd.read_parquet(folder / f"{name}.parquet") for name in figure.cells()]
    blocks = {name: config.penalties[name] for name in figure.penalties}
    figure.draw({"planted": tables}, {"penalties": blocks}).figure.savefig(ROOT / "docs/choosing.png", dpi=130)

    table = selection_table(dict(zip(figure.cells().values(), tables, strict=True)))
    means, page = over_strengths(table), ROOT / "docs/choosing.md"
    text = page.read_text(encoding="utf-8")
    for measure in MEASURES:
        begin, rows = f"<!-- {measure}: benchmarks/choosing.py -->\n", as_markdown(means, measure)
        text = re.sub(f"{begin}.*?<!-- end -->", f"{begin}{rows}<!-- end -->", text, flags=re.S)
    samples = f"{table.samples.min()} samples of each of {len(tables)} settings"
    page.write_text(re.sub(r"\d+ samples of each of \d+ settings", samples, text), encoding="utf-8")


if __name__ == "__main__":
    main()
