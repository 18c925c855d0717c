"""The library does not import the reproduction of the paper, and imports go in one direction."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import sparsegdf

ROOT = Path(__file__).resolve().parents[1] / "src/sparsegdf"
# Each folder may import from those before it, and from the modules at the top, which import nothing of ours.
LAYERS = ("penalties", "ensembles", "theory", "solvers", "estimators", "selection", "paper")


def imported(file):
    """The folders and top-level modules that a file imports from the package."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "sparsegdf":
            names = node.module.split(".")[1:2]
            yield from names or [alias.name for alias in node.names]
        elif isinstance(node, ast.Import):
            yield from (alias.name.split(".")[1] for alias in node.names if alias.name.startswith("sparsegdf."))


def test_every_folder_has_its_place():
    assert {file.parent.name for file in ROOT.glob("*/__init__.py")} == set(LAYERS)


@pytest.mark.parametrize("layer", LAYERS)
def test_imports_point_one_way(layer):
    allowed = {*LAYERS[: LAYERS.index(layer) + 1], *(file.stem for file in ROOT.glob("*.py"))}
    for file in (ROOT / layer).rglob("*.py"):
        assert set(imported(file)) <= allowed, f"{file.relative_to(ROOT)} imports from a later folder"


def test_modules_at_the_top_import_nothing_of_the_package():
    for file in set(ROOT.glob("*.py")) - {ROOT / "__main__.py"}:  # which is the command
        assert not set(imported(file)), file.name


def test_the_package_does_not_know_snakemake():
    for file in ROOT.rglob("*.py"):
        text = file.read_text(encoding="utf-8").lower()
        assert "snakemake" not in text and "forcerun" not in text, file.relative_to(ROOT)


def test_importing_the_package_loads_nothing_large():
    """numba, matplotlib and other large packages are imported when they are needed."""
    code = "import sys, sparsegdf; print(*sorted({name.split('.')[0] for name in sys.modules}))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert "sparsegdf" in loaded
    assert not {"numpy", "scipy", "numba", "pandas", "matplotlib", "pyarrow", "pydantic"} & set(loaded)


def test_reading_the_configuration_loads_nothing_that_only_drawing_and_computing_need():
    """The Snakefile reads it, and every figure and table with it, in every job of a cluster."""
    code = "import sys, sparsegdf.paper.config.model; print(*sorted({name.split('.')[0] for name in sys.modules}))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"scipy", "numba", "matplotlib"} & set(loaded)


def test_every_public_name_is_found_and_star_asks_for_no_extra():
    """The names of __init__.pyi, which type checkers read, are those that can be imported."""
    *imports, version = ast.parse((ROOT / "__init__.pyi").read_text()).body
    names = {alias.asname for node in imports for alias in node.names}
    assert version.target.id == "__version__" and sparsegdf.__version__
    assert all(hasattr(sparsegdf, name) for name in names) and names <= set(dir(sparsegdf))
    assert set(sparsegdf.__all__) == names - {"SparseRegressor"}
    assert not hasattr(sparsegdf, "nonsense")
