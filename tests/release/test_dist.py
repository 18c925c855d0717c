"""`make dist`: the wheel and the source distribution install in a clean environment and work there."""

import json
import os
import subprocess
import sys
import tarfile
import zipfile

import pytest
import yaml
from conftest import ROOT

VERSION = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))["version"]
SMOKE = """
import numpy as np, sparsegdf
rng = np.random.default_rng(0)
A = rng.normal(size=(60, 8))
chosen = sparsegdf.select(A, 5 * A[:, 2] + rng.normal(size=60), "scad", sigma2=1.0)
print(sparsegdf.__version__, bool(chosen.coef[2] > 4), sparsegdf.__file__)
"""


def run(*words, **how):
    # Without the variables of make and of the environment that runs this test.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(words, env=environment, capture_output=True, text=True, **how)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The two files, by what they are. The wheel is built from the source distribution."""
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, ROOT)
    wheel, source = sorted(folder.iterdir(), key=lambda file: file.suffix == ".gz")
    return {"wheel": wheel, "source": source}


@pytest.fixture(scope="module")
def clean(tmp_path_factory):
    """The bin folder of an environment with nothing in it."""
    folder = tmp_path_factory.mktemp("clean")
    run(sys.executable, "-m", "venv", folder)
    return folder / "bin"


def test_they_have_the_package_and_nothing_that_a_run_makes(built):
    assert built["wheel"].name == f"sparsegdf-{VERSION}-py3-none-any.whl"
    packed = {name for name in zipfile.ZipFile(built["wheel"]).namelist() if ".dist-info/" not in name}
    sources = run("git", "ls-files", "src", cwd=ROOT).split()
    assert packed == {name.removeprefix("src/") for name in sources}
    with tarfile.open(built["source"]) as archive:
        names = {name.split("/", 1)[1] for name in archive.getnames()}
    assert names == {
        *sources,
        "CHANGELOG.md",
        "CITATION.cff",
        "LICENSE",
        "README.md",
        "pyproject.toml",
        "PKG-INFO",
        ".gitignore",
    }


@pytest.mark.parametrize("kind", ["wheel", "source"])
def test_it_installs_in_a_clean_environment_and_works(built, clean, kind, tmp_path):
    pip = [clean / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    run(*pip, "--force-reinstall", *(["--no-deps"] if kind == "source" else []), built[kind])
    version, good, file = run(clean / "python", "-c", SMOKE, cwd=tmp_path).split()
    assert version == VERSION and good == "True" and file.startswith(str(clean.parent))
    theory = ["theory", "--penalty", "l1", "--alpha", "0.5", "--delta", "0.25", "--json"]
    printed = run(clean / "sparsegdf", *theory, cwd=tmp_path)
    assert json.loads(printed)[0]["df"] == pytest.approx(0.25)
