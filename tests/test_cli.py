"""The command `sparsegdf`: its theory, its help and the errors of its arguments."""

import json
import os
import re
import signal
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from conftest import heed_ctrl_c
from data_cases import table, write

import sparsegdf
from sparsegdf import SCAD, ElasticNet, Spectrum, rs_curve
from sparsegdf.penalties.registry import PENALTIES
from sparsegdf.selection import command_line
from sparsegdf.selection.command_line import main


def test_theory_prints_the_curve(capsys):
    words = ["theory", "--penalty", "scad", "--alpha", "0.5", "--delta", "0.1:0.9:0.1"]
    assert main(words) == 0
    lines = capsys.readouterr().out.splitlines()
    curve = rs_curve(SCAD(8, 1), alpha=0.5, deltas=np.arange(1, 10) / 10)
    assert len(lines) == 10 and lines[0].split()[:3] == ["delta", "eta", "df"]
    assert float(lines[4].split()[2]) == pytest.approx(curve.df[3], rel=1e-4)
    assert main([*words, "--json"]) == 0
    records = json.loads(capsys.readouterr().out)
    assert [r["df"] for r in records] == pytest.approx(list(curve.df))
    assert main(["theory", "--penalty", "l0", "--alpha", "0.5", "--delta", "0.1,0.6", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[1]["chi"] is None  # infinite on S2


def test_theory_of_the_predictors_of_a_file(folder, capsys):
    """The spectrum of the centred columns of norm 1, with a row less for the intercept."""
    rng = np.random.default_rng(3)
    A = 5 + rng.normal(size=(40, 60)).cumsum(axis=1)  # correlated columns of different length
    pd.DataFrame(A).add_prefix("c").assign(y=1.0).to_csv(folder / "own.csv", index=False)
    words = ["theory", "--penalty", "elastic_net", "--delta", "0.2,0.6", "--json"]
    assert main([*words, "--predictors", str(folder / "own.csv"), "--target", "y"]) == 0
    found = pd.DataFrame(json.loads(capsys.readouterr().out))
    work = (A - A.mean(axis=0)) / A.std(axis=0) / np.sqrt(40)
    values = np.linalg.eigvalsh(work.T @ work)
    known = rs_curve(ElasticNet(), alpha=39 / 60, deltas=[0.2, 0.6], predictors=Spectrum(values.clip(0)))
    np.testing.assert_allclose(found.df, known.df, rtol=1e-6)
    iid = rs_curve(ElasticNet(), alpha=39 / 60, deltas=[0.2, 0.6])
    assert abs(found.df - iid.df).max() > 0.01
    assert main(["theory", "--penalty", "l1", "--alpha", "0.5", "--target", "y", "--delta", "0.5"]) == 2
    assert "--target goes with --predictors" in capsys.readouterr().err
    assert main(["theory", "--penalty", "l1", "--alpha", "0.5"]) == 2
    assert "--alpha needs --delta" in capsys.readouterr().err
    tall = [write(table(), folder / "tall.csv"), "--target", "y", "--json"]
    assert main(["theory", "--penalty", "l1", "--predictors", *tall]) == 0
    found = pd.DataFrame(json.loads(capsys.readouterr().out))
    np.testing.assert_allclose(found.delta, np.arange(1, 21) * 5 / 39 / 20)  # five columns, 40 rows less one
    np.testing.assert_allclose(found.df, found.delta)
    table().to_csv(folder / "SAVED.CSV")  # with the index, which is no predictor
    assert main(["theory", "--penalty", "l1", "--predictors", str(folder / "SAVED.CSV"), *tall[1:]]) == 0
    output = capsys.readouterr()
    assert "saved index" in output.err and json.loads(output.out) == found.to_dict("records")
    assert main([*words, "--predictors", str(folder / "own.csv")]) == 2  # y is constant
    assert "are constant" in capsys.readouterr().err


def test_version_and_module(folder):
    for words in (["-m", "sparsegdf"], ["-m", "sparsegdf.selection.command_line"]):
        done = subprocess.run([sys.executable, *words, "--version"], capture_output=True, text=True, check=True)
        assert done.stdout == f"sparsegdf {sparsegdf.__version__}\n" and re.match(r"\d+\.\d+", sparsegdf.__version__)


# Each process says so in one write: two from print would mix with those of another process.
_SLOW = """
import os
import time
from sparsegdf.estimators.bootstrap import mapped
from sparsegdf.selection import command_line

def slow(index):
    os.write(1, b"begun\\n")
    time.sleep(60)

def begin(options):
    os.write(1, b"begun\\n")
    list(mapped(slow, 4, {jobs}))

if __name__ == "__main__":
    command_line._theory = begin
    raise SystemExit(command_line.main(["theory", "--penalty", "l1", "--alpha", "1", "--delta", "0.5"]))
"""


@pytest.mark.parametrize("jobs", [1, 2])
def test_ctrl_c_ends_the_command_and_its_processes_without_a_traceback(folder, jobs):
    (folder / "slow.py").write_text(_SLOW.format(jobs=jobs))
    command = [sys.executable, "slow.py"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, cwd=folder, **pipes, start_new_session=True, preexec_fn=heed_ctrl_c) as running:
        for _ in range(1 + jobs):
            assert running.stdout.readline() == "begun\n"
        os.killpg(running.pid, signal.SIGINT)
        _, told = running.communicate(timeout=30)
    assert (running.returncode, told) == (130, "sparsegdf: interrupted\n")


def test_ctrl_c_while_numba_compiles(monkeypatch, capsys):
    def run(options):
        try:
            raise KeyboardInterrupt
        except KeyboardInterrupt as error:
            raise SystemError("returned a result with an exception set") from error

    monkeypatch.setattr(command_line, "_theory", run)
    assert main(["theory", "--penalty", "l1", "--alpha", "1", "--delta", "0.5"]) == 130
    assert capsys.readouterr().err == "sparsegdf: interrupted\n"


@pytest.mark.parametrize(
    "words, named",
    [
        (["select", "nowhere.csv", "--target", "y", "--penalty", "l1"], "nowhere.csv does not exist"),
        (
            ["select", "data.xlsx", "--target", "y", "--penalty", "l1"],
            "unknown format (allowed: .csv, .tsv, .txt, .parquet, .npz)",
        ),
        (["select", "data.csv", "--target", "y", "--penalty", "l1", "--a", "3"], "--a is not a parameter of l1"),
        (["select", "data.csv", "--target", "y", "--penalty", "scad", "--a", "1"], "SCAD a = 1.0 is out of range"),
        (["select", "data.csv", "--target", "y", "--penalty", "l1", "--sigma2", "-1"], "sigma2 = -1.0"),
        (["select", "data.csv", "--target", "y", "--penalty", "l1", "--bootstrap", "1"], "bootstrap = 1"),
        (["select", "data.csv", "--target", "y", "--penalty", "l1", "--seed", "-1"], "seed = -1 is out of range"),
        (["select", "data.csv", "--target", "y", "--penalty", "l1", "--output", "data.csv"], "is not a folder"),
        (
            ["select", "data.csv", "--target", "y", "--penalty", "l1", "--drop", "z"],
            "no column 'z' to drop; it has 'a'",
        ),
        (
            ["select", "data.csv", "--target", "y", "--penalty", "l1", "--drop", "y"],
            "is the target and cannot be dropped",
        ),
        (["theory", "--penalty", "l1", "--alpha", "0.5", "--delta", "0.9:0.1:0.1"], "--delta 0.9:0.1:0.1"),
        (["theory", "--penalty", "l1", "--alpha", "0.5", "--delta", "x"], "--delta = 'x' is not a list of numbers"),
        (["theory", "--penalty", "l1", "--alpha", "0.5", "--delta", "0.1:inf:0.1"], "--delta 0.1:inf:0.1"),
        (["theory", "--penalty", "l1", "--alpha", "0.5", "--delta", "1.5"], "delta = 1.5 is out of range"),
        (["theory", "--penalty", "l1", "--alpha", "-1", "--delta", "0.5"], "alpha = -1.0 is out of range"),
    ],
)
def test_bad_arguments_are_named(folder, capsys, words, named):
    write(table(), folder / "data.csv")
    assert main(words) == 2
    assert named in capsys.readouterr().err


@pytest.mark.parametrize("words", [[], ["select"], ["choose"], ["theory", "--penalty", "lasso"]])
def test_usage_errors_have_status_2(words, capsys):
    with pytest.raises(SystemExit) as stop:
        main(words)
    assert stop.value.code == 2 and "usage: sparsegdf" in capsys.readouterr().err


@pytest.mark.parametrize(
    "name, own", [("lasso", "l1"), ("Lasso", "l1"), ("enet", "elastic_net"), ("elastic-net", "elastic_net")]
)
@pytest.mark.parametrize("command", [["select", "data.csv", "--target", "y"], ["theory", "--alpha", "1"]])
def test_a_penalty_that_has_another_name_here(command, name, own, capsys):
    with pytest.raises(SystemExit) as stop:
        main([*command, "--penalty", name])
    error = capsys.readouterr().err
    assert stop.value.code == 2 and f"{name!r} is called {own} here" in error
    assert all(kind in error.splitlines()[-1] for kind in PENALTIES)


@pytest.mark.parametrize("words", [["--help"], ["select", "--help"], ["theory", "--help"]])
def test_help_is_printed(words, capsys):
    """argparse formats help texts with %, and fails on one that is not meant so."""
    with pytest.raises(SystemExit) as stop:
        main(words)
    assert stop.value.code == 0 and "usage: sparsegdf" in capsys.readouterr().out
