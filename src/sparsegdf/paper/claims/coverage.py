"""The paper line by line: what it says that can be checked, and the claims that decide it or a reason why none does.

The list is coverage.yaml; its lines are those of paper.tex, which is not part of this project.
"""

from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import NamedTuple

import yaml

# The line of paper.tex at which each section begins.
SECTIONS = {
    1: "Abstract", 42: "1", 111: "2", 125: "2.1", 195: "2.2", 265: "2.3", 350: "3", 468: "4", 478: "4.1", 685: "5",
    713: "5.1", 789: "5.2", 929: "5.3", 1044: "5.4", 1194: "6", 1310: "7", 1313: "7.1", 1440: "7.2",
    1582: "8", 1616: "9",
}  # fmt: skip


class Sentence(NamedTuple):
    """Something that the paper says, by its first line, with the ids of claims and misprints, or a reason."""

    line: int
    says: str
    claims: tuple[str, ...] = ()
    misprints: tuple[str, ...] = ()
    reason: str = ""

    @property
    def section(self):
        return SECTIONS[max(first for first in SECTIONS if first <= self.line)]

    def decided_by(self, ids):
        """Those of these claims that decide it."""
        return [id for id in ids if any(fnmatchcase(id, pattern) for pattern in self.claims)]


@cache
def sentences() -> tuple[Sentence, ...]:
    """Every entry of the list, in the order of the paper."""
    text = Path(__file__).with_name("coverage.yaml").read_text(encoding="utf-8")
    entries = [{name: tuple(v) if isinstance(v, list) else v for name, v in e.items()} for e in yaml.safe_load(text)]
    return tuple(Sentence(**entry) for entry in entries)


def places(claim_id) -> list[int]:
    """The lines of the paper that a claim decides."""
    return [sentence.line for sentence in sentences() if sentence.decided_by([claim_id])]
