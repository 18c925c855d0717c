"""Classes that are registered by the file that they stand in."""

from dataclasses import asdict
from importlib import import_module
from inspect import isabstract
from pkgutil import iter_modules


def classes_by_file(package, base):
    """{name of the file: the one concrete subclass of `base` that it defines} for the files that define one.

    Files are imported by name, not by a statement: a job depends on the penalty that it uses, not on all of them.
    """
    found = {}
    for module in iter_modules(package.__path__):
        content = vars(import_module(f"{package.__name__}.{module.name}"))
        for thing in content.values():
            if isinstance(thing, type) and issubclass(thing, base) and thing.__module__ == content["__name__"]:
                if not isabstract(thing):
                    found[module.name] = thing
    return found


def block_of(thing):
    """{kind, parameters} of a penalty or a design, as a configuration has them: its kind is the name of its file."""
    return {"kind": type(thing).__module__.rpartition(".")[2]} | asdict(thing)
