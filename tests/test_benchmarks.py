"""`make bench` as a smoke run, on a machine without celer, skglm, adelie and R. Its timings are not checked."""

import json
import math
import os
import platform
import re
import shutil
import subprocess
import sys

import pandas as pd
import pytest
from conftest import ROOT

NAMES = [
    "bp_step",
    "bp_path",
    "direct_path",
    "accuracy",
    "best_subset",
    "selection",
    "selection_peers",
    "r_peers",
    "theory",
    "theory_points",
    "growth",
    "peak",
    "compile",
]


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """(results.json, RESULTS.md, what was printed, the folder)"""
    folder = tmp_path_factory.mktemp("bench")
    for peer in ("celer", "skglm", "adelie"):
        (folder / f"{peer}.py").write_text("raise ImportError('hidden by the test')\n")
    # PATH has only git, and no Rscript.
    (folder / "bin").mkdir()
    (folder / "bin/git").symlink_to(shutil.which("git"))
    environment = os.environ | {"PYTHONPATH": f"{folder}{os.pathsep}{ROOT / 'src'}", "PATH": str(folder / "bin")}
    command = [sys.executable, "benchmarks/run_all.py", "--quick", "--out", str(folder / "out")]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert not done.returncode, done.stdout + done.stderr
    record = json.loads((folder / "out/results.json").read_text())
    return record, (folder / "out/RESULTS.md").read_text(), done.stdout, folder / "out"


def rows(results, name):
    return pd.DataFrame(results[0]["tables"][name]["rows"])


def test_every_comparison_has_its_table(results):
    record, page, printed, _ = results
    assert list(record["tables"]) == NAMES
    sections = re.split(r"^## ", page, flags=re.M)[1:]
    assert len(sections) == len(NAMES)
    for name, section in zip(NAMES, sections, strict=True):
        table = record["tables"][name]
        assert table["reading"] in section and table["reading"] in printed
        assert section.count("\n|") == len(table["rows"]) + 2
        assert section.count("\n![") == (name == "accuracy")
    assert record["quick"]


def test_times_and_ratios_are_positive_numbers(results):
    for name in NAMES:
        table = rows(results, name)
        for column in {"ms", "min", "max", "ratio", "plain ms", "GFlop/s", "compile ms"} & set(table):
            timed = table[column][table.note == ""] if name == "direct_path" else table[column].dropna()
            assert len(timed) and timed.map(math.isfinite).all() and (timed > 0).all(), (name, column)
        if "min" in table:
            timed = table.dropna(subset="ms")
            assert (timed["min"] <= timed.ms).all() and (timed.ms <= timed["max"]).all()


def test_all_have_solved_the_same_problem(results):
    assert (rows(results, "bp_step")["x gap"] < 1e-8).all()
    for name in ("bp_step", "bp_path"):
        assert (rows(results, name)[["KKT", "plain KKT"]] < 1e-8).all(axis=None)
    paths = rows(results, "direct_path").set_index("solver")
    assert (paths.KKT["stationary_path"] < 1e-12).all()
    assert (paths.KKT["scikit-learn lars_path"] < 1e-12).all()
    assert (paths.KKT["scikit-learn enet_path"] < 1e-8).all()
    assert (rows(results, "best_subset")["rss gap"].dropna() < 1e-9).all()
    assert (rows(results, "theory").residual < 1e-9).all()
    assert (rows(results, "growth").KKT.dropna() < 1e-8).all()


def test_a_missing_peer_is_reported(results):
    paths = rows(results, "direct_path").set_index("solver")
    for peer in ("celer", "skglm", "adelie"):
        assert (paths.note[peer] == "not available (ImportError: hidden by the test)").all()
        assert paths.ms[peer].isna().all()
    leaps = rows(results, "best_subset").set_index("search").loc["R leaps"]
    assert "r-cran-leaps" in leaps.note and math.isnan(leaps.ratio)
    assert "R leaps" not in results[0]["tables"]["best_subset"]["reading"]
    in_r = rows(results, "r_peers").set_index("solver")
    for peer in ("R lars", "R glmnet", "R MASS lm.ridge"):
        assert "Rscript is not there" in in_r.note[peer] and math.isnan(in_r.ms[peer])
    assert results[0]["tables"]["r_peers"]["reading"] == "No peer was available."


def test_time_against_accuracy_is_a_table_and_a_picture(results):
    _, page, _, folder = results
    table = rows(results, "accuracy")
    assert set(table.solver) == {"stationary_points", "scikit-learn lars_path", "scikit-learn enet_path"}
    assert (table.KKT[table.tol.isna()] < 1e-12).all()
    enet = table[table.tol.notna()].sort_values("tol")
    assert enet.KKT.is_monotonic_increasing and enet.KKT.min() < 1e-10 and enet.KKT.max() > 1e-4
    assert "(accuracy.svg)" in page
    drawing = (folder / "accuracy.svg").read_text()
    assert drawing.startswith("<?xml") and "<dc:date>" not in drawing


def test_nothing_names_the_machine(results):
    text = json.dumps(results[0]) + results[1]
    assert not re.search(rf"\b{re.escape(platform.node())}\b", text)
    assert str(ROOT) not in text and "://" not in text


@pytest.mark.parametrize(
    "ratios, words",
    [
        ([2.0], "2 times faster"),
        ([0.5], "2 times slower"),
        ([3.0, 2.0, 4.0], "2 to 4 times faster"),
        ([0.5, 0.25], "4 to 2 times slower"),
        ([0.5, 4.0], "2 times slower to 4 times faster"),
    ],
)
def test_slower_is_called_slower(monkeypatch, ratios, words):
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    monkeypatch.setattr(os, "environ", os.environ.copy())  # importing sets the number of threads there
    import timing

    assert timing.faster(*ratios) == words


def test_rates_of_the_warning_are_counted(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    monkeypatch.setattr(os, "environ", os.environ.copy())
    from warning_rates import SCAD, one, problems, rates

    rows = pd.DataFrame(
        [
            ("a", 10.0, 11.0, 0.3, True, False),  # 10 % and more than two standard errors
            ("a", 10.0, 11.0, 0.6, True, True),
            ("a", 10.0, 10.4, 0.1, False, True),
            ("b", 10.0, 12.0, 0.3, False, True),
            ("b", 10.0, math.nan, math.nan, True, True),
        ],
        columns=["group", "stein", "bootstrap", "se", "warned", "jumps"],
    )
    counts = rates(rows).set_index("group").to_numpy()
    assert counts.tolist() == [[3, 1, 1, 1, 0, 2], [1, 1, 0, 0, 1, 0], [4, 2, 1, 1, 1, 2]]
    row = one(next(iter(problems(None))), SCAD(3.7, 1))
    assert row["data"] == "diabetes" and row["warned"] and row["bootstrap"] - row["stein"] > 2 * row["se"]
