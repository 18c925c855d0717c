"""Compare a run with the reference run: the CSV of each figure and table against reference/, number by number.

    identical       the same bytes
    within noise    theory to 1e-8, Monte Carlo means within their standard errors
    changed         anything else; the column and the row are named
    missing         in the reference, but not in the run
    damaged         a file of the run or of the reference that cannot be read
    not compared    not in the reference, or at a scale at which nothing is comparable

paper/columns.py defines how each column may differ. Rows are matched on their keys: names, sizes, and the grid (eta
where samples were drawn, else delta). A Monte Carlo mean, a column x with its x_se, may differ by a quantile of
Student's t times sqrt(se^2 + se_ref^2), at a level of 0.01 shared among all such numbers of the file (Bonferroni).
Runs that share samples differ by less. The error of the smaller of two runs is at least the one that the larger run
predicts for it, since few samples of a skewed quantity underestimate the error. Fractions of samples and numbers of
levels have a binomial error. Simulation results without an error (steps, chi2; a mean over converged samples where
none or one converged) are reported but not judged.

A run at another scale is compared as far as possible: rows with common keys, and theory curves on another grid by
linear interpolation of the reference, to within its second differences (eight times the error for a smooth curve).
Simulations of another size, and results that are bounds (exact = False), are not compared.
"""

import io
import json
import warnings
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy import stats

from sparsegdf.paper.columns import COUNT, FRACTION, KEY, MINIMUM, UNJUDGED, columns_of

TOLERANCE = 1e-8
PLACE_OF_MINIMUM = 1e-6  # A minimum is flat, so its position is known only to the square root of the precision.
LEVEL = 0.01
# Settings that change how much is computed, but not what.
SCALE = {"samples", "chunk", "first", "last", "count", "max_size", "restarts", "zoom"}


class Verdict(NamedTuple):
    """The verdict on one file: the word, the largest deviation, and notes on what was not compared."""

    name: str
    word: str
    text: str = ""
    notes: tuple = ()

    @property
    def failed(self):
        return self.word in ("changed", "missing", "damaged")


class Damaged(Exception):
    """A file cannot be read as what its name says; the message names it and the reason."""


class Compared(NamedTuple):
    """The numbers of one column in matched rows: |new - old| may be `allowed`, or a quantile times `error`."""

    name: str
    rows: pd.DataFrame  # the keys
    new: np.ndarray
    old: np.ndarray
    allowed: np.ndarray
    error: np.ndarray  # of the difference; 0 for theory
    dof: np.ndarray  # of that error

    def ratios(self, level):
        """Each difference over its allowed size, at this two-sided level for a number with an error."""
        limit = np.maximum(self.allowed, np.nan_to_num(stats.t.isf(level / 2, self.dof) * self.error))
        return _difference(self.new, self.old) / limit

    def describe(self, i):
        text = (
            f"{self.name} is {_shown(self.new[i])}, was {_shown(self.old[i])} ({_row(self.rows, self.rows.iloc[i])})"
        )
        if self.error[i] > 0:
            text += f", z = {_difference(self.new, self.old)[i] / self.error[i]:.1f}"
        return text


def verify(folder, reference, *, same_scale) -> list[Verdict]:
    """A verdict on each figure*.csv and table*.csv of both folders. same_scale: the runs should be the same."""
    folder, reference = Path(folder), Path(reference)
    kinds = ("figure*.csv", "table*.csv")
    names = {file.name for place in (folder, reference) for kind in kinds for file in place.glob(kind)}
    return [compare(folder / name, reference / name, same_scale=same_scale) for name in sorted(names)]


def compare(file, reference, *, same_scale) -> Verdict:
    """The verdict on one CSV file."""
    name, sidecars = file.stem, [path.with_suffix(".json") for path in (file, reference)]
    if not reference.exists():
        return Verdict(name, "not compared", "not in the reference")
    if not file.exists():
        return Verdict(name, "missing", "in the reference, not in this run")
    if file.read_bytes() == reference.read_bytes():
        return Verdict(name, "identical")
    try:
        return _compare_content(name, file, reference, sidecars, same_scale)
    except Damaged as error:
        return Verdict(name, "damaged", str(error))


