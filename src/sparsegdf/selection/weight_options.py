"""The weights on the command line: --weights of the rows, --unpenalised and --penalty-weights of the predictors."""

import numpy as np
import pandas as pd

_SHOWN = 5  # A note lists at most this many names.


def add_weights(parser):
    """Add the three options."""
    parser.add_argument(
        "--weights",
        type=str.strip,
        metavar="COLUMN",
        help="the relative weights of the rows, no predictor: the noise variance of a row is sigma2 / weight",
    )
    parser.add_argument(
        "--unpenalised",
        action="append",
        type=str.strip,
        default=[],
        metavar="COLUMN",
        help="a predictor that is always in the model, without penalty; repeatable",
    )
    parser.add_argument(
        "--penalty-weights",
        metavar="FILE",
        help="a CSV file of two columns, predictor and weight w: its penalty is r(w x; eta), for l1 eta w |x|. "
        "Predictors that are not in the file have w = 1; with w = 0 they are never penalised",
    )


def split_weights(A, options):
    """(A without the column of weights, the keywords of `select` for the weights, notes for the user)."""
    keywords, notes = {}, []
    if options.weights is not None:
        _require_predictors(A, [options.weights], "--weights", options.file)
        keywords["sample_weight"] = A[options.weights].to_numpy()
        A = A.drop(columns=options.weights)
        notes.append(f"rows have the weights {options.weights!r}")
        if not len(A.columns):
            raise ValueError(f"{options.file} has no predictor beside the weights {options.weights!r}")
    if options.unpenalised or options.penalty_weights is not None:
        given = {} if options.penalty_weights is None else _read_weights(A, options.penalty_weights, options.file)
        _require_predictors(A, options.unpenalised, "--unpenalised", options.file)
        given |= dict.fromkeys(options.unpenalised, 0.0)
        keywords["penalty_weights"] = np.array([given.get(name, 1.0) for name in A.columns])
        for what, names in (
            ("not penalised", [name for name, weight in given.items() if weight == 0]),
            ("with a penalty weight", [name for name, weight in given.items() if weight not in (0, 1)]),
        ):
            if names:
                notes.append(f"{what}: {', '.join(map(repr, names[:_SHOWN]))}" + (" ..." if names[_SHOWN:] else ""))
    return A, keywords, notes


def _read_weights(A, file, data):
    """{predictor: weight} of a CSV file."""
    try:
        table = pd.read_csv(file, dtype=str, skipinitialspace=True, keep_default_na=False)
    except (OSError, ValueError) as error:
        raise ValueError(f"--penalty-weights {file} cannot be read: {error}") from error
    if table.shape[1] != 2:
        raise ValueError(f"--penalty-weights {file} has {table.shape[1]} columns; allowed: 2, predictor and weight")
    names, weights = table.iloc[:, 0].str.strip().tolist(), pd.to_numeric(table.iloc[:, 1], errors="coerce")
    _require_predictors(A, names, f"--penalty-weights {file}", data)
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"--penalty-weights {file} has {twice!r} more than once")
    bad = ~(np.isfinite(weights) & (weights >= 0))
    if bad.any():
        row = int(np.argmax(bad))
        value = table.iloc[row, 1]
        raise ValueError(f"--penalty-weights {file} gives {names[row]!r} {value!r}; allowed: finite numbers >= 0")
    return dict(zip(names, weights, strict=True))


def _require_predictors(A, names, option, data):
    for name in names:
        if name not in A.columns:
            raise ValueError(f"{option}: {data} has no predictor {name!r}")
