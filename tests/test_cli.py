"""The command `sparsegdf`: what it prints and writes, and its errors."""

import json
import os
import pickle
import re
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import sparsegdf
from sparsegdf import L1, SCAD, ElasticNet, Spectrum, rs_curve, select
from sparsegdf.selection.command_line import main


def table(M=40):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(M, 5)), columns=list("abcde"))
    frame["y"] = 1 + 2 * frame.a - frame.c + rng.normal(size=M)
    return frame


def write(frame, file):
    writers = {
        ".csv": lambda: frame.to_csv(file, index=False),
        ".tsv": lambda: frame.to_csv(file, index=False, sep="\t"),
        ".parquet": lambda: frame.to_parquet(file),
        ".npz": lambda: np.savez(file, **{name: frame[name].to_numpy() for name in frame}),
    }
    writers[file.suffix]()
    return str(file)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


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


def changed(frame, **columns):
    return frame.assign(**columns)


BAD_DATA = {
    "missing": (
        changed(table(), b=[np.nan] + [1.0, 2.0] * 19 + [3.0]),
        "missing values, in 1 of 40 rows: 'b' .--drop-missing rows",
    ),
    "text": (changed(table(), b=["red", "blue"] * 20), "do not hold numbers: .*--drop NAME: 'b'"),
    "text target": (changed(table(), y=["red", "blue"] * 20), "do not hold numbers.*'y'"),
    "constant": (changed(table(), d=2.5), "are constant.*'d'"),
    "duplicated": (changed(table(), f=table().c), "repeat the values of another column.*'f'"),
    "copy of the target": (changed(table(), f=table().y), "repeat the target 'y'.*'f'"),
    "one row": (table(1), "has 1 row of data"),
    "no row": (table(40).iloc[:0], "has 0 rows of data"),
    "no target": (table().drop(columns="y"), "no column 'y' for the target; it has 'a', 'b'"),
    "no predictor": (table()[["y"]], "no column except the target"),
    "infinite": (changed(table(), b=np.r_[np.inf, np.arange(39)]), "infinite values.*'b'"),
    "overflow": (changed(table(), b=table().b * 1e200), "largest value beyond 1e-75 to 1e.75 in size: change .*'b'"),
    "overflow of the target": (changed(table(), y=table().y * 1e300), "largest value beyond .*'y'"),
    "constant target": (changed(table(), y=1.0), "target 'y' is constant"),
}


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


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
@pytest.mark.parametrize("case", BAD_DATA)
def test_bad_data_is_one_message_and_status_2(folder, capsys, case, suffix):
    frame, named = BAD_DATA[case]
    assert main(["select", write(frame, folder / f"data{suffix}"), "--target", "y", "--penalty", "l1"]) == 2
    captured = capsys.readouterr()
    assert captured.out == "" and len(captured.err.splitlines()) == 1
    assert re.search(named, captured.err), captured.err
    assert len(list(folder.iterdir())) == 1  # nothing was written


# --- dialects of text files, missing values, dropped columns -------------------------------------------------------


@pytest.mark.parametrize(
    "separator, decimal, encoding, note",
    [
        (",", ".", "utf-8-sig", ""),
        (";", ".", "utf-8", "Note: columns are separated by semicolons"),
        (";", ",", "utf-8-sig", "Note: numbers have decimal commas"),
        ("\t", ",", "utf-16", "Note: numbers have decimal commas"),
    ],
)
def test_the_dialect_of_a_csv_file_is_recognised(folder, capsys, separator, decimal, encoding, note):
    table().assign(d=np.arange(40)).to_csv("mine.csv", index=False, sep=separator, decimal=decimal, encoding=encoding)
    assert main(["select", "mine.csv", "--target", "y", "--penalty", "l1"]) == 0
    frame = table().assign(d=np.arange(40))
    out = capsys.readouterr().out
    assert select(frame.drop(columns="y"), frame.y, L1()).why() in out and note in out
    assert bool(note) == out.startswith("Note")


def selected(capsys, *words):
    """The output of `select` with l1, which has to succeed."""
    assert main(["select", *words, "--target", "y", "--penalty", "l1"]) == 0
    return capsys.readouterr().out


def expected(frame):
    return repr(select(frame.drop(columns="y"), frame.y, L1()))


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_a_txt_file_is_read_like_csv(folder, capsys, separator):
    table().to_csv("mine.txt", index=False, sep=separator)
    assert expected(table()) in selected(capsys, "mine.txt")


