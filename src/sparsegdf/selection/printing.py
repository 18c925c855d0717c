"""Tables as text and values as JSON, for the command line."""

import numpy as np
import pandas as pd

ROWS = 25  # At most this many rows of a path are printed.


def as_text(frame, columns, mark=None, most=ROWS):
    """The frame as text. A long one is cut to `most` evenly spaced rows, from first to last, and the marked one."""
    rows = np.arange(len(frame))
    if most and rows.size > most:
        rows = np.unique(np.append(np.linspace(0, rows.size - 1, most).round().astype(int), mark))
    shown = frame[[name for name in columns if name in frame]].iloc[rows]
    text = shown.to_string(index=False, float_format=lambda value: f"{value:.5g}").splitlines()
    if mark is None:
        return "\n".join(text)
    marked = [f"{'>' if row == mark else ' '} {line}" for row, line in zip(rows, text[1:], strict=True)]
    note = [f"({rows.size} of {len(frame)} levels; the CSV file has all)"] if rows.size < len(frame) else []
    return "\n".join([f"  {text[0]}", *marked, *note])


def as_builtins(value):
    """The value as builtins for JSON; NaN and infinity, which JSON does not have, become None."""
    if isinstance(value, dict):
        return {key: as_builtins(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [as_builtins(entry) for entry in value]
    if isinstance(value, np.ndarray):
        return as_builtins(value.tolist())
    if isinstance(value, np.generic):
        value = value.item()
    if value is pd.NA:
        return None
    return None if isinstance(value, float) and not np.isfinite(value) else value
