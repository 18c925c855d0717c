"""The docstrings of the package are plain text with sections as in numpydoc. Here they become reStructuredText."""

import re
from dataclasses import fields, is_dataclass
from itertools import groupby, pairwise

import sparsegdf

SPECIAL = re.compile(r"(\*|\||\\|(?<=\w)_(?!\w))")
TERM = re.compile(r"(\S+(?: \S+)*)  +(\S.*)")


def as_rst(app, what, name, obj, options, lines):
    """The docstring `lines`, changed in place, section by section; numpydoc reads it next."""
    if what == "class" and is_dataclass(obj) and "Examples" in lines:
        at = lines.index("Examples")
        lines[at:at] = _parameters(obj)
    starts = [i for i in range(len(lines) - 1) if re.fullmatch(r"-{3,}", lines[i + 1])]
    out = _text(lines[: starts[0] if starts else len(lines)])
    for start, end in pairwise([*starts, len(lines)]):
        title, body = lines[start], lines[start + 2 : end]
        if title != "Examples":
            body = _text(body) if title == "Notes" else _entries(body)
        out += [*lines[start : start + 2], *body]
    lines[:] = out


def _parameters(penalty):
    """The section of the parameters of a penalty, which are described where they are defined."""
    entries = []
    for field in fields(penalty):
        if "about" in field.metadata:
            entries += [f"{field.name} : {field.type.__name__}, default {field.default:g}"]
            entries += [f"    {field.metadata['about']}"]
    return ["Parameters", "----------", *entries, ""] if entries else []


def _entries(lines):
    """The entries of a section: what is said of each is text, the names themselves are left to numpydoc."""
    for indented, block in groupby(lines, lambda line: not line or line.startswith(" ")):
        if indented:
            yield from (f"    {line}" if line else "" for line in _text([line[4:] for line in block]))
        else:
            yield from (line if re.match(r"[\w*]+(, [\w*]+)*( : |$)", line) else _escaped(line) for line in block)


def _escaped(text):
    """The characters of reStructuredText in plain words; a public name in backticks is a link, another one code."""
    parts = re.split(r"`([^`]+)`", text)
    parts[::2] = [SPECIAL.sub(r"\\\1", part) for part in parts[::2]]
    parts[1::2] = [f":obj:`~sparsegdf.{name}`" if name in dir(sparsegdf) else f"``{name}``" for name in parts[1::2]]
    return "".join(parts)


def _text(lines):
    """Paragraphs stay, aligned columns become a list of terms, and indented lines a formula as it is written."""
    out, i = [], 0
    while i < len(lines):
        line, after_text = lines[i], bool(out and out[-1])
        if term := TERM.fullmatch(line):
            column = len(line) - len(term[2])
            words = [term[2]]
            while i + 1 < len(lines) and lines[i + 1].startswith(" " * column) and lines[i + 1].strip():
                i += 1
                words.append(lines[i].strip())
            if after_text and not out[-1].startswith("    "):
                out.append("")
            out += [f"``{term[1]}``", *(f"    {_escaped(word)}" for word in words)]
        elif line.startswith(" "):
            out += ["", ".. code-block:: text", ""] if after_text else [".. code-block:: text", ""]
            while i < len(lines) and (lines[i].startswith(" ") or not lines[i]):
                out.append("    " + lines[i] if lines[i] else "")
                i += 1
            out.append("")
            continue
        else:
            if line and after_text and out[-1].startswith("    "):
                out.append("")
            out.append(_escaped(line))
        i += 1
    return out
