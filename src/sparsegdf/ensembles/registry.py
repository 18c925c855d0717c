"""The designs by kind, the name used in a configuration. Each has a file here."""

from sparsegdf import ensembles
from sparsegdf.ensembles.base import Design
from sparsegdf.registry import classes_by_file

DESIGNS = classes_by_file(ensembles, Design)


def make_design(kind, **parameters):
    """The design of this kind, e.g. make_design("ar1", c=0.5)."""
    if kind not in DESIGNS:
        raise ValueError(f"kind = {kind!r} is not a design (allowed: {', '.join(DESIGNS)})")
    return DESIGNS[kind](**parameters)
