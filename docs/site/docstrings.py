"""The docstrings of the package are plain text with sections as in numpydoc. Here they become reStructuredText."""

import re

SPECIAL = re.compile(r"(\*|\||\\|(?<=\w)_(?!\w))")
TERM = re.compile(r"(\S+(?:,? \S+)*)  +(\S.*)")


def as_rst(app, what, name, obj, options, lines):
    """The docstring `lines`, changed in place: the text before the first section, then each section by its lines."""
    starts = [i for i in range(len(lines) - 1) if re.fullmatch(r"-{3,}", lines[i + 1])]
    first = starts[0] if starts else len(lines)
    examples = next((i for i in starts if lines[i] == "Examples"), len(lines))
    lines[:] = [*_text(lines[:first]), *map(_line, lines[first:examples]), *lines[examples:]]


def _line(line):
    """A line of a section: names of parameters are left to numpydoc."""
    return line if re.match(r"(\*{0,2}\w+(, )?)+( : |$)", line) or set(line) == {"-"} else _escaped(line)


def _escaped(text):
    """The characters of reStructuredText in plain words, and names in backticks as code or as a link."""
    parts = re.split(r"(`[^`]+`)", text)
    return "".join(f"`{part}`" if part.startswith("`") else SPECIAL.sub(r"\\\1", part) for part in parts)


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
            out += ["", "::", ""] if after_text else ["::", ""]
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
