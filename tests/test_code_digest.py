"""The digest of the code that a script uses: which changes count and which do not."""

import sys

import pytest
from conftest import ROOT

sys.path.insert(0, str(ROOT / "workflow"))
from code_digest import CodeChanged, code_digest, require_unchanged, tree_digest

MODULE = '''"""What it does."""

import numpy as np


class Thing:
    """A thing."""

    def double(self, x):
        """Twice x."""
        return 2 * x  # of course
'''


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A package of three modules, a helper, and a script that uses two of the modules."""
    files = {
        "src/pkg/__init__.py": "",
        "src/pkg/thing.py": MODULE,
        "src/pkg/other.py": "from pkg.thing import Thing\n",
        "src/pkg/unused.py": "X = 1\n",
        "scripts/helper.py": "def begin(): ...\n",
        "scripts/script.py": "from helper import begin\nfrom pkg.other import Thing\n\nbegin()\n",
        "page.txt": "text\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def digest_of(**how):
    return code_digest(["scripts/script.py"], "src/pkg", **how)


def test_the_script_its_helpers_and_what_they_import(project):
    used = ["scripts/helper.py", "scripts/script.py", "src/pkg/other.py", "src/pkg/thing.py"]
    assert list(digest_of()["trees"]) == used


@pytest.mark.parametrize(
    "old, new",
    [
        ("What it does.", "What it really does."),
        ("Twice x.", "Two times x."),
        ("A thing.", "One thing."),
        ("# of course", "# by definition"),
        ("2 * x", "(2*x)"),
        ('"""A thing."""\n', ""),
    ],
)
def test_docstrings_comments_and_formatting_do_not_count(old, new):
    assert old in MODULE and tree_digest(MODULE.replace(old, new).encode()) == tree_digest(MODULE.encode())


@pytest.mark.parametrize(
    "old, new", [("2 * x", "3 * x"), ("numpy", "scipy"), ("double", "twice"), ("return 2", '"""x"""; "y"; return 2')]
)
def test_code_counts(old, new):
    assert old in MODULE and tree_digest(MODULE.replace(old, new).encode()) != tree_digest(MODULE.encode())


@pytest.mark.parametrize(
    "line, message",
    [
        ("from .thing import Thing", "imports relatively"),
        ("from . import thing", "imports relatively"),
        ("import pkg", "imports pkg as a whole"),
        ("from pkg import Thing", "imports pkg.Thing from pkg; import it from its module"),
    ],
)
def test_an_import_that_cannot_be_followed_is_an_error(project, line, message):
    file = project / "src/pkg/other.py"
    file.write_text(file.read_text() + line + "\n")
    with pytest.raises(ValueError, match=rf"src/pkg/other\.py, line 2 {message}"):
        digest_of()


@pytest.mark.parametrize("name", ["scripts/script.py", "scripts/helper.py", "src/pkg/thing.py", "page.txt"])
def test_a_change_after_planning_is_named(project, name):
    planned = digest_of(whole=["page.txt"])
    require_unchanged(planned)
    (project / "src/pkg/unused.py").write_text("X = 2\n")
    (project / "src/pkg/thing.py").write_text(MODULE.replace("A thing.", "One thing."))
    require_unchanged(planned)
    (project / name).write_text("changed = True\n")
    with pytest.raises(CodeChanged, match=rf"^{name} was changed after the run was started"):
        require_unchanged(planned)


def test_a_file_that_is_gone_or_no_longer_python_is_a_change(project):
    planned = digest_of()
    (project / "src/pkg/thing.py").write_text("class Thing(\n")
    with pytest.raises(CodeChanged, match=r"src/pkg/thing\.py was changed"):
        require_unchanged(planned)
    (project / "src/pkg/thing.py").unlink()
    with pytest.raises(CodeChanged, match=r"src/pkg/thing\.py was changed"):
        require_unchanged(planned)
