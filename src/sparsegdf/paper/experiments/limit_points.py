"""The RS theory of a design as N grows, at the levels of eta of a simulation."""

import logging
from dataclasses import asdict

import numpy as np
import pandas as pd

from sparsegdf.ensembles.registry import make_design
from sparsegdf.penalties.registry import make_penalty
from sparsegdf.theory.effective_fraction import rs_delta_eff
from sparsegdf.theory.replica_symmetric import rs_stable_range, solve_rs

log = logging.getLogger(__name__)

COLUMNS = ("eta", "delta", "df", "df_error", "delta_eff", "err_train", "at", "rs_stable", "branch", "residual")


def limit_points(*, design, N, mean, variance, penalties):
    """One row per penalty and eta on S1: the saddle point in the limit of a design, which is given at N columns.

    `penalties` is {name: {penalty, alpha, etas}}. delta_eff is the one that belief propagation would find, df_error
    the standard error of df where the theory is sampled, else zero, and at_delta the AT line, NaN if not reached.
    A design or a penalty that the theory refuses has no rows.
    """
    predictors, tables = make_design(**design).at(N), []
    for name, setting in penalties.items():
        penalty = make_penalty(**setting["penalty"])
        problem = {"alpha": setting["alpha"], "predictors": predictors}
        noise = {"mean": mean, "variance": variance}
        try:
            points = [_point(penalty, eta, problem, noise) for eta in setting["etas"]]
            table = pd.DataFrame(points, columns=list(COLUMNS))
            at_delta = _at_line(penalty, table, problem | noise)
        except ValueError as refused:
            log.info("%s: %s", name, refused)
            continue
        tables.append(table[table.branch == "S1"].assign(penalty=name, at_delta=at_delta))
    empty = pd.DataFrame(columns=[*COLUMNS, "penalty", "at_delta"])
    return pd.concat(tables, ignore_index=True) if tables else empty


def _point(penalty, eta, problem, noise):
    solution = solve_rs(penalty, eta=eta, **problem, **noise)
    delta_eff = rs_delta_eff(penalty, solution, **problem)
    return {"df_error": 0.0} | asdict(solution) | {"delta_eff": delta_eff}


def _at_line(penalty, table, problem):
    """The largest stable delta. Where the theory is sampled it is interpolated between the levels."""
    try:
        stable = rs_stable_range(penalty, **problem)
        return stable[1] if stable else np.nan
    except ValueError:
        known = table[np.isfinite(table["at"])].sort_values("eta", ascending=False)
        if not (known["at"] > 1).any() or (known["at"] > 1).all():
            return np.nan
        k = int(np.argmax(known["at"] > 1))
        return float(np.interp(1, known["at"].iloc[k - 1 : k + 1], known["delta"].iloc[k - 1 : k + 1]))
