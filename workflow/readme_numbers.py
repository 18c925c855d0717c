"""Writes the verdicts of reference/claims.json into README.md and docs/ (`make reference`)."""

import json
import re
import textwrap
from pathlib import Path

from sparsegdf.paper.claims.choices import CHOICES
from sparsegdf.paper.claims.coverage import sentences
from sparsegdf.paper.claims.verdict import VERDICTS

BEGIN = "<!-- {} of reference/claims.json: make reference -->\n"
END = "<!-- end -->"
DOCUMENTS = ("README.md", "docs/claims.md", "docs/coverage.md")


def rendered(text, document):
    """A page with its blocks made anew from the document of claims."""
    for name, block in BLOCKS.items():
        begin = BEGIN.format(name)
        text = re.sub(f"{begin}.*?{END}", lambda _, b=begin, block=block: b + block(document) + END, text, flags=re.S)
    return text


def count(document):
    """How many claims of the paper, and of ours, have each verdict."""
    stated = []
    for whose, name in (("paper", "of the paper"), ("ours", "of ours")):
        verdicts = [claim["verdict"] for claim in document["claims"] if claim["whose"] == whose]
        counts = ", ".join(f"{verdicts.count(verdict)} {verdict}" for verdict in VERDICTS if verdict in verdicts)
        stated.append(f"{len(verdicts)} {name} ({counts})")
    return f"{len(document['claims'])} claims: {' and '.join(stated)}.\n"


def headlines(document):
    """The findings, a line or two each."""
    items = [f"**{finding['title']}:** {finding['number']}." for finding in document["findings"]]
    return "\n".join(_numbered(items)) + "\n"


def findings(document):
    """The findings, each with its claims."""
    items = []
    for finding in document["findings"]:
        ids = ", ".join(f"`{id}`" for id in finding["claims"])
        items.append(f"**{finding['title']}.** {finding['text']} Claims: {ids}.")
    return "\n\n".join(_numbered(items)) + "\n"


def _numbered(items):
    lines = [f"{number}. {text}" for number, text in enumerate(items, 1)]
    return [textwrap.fill(line, 118, subsequent_indent="   ", break_on_hyphens=False) for line in lines]


def table(document):
    """The claims that do not come out as printed."""
    rows = [("id", "claim", "printed", "found", "verdict")]
    for claim in document["claims"]:
        if claim["verdict"] != VERDICTS[0]:
            word = claim["verdict"].removeprefix("reproduced with a ")
            verdict = f"{word}: {claim['correction']}" if claim["correction"] else word
            why = claim["detail"] if claim["verdict"] == VERDICTS[-1] else ""
            found = "; ".join(filter(None, [claim["statistic"]["measured"], why]))
            rows.append((f"`{claim['id']}`", claim["sentence"], claim["quoted"], found, verdict))
    return _markdown(rows)


def choices(document):
    """Our choices, how many claims ask for each, and the verdicts that another value changes."""
    rows = [("choice", "value", "also tried", "what it is", "claims", "other verdicts")]
    for name, choice in CHOICES.items():
        asked = [
            (claim, found) for claim in document["claims"] for found in claim["choices"] if found["choice"] == name
        ]
        changed = [
            f"`{claim['id']}` {_SHORT[claim['verdict']]}, at {other['value']:g} {_SHORT[other['verdict']]}"
            for claim, found in asked for other in found["others"] if other["verdict"] != claim["verdict"]
        ]  # fmt: skip
        tried = ", ".join(f"{value:g}" for value in choice.others)
        rows.append((name, f"{choice.value:g}", tried, choice.what, str(len(asked)), "; ".join(changed) or "none"))
    return _markdown(rows)


def coverage(document):
    """Every sentence of the paper that can be checked, with its claims and their verdicts or a reason."""
    verdicts = {claim["id"]: claim["verdict"] for claim in document["claims"]}
    rows = [("section", "line", "what it says", "decided by")]
    for sentence in sentences():
        by = [f"`{id}` {_SHORT[verdicts[id]]}" for id in sentence.decided_by(verdicts)]
        by += [f"misprint `{id}`" for id in sentence.misprints]
        by += [f"no claim: {sentence.reason}"] if sentence.reason else []
        rows.append((sentence.section, str(sentence.line), sentence.says, ", ".join(by)))
    return _markdown(rows)


def _markdown(rows):
    lines = [f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |" for row in rows]
    return "\n".join([lines[0], "|" + "---|" * len(rows[0]), *lines[1:]]) + "\n"


_SHORT = dict(zip(VERDICTS, ("✓", "✓ corrected", "✗", "?"), strict=True))
BLOCKS = {"count": count, "headlines": headlines, "findings": findings, "table": table, "choices": choices}
BLOCKS |= {"coverage": coverage}

if __name__ == "__main__":
    recorded = json.loads(Path("reference/claims.json").read_text(encoding="utf-8"))
    for file in map(Path, DOCUMENTS):
        file.write_text(rendered(file.read_text(encoding="utf-8"), recorded), encoding="utf-8")
