"""Predictors and target from a data file: CSV, TSV or other text, parquet or npz. Nothing is unpickled.

Columns and rows that a regression cannot use are an error that names them and says what to do; they are dropped only
if that is asked for, and counted. A saved index is left out.
"""

import csv
import warnings
import zipfile
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from sparsegdf.checks import LARGEST, beyond_range

_SHOWN = 5  # A message lists at most this many names.
_SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs"}
_SAMPLE = 20  # The separator is found from this many lines.
_MISSING = ("", "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "None", "?", ".", "*")  # marks, without blanks
_INDEX = ("", "Unnamed: 0")  # the names of a saved index; pandas gives it the second one if it is saved again
_LARGEST = 2_000_000_000  # bytes of an unpacked file; fits take several times as much


class DataSet(NamedTuple):
    """Finite predictors (M, N) and target (M,), and what was done to get them."""

    A: pd.DataFrame
    y: np.ndarray
    notes: list


def read_problem(file, target, *, drop=(), drop_missing=None) -> DataSet:
    """Every column of the file except `target` and those in `drop` is a predictor.

    `drop_missing` is None (missing values are an error), "rows" or "columns". Blanks around names do not count. A
    first column that looks like a saved index is left out.
    """
    target = target.strip()
    table, notes = _named(file, target, drop)
    table, dropped = _without_missing(table, target, drop_missing, file)
    if len(table.columns) < 2:
        raise ValueError(f"{file} has no column except the target {target!r}")
    y = _numbers(table[[target]], file)[:, 0]
    if np.ptp(y) == 0:
        raise ValueError(f"{file}: the target {target!r} is constant ({y[0]:g})")
    A = _predictors(table.drop(columns=target), file)
    same = [name for name in A if np.array_equal(A[name], y)]
    _refuse(same, f"repeat the target {target!r}", file)
    return DataSet(A, y, notes + dropped)


def read_predictors(file, target=None, *, drop=(), drop_missing=None):
    """(A, notes) of read_problem, for predictors without y: `target` is left out first, if it is given."""
    target = None if target is None else target.strip()
    table, notes = _named(file, target, drop)
    if target is not None:
        table = table.drop(columns=target)
    table, dropped = _without_missing(table, None, drop_missing, file)
    if not len(table.columns):
        raise ValueError(f"{file} has no predictor that is not left out")
    return _predictors(table, file), notes + dropped


def _named(file, target, drop):
    """(table, notes) of a file without a saved index and the columns in `drop`."""
    drop = [name.strip() for name in drop]
    table, notes = _read(file)
    table, dropped = _without_index(table, target, drop)
    _require_names(table, target, drop, file)
    notes += dropped + ([f"dropped as asked: {_listed(drop)}"] if drop else [])
    return table.drop(columns=drop), notes


def _read(file):
    """(table, notes) of a file."""
    file = Path(file)
    if file.suffix.lower() not in _READERS:
        raise ValueError(f"{file} has an unknown format (allowed: {', '.join(_READERS)})")
    if not file.is_file():
        raise ValueError(f"{file} does not exist or is not a file")
    try:
        table, notes = _READERS[file.suffix.lower()](file)
    except Exception as error:
        raise ValueError(f"{file} cannot be read: {error}") from error
    names = pd.Series([str(name) for name in table.columns], dtype=object)
    bare = names.str.strip()
    same = bare.duplicated(keep=False) & ~names.duplicated(keep=False) & (bare != "")
    _refuse(names[same].tolist(), "have the same name but for blanks around it: rename them", file)
    table.columns = bare
    table.index = range(len(table))
    return table, notes


def _without_index(table, target, drop):
    """(table, notes) without a first column that has no name and numbers or names the rows."""
    if not len(table.columns) or table.columns[0] not in _INDEX or table.columns[0] in (target, *drop):
        return table, []
    first = table.iloc[:, 0]
    if first.dtype.kind not in "iuO" or not first.is_unique:
        return table, []
    return table.iloc[:, 1:], ["dropped the first column, which has no name and looks like a saved index"]


def _require_names(table, target, drop, file):
    if target not in table.columns and all(map(_is_number, table.columns)):
        raise ValueError(
            f"{file}: the first line holds numbers ({_listed(table.columns)}), not names: add a header line"
        )
    is_nameless = table.columns == ""
    if "" not in drop:
        why = "have no name (a saved index?), counted from 0: name them, or leave them out with --drop ''"
        _refuse(np.flatnonzero(is_nameless).tolist(), why, file)
    _refuse(table.columns[table.columns.duplicated() & ~is_nameless], "name more than one column", file)
    wanted = [(target, "for the target")] if target is not None else []
    for name, role in (*wanted, *((name, "to drop") for name in drop)):
        if name not in table.columns:
            alone = ", alone: put commas, semicolons or tabs between columns" if len(table.columns) == 1 else ""
            raise ValueError(f"{file} has no column {name!r} {role}; it has {_listed(table.columns)}{alone}")
    if target in drop:
        raise ValueError(f"{target!r} is the target and cannot be dropped")


def _without_missing(table, target, drop_missing, file):
    """(table, notes) without missing values."""
    table, marks = _marks_as_missing(table)
    missing = table.isna()
    columns = missing.any()
    if not columns.any():
        return table, []
    notes = [f"taken as missing (the first of each column): {_some(marks)}"] if marks else []
    rows = int(missing.any(axis=1).sum())
    if drop_missing == "rows":
        if rows > len(table) - 2:
            most = missing.sum().idxmax()
            raise ValueError(
                f"{file}: {rows} of {len(table)} rows have missing values, so --drop-missing rows leaves too few; "
                f"the column with the most is {most!r}"
            )
        notes.append(f"dropped {rows} of {len(table)} rows, which have missing values")
        return table[~missing.any(axis=1)], notes
    lost = target is not None and columns[target]
    if drop_missing == "columns" and not lost:
        gone = table.columns[columns]
        notes.append(f"dropped {len(gone)} columns, which have missing values: {_listed(gone)}")
        return table.loc[:, ~columns], notes
    advice = "--drop-missing rows leaves out these rows, --drop-missing columns these columns"
    if lost:
        advice = "the target cannot be left out; --drop-missing rows leaves out these rows"
    names = table.columns[columns]
    raise ValueError(
        f"{file}: these columns have missing values, in {rows} of {len(table)} rows: {_listed(names)} ({advice})"
        + "".join(f"; {note}" for note in notes)
    )


def _marks_as_missing(table):
    """The table with numbers where a column is text only because of marks such as ?, and the first mark of each."""
    columns, marks = {}, []
    for name in table.columns[[kind.kind == "O" for kind in table.dtypes]]:
        text, numbers = _parsed(table[name])
        is_mark = text.isin(_MISSING)
        if is_mark.any() and (numbers.notna() | is_mark).all():
            columns[name] = numbers.reindex(table.index)
            marks.append(_first(text, is_mark))
    return table.assign(**columns) if columns else table, marks


def _parsed(column):
    """(text, numbers) of the values of a column that are not missing: stripped, and NaN if it is not a number."""
    text = column.dropna().astype(str).str.strip()
    return text, pd.to_numeric(text, errors="coerce").astype(float)


def _first(text, where):
    """The first value of a column that is meant, and where it is: rows count from 1 below the header."""
    row = where.idxmax()
    return f"{text[row]!r} in row {row + 1} of {text.name!r}"


def _numbers(table, file):
    """The table as a float array stored by columns; raises ValueError for columns that do not hold finite numbers."""
    if len(table) < 2:
        raise ValueError(
            f"{file} has {len(table)} row{'' if len(table) == 1 else 's'} of data; at least 2 are needed"
        )
    text = [name for name in table.columns if table[name].dtype.kind not in "biuf"]
    _refuse_mixed(table[text], file)
    _refuse(text, "do not hold numbers: code them as numbers, or leave them out with --drop NAME", file)
    values = np.empty(table.shape, order="F")
    for i, name in enumerate(table.columns):
        values[:, i] = table[name]
    _refuse([name for name, v in _columns(table, values) if not np.isfinite(v).all()], "have infinite values", file)
    beyond = [name for name, v in _columns(table, values) if beyond_range(v)]
    _refuse(beyond, f"have a largest value beyond {1 / LARGEST:g} to {LARGEST:g} in size: change their unit", file)
    return values


def _refuse_mixed(table, file):
    """Refuse columns of text that have numbers too, with the first value that is neither a number nor missing."""
    places = []
    for name in table.columns:
        text, numbers = _parsed(table[name])
        wrong = numbers.isna() & ~text.isin(_MISSING)
        if numbers.notna().any() and wrong.any():
            places.append(_first(text, wrong))
    if places:
        raise ValueError(
            f"{file}: these values are not numbers (the first of each column): {_some(places)}: correct them, leave "
            "out the column with --drop NAME, or, if they are missing, write NA and use --drop-missing (missing are: "
            f"empty, {', '.join(_MISSING[1:])})"
        )


def _columns(table, values):
    return zip(table.columns, values.T, strict=True)


def _predictors(table, file):
    """The predictors as a DataFrame of finite floats; refuses columns that are constant or occur twice."""
    A = _numbers(table, file)
    _refuse(
        [name for name, column in _columns(table, A) if np.ptp(column) == 0],
        "are constant: leave them out with --drop NAME (an intercept is fitted unless --no-intercept says otherwise)",
        file,
    )
    prints = pd.Series([blake2b(column + 0.0).digest() for column in A.T])  # + 0.0: no -0.0
    first = dict(zip(prints[::-1], table.columns[::-1], strict=True))
    again = [f"{table.columns[i]!r} those of {first[prints[i]]!r}" for i in np.flatnonzero(prints.duplicated())]
    if again:
        raise ValueError(
            f"{file}: columns repeat the values of others: {_some(again)}; leave one of each out with --drop NAME"
        )
    return pd.DataFrame(A, columns=table.columns, copy=False)


def _refuse(names, why, file):
    if len(names):
        raise ValueError(f"{file}: these columns {why}: {_listed(names)}")


def _listed(names):
    return _some([repr(name) for name in names])


def _some(texts):
    more = f" and {len(texts) - _SHOWN} more" if len(texts) > _SHOWN else ""
    return ", ".join(texts[:_SHOWN]) + more


def _is_number(text):
    try:
        float(text.replace(",", "."))
    except ValueError:
        return False
    return True


def _read_text(file):
    encoding = _encoding(file)
    try:
        return _read_encoded(file, encoding)
    except UnicodeDecodeError:
        if encoding == "utf-16":
            raise
    try:
        table, notes = _read_encoded(file, "cp1252")
    except UnicodeDecodeError:
        raise ValueError("the text is neither UTF-8 nor Windows-1252 (Latin-1): save it as UTF-8") from None
    return table, [*notes, "the text is not UTF-8 and was read as Windows-1252 (Latin-1)"]


def _read_encoded(file, encoding):
    with open(file, encoding=encoding, newline="") as handle:
        skipped, lines = _opening(handle)
    separator = _separator(lines)
    marked = _marked_header(skipped, lines, separator)
    if marked is not None:
        lines, skipped = skipped[marked:] + lines, skipped[:marked]
    # pandas would rename columns that have no name or a duplicate name, so the names are read here.
    names = next(filter(None, csv.reader(lines, delimiter=separator)), [])
    notes = []
    if comments := sum(map(_is_comment, skipped)):
        notes.append(f"skipped {comments} line{'s' if comments > 1 else ''} before the header, beginning with #")
    if marked is not None:
        names[0] = names[0].lstrip("#").strip() or names[0]
        notes.append(f"the header is the line that begins with #; its first name is {names[0]!r}")

    def read(**how):
        with open(file, encoding=encoding, newline="") as handle, warnings.catch_warnings():
            # If rows are longer than the header, pandas drops values and warns. (Without index_col=False it would
            # shift the names by a column.)
            warnings.simplefilter("error", pd.errors.ParserWarning)
            warnings.simplefilter("ignore", pd.errors.DtypeWarning)  # text among numbers is looked at later
            for _ in skipped:
                handle.readline()
            try:
                return pd.read_csv(handle, sep=separator, index_col=False, **how)
            except pd.errors.ParserWarning:
                raise ValueError("rows have more values than the header has names: name every column") from None

    table = read()
    notes += [f"columns are separated by {_SEPARATORS[separator]}"] if separator == ";" else []
    if separator != "," and (commas := _decimal_commas(table)):
        table = read(decimal=",")
        notes.append("numbers have decimal commas")
        for name in commas:  # still text if there are marks of missing values
            if table[name].dtype.kind == "O":
                table[name] = table[name].str.replace(",", ".", regex=False)
    if len(names) == table.shape[1]:
        table.columns = names
    return table, notes


def _opening(handle):
    """The lines before the header, blank or beginning with #, and the first lines from it on that are not blank."""
    skipped, lines = [], []
    for line in handle:
        if not lines and (_is_comment(line) or not line.strip()):
            skipped.append(line)
        elif line.strip():
            lines.append(line)
        if len(lines) == _SAMPLE:
            break
    return skipped, lines


def _is_comment(line):
    return line.startswith("#")


def _marked_header(skipped, lines, separator):
    """The place of the last line with # if it is the header: as many columns as the next line, which has a number."""
    places = [i for i, line in enumerate(skipped) if _is_comment(line)]
    if not places or not lines:
        return None
    last, first = (next(csv.reader([line], delimiter=separator)) for line in (skipped[places[-1]], lines[0]))
    return places[-1] if len(last) == len(first) > 1 and any(map(_is_number, first)) else None


def _encoding(file):
    """UTF-16 if the file begins with its byte order mark, otherwise UTF-8, with or without a mark."""
    with open(file, "rb") as handle:
        mark = handle.read(2)
    return "utf-16" if mark in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"


def _separator(lines):
    """The separator with which the first lines have the most columns, and all the same number."""
    best = (1, ",")
    for separator in _SEPARATORS:
        try:
            widths = {len(row) for row in csv.reader(lines, delimiter=separator) if row}
        except csv.Error:  # with another separator a long line may be one field that is too long
            continue
        if len(widths) == 1 and max(widths) > best[0]:
            best = (max(widths), separator)
    if best[0] == 1 and lines:  # rows of unequal length: an error, to be told with the separator of the header
        counts = {separator: lines[0].count(separator) for separator in _SEPARATORS}
        return max(counts, key=counts.get)
    return best[1]


def _decimal_commas(table):
    """The columns of text with numbers such as 1,5 in every row that is not missing."""
    found = []
    for name in table.columns[[kind.kind not in "biuf" for kind in table.dtypes]]:
        column = table[name].dropna().astype(str).str.strip()
        column = column[~column.isin(_MISSING)]
        if len(column) and column.str.fullmatch(r"[-+]?\d*,\d+([eE][-+]?\d+)?|[-+]?\d+").all():
            found.append(name)
    return found


def _read_parquet(file):
    from pyarrow.parquet import read_metadata  # an optional package

    content = read_metadata(file)
    _require_room(content.num_rows * content.num_columns * 8)
    return pd.read_parquet(file), []


def _require_room(size):
    """A small file may unpack to more than the memory: its size is looked up before it is read."""
    if size > _LARGEST:
        raise ValueError(f"it unpacks to {size / 1e9:.1f} GB (allowed: up to {_LARGEST / 1e9:g} GB)")


def _read_npz(file):
    """One-dimensional arrays are columns; two-dimensional arrays give columns name_0, name_1, ..."""
    columns = {}
    with zipfile.ZipFile(file) as packed:
        _require_room(sum(part.file_size for part in packed.infolist()))
    with np.load(file, allow_pickle=False) as arrays:
        for name in arrays.files:
            array = arrays[name]
            if array.ndim not in (1, 2):
                raise ValueError(f"array {name!r} has shape {array.shape}; allowed: one or two dimensions")
            own = {name: array} if array.ndim == 1 else {f"{name}_{i}": column for i, column in enumerate(array.T)}
            if taken := sorted(own.keys() & columns.keys()):
                raise ValueError(f"two arrays give a column {taken[0]!r}: rename one")
            columns |= own
    return pd.DataFrame(columns), []


_READERS = {
    ".csv": _read_text,
    ".tsv": _read_text,
    ".txt": _read_text,
    ".parquet": _read_parquet,
    ".npz": _read_npz,
}
