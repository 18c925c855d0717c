"""The RS theory of a design as N grows, at the levels of eta of a simulation."""

import logging

import numpy as np
import pandas as pd

from sparsegdf.ensembles.registry import make_design
from sparsegdf.penalties.registry import make_penalty
from sparsegdf.theory.effective_fraction import rs_delta_eff
from sparsegdf.theory.replica_symmetric import rs_curve
from sparsegdf.theory.s1_branch import rs_stable_range, s1_lowest_eta

log = logging.getLogger(__name__)

COLUMNS = ("eta", "delta", "df", "df_error", "delta_eff", "err_train", "at", "rs_stable", "branch", "residual")
LINES = ("at_delta", "lowest_eta", "at_delta_error", "lowest_eta_error")


def limit_points(*, design, N, mean, variance, penalties):
    """One row per penalty and eta on S1: the saddle point in the limit of a design, which is given at N columns.

    `penalties` is {name: {penalty, alpha, etas}}. delta_eff is the one that belief propagation would find, df_error
    the standard error of df where the theory is sampled, else zero, at_delta the AT line and lowest_eta the smallest
    eta of S1, both with errors of their own. A design or a penalty that the theory refuses has no rows.
    """
    predictors, tables, columns = make_design(**design).at(N), [], [*COLUMNS, "penalty", *LINES]
    for name, setting in penalties.items():
        penalty = make_penalty(**setting["penalty"])
        problem = {"alpha": setting["alpha"], "predictors": predictors}
        noise = {"mean": mean, "variance": variance}
        try:
            table = rs_curve(penalty, etas=setting["etas"], **problem, **noise)
            table = table[table.branch == "S1"].copy()
            table["delta_eff"] = [rs_delta_eff(penalty, point, **problem) for point in table.itertuples()]
            lines = _lines(penalty, problem | noise)
        except ValueError as refused:
            log.info("%s: %s", name, refused)
            continue
        tables.append(table.assign(**lines, penalty=name).reindex(columns=columns).fillna({"df_error": 0.0}))
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame(columns=columns)


def _lines(penalty, problem):
    """The AT line, NaN if RS is stable nowhere, and the smallest eta of S1, with their errors."""
    stable = rs_stable_range(penalty, **problem)
    lines = {"at_delta": stable[1] if stable else np.nan, "lowest_eta": s1_lowest_eta(penalty, **problem)}
    errors = {f"{name}_error": getattr(line, "error", 0.0) for name, line in lines.items()}
    return {name: float(line) for name, line in lines.items()} | errors
