"""The command `sparsegdf`: model selection on a data file, and the replica theory as a table."""

import argparse
import json
import sys
import warnings
from dataclasses import MISSING, fields
from pathlib import Path

import numpy as np
import pandas as pd

from sparsegdf.penalties.registry import PENALTIES, make_penalty
from sparsegdf.selection.criteria import CRITERIA

_ROWS = 25  # At most this many rows of the path are printed.
_SELECT_COLUMNS = ["eta", "nonzeros", "df", "df_se", "err_train", *dict.fromkeys(c.column for c in CRITERIA.values())]
_SELECT_COLUMNS += ["cv_se", "converged", "jumps"]
_THEORY_COLUMNS = ["delta", "eta", "df", "err_train", "err_pre", "at", "rs_stable", "branch"]

_ABOUT = """\
Generalized degrees of freedom (df) of sparse regression, 1/2 ||y - A x||^2 + r(x; eta).

  sparsegdf select data.csv --target y --penalty scad     choose a model for your data by C_p
  sparsegdf theory --penalty scad --alpha 0.5 --delta 0.1:0.9:0.1     the replica-symmetric curve
  sparsegdf theory --penalty scad --predictors data.csv --target y --delta 0.1:0.9:0.1     for your predictors

sparsegdf select --help and sparsegdf theory --help explain the options. Exit status: 0, or 2 with a message when the
arguments or the data cannot be used."""

_SELECT = """\
Fits the path in eta from sparse to dense and chooses the model with the smallest criterion, by default
C_p = err_train + 2 sigma2 df, where df is the fraction of degrees of freedom used (of the rows). Prints the path,
the model and why; writes <file>_<penalty>_path.csv, <file>_<penalty>_path.png into --output.

Every column except the target is a predictor. All columns must be numeric, without missing values. In an npz file,
one-dimensional arrays are columns, and two-dimensional arrays give columns name_0, name_1, ... The penalty l0 is
solved by exact search and allows at most 30 predictors."""

_THEORY = """\
Prints the replica-symmetric solution for y of variance 1: at each delta = non-zeros/rows the eta, df, training and
prediction error, the AT condition (above 1: unstable) and the branch. The predictors are iid with this alpha, or
those of a file, of which the singular values are used: its columns are centred and scaled to norm 1, as in select,
and one row is left out for the intercept. Taking their singular vectors as random is an approximation."""


def main(arguments=None):
    """Run the command; returns the exit status."""
    options = _parser().parse_args(arguments)
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")  # names may have characters that the terminal cannot show
    try:
        options.run(options)
    except ModuleNotFoundError as error:
        print(f"sparsegdf: error: {error}; install it with pip install 'sparsegdf[plot,parquet]'", file=sys.stderr)
        return 2
    except (ValueError, OSError) as error:
        print(f"sparsegdf: error: {error}", file=sys.stderr)
        return 2
    return 0


