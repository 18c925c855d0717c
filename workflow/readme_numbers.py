"""Writes the numbers of reference/claims.csv into README.md and docs/claims.md (`make reference`)."""

import re
from pathlib import Path

import pandas as pd

from sparsegdf.paper.claims.verdict import VERDICTS

TABLE = "<!-- from reference/claims.csv: make reference -->\n"
COUNT = "<!-- count of reference/claims.csv: make reference -->\n"
END = "<!-- end -->"
DOCUMENTS = ("README.md", "docs/claims.md")


def rendered(text, claims):
    """A document with its blocks, the count and the table of claims, made anew."""
    for begin, block in ((COUNT, count), (TABLE, table)):
        text = re.sub(f"{begin}.*?{END}", lambda _, b=begin, block=block: b + block(claims) + END, text, flags=re.S)
    return text


def count(claims):
    """How many claims of the paper, and of ours, have each verdict."""
    stated = []
    for whose, name in (("paper", "of the paper"), ("ours", "of ours")):
        verdicts = claims.verdict[claims.whose == whose].value_counts()
        counts = ", ".join(f"{verdicts[verdict]} {verdict}" for verdict in VERDICTS if verdict in verdicts)
        stated.append(f"{verdicts.sum()} {name} ({counts})")
    return f"{len(claims)} claims: {' and '.join(stated)}.\n"


def table(claims):
    """The claims that do not come out as printed."""
    lines = ["| id | claim | printed | found | verdict |", "|---|---|---|---|---|"]
    for row in claims[claims.verdict != "reproduced"].fillna("").itertuples():
        verdict = row.verdict.removeprefix("reproduced with a ") + (f": {row.correction}" if row.correction else "")
        undecided = row.verdict == VERDICTS[-1]
        found = "; ".join(filter(None, [row.measured, row.detail if undecided else ""]))
        cells = (f"`{row.id}`", row.statement, row.quoted, found, verdict)
        lines.append("| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    recorded = pd.read_csv("reference/claims.csv", dtype=str)
    for file in map(Path, DOCUMENTS):
        file.write_text(rendered(file.read_text(encoding="utf-8"), recorded), encoding="utf-8")
