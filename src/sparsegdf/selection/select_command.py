"""The command `sparsegdf select`: model selection on a data file."""

import argparse
import json
import warnings
from dataclasses import asdict
from pathlib import Path

import numpy as np

from sparsegdf.penalties.registry import PENALTIES
from sparsegdf.selection.criteria import CRITERIA
from sparsegdf.selection.penalty_options import add_penalty, chosen_penalties
from sparsegdf.selection.printing import as_builtins, as_text
from sparsegdf.selection.weight_options import add_weights, split_weights

_COLUMNS = ["eta", "nonzeros", "df", "df_se", "err_train", *dict.fromkeys(c.column for c in CRITERIA.values())]
_COLUMNS += ["cv_se", "converged", "jumps"]

_ABOUT = """\
Fits the path in eta from sparse to dense and chooses the model with the smallest criterion, by default
C_p = err_train + 2 sigma2 df, where df is the fraction of degrees of freedom used (of the rows). Prints the path,
the model and why. Writes into --output, under the name of the data, the penalty and its parameters:
..._path.csv (one row per eta), ..._coefficients.csv (of the predictors that enter, at each eta), ..._path.png.

Every column except the target, the weights and those dropped is a predictor. Columns have to be numeric. In an npz
file, one-dimensional arrays are columns, and two-dimensional arrays give columns name_0, name_1, ... In a text file
commas, semicolons or tabs between columns, decimal commas and Windows-1252 are recognised; lines that begin with #
before the header and a saved index without a name are left out. The penalty l0 is solved by exact search up to 30
predictors, and by swaps, without certificate, up to 3000. A percentage beside a coefficient is how often the samples
of the bootstrap select its predictor."""


def add_select(commands):
    """Add the command to the subparsers."""
    raw = argparse.RawDescriptionHelpFormatter
    parser = commands.add_parser("select", description=_ABOUT, formatter_class=raw, help="choose a model for a file")
    parser.set_defaults(run=run_select)
    data = parser.add_argument_group("data")
    data.add_argument("file", help="data: .csv, .tsv, .txt, .parquet or .npz")
    data.add_argument("--target", required=True, help="the column to predict")
    add_drop(data)
    model = parser.add_argument_group("model")
    add_penalty(model, several=True)
    add_weights(model)
    model.add_argument("--sigma2", type=float, help="noise variance (default: estimated from residuals)")
    model.add_argument(
        "--criterion", choices=list(CRITERIA), default="cp", help="what the chosen model minimises (default: cp)"
    )
    model.add_argument(
        "--ebic-gamma", type=float, default=1.0, metavar="G", help="the gamma of ebic, 0 to 1 (default: 1)"
    )
    model.add_argument("--folds", type=int, default=10, metavar="K", help="of the cross-validation (default: 10)")
    model.add_argument("--repeats", type=int, default=1, metavar="R", help="of the cross-validation (default: 1)")
    model.add_argument(
        "--eta-min",
        type=float,
        metavar="ETA",
        help="the last eta of the path (default: where a column enters at a tenth of its standard error or less)",
    )
    model.add_argument("--levels", type=int, metavar="L", help="levels of eta on the path (default: 100)")
    model.add_argument("--no-standardise", action="store_true", help="do not scale the columns to norm 1")
    model.add_argument("--no-intercept", action="store_true", help="no constant term")
    model.add_argument(
        "--bootstrap",
        type=int,
        metavar="B",
        help="df by the bootstrap covariance over B samples, with its standard error; 0: Stein's divergence, which "
        "is too small where the fit jumps (default: 50 for a penalty that is not convex, otherwise 0)",
    )
    model.add_argument("--seed", type=int, default=0, help="random seed of the bootstrap (default: 0)")
    model.add_argument("--jobs", type=int, default=1, help="processes for the bootstrap (default: 1)")
    output = parser.add_argument_group("output")
    output.add_argument("--output", default=".", metavar="FOLDER", help="folder for the files (default: .)")
    output.add_argument(
        "--predicted",
        action="store_true",
        help="add to the figure the df that the theory predicts from the singular values of the predictors",
    )
    output.add_argument("--json", action="store_true", help="print one JSON object instead of text")
    output.add_argument("--whole-path", action="store_true", help="with --json: the whole path too")
    output.add_argument("--quiet", action="store_true", help="print nothing but errors")


