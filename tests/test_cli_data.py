"""The data files of `sparsegdf select`: dialects, missing values, dropped columns, and what is refused."""

import pickle
import re

import numpy as np
import pandas as pd
import pytest
from data_cases import table, write

from sparsegdf import L1, select
from sparsegdf.selection.command_line import main


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
    "duplicated": (changed(table(), f=table().c), "columns repeat the values of others: 'f' those of 'c'"),
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


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
@pytest.mark.parametrize("case", BAD_DATA)
def test_bad_data_is_one_message_and_status_2(folder, capsys, case, suffix):
    frame, named = BAD_DATA[case]
    assert main(["select", write(frame, folder / f"data{suffix}"), "--target", "y", "--penalty", "l1"]) == 2
    captured = capsys.readouterr()
    assert captured.out == "" and len(captured.err.splitlines()) == 1
    assert re.search(named, captured.err), captured.err
    assert len(list(folder.iterdir())) == 1  # nothing was written


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


def test_commas_in_a_name_do_not_separate(folder, capsys):
    """There are more of them in the header than semicolons, but the rows have as many columns only with these."""
    frame = table().rename(columns={"b": "b (of p, q, r, s, t, u, v)"})
    frame.to_csv("mine.csv", index=False, sep=";")
    assert expected(frame) in selected(capsys, "mine.csv")


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
    told = capsys.readouterr().err
    assert "the target cannot be left out; --drop-missing rows" in told and "--drop-missing columns" not in told
    assert main(words) == 2 and told == capsys.readouterr().err
    write(frame.assign(c=np.nan), folder / "data.csv")
    assert main([*words, "--drop-missing", "rows"]) == 2
    told = capsys.readouterr().err
    assert "40 of 40 rows have missing values" in told and "the column with the most is 'c'" in told


@pytest.mark.parametrize(
    "words, left",
    [
        (["--drop-missing", "rows"], lambda frame: frame.dropna()),
        (["--drop-missing", "columns", "--drop", " e "], lambda frame: frame[["a", "c"]]),
    ],
)
def test_theory_leaves_out_what_select_does(folder, capsys, words, left):
    """Before any y: where only the target is missing, the row stays."""
    frame = table()
    frame.loc[[3, 8], "b"], frame.loc[3, "d"], frame.loc[5, "y"] = np.nan, np.nan, np.nan
    theory = ["theory", "--penalty", "l1", "--delta", "0.02", "--json"]
    file = [write(frame, folder / "data.csv"), "--target", "y"]
    assert main([*theory, "--predictors", *file, *words]) == 0
    found = capsys.readouterr()
    assert "dropped 2 " in found.err
    assert main([*theory, "--predictors", write(left(frame.drop(columns="y")), folder / "left.csv")]) == 0
    assert found.out == capsys.readouterr().out
    everything = [part for name in "abcde" for part in ("--drop", name)]
    assert main([*theory, "--predictors", *file, *everything]) == 2
    assert "data.csv has no predictor that is not left out" in capsys.readouterr().err
    assert main([*theory, "--alpha", "0.5", *words[-2:]]) == 2
    assert f"{words[-2]} goes with --predictors" in capsys.readouterr().err


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
        (b"a;y\n1;2\n3;4;5;6\n", "cannot be read"),  # told with the separator of the header
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
