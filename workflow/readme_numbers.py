"""Writes the numbers that README.md quotes, from reference/claims.csv (`make reference`); a test checks them."""

import re
from pathlib import Path

import pandas as pd

from sparsegdf.claims.verdict import VERDICTS

BEGIN, END = "<!-- from reference/claims.csv: make reference -->\n", "<!-- end -->"


def rendered(readme, claims):
    """The text of the README with its block of claims made anew."""
    return re.sub(f"{BEGIN}.*?{END}", lambda _: BEGIN + block(claims) + END, readme, flags=re.S)


def block(claims):
    counts = claims.verdict.value_counts()
    stated = ", ".join(f"{counts.get(verdict, 0)} {verdict}" for verdict in VERDICTS)
    lines = [f"{len(claims)} claims: {stated}. Those that do not come out as printed:", ""]
    lines += ["| claim | printed | found | verdict |", "|---|---|---|---|"]
    for row in claims[claims.verdict != "reproduced"].fillna("").itertuples():
        verdict = row.verdict.removeprefix("reproduced with a ") + (f": {row.correction}" if row.correction else "")
        undecided = row.verdict == VERDICTS[-1]
        found = "; ".join(filter(None, [row.measured, row.detail if undecided else ""]))
        lines.append(
            "| " + " | ".join(c.replace("|", r"\|") for c in (row.statement, row.quoted, found, verdict)) + " |"
        )
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    file = Path("README.md")
    file.write_text(
        rendered(file.read_text(encoding="utf-8"), pd.read_csv("reference/claims.csv", dtype=str)), encoding="utf-8"
    )