def _parser():
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(prog="sparsegdf", description=_ABOUT, formatter_class=raw)
    commands = parser.add_subparsers(required=True, metavar="{select,theory}")

    select = commands.add_parser("select", description=_SELECT, formatter_class=raw, help="choose a model for a file")
    select.set_defaults(run=_select)
    select.add_argument("file", help="data: .csv, .tsv, .parquet or .npz")
    select.add_argument("--target", required=True, help="the column to predict")
    _add_penalty(select)
    select.add_argument("--sigma2", type=float, help="noise variance (default: estimated from residuals)")
    select.add_argument(
        "--eta-min",
        type=float,
        metavar="ETA",
        help="the last eta of the path (default: where a column enters at a tenth of its standard error or less)",
    )
    select.add_argument("--levels", type=int, metavar="L", help="levels of eta on the path (default: 100)")
    select.add_argument("--no-standardise", action="store_true", help="do not scale the columns to norm 1")
    select.add_argument("--no-intercept", action="store_true", help="no constant term")
    select.add_argument(
        "--criterion", choices=list(CRITERIA), default="cp", help="what the chosen model minimises (default: cp)"
    )
    select.add_argument(
        "--ebic-gamma", type=float, default=1.0, metavar="G", help="the gamma of ebic, 0 to 1 (default: 1)"
    )
    select.add_argument("--folds", type=int, default=10, metavar="K", help="of the cross-validation (default: 10)")
    select.add_argument("--repeats", type=int, default=1, metavar="R", help="of the cross-validation (default: 1)")
    select.add_argument(
        "--bootstrap",
        type=int,
        metavar="B",
        help="df by the bootstrap covariance over B samples, with its standard error; 0: Stein's divergence, which "
        "is too small where the fit jumps (default: 50 for a penalty that is not convex, otherwise 0)",
    )
    select.add_argument("--seed", type=int, default=0, help="random seed of the bootstrap (default: 0)")
    select.add_argument("--jobs", type=int, default=1, help="processes for the bootstrap (default: 1)")
    select.add_argument("--output", default=".", metavar="FOLDER", help="folder for CSV and figure (default: .)")
    select.add_argument(
        "--predicted",
        action="store_true",
        help="add to the figure the df that the theory predicts from the singular values of the predictors",
    )
    select.add_argument("--json", action="store_true", help="print one JSON object instead of text")

    theory = commands.add_parser("theory", description=_THEORY, formatter_class=raw, help="the replica curve")
    theory.set_defaults(run=_theory)
    _add_penalty(theory)
    predictors = theory.add_mutually_exclusive_group(required=True)
    predictors.add_argument("--alpha", type=float, help="rows / columns of iid predictors")
    predictors.add_argument("--predictors", metavar="FILE", help="a data file whose spectrum is used")
    theory.add_argument("--target", help="a column of that file that is not a predictor")
    theory.add_argument("--delta", required=True, metavar="D", help="one value, a,b,c or first:last:step")
    theory.add_argument("--json", action="store_true", help="print a JSON list instead of text")
    return parser


def _add_penalty(parser):
    parser.add_argument("--penalty", required=True, choices=list(PENALTIES), help="the penalty r(x; eta)")
    for name, owners in _parameters().items():
        texts = [_about(kind, field) for kind, field in owners.items()]
        parser.add_argument(f"--{name}", type=float, help="; ".join(texts))


def _parameters():
    """The parameters of all penalties: {name: {kind of penalty: field}}."""
    owners = {}
    for kind, penalty in PENALTIES.items():
        for field in fields(penalty):
            owners.setdefault(field.name, {})[kind] = field
    return owners


def _about(kind, field):
    text = f"of {kind}" + (f", {field.metadata['about']}" if "about" in field.metadata else "")
    text += f" (default: {field.default:g})" if field.default is not MISSING else ""
    return text.replace("%", "%%")  # argparse formats help texts with %


def _penalty(options):
    """The penalty of these options. A parameter that it does not have is an error."""
    own = {field.name: field for field in fields(PENALTIES[options.penalty])}
    given = {name: getattr(options, name) for name in _parameters() if getattr(options, name) is not None}
    for name in given:
        if name not in own:
            raise ValueError(f"--{name} is not a parameter of {options.penalty} (it has: {', '.join(own) or 'none'})")
    for name, field in own.items():
        if name not in given and field.default is MISSING:
            raise ValueError(f"--{name} is missing: {options.penalty} has no default for it")
    return make_penalty(options.penalty, **given)


