"""The figures and tables by name. Each file of this folder defines at most one."""

import re

from sparsegdf.paper import figures
from sparsegdf.paper.figures.base import Figure, Table
from sparsegdf.registry import classes_by_file


def _in_order(found):
    """Sort by number, so that figure10 comes after figure9."""
    return dict(sorted(found.items(), key=lambda item: [int(n) for n in re.findall(r"\d+", item[0])]))


FIGURES = _in_order(classes_by_file(figures, Figure))
TABLES = classes_by_file(figures, Table)
