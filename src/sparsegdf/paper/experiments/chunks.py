"""Checks of a chunk of samples before it is averaged."""

import numpy as np


def require_samples(rows, first, last, **levels):
    """Raise ValueError unless there is one row for each sample first..last and each level: eta=[...] or K=[...]."""
    ((name, values),) = levels.items()
    found = rows[["sample", name]].to_numpy(float)
    wanted = np.stack(np.meshgrid(np.arange(first, last + 1), values, indexing="ij"), axis=-1).reshape(-1, 2)
    if not np.array_equal(_sorted(found), _sorted(wanted.astype(float))):
        samples = sorted(set(rows["sample"]))
        have = f"samples {samples[0]} to {samples[-1]}" if samples else "no samples"
        raise ValueError(
            f"a chunk has {have} in {len(rows)} rows; wanted are samples {first} to {last}, "
            f"each at {len(values)} values of {name}"
        )


def require_finite(rows, columns):
    """Raise ValueError if a row has a value that is not finite in one of the columns."""
    bad = ~np.isfinite(rows[list(columns)].to_numpy(float))
    if bad.any():
        row, column = np.argwhere(bad)[0]
        where = ", ".join(f"{name} = {rows[name].iloc[row]}" for name in ("sample", "eta", "K") if name in rows)
        raise ValueError(
            f"{columns[column]} is {rows[columns[column]].iloc[row]} at {where}; "
            f"{bad.any(axis=1).sum()} of {len(rows)} rows are not finite"
        )


def _sorted(pairs):
    return pairs[np.lexsort(pairs.T[::-1])]