def _compare_content(name, file, reference, sidecars, same_scale):
    described = all(sidecar.exists() for sidecar in sidecars)
    settings = _other_settings(*sidecars) if described else []
    if settings:
        text = f"made with other settings: {', '.join(settings[:4])}{', ...' if len(settings) > 4 else ''}"
        return Verdict(name, "changed" if same_scale else "not compared", text)
    run, old = map(_table, (file, reference))
    if list(run) != list(old):
        return Verdict(name, "changed", f"columns differ: {', '.join(sorted(set(run) ^ set(old))) or 'their order'}")
    for column in run:
        text = [path for path, frame in ((file, run), (reference, old)) if not _is_number(frame[column])]
        if len(text) == 1 and run[column].notna().any() and old[column].notna().any():
            raise Damaged(f"{text[0]}: the column {column} does not hold numbers alone")
    columns, lost, notes, schema = [], [], [], columns_of(name, run)
    for kind, parts in _kinds(run, old):
        said = []
        _compare_rows(*parts, schema, same_scale, described, columns, lost, said)
        notes += [f"{kind}: {note}" if kind else note for note in said]
    if lost:
        return Verdict(
            name, "changed", lost[0] + (f", and {len(lost) - 1} more" if len(lost) > 1 else ""), tuple(notes)
        )
    if not columns:
        return Verdict(name, "not compared", "nothing in it is comparable", tuple(notes))
    return Verdict(name, *_largest(columns), tuple(notes))


def _largest(columns):
    """The word for these columns, and a text about the number with the largest deviation."""
    noisy = sum(np.count_nonzero(column.error > 0) for column in columns)
    level = LEVEL / max(noisy, 1)
    ratios = [column.ratios(level) for column in columns]
    worst = max(range(len(columns)), key=lambda c: ratios[c].max())
    beyond = sum(np.count_nonzero(ratio > 1) for ratio in ratios)
    total = sum(map(len, ratios))
    limit = f"|z| < {stats.norm.isf(level / 2):.1f} (more for few samples)" if noisy else f"{TOLERANCE:g}"
    text = f"{columns[worst].describe(int(ratios[worst].argmax()))}: {ratios[worst].max():.2g} of what is allowed"
    return ("changed" if beyond else "within noise"), f"{text}; {beyond} of {total} numbers beyond, limit {limit}"


def _compare_rows(run, old, schema, same_scale, described, columns, lost, notes):
    """Match the rows of one kind; add their columns, the rows lost, and notes on what was left out."""
    simulated = "samples" in run
    keys = [name for name in run if schema[name].differs == KEY]
    grid = None
    if not keys or run.duplicated(keys).any() or old.duplicated(keys).any():
        random = simulated or any(name.endswith("_se") for name in run)
        grid = "eta" if random and "eta" in run else "delta"
        keys += [grid] if grid in run else []
    run, old = _indexed(run, keys), _indexed(old, keys)
    gone, new = old.index.difference(run.index, sort=False), run.index.difference(old.index, sort=False)
    if same_scale:
        for rows, what in ((gone, "row lost"), (new, "row not in the reference")):
            lost += [f"{what}: {_row(keys, row)}" for row in rows]
    elif grid == "delta" and not simulated and len(new):
        columns += _interpolated(run.loc[new], old, keys[:-1])
        notes.append(f"{len(new)} rows on another grid: compared by interpolation, except at the ends of branches")
    elif len(gone) + len(new):
        notes.append(f"without a counterpart: {len(gone)} rows of the reference, {len(new)} of the run")
    common = run.index.intersection(old.index, sort=False)
    run, old = run.loc[common], old.loc[common]
    if simulated and not same_scale:
        keep = _comparable(run, old, described)
        if not keep.all():
            notes.append(f"{np.count_nonzero(~keep)} rows depend on the size of the simulation: not compared")
        run, old = run[keep], old[keep]
    if len(run):
        columns += _columns(run, old, schema, keys, simulated, grid, notes)


