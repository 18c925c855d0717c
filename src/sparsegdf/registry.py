"""Classes that are registered under the name of their file."""

from dataclasses import asdict
from importlib import import_module
from inspect import isabstract
from pkgutil import iter_modules


def classes_by_file(package, base):
    """{name of the file: the one concrete subclass of `base` that it defines} for the files that define one.

    Files are imported by name and not by an import statement, so that a job depends only on the penalty that it uses.
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
    """{kind, parameters} of a penalty or a design, as in a configuration. The kind is the name of its file."""
    return {"kind": type(thing).__module__.rpartition(".")[2]} | asdict(thing)
