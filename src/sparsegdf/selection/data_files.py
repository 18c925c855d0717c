"""Predictors and target from a data file: CSV, TSV, parquet or npz. Nothing is unpickled.

Columns that a regression cannot use are an error that names them; dropping them silently would change the model.
"""

import csv
import warnings
from pathlib import Path

import numpy as np
import pandas as pd

from sparsegdf.checks import LARGEST, beyond_range

_SHOWN = 5  # A message lists at most this many names.


def read_problem(file, target):
    """(A, y): a DataFrame of every column except `target`, and `target` as an array. All values are finite."""
    table = _named_columns(file)
    _require_target(table, target, file)
    if len(table.columns) < 2:
        raise ValueError(f"{file} has no column except the target {target!r}")
    table = _numbers(table, file)
    if np.ptp(table[target]) == 0:
        raise ValueError(f"{file}: the target {target!r} is constant ({table[target].iloc[0]:g})")
    A = table.drop(columns=target)
    _require_predictors(A, file)
    same = A.columns[(A.to_numpy() == table[[target]].to_numpy()).all(axis=0)]
    _refuse(same, f"repeat the target {target!r}", file)
    return A, table[target].to_numpy()


def read_predictors(file, target=None):
    """A DataFrame of every column, except `target` if it is given. All values are finite."""
    table = _named_columns(file)
    if target is not None:
        _require_target(table, target, file)
        table = table.drop(columns=target)
    A = _numbers(table, file)
    _require_predictors(A, file)
    return A


def _named_columns(file):
    """The table of a file, each column with a name of its own."""
    file = Path(file)
    if file.suffix not in _READERS:
        raise ValueError(f"{file} has an unknown format (allowed: {', '.join(_READERS)})")
    if not file.is_file():
        raise ValueError(f"{file} does not exist or is not a file")
    try:
        table = _READERS[file.suffix](file)
    except Exception as error:
        raise ValueError(f"{file} cannot be read: {error}") from error
    table.columns = [str(name) for name in table.columns]
    nameless = np.flatnonzero(table.columns.str.strip() == "").tolist()
    _refuse(nameless, "have no name (a saved index?), counted from 0: name or remove them", file)
    _refuse(table.columns[table.columns.duplicated()], "name more than one column", file)
    return table


def _require_target(table, target, file):
    if target not in table.columns:
        raise ValueError(f"{file} has no column {target!r} for the target; it has {_listed(table.columns)}")


def _numbers(table, file):
    """The table as finite floats, at least two rows of them."""
    if len(table) < 2:
        raise ValueError(
            f"{file} has {len(table)} row{'' if len(table) == 1 else 's'} of data; at least 2 are needed"
        )
    kinds = [table[name].dtype.kind in "biuf" for name in table.columns]
    missing = table.isna().any()
    _refuse(table.columns[missing], "have missing values: fill them in or leave the rows out", file)
    _refuse(table.columns[~np.array(kinds)], "do not hold numbers: code or remove them", file)
    table = table.astype(float)
    _refuse(table.columns[~np.isfinite(table).all()], "have infinite values", file)
    _refuse(
        table.columns[beyond_range(table.to_numpy())],
        f"have a largest value beyond {1 / LARGEST:g} to {LARGEST:g} in size: change their unit",
        file,
    )
    return table


def _require_predictors(A, file):
    """Refuse columns that are constant or occur twice."""
    _refuse(
        A.columns[np.ptp(A, axis=0) == 0],
        "are constant: remove them (an intercept is fitted unless --no-intercept says otherwise)",
        file,
    )
    repeated = pd.Series([column.tobytes() for column in (A.to_numpy() + 0.0).T]).duplicated()  # + 0.0: no -0.0
    _refuse(A.columns[repeated], "repeat the values of another column: remove one of each pair", file)


def _refuse(names, why, file):
    if len(names):
        raise ValueError(f"{file}: these columns {why}: {_listed(names)}")


def _listed(names):
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(map(repr, names[:_SHOWN])) + more


def _read_text(file, separator):
    # pandas would rename columns that have no name or a duplicate name, so the names are read here.
    with open(file, encoding="utf-8-sig", newline="") as handle:
        names = next(filter(None, csv.reader(handle, delimiter=separator)), [])
    with warnings.catch_warnings():
        # If rows are longer than the header, pandas drops values and warns. (Without index_col=False it would shift
        # the names by a column.)
        warnings.simplefilter("error", pd.errors.ParserWarning)
        table = pd.read_csv(file, sep=separator, encoding="utf-8-sig", index_col=False)
    if len(names) == table.shape[1]:
        table.columns = names
    return table


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
    return pd.DataFrame(columns)


_READERS = {
    ".csv": lambda file: _read_text(file, ","),
    ".tsv": lambda file: _read_text(file, "\t"),
    ".parquet": pd.read_parquet,
    ".npz": _read_npz,
}