def test_text_in_windows_1252_is_recognised(folder, capsys):
    """Also if the first letter that is not UTF-8 is far from the beginning."""
    told = "Note: the text is not UTF-8 and was read as Windows-1252 (Latin-1)"
    frame = table().rename(columns={"a": "Größe", "b": "5 €"})
    frame.to_csv("mine.csv", index=False, encoding="cp1252")
    out = selected(capsys, "mine.csv")
    assert expected(frame) in out and told in out and "Größe" in out
    late = table(3000).assign(who=["x"] * 2999 + ["é"])
    late.to_csv("late.csv", index=False, encoding="latin-1")
    out = selected(capsys, "late.csv", "--drop", "who")
    assert expected(table(3000)) in out and told in out


@pytest.mark.parametrize(
    "head, note",
    [
        ("# made by hand, 2020\n#\n\na,b,c,d,e,y\n", "skipped 2 lines before the header, beginning with #"),
        ('# 5" pipes\na,b,c,d,e,y\n', "skipped 1 line before the header, beginning with #"),  # a quote that is not closed
        ("# one, two, 3, 4, 5, 6\na,b,c,d,e,y\n", "skipped 1 line before"),  # as many columns as the header
        ("# a,b,c,d,e,y\n", "the header is the line that begins with #; its first name is 'a'"),  # numpy.savetxt
        ("# by hand\n#a,b,c,d,e,y\n", "skipped 1 line before the header, beginning with #\nNote: the header is the line"),
    ],
)  # fmt: skip
def test_lines_with_a_hash_before_the_header(folder, capsys, head, note):
    (folder / "mine.csv").write_text(head + table().to_csv(index=False, header=False))
    out = selected(capsys, "mine.csv")
    assert expected(table()) in out and out.startswith(f"Note: {note}")


def test_blanks_around_names_do_not_count(folder, capsys):
    table().rename(columns={"a": " a", "b": "b ", "y": " y\t"}).to_csv("mine.csv", index=False)
    (folder / "factors.csv").write_text("predictor,weight\nd ,0\n")
    words = ["--drop", "b ", "--unpenalised", " c", "--penalty-weights", "factors.csv"]
    frame = table().drop(columns="b")
    found = select(frame.drop(columns="y"), frame.y, L1(), penalty_weights=[1, 0, 0, 1])
    assert repr(found) in selected(capsys, "mine.csv", *words)


@pytest.mark.parametrize("decimal", [".", ","])
@pytest.mark.parametrize("mark", ["?", " . ", "*", " NA"])
def test_marks_of_missing_values(folder, capsys, mark, decimal):
    """They are an error that shows them, their row and the way out, and can be dropped."""
    frame = table()
    text = frame.astype(str).apply(lambda column: column.str.replace(".", decimal))
    text.loc[[3, 8], "b"], text.loc[5, "d"] = mark, mark
    text.to_csv("mine.csv", index=False, sep=";")
    words = ["select", "mine.csv", "--target", "y", "--penalty", "l1"]
    assert main(words) == 2
    error, bare = capsys.readouterr().err, mark.strip()
    assert "missing values, in 3 of 40 rows: 'b', 'd' (--drop-missing rows" in error and len(error.splitlines()) == 1
    marks = f"taken as missing (the first of each column): '{bare}' in row 4 of 'b', '{bare}' in row 6 of 'd'"
    assert marks in error
    out = selected(capsys, "mine.csv", "--drop-missing", "rows")
    assert expected(frame.drop(index=[3, 5, 8])) in out and f"Note: {marks}" in out


def test_a_mark_far_from_the_beginning_is_one_message(folder, capsys, recwarn):
    """pandas reads by pieces, and warns if one has text and another has not."""
    text = pd.DataFrame(np.arange(600)[:, None] % np.arange(2, 1102)).add_prefix("c").assign(y=range(600))
    text["c7"] = [*range(599), "?"]
    assert main(["select", write(text, folder / "data.csv"), "--target", "y", "--penalty", "l1"]) == 2
    error = capsys.readouterr().err
    assert "'?' in row 600 of 'c7'" in error and len(error.splitlines()) == 1 and not len(recwarn)


