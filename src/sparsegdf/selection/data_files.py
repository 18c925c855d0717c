"""Predictors and target from a data file: CSV, TSV, parquet or npz. Nothing is unpickled.

Columns and rows that a regression cannot use are an error that names them and says what to do; they are dropped only
if that is asked for, and counted.
"""

import csv
import warnings
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from sparsegdf.checks import LARGEST, beyond_range

_SHOWN = 5  # A message lists at most this many names.
_SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs"}
_SAMPLE = 20  # The separator is found from this many lines.


class DataSet(NamedTuple):
    """Finite predictors (M, N) and target (M,), and what was done to get them."""

    A: pd.DataFrame
    y: np.ndarray
    notes: list


def read_problem(file, target, *, drop=(), drop_missing=None) -> DataSet:
    """Every column of the file except `target` and those in `drop` is a predictor.

    `drop_missing` is None (missing values are an error), "rows" or "columns".
    """
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
    _require_names(table, target, drop, file)
    table = table.drop(columns=list(drop))
    notes += [f"dropped as asked: {_listed(drop)}"] if drop else []
    table, dropped = _without_missing(table, target, drop_missing, file)
    if len(table.columns) < 2:
        raise ValueError(f"{file} has no column except the target {target!r}")
    if len(table) < 2:
        raise ValueError(
            f"{file} has {len(table)} row{'' if len(table) == 1 else 's'} of data; at least 2 are needed"
        )
    A, y, names = _numbers(table, target, file)
    return DataSet(pd.DataFrame(A, columns=names, copy=False), y, notes + dropped)


def _require_names(table, target, drop, file):
    if target not in table.columns and all(map(_is_number, table.columns)):
        raise ValueError(
            f"{file}: the first line holds numbers ({_listed(table.columns)}), not names: add a header line"
        )
    nameless = np.flatnonzero(table.columns.str.strip() == "").tolist()
    _refuse(nameless, "have no name (a saved index?), counted from 0: name or remove them", file)
    _refuse(table.columns[table.columns.duplicated()], "name more than one column", file)
    for name, role in ((target, "for the target"), *((name, "to drop") for name in drop)):
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


def _numbers(table, target, file):
    """(A, y, names) as float arrays, A stored by columns; raises ValueError for columns that cannot be used."""
    text = [name for name in table.columns if table[name].dtype.kind not in "biuf"]
    _refuse(text, "do not hold numbers: code them as numbers, or leave them out with --drop NAME", file)
    names = [name for name in table.columns if name != target]
    y = table[target].to_numpy(float)
    A = np.empty((len(table), len(names)), order="F")
    for i, name in enumerate(names):
        A[:, i] = table[name]
    infinite = [
        name for name, column in zip([*names, target], [*A.T, y], strict=True) if not np.isfinite(column).all()
    ]
    _refuse(infinite, "have infinite values", file)
    beyond = [name for name, column in zip([*names, target], [*A.T, y], strict=True) if beyond_range(column)]
    _refuse(beyond, f"have a largest value beyond {1 / LARGEST:g} to {LARGEST:g} in size: change their unit", file)
    if np.ptp(y) == 0:
        raise ValueError(f"{file}: the target {target!r} is constant ({y[0]:g})")
    constant = [name for name, column in zip(names, A.T, strict=True) if np.ptp(column) == 0]
    why = "are constant: remove them (an intercept is fitted unless --no-intercept says otherwise)"
    _refuse(constant, why, file)
    prints = pd.Series([blake2b(column + 0.0).digest() for column in A.T])  # + 0.0: no -0.0
    repeated = [name for name, twice in zip(names, prints.duplicated(), strict=True) if twice]
    _refuse(repeated, "repeat the values of another column: remove one of each pair", file)
    same = [name for name, one in zip(names, prints, strict=True) if one == blake2b(y + 0.0).digest()]
    _refuse(same, f"repeat the target {target!r}", file)
    return A, y, names


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


def _read_npz(file):
    """One-dimensional arrays are columns; two-dimensional arrays give columns name_0, name_1, ..."""
    columns = {}
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
    ".parquet": lambda file: (pd.read_parquet(file), []),
    ".npz": _read_npz,
}
