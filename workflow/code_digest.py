"""The code that a script really uses, as digests: what it imports is found in the syntax trees, nothing is executed.

A digest is of a syntax tree without docstrings, so that comments, docstrings and formatting do not count. It holds
for one version of Python: another may write the same tree in another way.
"""

import ast
import hashlib
from functools import cache
from pathlib import Path


class CodeChanged(Exception):
    """The message names the file that is not what was planned."""


def code_digest(scripts, package_root, whole=(), project="."):
    """Digest by file of the `scripts`, the helpers beside the first, and the modules of the package that they import.

    Paths are those in the folder of the `project`, whatever the working directory is.

    The package's own __init__ only re-exports names and is left out: otherwise every script would depend on every
    module. So scripts import from modules (`from sparsegdf.penalties.l1 import ...`), never from a package.
    Of the files `whole` every byte counts.
    """
    project = Path(project)
    root, todo = project / package_root, [project / script for script in scripts]
    folder, trees = todo[0].parent, {}
    while todo:
        file = todo.pop()
        name, source = file.relative_to(project).as_posix(), file.read_bytes()
        trees[name] = tree_digest(source)
        try:
            imported = _imported(source, root, folder)
        except ValueError as error:
            raise ValueError(f"{name}, {error}") from None
        todo += [new for new in imported if new.relative_to(project).as_posix() not in trees]
    return {
        "trees": dict(sorted(trees.items())),
        "whole": {file: _sha((project / file).read_bytes()) for file in whole},
    }


def require_unchanged(planned, project="."):
    """Raise CodeChanged unless the files are still those that code_digest(...) gave `planned` for."""
    for kind, digest in (("trees", tree_digest), ("whole", _sha)):
        for file, expected in planned[kind].items():
            try:
                same = digest(Path(project, file).read_bytes()) == expected
            except (OSError, SyntaxError):
                same = False
            if not same:
                raise CodeChanged(
                    f"{file} was changed after the run was started. The result is discarded, because its record "
                    "would name other code. Run the same command again"
                )


def tree_digest(source):
    """Digest of the syntax tree of Python source (bytes), without docstrings."""
    return _read(source)[0]


@cache
def _read(source):
    """The digest of Python source, and its nodes that import something."""
    tree, imports = ast.parse(source), []
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            if node.body and isinstance(node.body[0], ast.Expr) and _is_text(node.body[0].value):
                del node.body[0]
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            imports.append(node)
    return _sha(ast.dump(tree).encode()), imports


def _is_text(node):
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _sha(content):
    return hashlib.sha256(content).hexdigest()[:12]


@cache
def _imported(source, root, folder):
    """The files that Python source imports by name."""
    found = set()
    for node in _read(source)[1]:
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
            if root.name in names:
                raise ValueError(f"line {node.lineno} imports {root.name} as a whole; import from its modules")
        else:
            if node.level:
                raise ValueError(f"line {node.lineno} imports relatively; write the module's full name")
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            if _is_package(node.module, root) and (bad := [name for name in names if not _file(name, root, folder)]):
                raise ValueError(f"line {node.lineno} imports {bad[0]} from {node.module}; import it from its module")
            names.append(node.module)
        found |= {file for name in names if (file := _file(name, root, folder))}
    return found


def _is_package(name, root):
    first, *rest = name.split(".")
    return first == root.name and root.joinpath(*rest).is_dir()


def _file(name, root, folder):
    """The source file of a dotted name: a module of the package, or a helper in `folder`; None if it is neither."""
    first, *rest = name.split(".")
    if first != root.name:
        helper = folder / f"{first}.py"
        return helper if helper.exists() else None
    if not rest:
        return None
    base = root.joinpath(*rest)
    return next((file for file in (base.with_suffix(".py"), base / "__init__.py") if file.exists()), None)
