"""The documents of the project, split into the parts that test_docs.py and test_pages.py check."""

import os
import re
import subprocess
from pathlib import Path
from typing import NamedTuple

from conftest import ROOT

DOCUMENTS = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "reference/README.md", "results/README.md")]
DOCUMENTS += sorted((ROOT / "docs").glob("*.md"))


class Block(NamedTuple):
    file: Path
    line: int
    language: str
    text: str

    @property
    def place(self):
        return f"{self.file.relative_to(ROOT)}:{self.line}"


def blocks(*languages):
    """The fenced blocks in these languages ("" is none) of all documents."""
    found = []
    for file in DOCUMENTS:
        text = file.read_text(encoding="utf-8")
        for match in re.finditer(r"^```(\w*)\n(.*?)^```$", text, re.M | re.S):
            found.append(Block(file, text[: match.start()].count("\n") + 2, match[1], match[2]))
    return [block for block in found if block.language in languages] if languages else found


def prose(file):
    """A document without its fenced blocks."""
    return re.sub(r"^```.*?^```$", "", file.read_text(encoding="utf-8"), flags=re.M | re.S)


def inline(text):
    """The texts between backticks."""
    return [" ".join(code.split()) for code in re.findall(r"`([^`]+)`", text)]


def run(words, folder, **environment):
    """Run a command in a project, on its own sources."""
    ours = {"PYTHONPATH": str(Path(folder) / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(
        words, cwd=folder, env=os.environ | ours | environment, capture_output=True, encoding="utf-8"
    )
