"""Which keys of a configuration the pipeline reads: `python config_reads.py <configfile>` in a project's folder.

Plans the run with a configuration that notes each key as it is read, and prints, as JSON, {"read": [...], "unread":
[...]}. What copies a block as a whole (for the sidecar of a figure, the report page) reads none of its keys. Scripts
do get whole blocks as params; there a key is read where the text of the script names it, p.config["zoom"], or hands
the block over as arguments, f(**p.region), of a function that would refuse one it does not know.
"""

import ast
import contextlib
import io
import json
import sys
from functools import cached_property
from pathlib import Path

from pydantic import BaseModel
from snakemake.cli import main as snakemake

import sparsegdf.paper.config.model as model

READ = set()


class Noted:
    """Stands in for a model of the configuration: fields are noted as they are read, by its own methods too."""

    def __init__(self, model, path=""):
        self.__dict__.update(_model=model, _path=path, _kept={})

    __class__ = property(lambda self: type(self._model))  # isinstance(block, BPFigure) holds

    def __getattr__(self, name):
        member = getattr(type(self._model), name, None)
        if isinstance(member, cached_property):
            if name not in self._kept:
                self._kept[name] = member.func(self)
            return self._kept[name]
        if isinstance(member, property):
            return member.fget(self)
        if callable(member):
            return member.__get__(self)
        return noted(getattr(self._model, name), join(self._path, name))

    def __iter__(self):
        return ((name, getattr(self, name)) for name in type(self._model).model_fields)

    def model_dump(self):
        return NotedDict(self._model.model_dump(), self._path)


class NotedDict(dict):
    """Entries are noted as they are read one by one; a copy of the whole reads none."""

    def __init__(self, content, path):
        super().__init__(content)
        self.path = path

    def __getitem__(self, key):
        value, path = super().__getitem__(key), join(self.path, key)
        if self.path in ("penalties", "designs"):
            # The block of one penalty or design: config.py admits exactly the parameters that it has.
            READ.update(leaves(value, path))
        return noted(value, path)

    def items(self):
        return [(key, self[key]) for key in self]

    def __or__(self, other):
        return NotedDict({**self, **other}, self.path)


def noted(value, path):
    if isinstance(value, BaseModel):
        return Noted(value, path)
    if isinstance(value, dict):
        return NotedDict(value, path)
    if nested(value):
        return [noted(entry, join(path, k)) for k, entry in enumerate(value)]
    READ.add(path)
    return value


def nested(value):
    return isinstance(value, list) and any(isinstance(entry, BaseModel | dict) for entry in value)


def join(path, key):
    return f"{path}.{key}" if path else str(key)


def leaves(tree, path=""):
    """The dotted paths of all values in a tree of dicts and of lists of dicts."""
    if isinstance(tree, dict):
        return [leaf for key, value in tree.items() for leaf in leaves(value, join(path, key))]
    if nested(tree):
        return [leaf for k, value in enumerate(tree) for leaf in leaves(value, join(path, k))]
    return [path]


def note_scripts(rules):
    """Keys that the scripts read from blocks that they get whole."""
    for rule in rules:
        if rule.script:
            keys, spread = read_by_script(Path("workflow/scripts") / Path(rule.script).name)
            for name, param in rule.params.items():
                note_named(param, param if name in spread else keys)


def note_named(value, keys, path=None):
    """Note what stands in a NotedDict, or in a dict of them, under these keys."""
    if isinstance(value, NotedDict):
        path = value.path
    if path is None:
        for inner in value.values() if isinstance(value, dict) else ():
            note_named(inner, keys)
    elif isinstance(value, dict):
        for key in set(value) & set(keys):
            note_named(dict.__getitem__(value, key), keys, join(path, key))
    elif nested(value):
        for k, inner in enumerate(value):
            note_named(inner, keys, join(path, k))
    else:
        READ.add(path)


def read_by_script(file):
    """The words in brackets in a script, and the params that it spreads out as arguments of a call."""
    nodes = list(ast.walk(ast.parse(file.read_text(encoding="utf-8"))))
    slices = [node.slice for node in nodes if isinstance(node, ast.Subscript)]
    keys = {piece.value for piece in slices if isinstance(piece, ast.Constant) and isinstance(piece.value, str)}
    spread = [
        keyword.value for node in nodes if isinstance(node, ast.Call) for keyword in node.keywords if not keyword.arg
    ]
    return keys, {value.attr for value in spread if isinstance(value, ast.Attribute)}


def main(configfile):
    load, seen = model.load, {}

    def noting(raw):
        seen["raw"], seen["workflow"] = raw, sys._getframe(1).f_globals["workflow"]
        return Noted(load(raw))

    model.load = noting
    output = io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        try:
            snakemake(["-n", "--cores", "1", "--configfile", configfile, "--", "all"])
            status = 0
        except SystemExit as end:
            status = end.code
    if status:
        sys.exit(output.getvalue())
    note_scripts(seen["workflow"].rules)
    print(json.dumps({"read": sorted(READ), "unread": sorted(set(leaves(seen["raw"])) - READ)}))


if __name__ == "__main__":
    main(*sys.argv[1:])
