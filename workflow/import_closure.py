"""Which files of the package a script really imports: found by walking the syntax trees, nothing is executed."""

import ast
from functools import cache
from pathlib import Path


def import_closure(script, package_root):
    """Source files of the package under `package_root` that `script` imports, directly or not, sorted.

    The package's own __init__ only re-exports names and is left out: counting it would make every script depend on
    every module. So scripts import from modules (`from sparsegdf.theory import ...`), never from the package.
    """
    root = Path(package_root)
    found, todo = set(), [Path(script)]
    while todo:
        for file in _imported(todo.pop(), root) - found:
            found.add(file)
            todo.append(file)
    return sorted(str(file) for file in found)


@cache
def _imported(path, root):
    """Files of the package that one source file imports by name."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"), filename=str(path))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            if node.module == root.name:
                bad = [alias.name for alias in node.names if not _file(f"{root.name}.{alias.name}", root)]
                if bad:
                    raise ValueError(f"{path} imports {bad[0]} from {root.name}; import it from its module")
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return frozenset(file for name in names if (file := _file(name, root)))


def _file(name, root):
    """The source file of the dotted name, None if it is not a module of the package."""
    parts = name.split(".")
    if parts[0] != root.name or len(parts) == 1:
        return None
    base = root.joinpath(*parts[1:])
    candidates = (base.with_suffix(".py"), base / "__init__.py")
    return next((file for file in candidates if file.exists()), None)
