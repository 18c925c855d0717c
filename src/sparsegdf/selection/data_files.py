"""Predictors and target from a data file: CSV, TSV, parquet or npz. Nothing is unpickled.

Columns and rows that a regression cannot use are an error that names them and says what to do; they are dropped only
if that is asked for, and counted.
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
_LARGEST = 2_000_000_000  # bytes of an unpacked file; fits take several times as much


class DataSet(NamedTuple):
    """Finite predictors (M, N) and target (M,), and what was done to get them."""

    A: pd.DataFrame
    y: np.ndarray
    notes: list


def read_problem(file, target, *, drop=(), drop_missing=None) -> DataSet:
    """Every column of the file except `target` and those in `drop` is a predictor.

    `drop_missing` is None (missing values are an error), "rows" or "columns".
    """
    table, notes = _read(file)
    _require_names(table, target, drop, file)
    table = table.drop(columns=list(drop))
    notes += [f"dropped as asked: {_listed(drop)}"] if drop else []
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


def read_predictors(file, target=None):
    """A DataFrame of every column, except `target` if it is given. All values are finite."""
    table, _ = _read(file)
    _require_names(table, target, (), file)
    if target is not None:
        table = table.drop(columns=target)
    return _predictors(_without_missing(table, None, None, file)[0], file)


def _read(file):
    """(table, notes) of a file."""
    file = Path(file)
    if file.suffix not in _READERS:
        raise ValueError(f"{file} has an unknown format (allowed: {', '.join(_READERS)})")
    if not file.is_file():
        raise ValueError(f"{file} does not exist or is not a file")
    try:
        table, notes = _READERS[file.suffix](file)
    except Exception as error:
        raise ValueError(f"{file} cannot be read: {error}") from error
    table.columns = [str(name) for name in table.columns]
    return table, notes


def _require_names(table, target, drop, file):
    if target not in table.columns and all(map(_is_number, table.columns)):
        raise ValueError(
            f"{file}: the first line holds numbers ({_listed(table.columns)}), not names: add a header line"
        )
    nameless = np.flatnonzero(table.columns.str.strip() == "").tolist()
    _refuse(nameless, "have no name (a saved index?), counted from 0: name or remove them", file)
    _refuse(table.columns[table.columns.duplicated()], "name more than one column", file)
    wanted = [(target, "for the target")] if target is not None else []
    for name, role in (*wanted, *((name, "to drop") for name in drop)):
        if name not in table.columns:
            raise ValueError(f"{file} has no column {name!r} {role}; it has {_listed(table.columns)}")
    if target in drop:
        raise ValueError(f"{target!r} is the target and cannot be dropped")


def _without_missing(table, target, drop_missing, file):
    """(table, notes) without missing values."""
    missing = table.isna()
    columns = missing.any()
    if not columns.any():
        return table, []
    rows = int(missing.any(axis=1).sum())
    if drop_missing == "rows":
        return table[~missing.any(axis=1)], [f"dropped {rows} of {len(table)} rows, which have missing values"]
    if drop_missing == "columns" and not columns[target]:
        gone = table.columns[columns]
        return table.loc[:, ~columns], [f"dropped {len(gone)} columns, which have missing values: {_listed(gone)}"]
    where = "the target too, so " if drop_missing == "columns" else ""
    names = table.columns[columns]
    raise ValueError(
        f"{file}: these columns have missing values, in {rows} of {len(table)} rows: {_listed(names)} "
        f"({where}--drop-missing rows leaves out these rows, --drop-missing columns these columns)"
    )


def _numbers(table, file):
    """The table as a float array stored by columns; raises ValueError for columns that do not hold finite numbers."""
    if len(table) < 2:
        raise ValueError(
            f"{file} has {len(table)} row{'' if len(table) == 1 else 's'} of data; at least 2 are needed"
        )
    text = [name for name in table.columns if table[name].dtype.kind not in "biuf"]
    _refuse(text, "do not hold numbers: code them as numbers, or leave them out with --drop NAME", file)
    values = np.empty(table.shape, order="F")
    for i, name in enumerate(table.columns):
        values[:, i] = table[name]
    _refuse([name for name, v in _columns(table, values) if not np.isfinite(v).all()], "have infinite values", file)
    beyond = [name for name, v in _columns(table, values) if beyond_range(v)]
    _refuse(beyond, f"have a largest value beyond {1 / LARGEST:g} to {LARGEST:g} in size: change their unit", file)
    return values


def _columns(table, values):
    return zip(table.columns, values.T, strict=True)


def _predictors(table, file):
    """The predictors as a DataFrame of finite floats; refuses columns that are constant or occur twice."""
    A = _numbers(table, file)
    _refuse(
        [name for name, column in _columns(table, A) if np.ptp(column) == 0],
        "are constant: remove them (an intercept is fitted unless --no-intercept says otherwise)",
        file,
    )
    prints = pd.Series([blake2b(column + 0.0).digest() for column in A.T])  # + 0.0: no -0.0
    _refuse(table.columns[prints.duplicated()], "repeat the values of another column: remove one of each pair", file)
    return pd.DataFrame(A, columns=table.columns, copy=False)


def _refuse(names, why, file):
    if len(names):
        raise ValueError(f"{file}: these columns {why}: {_listed(names)}")


def _listed(names):
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(map(repr, names[:_SHOWN])) + more


def _is_number(text):
    try:
        float(text.replace(",", "."))
    except ValueError:
        return False
    return True


def _read_text(file):
    encoding = _encoding(file)
    with open(file, encoding=encoding, newline="") as handle:
        lines = [line for line, _ in zip(filter(str.strip, handle), range(_SAMPLE), strict=False)]
    separator = _separator(lines)
    # pandas would rename columns that have no name or a duplicate name, so the names are read here.
    names = next(filter(None, csv.reader(lines, delimiter=separator)), [])
    how = {"sep": separator, "encoding": encoding, "index_col": False}
    with warnings.catch_warnings():
        # If rows are longer than the header, pandas drops values and warns. (Without index_col=False it would shift
        # the names by a column.)
        warnings.simplefilter("error", pd.errors.ParserWarning)
        table = pd.read_csv(file, **how)
        notes = [f"columns are separated by {_SEPARATORS[separator]}"] if separator == ";" else []
        if separator != "," and _has_decimal_commas(table):
            table = pd.read_csv(file, decimal=",", **how)
            notes.append("numbers have decimal commas")
    if len(names) == table.shape[1]:
        table.columns = names
    return table, notes


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


def _has_decimal_commas(table):
    """Whether a column of text has numbers such as 1,5 in every row that is not missing."""
    for name in table.columns[[kind.kind not in "biuf" for kind in table.dtypes]]:
        column = table[name].dropna().astype(str)
        if len(column) and column.str.fullmatch(r"\s*[-+]?\d*,\d+([eE][-+]?\d+)?\s*|\s*[-+]?\d+\s*").all():
            return True
    return False


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
    ".parquet": _read_parquet,
    ".npz": _read_npz,
}
