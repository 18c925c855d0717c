"""docs/reliability.md: every test that it names is there."""

import ast
import re

from conftest import ROOT


def test_each_fault_has_a_test_that_exists():
    named = re.findall(r"`([\w/]+\.py)::(\w+)`", (ROOT / "docs/reliability.md").read_text(encoding="utf-8"))
    assert len(named) > 25
    functions = {}
    for file, name in named:
        if file not in functions:
            tree = ast.parse((ROOT / "tests" / file).read_text(encoding="utf-8"))
            functions[file] = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
        assert name in functions[file], f"docs/reliability.md names {file}::{name}"
