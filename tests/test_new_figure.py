"""A figure is one module and one block of the configuration: the diff of docs/architecture.md, applied."""

import os
import subprocess

import pandas as pd
import pytest
from conftest import Project
from documents import blocks

from sparsegdf import L1, solve_rs

NAME = "figure12_training_error"


@pytest.fixture(scope="module")
def extended(finished, tmp_path_factory):
    """The finished project with the new figure."""
    project = Project(tmp_path_factory.mktemp("new_figure"), of=finished.folder, parts=os.listdir(finished.folder))
    (block,) = blocks("diff")
    assert f"+++ b/src/sparsegdf/paper/figures/{NAME}.py" in block.text
    subprocess.run(["git", "apply"], input=block.text, cwd=project.folder, text=True, check=True)
    return project


def test_nothing_else_is_planned(extended):
    for target in (NAME, "beyond", "all"):
        assert extended.planned(target) == {"rs_curves": 1, NAME: 1}


def test_its_block_is_checked(extended):
    file = extended.folder / "config/paper.yaml"
    kept = file.read_text()
    extended.edit("config/paper.yaml", f"{NAME}:\n  alpha: 0.5", f"{NAME}:\n  alpha: -1")
    try:
        done = extended.snakemake("-n", NAME, check=False)
    finally:
        file.write_text(kept)
    assert done.returncode != 0 and f"{NAME}.alpha = -1: input should be greater than 0" in done.text


def test_it_is_drawn_and_every_target_has_it(extended):
    text = extended.snakemake(NAME).text
    folder = extended.folder / "tiny_figures"
    for kind in ("pdf", "png", "csv", "json"):
        assert (folder / f"{NAME}.{kind}").stat().st_size > 100
    assert f"tiny_figures/{NAME}.png" in text
    plotted = pd.read_csv(folder / f"{NAME}.csv")
    assert set(plotted.penalty) == {"l1", "scad_a8"}
    for row in plotted[plotted.penalty == "l1"].iloc[::50].itertuples():
        assert row.err_train == pytest.approx(solve_rs(L1(), alpha=0.5, delta=row.delta).err_train, rel=1e-9)
    assert extended.planned("all") == {}
    status = extended.snakemake(program=("workflow/status.py",)).text
    assert [line.split()[1] for line in status.splitlines() if line.startswith(NAME)] == ["fresh"]


def test_its_own_module_draws_it_again_and_no_other(extended):
    module = extended.folder / f"src/sparsegdf/paper/figures/{NAME}.py"
    text = module.read_text()
    module.write_text(text.replace("training error", "err"))
    try:
        assert extended.planned("all") == {NAME: 1}
    finally:
        module.write_text(text)
