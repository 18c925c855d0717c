"""The penalty on the command line: --penalty and one option for each parameter of any penalty."""

from argparse import ArgumentTypeError
from dataclasses import MISSING, fields
from itertools import product

from sparsegdf.penalties.registry import ELSEWHERE, PENALTIES, make_penalty


def add_penalty(parser, several=False):
    """Add --penalty and the parameters of all penalties; with `several` each can be repeated."""
    text = "the penalty r(x; eta): l1 is the lasso, classic_scad and classic_mcp are SCAD and MCP of ncvreg and skglm"
    text += "; repeatable, as its parameters are: the best is chosen" if several else ""
    action = "append" if several else "store"
    parser.add_argument("--penalty", required=True, type=_kind, choices=list(PENALTIES), action=action, help=text)
    for name, owners in _parameters().items():
        texts = [_about(kind, field) for kind, field in owners.items()]
        parser.add_argument(f"--{name}", type=float, action=action, help="; ".join(texts))


def _kind(name):
    """The name itself; for one that other packages use, an error that says the one here."""
    if own := ELSEWHERE.get(name.lower()):
        raise ArgumentTypeError(f"{name!r} is called {own} here (choose from {', '.join(PENALTIES)})")
    return name


def chosen_penalties(options):
    """The penalties of these options, with every value given for a parameter that they have.

    A parameter that none of them has is an error.
    """
    kinds = _listed(options.penalty)
    given = {name: _listed(getattr(options, name)) for name in _parameters() if getattr(options, name) is not None}
    known = {kind: {field.name: field for field in fields(PENALTIES[kind])} for kind in kinds}
    for name in given:
        if not any(name in own for own in known.values()):
            has = ", ".join(dict.fromkeys(name for own in known.values() for name in own))
            raise ValueError(f"--{name} is not a parameter of {', '.join(kinds)} (it has: {has or 'none'})")
    for kind, own in known.items():
        for name, field in own.items():
            if name not in given and field.default is MISSING:
                raise ValueError(f"--{name} is missing: {kind} has no default for it")
    made = []
    for kind, own in known.items():
        names = [name for name in given if name in own]
        made += [
            make_penalty(kind, **dict(zip(names, values, strict=True)))
            for values in product(*(given[name] for name in names))
        ]
    return list(dict.fromkeys(made))


def _listed(value):
    return value if isinstance(value, list) else [value]


def _parameters():
    """The parameters of all penalties: {name: {kind of penalty: field}}."""
    owners = {}
    for kind, penalty in PENALTIES.items():
        for field in fields(penalty):
            owners.setdefault(field.name, {})[kind] = field
    return owners


def _about(kind, field):
    text = f"of {kind}" + (f", {field.metadata['about']}" if "about" in field.metadata else "")
    text += f" (default: {field.default:g})" if field.default is not MISSING else ""
    return text.replace("%", "%%")  # argparse formats help texts with %
