"""The locks, environment.yml and pyproject.toml agree."""

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

LOCKS = ("requirements.lock", "requirements-test.lock")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def locked(lock="requirements.lock"):
    """{package: version}, whatever the platform."""
    return dict(re.findall(r"^([a-z0-9-]+)==([^\s;]+)", (ROOT / lock).read_text(), re.M))


def names(requirements):
    return {re.match(r"[a-z0-9-]+", requirement).group() for requirement in requirements}


def conda():
    """{package: version} of environment.yml, under the names of the lock."""
    pins = yaml.safe_load((ROOT / "environment.yml").read_text())["dependencies"]
    pairs = [pin.split("=") for pin in pins if isinstance(pin, str) and "=" in pin]
    found = {name.replace("_", "-"): version for name, version in pairs if name != "python"}
    return found | {"snakemake": found.pop("snakemake-minimal")}


def test_conda_has_what_a_run_needs_in_the_versions_of_the_lock():
    direct = names([*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["paper"]])
    assert conda() == {name: locked()[name] for name in direct}


def test_conda_installs_the_package_from_the_clone_that_is_named(tmp_path):
    """The pip section goes to pip as a file of requirements, which may name variables."""
    *_, last = yaml.safe_load((ROOT / "environment.yml").read_text())["dependencies"]
    (tmp_path / "requirements.txt").write_text("\n".join(last["pip"]))
    pip = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--dry-run",
        "--no-index",
        "--no-deps",
        "--no-build-isolation",
        "-r",
    ]
    environment = os.environ | {"SPARSEGDF_CLONE": str(ROOT)}
    done = subprocess.run([*pip, "requirements.txt"], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0 and f"Obtaining file://{ROOT}" in done.stdout, done.stdout + done.stderr


def test_what_only_tests_need_is_not_in_the_lock_of_a_run():
    run, tests = map(locked, LOCKS)
    own = names(PROJECT["optional-dependencies"]["test"]) - {"jsonschema"}  # which nbformat needs
    assert own <= tests.keys() and not own & run.keys()
    assert run.items() <= tests.items()


@pytest.mark.parametrize("lock", [*LOCKS, "docs/requirements.txt"])
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
        r"^([a-z0-9-]+)==([^\s;]+)(?: ; ([^\\\n]+))?", (ROOT / "requirements-test.lock").read_text(), re.M
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
    own = names(PROJECT["dependencies"])
    extras = [PROJECT["optional-dependencies"][name] for name in ("sklearn", "plot", "parquet", "paper")]
    extra = set().union(*map(names, extras)) - own
    modules = {"scikit-learn": "sklearn", "pyyaml": "yaml"}
    absent = {modules.get(name, name.replace("-", "_")) for name in extra}
    code = _WITHOUT_EXTRAS.format(extras=absent)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0 and int(done.stdout) >= 1, done.stderr