def _columns(run, old, schema, keys, simulated, grid, notes):
    """The measured columns of matched rows."""
    samples, used = (np.minimum(count(run), count(old)) for count in (_samples, _used))
    part = (_used(run) < _samples(run)) & (_used(old) < _samples(old))
    found, unjudged, empty = [], [], []
    for name in [name for name in run if name not in keys and not (name.endswith("_se") and name[:-3] in run)]:
        new, was, error, count = run[name], old[name], np.zeros(len(run)), samples
        differs, of = schema[name].differs, schema[name].of
        if f"{name}_se" in run:
            error, count = _error(run, old, f"{name}_se", simulated), used
        elif simulated and differs == FRACTION:
            of = of if of in run else "samples"
            error = np.hypot(*(_binomial(frame[name], frame[of]) for frame in (run, old)))
            count = np.minimum(run[of], old[of]).to_numpy(float)
        elif differs == COUNT:
            error = np.hypot(*(frame[of] * _binomial(frame[name] / frame[of], frame[of]) for frame in (run, old)))
            error = error.to_numpy()
        elif differs == UNJUDGED or grid == "eta":
            unjudged += [name] if not new.equals(was) else []
            continue
        new, was = _values(new), _values(was)
        allowed = _tolerance(was)
        if differs == MINIMUM:
            allowed = np.where(run["kind"] == "minimum", PLACE_OF_MINIMUM, allowed)
        # Where few samples converge, by chance none or one may. Then the mean or its error does not exist.
        keep = ~(part & np.isnan(error) & (_difference(new, was) > 0))
        empty += [name] if not keep.all() else []
        measured = (_rows(run, keys), new, was, allowed, error, np.maximum(count - 1, 1))
        found += [Compared(name, *(values[keep] for values in measured))] if keep.any() else []
    if unjudged:
        notes.append(f"different, but without an error to judge by: {', '.join(unjudged)}")
    if empty:
        notes.append(f"not compared where a run has fewer than two samples to average: {', '.join(empty)}")
    return found


def _samples(frame):
    return frame["samples"].to_numpy(float) if "samples" in frame else np.full(len(frame), np.inf)


def _used(frame):
    """How many samples each row averages: those that converged."""
    return _samples(frame) * np.asarray(frame.get("fraction_converged", 1), dtype=float)


def _interpolated(run, old, names):
    """Theory at deltas that are not in the reference, between two of its points on the same branch."""
    found = []
    groups, parts = (
        dict(list(frame.reset_index(drop=True).groupby(names or (lambda _: 0), dropna=False))) for frame in (old, run)
    )
    for key, part in parts.items():
        if key not in groups:
            continue
        curve = groups[key].sort_values("delta")
        grid, deltas = curve["delta"].to_numpy(), part["delta"].to_numpy()
        left = np.searchsorted(grid, deltas) - 1
        inside = (left >= 1) & (left < len(grid) - 2)
        for word in [name for name in ("branch", "rs_stable", "rs_branch") if name in part]:
            around = np.stack([curve[word].to_numpy()[np.clip(left + k, 0, len(grid) - 1)] for k in (-1, 0, 1, 2)])
            inside &= (around == part[word].to_numpy()).all(axis=0)
        part, left = part[inside], left[inside]
        weight = (part["delta"].to_numpy() - grid[left]) / (grid[left + 1] - grid[left])
        for name in part.select_dtypes("float").columns.difference(["delta", *names], sort=False):
            y = curve[name].to_numpy(float)
            with np.errstate(invalid="ignore"):  # infinite beyond the AT line: left out below
                bend = np.abs(y[:-2] - 2 * y[1:-1] + y[2:])
                allowed = np.maximum(bend[left - 1], bend[left])
                was = (1 - weight) * y[left] + weight * y[left + 1]
            sure = np.isfinite(allowed)
            rows = _rows(part, [*names, "delta"])[sure]
            allowed, was, new = (
                np.maximum(allowed, _tolerance(was))[sure],
                was[sure],
                part[name].to_numpy(float)[sure],
            )
            if len(new):
                found.append(Compared(name, rows, new, was, allowed, np.zeros(len(new)), np.full(len(new), np.inf)))
    return found


def _error(run, old, name, simulated):
    """Standard error of the difference of two means."""
    new, was = run[name].to_numpy(float), old[name].to_numpy(float)
    if simulated:
        scale = np.sqrt(run["samples"].to_numpy(float) / old["samples"].to_numpy(float))
        new = np.where(scale < 1, np.fmax(new, was / scale), new)
        was = np.where(scale > 1, np.fmax(was, new * scale), was)
    return np.hypot(new, was)


