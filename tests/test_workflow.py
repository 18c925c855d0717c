"""The pipeline: what a run makes, what a change reruns, what a bad configuration says."""

import hashlib
import json
import os
import subprocess
import sys

import pandas as pd
import pytest
import yaml
from conftest import ROOT, Project

THEORY_FIGURES = ("figure1_single_body", "figure2_gdf", "figure3_prediction_error")
THEORY_DATA = {"single_body": 1, "rs_curves": 2, "prediction_marks": 1, "table_thresholds": 1}


def digests(folder):
    files = [file for file in sorted(folder.rglob("*")) if file.is_file()]
    kept = [file for file in files if not {"logs", "benchmarks"} & set(file.parts)]
    return {str(file.relative_to(folder)): hashlib.sha256(file.read_bytes()).hexdigest() for file in kept}


# --- what a run makes ----------------------------------------------------------------------------------------------


def test_a_run_writes_every_bundle_and_says_so(finished):
    folder = finished.folder / "tiny_figures"
    for name in THEORY_FIGURES:
        for kind in ("pdf", "png", "csv", "json"):
            assert (folder / f"{name}.{kind}").stat().st_size > 100
        assert f"tiny_figures/{name}.png" in finished.run.stderr + finished.run.stdout
    assert not (finished.folder / "paper_figures").exists()
    assert "steps (100%) done" in finished.run.stderr


def test_sidecar_says_what_made_the_figure(finished):
    sidecar = json.loads((finished.folder / "tiny_figures/figure2_gdf.json").read_text())
    assert sidecar["run"] == "tiny" and sidecar["config"]["block"]["alpha"] == 0.5
    path, digest = next(iter(sidecar["inputs"].items()))
    assert digest == hashlib.sha256((finished.folder / path).read_bytes()).hexdigest()
    assert {"python", "numpy", "scipy", "sparsegdf"} <= set(sidecar["versions"])
    assert "commit" in sidecar and "/" not in sidecar["commit"]


def test_running_twice_gives_the_same_bytes(finished, tmp_path):
    again = Project(tmp_path / "again")
    again.snakemake("all")
    for folder in ("tiny_figures", "results/tiny"):
        first, second = digests(finished.folder / folder), digests(again.folder / folder)
        assert len(first) >= 4 and first == second


def test_thresholds_table_has_three_readable_forms(finished):
    folder = finished.folder / "tiny_figures"
    table = pd.read_csv(folder / "table_thresholds.csv").set_index("penalty")
    assert table.loc["scad_a8", "s1_end"] == pytest.approx(0.924, abs=5e-4)
    assert "| 0.9242 |" in (folder / "table_thresholds.md").read_text()
    latex = (folder / "table_thresholds.tex").read_text()
    assert r"\toprule" in latex and r"scad\_a8" in latex


def test_plotted_numbers_are_the_theory(finished):
    from sparsegdf import L1, solve_rs

    plotted = pd.read_csv(finished.folder / "tiny_figures/figure3_prediction_error.csv")
    l1 = plotted[(plotted.kind == "curve") & (plotted.penalty == "l1")]
    for row in l1.itertuples():
        assert row.err_pre == pytest.approx(solve_rs(L1(), alpha=0.5, delta=row.delta, mean=0.5).err_pre, rel=1e-12)
    minimum = plotted[(plotted.kind == "minimum") & (plotted.penalty == "l1")].delta.item()
    assert minimum == pytest.approx(0.085, abs=5e-4)
    assert plotted[(plotted.kind == "minimum") & (plotted.penalty == "l0")].delta.item() == 0


# --- what a change reruns ------------------------------------------------------------------------------------------


def test_nothing_to_do_after_a_run(finished):
    assert finished.planned("all") == {}


def test_touched_sources_rerun_nothing(changed):
    for file in (changed.folder / "src").rglob("*.py"):
        os.utime(file)
    assert changed.planned("all") == {}


@pytest.mark.parametrize(
    "path, expected",
    [
        ("src/sparsegdf/theory.py", THEORY_DATA | dict.fromkeys(THEORY_FIGURES, 1)),
        ("src/sparsegdf/figures/style.py", dict.fromkeys(THEORY_FIGURES, 1)),
        ("src/sparsegdf/figures/figure2_gdf.py", {"figure2_gdf": 1}),
        ("src/sparsegdf/__init__.py", {}),
        ("src/sparsegdf/config.py", {}),
    ],
)
def test_a_changed_source_reruns_what_imports_it(changed, path, expected):
    file = changed.folder / path
    file.write_text(file.read_text() + "\nCHANGED = True\n")
    planned = changed.planned("all")
    for rule in set(THEORY_DATA) | set(THEORY_FIGURES):
        assert planned.get(rule, 0) == expected.get(rule, 0), rule


@pytest.mark.parametrize(
    "old, new, expected",
    [
        ("figure2_gdf:\n  alpha: 0.5", "figure2_gdf:\n  alpha: 0.6", {"rs_curves": 1, "figure2_gdf": 1}),
        (
            "elastic_net_strong: { kind: elastic_net, eta2: 0.5 }",
            "elastic_net_strong: { kind: elastic_net, eta2: 0.6 }",
            {"single_body": 1, "figure1_single_body": 1},
        ),
        ("zoom: 0.06", "zoom: 0.05", {"figure3_prediction_error": 1}),
    ],
)
def test_a_changed_parameter_reruns_what_depends_on_it(changed, old, new, expected):
    changed.edit("config/paper.yaml", old, new)
    assert changed.planned("all") == expected


# --- targets and configuration -------------------------------------------------------------------------------------


def test_every_figure_and_table_is_a_target_by_name(finished):
    for name in (*THEORY_FIGURES, "table_thresholds", "tables", "paper_figures"):
        assert finished.planned(name) == {}


@pytest.mark.parametrize(
    "old, new, message",
    [
        ("figure2_gdf:\n  alpha: 0.5", "figure2_gdf:\n  alpha: -1", "figure2_gdf.alpha = -1: input should be greater than 0"),
        ("figure2_gdf:\n  alpha:", "figure2_gdf:\n  alhpa:", "figure2_gdf.alhpa = 0.5: unknown key; did you mean 'alpha'?"),
        ("figure2_gdf:\n  alpha: 0.5", "figure2_gdf:\n  alpha: high", "figure2_gdf.alpha = 'high': input should be a valid number"),
    ],
)  # fmt: skip
def test_a_bad_configuration_is_one_readable_message(changed, old, new, message):
    changed.edit("config/paper.yaml", old, new)
    done = changed.snakemake("-n", "all", check=False)
    text = done.stdout + done.stderr
    assert done.returncode != 0
    assert message in text
    assert "Traceback" not in text


def test_lint_is_clean():
    command = [sys.executable, "-m", "snakemake", "--lint"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_quick_only_overrides_what_paper_has():
    """config/quick.yaml and tests/tiny.yaml hold differences: every key is one of config/paper.yaml."""
    paper = yaml.safe_load((ROOT / "config/paper.yaml").read_text())

    def check(small, large, path=""):
        for key, value in small.items():
            assert key in large, f"{path}{key}"
            if isinstance(value, dict):
                check(value, large[key], f"{path}{key}.")

    for name in ("config/quick.yaml", "tests/tiny.yaml"):
        check(yaml.safe_load((ROOT / name).read_text()), paper)


def test_no_absolute_paths_in_what_a_run_writes(finished):
    for file in (finished.folder / "tiny_figures").iterdir():
        if file.suffix in (".json", ".csv", ".md", ".tex"):
            assert str(finished.folder) not in file.read_text()