def add_drop(group):
    """Add the options that leave out columns and missing values."""
    group.add_argument("--drop", action="append", default=[], metavar="COLUMN", help="leave out a column; repeatable")
    group.add_argument(
        "--drop-missing",
        choices=["rows", "columns"],
        help="leave out rows, or columns, with missing values (default: they are an error)",
    )


def run_select(options):
    """Read, select, write, print."""
    import matplotlib

    from sparsegdf.selection.data_files import read_problem
    from sparsegdf.selection.select import select

    matplotlib.use("Agg")  # before pyplot: a figure is written, no window opens
    penalties = chosen_penalties(options)
    A, y, notes = read_problem(options.file, options.target, drop=options.drop, drop_missing=options.drop_missing)
    A, weights, told = split_weights(A, options)
    notes += told
    folder = Path(options.output)
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"--output {folder} is not a folder")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        found = select(
            A,
            y,
            penalties,
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
            progress=False if options.quiet else None,
            **weights,
        )
    told = [str(warning.message) for warning in caught if warning.category is UserWarning]
    files = _write(found, folder, f"{Path(options.file).stem}_{_name(found.penalty)}", options.predicted)
    if options.quiet:
        return
    if options.json:
        record = _record(found, files, notes, told, whole=options.whole_path)
        print(json.dumps(as_builtins(record), indent=2, allow_nan=False))
        return
    for note in notes:
        print(f"Note: {note}")
    print(as_text(found.path, _COLUMNS, mark=found.chosen))
    if found.candidates is not None:
        print(f"\n{as_text(found.candidates, list(found.candidates), most=None)}")
    print(f"\n{found!r}\n\nChosen: {found.why()}")
    for warning in told:
        print(f"Warning: {warning}")
    print(f"Written: {', '.join(files)}")


def _name(penalty):
    """The kind of the penalty and its parameters, for file names: scad_a8_lam1."""
    kind = next(kind for kind, one in PENALTIES.items() if one is type(penalty))
    return "_".join([kind, *(f"{name}{value:g}" for name, value in asdict(penalty).items())])


def _write(found, folder, stem, predicted):
    """Write the path, the coefficients and the picture; returns the names of the files."""
    import matplotlib.pyplot as plt

    folder.mkdir(parents=True, exist_ok=True)
    files = [str(folder / f"{stem}_{what}") for what in ("path.csv", "coefficients.csv", "path.png")]
    found.path.to_csv(files[0], index=False)
    ever = np.nan_to_num(found.coefficients).any(axis=1)
    found.coefficient_path(ever).to_csv(files[1], index=False)
    figure = found.plot(predicted=predicted)[0].figure
    figure.savefig(files[2], dpi=150)
    plt.close(figure)
    return files


def _record(found, files, notes, told, whole):
    """What --json prints."""
    chosen = {"row": found.chosen, **found.best.to_dict()}
    selected = np.flatnonzero(found.coef)
    record = {
        "penalty": repr(found.penalty),
        "rows": found.rows,
        "predictors": len(found.names),
        "criterion": found.criterion,
        "sigma2": found.sigma2,
        "sigma2_source": found.sigma2_source,
        "df_source": found.df_source,
        "certified": found.certified,
        "chosen": chosen,
        "intercept": found.intercept,
        "coefficients": {found.names[i]: found.coef[i] for i in selected},
    }
    if found.frequency is not None:
        record["frequencies"] = {found.names[i]: found.frequency[i, found.chosen] for i in range(len(found.names))}
    if found.candidates is not None:
        record["candidates"] = found.candidates.to_dict("records")
    record |= {"why": found.why(), "notes": notes, "warnings": told, "files": files}
    if whole:
        record["path"] = found.path.to_dict("records")
        record["names"], record["coefficient_path"] = found.names, found.coefficients.T
        record["intercept_path"] = found.intercepts
    return record
