"""Argument checks shared by the public functions. Each error names the argument, its value and the allowed range."""

import math
from operator import index

import numpy as np

LARGEST = 1e75  # |A_ij| and |y_i| may not be larger, since their fourth powers are computed


def require_number(name, value, *, above=None, at_least=None, at_most=None):
    """Return `value` as a float, or raise ValueError if it is not a finite number in the stated range."""
    bounds = [(above, "> ", lambda v, b: v > b), (at_least, ">= ", lambda v, b: v >= b)]
    bounds += [(at_most, "<= ", lambda v, b: v <= b)]
    allowed = " and ".join(f"{sign}{bound:g}" for bound, sign, _ in bounds if bound is not None) or "finite"
    value = value.item() if isinstance(value, np.generic) else value  # shown as 0.5, not as np.float64(0.5)
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = None
    if number is None or isinstance(value, str):  # "8" would pass here and fail later
        raise ValueError(f"{name} = {value!r} is not a number (allowed: {allowed})")
    if not math.isfinite(number) or any(b is not None and not holds(number, b) for b, _, holds in bounds):
        raise ValueError(f"{name} = {value!r} is out of range (allowed: {allowed})")
    return number


def require_integer(name, value, *, at_least, at_most=None):
    """Return `value` as an int, or raise ValueError if it is not an integer in the stated range."""
    allowed = f"integers >= {at_least}" + ("" if at_most is None else f" and <= {at_most}")
    try:
        number = index(value)
    except TypeError:
        raise ValueError(f"{name} = {value!r} is not an integer (allowed: {allowed})") from None
    if number < at_least or (at_most is not None and number > at_most):
        raise ValueError(f"{name} = {number} is out of range (allowed: {allowed})")
    return number


def as_floats(name, values):
    """Return `values` as a float64 array, or raise ValueError if they are not numbers."""
    try:
        return np.asarray(values, dtype=float)
    except (TypeError, ValueError) as error:
        if hasattr(values, "columns"):  # name the column
            for i, label in enumerate(values.columns):
                as_floats(f"column {label!r} of {name}", values.iloc[:, i])
        raise ValueError(f"{name} does not hold numbers alone ({error})") from None


def require_finite(name, array, columns=None):
    """Raise ValueError with the first entry that is not finite; `columns` are names for the last index."""
    if not np.isfinite(array).all():
        where = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        named = list(where) if columns is None else [*where[:-1], columns[where[-1]]]
        raise ValueError(f"{name}{named} = {array[where]}; allowed: finite numbers")


def beyond_range(values):
    """Whether the fourth power of the largest |value| of each column overflows or underflows."""
    largest = np.maximum(np.max(values, axis=0), -np.min(values, axis=0))
    return (largest > LARGEST) | ((largest > 0) & (largest < 1 / LARGEST))


def require_data(A, y):
    """Return (A, y) as float64 arrays of shapes (M, N) and (M,), finite and without constant columns.

    A constant column could only stand for an intercept, which the model does not have. If there is only one row, only
    zero entries are rejected. Values whose powers overflow or underflow are rejected, too.
    """
    columns = list(A.columns) if hasattr(A, "columns") else None
    A, y = as_floats("A", A), as_floats("y", y)
    if A.ndim != 2 or min(A.shape) < 1:
        raise ValueError(f"A has shape {A.shape}; allowed: (M, N) with M, N >= 1")
    if y.shape != (A.shape[0],):
        raise ValueError(f"y has shape {y.shape}; allowed: ({A.shape[0]},), one value per row of A {A.shape}")
    columns = range(A.shape[1]) if columns is None else columns
    require_finite("A", A, columns)
    require_finite("y", y)
    for name, array in ((f"column {columns[np.argmax(beyond_range(A))]!r} of A", A), ("y", y)):
        if beyond_range(array).any():
            column = array if array.ndim == 1 else array[:, np.argmax(beyond_range(array))]
            raise ValueError(
                f"{name} has values up to {np.abs(column).max():g} in size; allowed: {1 / LARGEST:g} to {LARGEST:g}, "
                "change its unit"
            )
    constant = np.flatnonzero(np.ptp(A, axis=0) == 0 if A.shape[0] > 1 else A[0] == 0)
    if constant.size:
        raise ValueError(
            f"column {columns[constant[0]]!r} of A is constant ({A[0, constant[0]]:g}); remove such columns"
        )
    return A, y


def require_etas(etas):
    """Return `etas` as a float64 array that is strictly decreasing (sparse to dense) and non-negative."""
    etas = np.atleast_1d(as_floats("etas", etas))
    if etas.ndim != 1 or etas.size == 0:
        raise ValueError(f"etas has shape {etas.shape}; allowed: a non-empty list of numbers")
    if not np.isfinite(etas).all() or (etas < 0).any():
        bad = etas[~np.isfinite(etas) | (etas < 0)][0]
        raise ValueError(f"etas contains {bad}; allowed: finite numbers >= 0")
    if (np.diff(etas) >= 0).any():
        raise ValueError(f"etas = {etas.tolist()} is unsorted; allowed: strictly decreasing, from sparse to dense")
    return etas
