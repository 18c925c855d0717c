"""numba's njit for the loops of this package, with a line on a terminal when they have to be compiled.

Compiling takes about half a minute, once on a machine and for each version: numba keeps the result on disk. Without
the line a first call would seem to hang.
"""

import sys

from numba import njit
from numba.core import event

__all__ = ["njit"]


class _Notice(event.Listener):
    """Says so once, when the first function of this package is compiled and not found on disk."""

    def __init__(self):
        self.said = False

    def on_start(self, event):
        module = event.data["dispatcher"].py_func.__module__ or ""  # a method of a compiled class has none
        if module.startswith("sparsegdf.") and not self.said and sys.stderr.isatty():
            self.said = True
            print("sparsegdf: compiling, once on this machine; about half a minute", file=sys.stderr)

    def on_end(self, event):
        pass


event.register("numba:compile", _Notice())