def _comparable(run, old, described):
    """Which simulated rows mean the same in runs of different scale."""
    keep = np.full(len(run), described or "N" in run)
    if "exact" in run:
        keep &= (run["exact"].astype(str) == "True").to_numpy()
    if "truncated" in run:
        keep &= ((run["truncated"] == 0) & (old["truncated"] == 0)).to_numpy()
    return keep


def _kinds(run, old):
    """The rows by kind, if there is such a column, each kind without its empty columns."""
    kinds = sorted({*run["kind"], *old["kind"]}) if "kind" in run else [None]
    for kind in kinds:
        parts = [frame if kind is None else frame[frame["kind"] == kind] for frame in (run, old)]
        used = [name for name in run if any(part[name].notna().any() for part in parts)]
        yield kind, [part[used] for part in parts]


def _indexed(frame, keys):
    """Rows indexed by key, with floats rounded to 12 decimals and a counter that distinguishes equal keys."""
    index = _rows(frame, keys)
    index["#"] = index.groupby(keys).cumcount() if keys else range(len(index))
    return frame.set_axis(pd.MultiIndex.from_frame(index))


def _rows(frame, keys):
    rows = frame[keys].copy()
    for name in rows.select_dtypes("number"):
        rows[name] = rows[name].astype(float).round(12)
    return rows.astype(object).where(rows.notna(), "").reset_index(drop=True)


def _row(keys, values):
    return ", ".join(f"{key} {_shown(value)}" for key, value in zip(keys, values, strict=False) if value != "")


def _values(column):
    """The column as floats if it is numeric, else as strings."""
    return column.to_numpy(float) if _is_number(column) else column.astype(str).to_numpy(object)


def _is_number(column):
    return pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column)


def _difference(new, old):
    """|new - old|: zero where both are the same string, infinity or NaN; infinite where they differ in that."""
    same = (new == old) | (pd.isna(new) & pd.isna(old))
    if new.dtype == object or old.dtype == object:
        return np.where(same, 0.0, np.inf)
    with np.errstate(invalid="ignore"):
        return np.where(same, 0.0, np.nan_to_num(np.abs(new - old), nan=np.inf))


def _tolerance(old):
    """The tolerance for rounding: absolute below 1, relative above."""
    if old.dtype == object:
        return np.full(len(old), TOLERANCE)
    return TOLERANCE * np.maximum(1, np.abs(np.where(np.isfinite(old), old, 0)))


def _binomial(fraction, samples):
    """Standard error of a fraction. By Laplace's rule it is not zero for fractions 0 and 1."""
    p = (fraction * samples + 1) / (samples + 2)
    return np.sqrt(p * (1 - p) / samples).to_numpy(float)


def _table(file):
    """The rows of a CSV file, which ends with a line break unless it was cut off."""
    text = _text(file)
    if not text:
        raise Damaged(f"{file} is empty")
    if not text.endswith("\n"):
        raise Damaged(f"{file} ends in the middle of a line: it is cut off")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)
            frame = pd.read_csv(io.StringIO(text), low_memory=False, index_col=False)
    except (ValueError, pd.errors.ParserWarning) as error:
        raise Damaged(f"{file} is no CSV table: {str(error).strip()}") from None
    if frame.empty:
        raise Damaged(f"{file} has no rows")
    return frame


def _sidecar(file):
    """The settings that a figure was made with."""
    try:
        content = json.loads(_text(file))
    except ValueError as error:
        raise Damaged(f"{file} is not JSON: {error}") from None
    if not isinstance(content, dict) or "config" not in content:
        raise Damaged(f"{file} has no settings under the key 'config'")
    return content


def _text(file):
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise Damaged(f"{file} cannot be read: {error}") from None


def _other_settings(file, reference):
    """The settings, except those of scale, that differ between two sidecars, as "key new (was old)"."""
    new, old = (_leaves(_sidecar(path)["config"]) for path in (file, reference))
    differ = [key for key in sorted(new.keys() | old.keys()) if key[-1] not in SCALE and new.get(key) != old.get(key)]
    return [f"{'.'.join(key)} {new.get(key)} (was {old.get(key)})" for key in differ]


def _leaves(tree, path=()):
    items = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else None
    if items is None:
        return {path: tree}
    return {key: leaf for name, branch in items for key, leaf in _leaves(branch, (*path, str(name))).items()}


def _shown(value):
    return f"{value:.10g}" if isinstance(value, float) else str(value)