def test_numbers_stored_as_text_are_not_taken_for_numbers(folder, capsys):
    file = write(table().astype({"b": str}), folder / "data.parquet")
    assert main(["select", file, "--target", "y", "--penalty", "l1"]) == 2
    assert "do not hold numbers: code them as numbers" in capsys.readouterr().err


def test_a_value_that_is_no_number_is_shown_with_its_row(folder, capsys):
    text = table().astype({"b": str})
    text.loc[4, "b"], text.loc[6, "b"], text.loc[2, "e"] = "?", "1.2.3", np.nan
    for suffix in (".csv", ".parquet"):
        words = ["select", write(text, folder / f"data{suffix}"), "--target", "y", "--penalty", "l1"]
        assert main([*words, "--drop-missing", "rows"]) == 2
        error = capsys.readouterr().err
        assert (
            "these values are not numbers (the first of each column): '1.2.3' in row 7 of 'b': correct them" in error
        )
        assert "write NA and use --drop-missing (missing are: empty, NA, N/A," in error and "?" in error


@pytest.mark.parametrize("index", [range(40), [f"r{i}" for i in range(40)], [*range(0, 80, 2)]])
@pytest.mark.parametrize("name", ["", "Unnamed: 0"])
def test_a_saved_index_is_left_out(folder, capsys, index, name):
    table().set_axis(index).to_csv("mine.csv", index_label=name)
    out = selected(capsys, "mine.csv")
    assert expected(table()) in out and "Note: dropped the first column, which has no name" in out


def test_columns_without_a_name_can_be_dropped(folder, capsys):
    frame = table()
    frame.insert(2, "", 0.5 * frame.a**2)
    frame.insert(4, " ", 3.0, allow_duplicates=True)
    frame.to_csv("mine.csv", index=False)
    assert expected(table()) in selected(capsys, "mine.csv", "--drop", "")


def test_missing_values_are_dropped_if_asked_for_and_counted(folder, capsys):
    frame = table()
    frame.loc[[3, 8], "b"] = np.nan
    frame.loc[3, "d"] = np.nan
    words = ["select", write(frame, folder / "data.csv"), "--target", "y", "--penalty", "l1"]
    assert main([*words, "--drop-missing", "rows"]) == 0
    out, left = capsys.readouterr().out, frame.dropna()
    assert "dropped 2 of 40 rows" in out and repr(select(left.drop(columns="y"), left.y, L1())) in out
    assert main([*words, "--drop-missing", "columns", "--drop", "e"]) == 0
    out, left = capsys.readouterr().out, frame[["a", "c"]]
    assert "dropped 2 columns, which have missing values: 'b', 'd'" in out and "dropped as asked: 'e'" in out
    assert repr(select(left, frame.y, L1())) in out
    frame.loc[5, "y"] = np.nan
    write(frame, folder / "data.csv")
    assert main([*words, "--drop-missing", "columns"]) == 2
    assert "the target too, so --drop-missing rows" in capsys.readouterr().err


def test_every_value_of_a_parameter_is_tried(folder, capsys):
    file, frame = write(table(), folder / "data.csv"), table()
    words = ["--penalty", "scad", "--penalty", "l1", "--a", "3.7", "--a", "8", "--lam", "1", "--lam", "2", "--a", "8"]
    assert main(["select", file, "--target", "y", *words, "--bootstrap", "0", "--json"]) == 0
    penalties = [SCAD(3.7, 1.0), SCAD(3.7, 2.0), SCAD(8.0, 1.0), SCAD(8.0, 2.0), L1()]
    found = select(frame.drop(columns="y"), frame.y, penalties, bootstrap=0)
    record = json.loads(capsys.readouterr().out)
    assert [row["penalty"] for row in record["candidates"]] == list(found.candidates.penalty)
    assert record["penalty"] == repr(found.penalty)


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


def test_several_penalties_and_another_criterion(folder, capsys):
    file = write(table(), folder / "data.csv")
    words = [
        "select",
        file,
        "--target",
        "y",
        "--penalty",
        "scad",
        "--penalty",
        "l1",
        "--a",
        "5",
        "--criterion",
        "bic",
    ]
    assert main([*words, "--json"]) == 0
    record, frame = json.loads(capsys.readouterr().out), table()
    found = select(frame.drop(columns="y"), frame.y, [SCAD(5.0, 1.0), L1()], criterion="bic")
    assert record["penalty"] == repr(found.penalty) and record["why"] == found.why()
    assert [one["penalty"] for one in record["candidates"]] == found.candidates.penalty.tolist()
    assert main(words) == 0 and found.why() in capsys.readouterr().out