def _select(options):
    import matplotlib

    from sparsegdf.selection.data_files import read_problem
    from sparsegdf.selection.select import select

    matplotlib.use("Agg")  # before pyplot: a figure is written, no window opens
    penalty = _penalty(options)
    A, y = read_problem(options.file, options.target)
    folder = Path(options.output)
    if not folder.is_dir():
        raise ValueError(f"--output {folder} is not a folder")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        found = select(
            A,
            y,
            penalty,
            sigma2=options.sigma2,
            eta_min=options.eta_min,
            levels=options.levels,
            standardise=not options.no_standardise,
            intercept=not options.no_intercept,
            criterion=options.criterion,
            ebic_gamma=options.ebic_gamma,
            folds=options.folds,
            repeats=options.repeats,
            bootstrap=options.bootstrap,
            seed=options.seed,
            jobs=options.jobs,
        )
    notes = [str(warning.message) for warning in caught if warning.category is UserWarning]
    stem = folder / f"{Path(options.file).stem}_{options.penalty}_path"
    files = [f"{stem}.csv", f"{stem}.png"]
    found.path.to_csv(files[0], index=False)
    found.plot(predicted=options.predicted)[0].figure.savefig(files[1], dpi=150)
    if options.json:
        print(json.dumps(_record(found, files, notes), indent=2, allow_nan=False))
        return
    print(_table(found.path, _SELECT_COLUMNS, mark=found.chosen))
    print(f"\n{found!r}\n\nChosen: {found.why()}")
    for note in notes:
        print(f"Warning: {note}")
    print(f"Written: {', '.join(files)}")


def _theory(options):
    penalty, deltas = _penalty(options), _deltas(options.delta)
    if options.predictors:
        from sparsegdf.selection.data_files import read_predictors
        from sparsegdf.selection.predicted import centred_curve

        curve = centred_curve(read_predictors(options.predictors, options.target), penalty, deltas)
    elif options.target:
        raise ValueError("--target goes with --predictors")
    else:
        from sparsegdf.theory.replica_symmetric import rs_curve

        curve = rs_curve(penalty, alpha=options.alpha, deltas=deltas)
    if options.json:
        print(json.dumps(_plain(curve.to_dict("records")), indent=2, allow_nan=False))
    else:
        print(_table(curve, _THEORY_COLUMNS, most=None))


def _deltas(text):
    """The deltas of 0.3, of 0.1,0.2 or of first:last:step, which includes both ends."""
    try:
        parts = [float(part) for part in text.replace(":", ",").split(",")]
    except ValueError:
        allowed = "0.3, or 0.1,0.2, or first:last:step"
        raise ValueError(f"--delta = {text!r} is not a list of numbers (allowed: {allowed})") from None
    if ":" not in text:
        return parts
    if len(parts) != 3 or not np.isfinite(parts).all() or parts[2] <= 0 or parts[1] < parts[0]:
        raise ValueError(f"--delta {text} (allowed: first:last:step, finite, with first <= last and step > 0)")
    first, last, step = parts
    return np.round(first + step * np.arange(int((last - first) / step + 1e-9) + 1), 12)


def _table(frame, columns, mark=None, most=_ROWS):
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


def _record(found, files, notes):
    chosen = {"row": found.chosen, **found.best.to_dict()}
    coefficients = {found.names[i]: found.coef[i] for i in np.flatnonzero(found.coef)}
    return _plain(
        {
            "penalty": repr(found.penalty),
            "rows": found.rows,
            "predictors": len(found.names),
            "sigma2": found.sigma2,
            "sigma2_source": found.sigma2_source,
            "df_source": found.df_source,
            "chosen": chosen,
            "intercept": found.intercept,
            "coefficients": coefficients,
            "why": found.why(),
            "warnings": notes,
            "files": files,
            "path": found.path.to_dict("records"),
        }
    )


def _plain(value):
    """The value as builtins for JSON; NaN and infinity, which JSON does not have, become None."""
    if isinstance(value, dict):
        return {key: _plain(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [_plain(entry) for entry in value]
    if isinstance(value, np.generic):
        value = value.item()
    if value is pd.NA:
        return None
    return None if isinstance(value, float) and not np.isfinite(value) else value


if __name__ == "__main__":
    sys.exit(main())
