"""The penalties by kind, the name used in a configuration and on the command line. Each has a file here."""

from sparsegdf import penalties
from sparsegdf.penalties.base import Penalty
from sparsegdf.registry import classes_by_file

PENALTIES = classes_by_file(penalties, Penalty)

# What other packages call them.
ELSEWHERE = {"lasso": "l1", "enet": "elastic_net", "elasticnet": "elastic_net", "elastic-net": "elastic_net"}


def make_penalty(kind, **parameters):
    """The penalty of this kind, e.g. make_penalty("scad", a=5, lam=1)."""
    if kind not in PENALTIES:
        raise ValueError(f"kind = {kind!r} is not a penalty (allowed: {', '.join(PENALTIES)})")
    return PENALTIES[kind](**parameters)


def as_penalty(penalty):
    """The penalty itself, or the one of this kind with its defaults: as_penalty("scad") is SCAD()."""
    if isinstance(penalty, Penalty):
        return penalty
    if isinstance(penalty, str) and penalty in PENALTIES:
        return PENALTIES[penalty]()
    own = ELSEWHERE.get(penalty.lower()) if isinstance(penalty, str) else None
    fault = f"is called {own} here" if own else "is not a penalty"
    raise ValueError(f"penalty = {penalty!r} {fault} (allowed: {', '.join(PENALTIES)}, or e.g. SCAD(a=8))")
