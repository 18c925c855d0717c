"""`sparsegdf select`: what it prints and writes, and how its options reach select."""

import json
import os
import re
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from data_cases import table, write

from sparsegdf import L1, SCAD, select
from sparsegdf.selection.command_line import main


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".parquet", ".npz"])
def test_select_prints_the_table_says_why_and_writes(folder, capsys, suffix):
    file, frame = write(table(), folder / f"data{suffix}"), table()
    assert main(["select", file, "--target", "y", "--penalty", "l1"]) == 0
    found = select(frame.drop(columns="y"), frame.y, L1())
    out = capsys.readouterr().out
    assert found.why() in out and repr(found) in out
    marked = [line for line in out.splitlines() if line.startswith(">")]
    assert len(marked) == 1 and f"{found.best.eta:.5g}" in marked[0]
    coefficients = pd.read_csv(folder / "data_l1_coefficients.csv")
    assert list(coefficients) == ["eta", "intercept", *"abcde"]
    np.testing.assert_allclose(coefficients[list("abcde")].T, found.coefficients)
    np.testing.assert_allclose(coefficients.intercept, found.intercepts)
    written = pd.read_csv(folder / "data_l1_path.csv")
    np.testing.assert_allclose(written.cp, found.path.cp)
    assert len(written) == len(found.path) and list(written) == list(found.path)
    assert (folder / "data_l1_path.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("levels", [100, 26, 25, 3])
def test_of_a_long_path_25_rows_are_printed(folder, capsys, levels):
    """Evenly spaced rows, with both ends and the chosen one, and a note that the file has all rows."""
    file = write(table(), folder / "data.csv")
    words = ["--target", "y", "--penalty", "scad", "--sigma2", "1", "--levels", str(levels)]
    assert main(["select", file, *words]) == 0
    head, *lines = capsys.readouterr().out.split("\n\n")[0].splitlines()
    path = pd.read_csv("data_scad_a8_lam1_path.csv")
    rows = [line for line in lines if not line.startswith("(")]
    assert len(path) == levels and lines[len(rows):] == (
        [f"({len(rows)} of {levels} levels; the CSV file has all)"] if levels > 25 else []
    )  # fmt: skip
    etas = [float(line.removeprefix(">").split()[0]) for line in rows]
    assert np.isclose(np.array(etas)[:, None], path.eta, rtol=1e-4).any(axis=1).all() and len(set(etas)) == len(etas)
    assert etas[0] == pytest.approx(path.eta.iloc[0], rel=1e-4) and etas[-1] == pytest.approx(
        path.eta.iloc[-1], rel=1e-4
    )
    assert len(rows) in ({25, 26} if levels > 25 else {levels}) and sum(line.startswith(">") for line in rows) == 1
    assert head.split()[:5] == ["eta", "nonzeros", "df", "df_se", "err_train"]


def test_select_as_json(folder, capsys):
    file = write(table(), folder / "data.csv")
    words = ["--penalty", "scad", "--a", "5", "--sigma2", "1", "--output", "out/made", "--bootstrap", "4", "--json"]
    assert main(["select", file, "--target", "y", *words]) == 0
    assert "path" not in json.loads(capsys.readouterr().out)
    assert main(["select", file, "--target", "y", *words, "--whole-path"]) == 0
    record = json.loads(capsys.readouterr().out)
    frame = table()
    found = select(frame.drop(columns="y"), frame.y, SCAD(5, 1), sigma2=1, bootstrap=4)
    assert record["chosen"]["row"] == found.chosen and record["chosen"]["cp"] == pytest.approx(found.best.cp)
    assert record["coefficients"]["a"] == pytest.approx(found.coef[0])
    assert len(record["path"]) == 100 and record["sigma2"] == 1 and record["path"][3]["df_se"] > 0
    assert record["files"][0] == "out/made/data_scad_a5_lam1_path.csv"
    assert all((folder / file).is_file() for file in record["files"])
    np.testing.assert_allclose(np.array(record["coefficient_path"]).T, found.coefficients)
    assert record["frequencies"] == {name: found.frequency[i, found.chosen] for i, name in enumerate("abcde")}


def test_options_reach_select(folder, capsys):
    frame = table()
    file = write(frame, folder / "data.csv")
    words = ["--no-standardise", "--no-intercept", "--sigma2", "2", "--json"]
    assert main(["select", file, "--target", "y", "--penalty", "elastic_net", "--eta2", "3", *words]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["penalty"] == "ElasticNet(eta2=3.0)" and record["intercept"] == 0 and record["sigma2"] == 2
    words = ["select", file, "--target", "y", "--penalty", "scad", "--eta-min", "0.5", "--levels", "7", "--json"]
    assert main([*words, "--whole-path"]) == 0
    etas = [level["eta"] for level in json.loads(capsys.readouterr().out)["path"]]
    assert len(etas) == 7 and etas[-1] == pytest.approx(0.5)


def test_names_in_any_script_are_printed_and_plotted(folder, capsys, recwarn):
    names = [r"$\input{x}$", "_x", "身長", "الطول", "e"]
    frame = table().set_axis([*names, "y"], axis=1)
    frame["y"] += frame[names] @ [0, 2.0, 3.0, 2.0, 2.0]
    file = write(frame, folder / "data.csv")
    assert main(["select", file, "--target", "y", "--penalty", "l1"]) == 0
    found = select(frame[names], frame.y, L1())
    assert repr(found) in capsys.readouterr().out and all(name in repr(found) for name in names)
    assert main(["select", file, "--target", "y", "--penalty", "l1", "--json"]) == 0
    assert set(json.loads(capsys.readouterr().out)["coefficients"]) == set(names)
    assert not [w for w in recwarn if "lyph" in str(w.message) or "legend" in str(w.message)]
    # a terminal that has no such letters
    command = [
        sys.executable,
        "-m",
        "sparsegdf.selection.command_line",
        "select",
        file,
        "--target",
        "y",
        "--penalty",
        "l1",
    ]
    done = subprocess.run(command, capture_output=True, check=True, env=os.environ | {"PYTHONIOENCODING": "ascii"})
    assert b"\\u8eab\\u9577" in done.stdout


def test_a_warning_is_printed_and_recorded(folder, capsys):
    file = write(table(), folder / "data.csv")
    words = ["select", file, "--target", "y", "--penalty", "l0", "--bootstrap", "0"]
    assert main(words) == 0
    assert "Warning: the fit under L0() may jump" in capsys.readouterr().out
    assert main([*words, "--json"]) == 0
    assert "may jump" in json.loads(capsys.readouterr().out)["warnings"][0]


def test_every_value_of_a_parameter_is_tried(folder, capsys):
    file, frame = write(table(), folder / "data.csv"), table()
    words = ["--penalty", "scad", "--penalty", "l1", "--a", "3.7", "--a", "8", "--lam", "1", "--lam", "2", "--a", "8"]
    command = ["select", file, "--target", "y", *words, "--bootstrap", "0", "--criterion", "bic"]
    assert main([*command, "--json"]) == 0
    penalties = [SCAD(3.7, 1.0), SCAD(3.7, 2.0), SCAD(8.0, 1.0), SCAD(8.0, 2.0), L1()]
    found = select(frame.drop(columns="y"), frame.y, penalties, bootstrap=0, criterion="bic")
    record = json.loads(capsys.readouterr().out)
    assert [row["penalty"] for row in record["candidates"]] == list(found.candidates.penalty)
    assert record["penalty"] == repr(found.penalty) and record["why"] == found.why()
    assert main(command) == 0 and found.why() in capsys.readouterr().out


def test_weights_of_rows_and_predictors_reach_select(folder, capsys):
    frame = table()
    frame["w"] = np.random.default_rng(1).uniform(0.5, 2, 40)
    file = write(frame, folder / "data.csv")
    (folder / "factors.csv").write_text("predictor,weight\nb, 2\ne,0.5\nd,0\n")
    words = ["--weights", "w", "--unpenalised", "c", "--penalty-weights", "factors.csv"]
    assert main(["select", file, "--target", "y", "--penalty", "l1", *words]) == 0
    found = select(frame[list("abcde")], frame.y, L1(), sample_weight=frame.w, penalty_weights=[1, 2, 0, 0, 0.5])
    out = capsys.readouterr().out
    assert repr(found) in out
    notes = ["rows have the weights 'w'", "not penalised: 'd', 'c'", "with a penalty weight: 'b', 'e'"]
    assert out.splitlines()[:3] == [f"Note: {note}" for note in notes]
    coefficients = pd.read_csv(folder / "data_l1_coefficients.csv")
    np.testing.assert_allclose(coefficients[list("abcde")].T, found.coefficients)
    assert coefficients.c.all() and coefficients.d.all()


@pytest.mark.parametrize(
    "words, factors, named",
    [
        (["--weights", "v"], "", "--weights: .*data.csv has no predictor 'v'"),
        (["--weights", "y"], "", "--weights: .*data.csv has no predictor 'y'"),
        (["--weights", "b"], "", "sample_weight has -"),
        (["--unpenalised", "z"], "", "--unpenalised: .*data.csv has no predictor 'z'"),
        (["--penalty-weights", "none.csv"], "", "--penalty-weights none.csv cannot be read"),
        (["--penalty-weights", "f.csv"], "", "--penalty-weights f.csv cannot be read"),
        (["--penalty-weights", "f.csv"], "p\na\n", "f.csv has 1 columns; allowed: 2, predictor and weight"),
        (["--penalty-weights", "f.csv"], "p,w\nz,1\n", "f.csv: .*data.csv has no predictor 'z'"),
        (["--penalty-weights", "f.csv"], "p,w\na,1\na,2\n", "f.csv has 'a' more than once"),
        (["--penalty-weights", "f.csv"], "p,w\na,1\nb,-2\n", "gives 'b' '-2'; allowed: finite numbers >= 0"),
        (["--penalty-weights", "f.csv"], "p,w\na,1\nb,big\n", "gives 'b' 'big'; allowed: finite numbers >= 0"),
    ],
)
def test_bad_weights_are_named(folder, capsys, words, factors, named):
    file = write(table(), folder / "data.csv")
    (folder / "f.csv").write_text(factors)
    assert main(["select", file, "--target", "y", "--penalty", "l1", *words]) == 2
    assert re.search(named, capsys.readouterr().err)


def test_quiet_writes_and_prints_nothing(folder, capfd):
    assert main(["select", write(table(), folder / "data.csv"), "--target", "y", "--penalty", "l1", "--quiet"]) == 0
    assert capfd.readouterr() == ("", "") and len(list(folder.iterdir())) == 4
