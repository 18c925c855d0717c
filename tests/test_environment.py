"""The lock, environment.yml and pyproject.toml agree."""

import importlib.metadata
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib

import pytest
import yaml
from conftest import ROOT
from packaging.markers import Marker


def locked():
    text = (ROOT / "requirements.lock").read_text()
    return dict(re.findall(r"^([a-z0-9-]+)==([^\s;]+)", text, re.M))


def test_conda_pins_are_those_of_the_lock():
    pins = [p for p in yaml.safe_load((ROOT / "environment.yml").read_text())["dependencies"] if "=" in p]
    names = {
        name.replace("_", "-"): version for name, version in (pin.split("=") for pin in pins) if name != "python"
    }
    names["snakemake"] = names.pop("snakemake-minimal")
    assert names == {name: locked()[name] for name in names}


def test_conda_has_every_direct_dependency():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = [
        *project["dependencies"],
        *project["optional-dependencies"]["paper"],
        *project["optional-dependencies"]["test"],
    ]
    direct = {re.match(r"[a-z0-9-]+", requirement).group() for requirement in wanted}
    conda = (ROOT / "environment.yml").read_text()
    assert all(re.search(rf"- {name.replace('-', '[-_]')}(-minimal)?=", conda) for name in direct)


@pytest.mark.parametrize("lock", ["requirements.lock", "docs/requirements.txt"])
def test_the_lock_has_hashes_and_names_no_index(lock):
    text = (ROOT / lock).read_text()
    assert "://" not in text and "--index" not in text and "--find-links" not in text
    entries = re.split(r"\n(?=[a-z0-9])", text.strip())
    assert len(entries) > 50 and all("--hash=sha256:" in entry for entry in entries)


def test_the_package_installs_with_its_command_and_its_template(tmp_path):
    """`pip install .` without dependencies and with the installed build tools, so that no package index is needed."""
    for part in ("pyproject.toml", "CITATION.cff", "README.md", "LICENSE", "src"):
        copy = shutil.copytree if (ROOT / part).is_dir() else shutil.copy2
        copy(ROOT / part, tmp_path / part)
    pip = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--no-index",
        "--no-deps",
    ]
    target = tmp_path / "target"
    subprocess.run([*pip, "--no-build-isolation", "--target", target, "."], cwd=tmp_path, check=True)
    assert (target / "sparsegdf/paper/report.html.j2").is_file()
    version = yaml.safe_load((ROOT / "CITATION.cff").read_text())["version"]
    assert (target / f"sparsegdf-{version}.dist-info").is_dir()
    command = [target / "bin/sparsegdf", "theory", "--penalty", "l1", "--alpha", "0.5", "--delta", "0.25", "--json"]
    environment = os.environ | {"PYTHONPATH": str(target)}
    done = subprocess.run(command, env=environment, cwd=target, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)[0]["df"] == pytest.approx(0.25)


def test_this_environment_is_the_lock():
    entries = re.findall(
        r"^([a-z0-9-]+)==([^\s;]+)(?: ; ([^\\\n]+))?", (ROOT / "requirements.lock").read_text(), re.M
    )
    wanted = {name: version for name, version, where in entries if not where or Marker(where.strip()).evaluate()}
    assert len(wanted) > 50 and {name: importlib.metadata.version(name) for name in wanted} == wanted


# Everything that is not a dependency of the library itself cannot be imported.
_WITHOUT_EXTRAS = """
import sys
from importlib import import_module
from importlib.abc import MetaPathFinder
from pkgutil import walk_packages

class Absent(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {extras!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Absent())
import numpy as np
import sparsegdf

for module in walk_packages(sparsegdf.__path__, "sparsegdf."):
    if not module.name.startswith(("sparsegdf.paper", "sparsegdf.selection.regressor", "sparsegdf.selection.plot")):
        import_module(module.name)
rng = np.random.default_rng(0)
A = rng.normal(size=(40, 6))
print(sparsegdf.select(A, A[:, 0] * 5 + rng.normal(size=40), sparsegdf.L1()).best.nonzeros)
"""


def test_the_library_needs_no_more_than_its_dependencies():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    own = {re.match(r"[a-z0-9-]+", requirement).group() for requirement in project["dependencies"]}
    extra = {re.match(r"[a-z0-9-]+", r).group() for name in ("sklearn", "plot", "parquet", "paper") for r in
             project["optional-dependencies"][name]} - own  # fmt: skip
    modules = {"scikit-learn": "sklearn", "pyyaml": "yaml"}
    absent = {modules.get(name, name.replace("-", "_")) for name in extra}
    code = _WITHOUT_EXTRAS.format(extras=absent)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0 and int(done.stdout) >= 1, done.stderr