def test_quiet_writes_and_prints_nothing(folder, capfd):
    assert main(["select", write(table(), folder / "data.csv"), "--target", "y", "--penalty", "l1", "--quiet"]) == 0
    assert capfd.readouterr() == ("", "") and len(list(folder.iterdir())) == 4


def test_version_and_module(folder):
    for words in (["-m", "sparsegdf"], ["-m", "sparsegdf.selection.command_line"]):
        done = subprocess.run([sys.executable, *words, "--version"], capture_output=True, text=True, check=True)
        assert done.stdout == f"sparsegdf {sparsegdf.__version__}\n" and re.match(r"\d+\.\d+", sparsegdf.__version__)


@pytest.mark.parametrize(
    "content, named",
    [
        (b"1,2,3\n4,5,7\n9,1,2\n", "the first line holds numbers ('1', '2', '3'), not names: add a header line"),
        (b"a,a,y\n1,2,3\n4,5,7\n", "name more than one column: 'a'"),
        (b"\n\na,a,y\n1,2,3\n4,5,7\n", "name more than one column: 'a'"),
        (b",a,y\n0.5,1,2\n1,3,5\n", "have no name (a saved index?), counted from 0: name them, or leave them out with --drop '': 0"),
        (b",a,y\n1,1,2\n1,3,5\n", "or leave them out with --drop '': 0"),  # no index: it repeats
        (b"a,,y\n0,1,2\n1,3,5\n", "or leave them out with --drop '': 1"),
        (b"a,y\n1,0.5,2\n2,0.7,5\n3,0.1,9\n", "cannot be read: rows have more values than the header has names"),  # R's write.table: names shifted by a column
        (b"a b y\n1 2 3\n4 5 7\n", "it has 'a b y', alone: put commas, semicolons or tabs between columns"),
        (b"a, b,a ,y\n1,2,3,4\n4,5,7,9\n", "have the same name but for blanks around it: rename them: 'a', 'a '"),
        (b"h\xf6he,\x81,y\n1,2,3\n4,5,7\n", "neither UTF-8 nor Windows-1252 (Latin-1): save it as UTF-8"),
        (b"# 1, 2\n1,2,3\n4,5,7\n", "the first line holds numbers ('1', '2', '3'), not names"),
        (b"", "cannot be read"),
        (b"a,y\n1,2\n3,4,5,6\n", "cannot be read"),
        (b"\xff\xfe\x00a,y\n", "cannot be read"),
    ],
)  # fmt: skip
def test_bad_csv(folder, capsys, content, named):
    (folder / "data.csv").write_bytes(content)
    assert main(["select", "data.csv", "--target", "y", "--penalty", "l1"]) == 2
    assert named in capsys.readouterr().err


def test_arrays_of_one_name_are_refused(folder, capsys):
    np.savez(folder / "data.npz", y=np.arange(3.0), A=np.eye(3), A_0=np.array([1.0, 5.0, 2.0]))
    assert main(["select", "data.npz", "--target", "y", "--penalty", "l1"]) == 2
    assert "two arrays give a column 'A_0'" in capsys.readouterr().err


def test_nothing_is_unpickled(folder, capsys):
    class Trap:
        def __reduce__(self):
            return (open, (str(folder / "sprung"), "w"))

    np.savez(folder / "data.npz", y=np.arange(3.0), a=np.array([Trap(), 1, 2], dtype=object))
    assert main(["select", "data.npz", "--target", "y", "--penalty", "l1"]) == 2
    assert "cannot be read" in capsys.readouterr().err
    (folder / "data.csv").write_bytes(pickle.dumps(Trap()))
    assert main(["select", "data.csv", "--target", "y", "--penalty", "l1"]) == 2
    assert not (folder / "sprung").exists()


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


def test_help_shows_the_way():
    done = subprocess.run(
        [sys.executable, "-m", "sparsegdf.selection.command_line", "--help"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "sparsegdf select data.csv --target y --penalty scad" in done.stdout
    assert "sparsegdf theory --penalty scad --alpha 0.5 --delta 0.1:0.9:0.1" in done.stdout
    done = subprocess.run(
        [sys.executable, "-m", "sparsegdf.selection.command_line", "select", "-h"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert all(word in done.stdout for word in ("--target", "--bootstrap", "--json", "npz", "sigma2"))
