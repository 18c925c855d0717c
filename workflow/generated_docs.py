"""`make docs`: what docs/ and config/ say of the code, made anew; a test compares."""

import json
import re
from functools import partial
from pathlib import Path

from sparsegdf.paper.columns import RESULTS
from sparsegdf.paper.config.schema import schema
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

CONFIG_PAGE = """\
# The configuration

Every number of a run is a key here. `paper.yaml` has all of them, and `quick.yaml` only what the preview changes.
A file of your own does the same: it says what differs from the paper, and has a `run` of its own
([how to run it](../docs/pipeline.md#change-a-parameter)). With the first line of `quick.yaml` in it, editors with
a YAML language server complete keys and say what they mean, by `schema.json`.

This page and the schema are made from the typed model in `src/sparsegdf/paper/config` by `make docs`. The model
knows more than a schema can say: that names are known, that a grid of delta ascends and one of eta descends, that a
design has enough columns. A wrong key stops a run before anything is computed.

"""


def config_page():
    """config/README.md: the keys of every block."""
    whole = schema()
    parts = {"The whole": whole["properties"]}
    parts |= {name: part["properties"] for name, part in sorted(whole["$defs"].items())}
    text = CONFIG_PAGE
    for name, properties in parts.items():
        rows = [(f"`{key}`", _value(value), value["description"]) for key, value in properties.items()]
        text += f"## {name}\n\n" + markdown(("key", "value", "meaning"), _escaped(rows)) + "\n"
    for key in ("penalties", "designs"):
        rows = [
            (f"`{kind['properties']['kind']['const']}`", kind["description"], _parameters(kind))
            for kind in whole["properties"][key]["additionalProperties"]["oneOf"]
        ]
        text += f"## Kinds of {key}\n\n" + markdown(("kind", "what it is", "parameters"), _escaped(rows)) + "\n"
    return text.rstrip("\n") + "\n"


def _parameters(kind):
    found = {name: part for name, part in kind["properties"].items() if name != "kind"}
    return "; ".join(f"`{name}`: {part['description']}" for name, part in found.items())


def _escaped(rows):
    return [tuple(cell.replace("|", r"\|") for cell in row) for row in rows]


def _value(part):
    """What a key may hold, in words."""
    if "$ref" in part:
        name = part["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "anyOf" in part:
        return " or ".join(_value(kind) for kind in part["anyOf"] if kind.get("type") != "null")
    if "enum" in part:
        return " or ".join(f"`{word}`" for word in part["enum"])
    if part.get("type") == "array":
        return "list of " + _value(part["items"])
    if part.get("type") == "object":
        inside = part.get("additionalProperties", {})
        return "by name: " + ("kind and parameters" if "oneOf" in inside else _value(inside))
    bounds = {"exclusiveMinimum": ">", "minimum": "≥", "exclusiveMaximum": "<", "maximum": "≤"}
    limits = [f"{sign} {part[key]:g}" for key, sign in bounds.items() if key in part]
    return " ".join([part.get("type", "any"), ", ".join(limits)]).rstrip()


def documents():
    """{file: text} of all that is generated, in part or whole."""
    made = {file: rendered(Path(file).read_text(encoding="utf-8")) for file in DOCUMENTS}
    made["config/schema.json"] = json.dumps(schema(), indent=1, ensure_ascii=False) + "\n"
    made["config/README.md"] = config_page()
    return made


if __name__ == "__main__":
    for file, text in documents().items():
        Path(file).write_text(text, encoding="utf-8")
