"""`make docs`: the parts of docs/ that say what stands in the code, made anew; a test compares."""

import re
from functools import partial
from pathlib import Path

from sparsegdf.paper.columns import RESULTS
from sparsegdf.paper.figures.registry import FIGURES, TABLES

BLOCK = "<!-- {}: make docs -->\n"
END = "<!-- end -->"


def rendered(text):
    """A document with its blocks made anew."""
    for name, make in BLOCKS.items():
        begin = BLOCK.format(name)
        text = re.sub(f"{begin}.*?{END}", lambda _, b=begin, make=make: b + make() + END, text, flags=re.S)
    return text


def markdown(header, rows):
    """A table in Markdown."""
    lines = [header, ["---"] * len(header), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines).replace("| --- ", "|---").replace("--- |", "---|")


def exhibits(target):
    """A row for each figure and table of a target, as its class says."""
    named = {f"`{name}`": kind for name, kind in FIGURES.items()}
    named |= {
        f"`{name}`" + ("" if kind.file == name else f" → `{kind.file}.csv`"): kind for name, kind in TABLES.items()
    }
    rows = [(name, kind.shows, kind.made_of) for name, kind in named.items() if kind.target == target]
    return markdown((f"of `{target}`", "what it shows", "made of"), rows)


def columns(schema):
    """A row for each column of a file."""
    rows = [(f"`{name}`", column.meaning.replace("|", r"\|"), column.unit) for name, column in schema.items()]
    return markdown(("column", "meaning", "unit"), rows)


BLOCKS = {f"exhibits of {name}": partial(exhibits, name) for name in ("paper_figures", "beyond", "claims")}
BLOCKS |= {f"columns of {name}": partial(columns, schema) for name, schema in RESULTS.items()}
DOCUMENTS = ("docs/pipeline.md", "docs/results.md")

if __name__ == "__main__":
    for file in map(Path, DOCUMENTS):
        file.write_text(rendered(file.read_text(encoding="utf-8")), encoding="utf-8")
