"""The workflow as others use one: from another folder, and as a module with a configuration of their own."""

import json
import os
import subprocess
import sys

import pandas as pd
import pytest
from conftest import Project

FIGURE = "figure2_gdf"
GRID = {"first": 0.1, "last": 0.9, "count": 5}  # as in tests/tiny.yaml
MODULE = """\
module sparsegdf:
    snakefile: "{snakefile}"
    config: {config}

use rule * from sparsegdf as paper_*
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    return Project(tmp_path_factory.mktemp("a project"))


def snakemake(project, folder, target, *words):
    """Run in `folder` on the project's own sources; what is printed."""
    environment = os.environ | {"PYTHONPATH": str(project.folder / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "snakemake", "--cores", "2", *words, "--", target]
    done = subprocess.run(command, cwd=folder, env=environment, text=True, stdout=-1, stderr=subprocess.STDOUT)
    assert done.returncode == 0, done.stdout
    return done.stdout


@pytest.fixture(scope="module")
def elsewhere(project, tmp_path_factory):
    """A figure of the tiny run, made in another folder."""
    folder = tmp_path_factory.mktemp("elsewhere")
    before = sorted(project.folder.rglob("*"))
    words = ("-s", project.folder / "Snakefile", "-d", "deep/er", "--configfile", project.folder / "tests/tiny.yaml")
    snakemake(project, folder, FIGURE, *words)
    assert sorted(project.folder.rglob("*")) == before
    folder /= "deep/er"
    assert "Nothing to be done" in snakemake(project, folder, FIGURE, *words[:2], "-n", *words[4:])
    return folder


def test_from_another_folder(elsewhere):
    plotted = pd.read_csv(elsewhere / f"tiny_figures/{FIGURE}.csv")
    assert (plotted.penalty == "l1").sum() == GRID["count"]
    assert f"tiny_figures/{FIGURE}.pdf" in json.loads((elsewhere / ".snakemake/plan.json").read_text())


def test_a_change_of_the_code_is_seen_from_another_folder(project, elsewhere):
    tiny = ("--configfile", project.folder / "tests/tiny.yaml")
    module = project.folder / f"src/sparsegdf/paper/figures/{FIGURE}.py"
    kept = module.read_text()
    module.write_text(kept + "\nCHANGED = True\n")
    try:
        text = snakemake(project, elsewhere, FIGURE, "-n", "-s", project.folder / "Snakefile", *tiny)
    finally:
        module.write_text(kept)
    assert "rule figure:" in text and "rule rs_curves:" not in text


def test_as_a_module(project, elsewhere, tmp_path):
    """Its config says only what differs from the paper, and the numbers are the same."""
    config = {"run": "mine", FIGURE: {"deltas": GRID}}
    snakefile = MODULE.format(snakefile=project.folder / "workflow/Snakefile", config=config)
    (tmp_path / "Snakefile").write_text(snakefile)
    snakemake(project, tmp_path, f"paper_{FIGURE}")
    assert json.loads((tmp_path / f"mine_figures/{FIGURE}.json").read_text())["run"] == "mine"
    mine, tiny = tmp_path / f"mine_figures/{FIGURE}.csv", elsewhere / f"tiny_figures/{FIGURE}.csv"
    assert mine.read_bytes() == tiny.read_bytes()
