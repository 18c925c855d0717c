"""The command `sparsegdf`: model selection on a data file, and the replica theory as a table."""

import argparse
import json
import sys
from importlib.metadata import version

import numpy as np

from sparsegdf.selection.penalty_options import add_penalty, chosen_penalties
from sparsegdf.selection.printing import as_builtins, as_text
from sparsegdf.selection.select_command import add_drop, add_select

_THEORY_COLUMNS = ["delta", "eta", "df", "err_train", "err_pre", "at", "rs_stable", "branch"]

_ABOUT = """\
Generalized degrees of freedom (df) of sparse regression, 1/2 ||y - A x||^2 + r(x; eta).

  sparsegdf select data.csv --target y --penalty scad     choose a model for your data by C_p
  sparsegdf theory --penalty scad --alpha 0.5 --delta 0.1:0.9:0.1     the replica-symmetric curve
  sparsegdf theory --penalty scad --predictors data.csv --target y     for your predictors

sparsegdf select --help and sparsegdf theory --help explain the options. Exit status: 0, 2 with a message when the
arguments or the data cannot be used, or 130 after Ctrl-C."""

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
    except (KeyboardInterrupt, SystemError) as error:
        if not _is_interrupt(error):
            raise
        print("sparsegdf: interrupted", file=sys.stderr)
        return 130
    return 0


def _is_interrupt(error):
    """Whether it is Ctrl-C, which numba reports as a SystemError while it compiles."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error is not None


def _parser():
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(prog="sparsegdf", description=_ABOUT, formatter_class=raw)
    parser.add_argument("--version", action="version", version=f"sparsegdf {version('sparsegdf')}")
    commands = parser.add_subparsers(required=True, metavar="{select,theory}")
    add_select(commands)

    theory = commands.add_parser("theory", description=_THEORY, formatter_class=raw, help="the replica curve")
    theory.set_defaults(run=_theory)
    add_penalty(theory)
    predictors = theory.add_mutually_exclusive_group(required=True)
    predictors.add_argument("--alpha", type=float, help="rows / columns of iid predictors")
    predictors.add_argument("--predictors", metavar="FILE", help="a data file whose spectrum is used")
    theory.add_argument("--target", help="a column of that file that is not a predictor")
    add_drop(theory)
    theory.add_argument(
        "--delta",
        metavar="D",
        help="one value, a,b,c or first:last:step (default for --predictors: 20 values up to the largest possible)",
    )
    theory.add_argument("--json", action="store_true", help="print a JSON list instead of text")
    return parser


def _theory(options):
    penalty, deltas = chosen_penalties(options)[0], _deltas(options.delta) if options.delta else None
    if options.predictors:
        from sparsegdf.selection.data_files import read_predictors
        from sparsegdf.selection.predicted import centred_curve

        A, notes = read_predictors(
            options.predictors, options.target, drop=options.drop, drop_missing=options.drop_missing
        )
        for note in notes:
            print(note, file=sys.stderr)
        curve = centred_curve(A, penalty, deltas)
    elif given := [name for name in ("target", "drop", "drop_missing") if getattr(options, name)]:
        raise ValueError(f"--{given[0].replace('_', '-')} goes with --predictors")
    elif deltas is None:
        raise ValueError("--alpha needs --delta")
    else:
        from sparsegdf.theory.replica_symmetric import rs_curve

        curve = rs_curve(penalty, alpha=options.alpha, deltas=deltas)
    if options.json:
        print(json.dumps(as_builtins(curve.to_dict("records")), indent=2, allow_nan=False))
    else:
        print(as_text(curve, _THEORY_COLUMNS, most=None))


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


if __name__ == "__main__":
    sys.exit(main())
