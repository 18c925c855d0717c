"""GDF minus its estimators at several N: is the gap a finite-size effect, or the one that the theory predicts?"""

import numpy as np
import pandas as pd

from sparsegdf.estimators.monte_carlo import weighted_line
from sparsegdf.paper.experiments.by_penalty import by_penalty

GAPS = ("delta_eff", "delta_eff_sum", "stein")
COLUMNS = (
    "design", "penalty", "eta", "delta", "gap", "limit", "limit_se", "z", "slope", "chi2", "dof", "largest_N"
)  # fmt: skip


def by_cell(cells, tables):
    """{(N, design, penalty): summary} of the summaries of runs, which are at the `cells` (N, design)."""
    runs = zip(cells, tables, strict=True)
    return {(*cell, penalty): rows for cell, table in runs for penalty, rows in by_penalty(table).items()}


def finite_size_table(summaries, shown):
    """The `shown` densest levels of each summary in one table, with N, design and penalty.

    `summaries` is {(N, design, penalty): table of summaries.summarise}.
    """
    tables = [
        table.sort_values("eta").head(shown).assign(N=N, design=design, penalty=penalty)
        for (N, design, penalty), table in summaries.items()
    ]
    return pd.concat(tables, ignore_index=True)


def gap_limits(table, power=1.0):
    """gap(N) = limit + slope/N^power by weighted least squares, for each design, penalty, eta and gap.

    z = limit/limit_se; chi2 and dof show whether a straight line fits. Only sizes at which every sample has a fixed
    point are used, and at least three are needed. An average over a part of the samples would be another quantity.
    """
    rows = []
    for (design, penalty, eta), group in table.groupby(["design", "penalty", "eta"], sort=False):
        complete = group[group.fraction_converged == 1]
        for name in GAPS:
            se = complete[f"gap_{name}_se"].to_numpy()
            if len(complete) < 3 or not (se > 0).all():
                continue
            line = weighted_line(complete.N**-power, complete[f"gap_{name}"], se)
            largest = complete.loc[complete.N.idxmax()]
            where = {"design": design, "penalty": penalty, "eta": eta, "delta": largest.delta, "gap": name}
            rows.append(where | line._asdict() | {"z": line.limit / line.limit_se, "largest_N": largest.N})
    return pd.DataFrame(rows, columns=list(COLUMNS))


def with_predicted(limits, theory):
    """The table of gap_limits beside the gaps that the RS theory predicts, and z_predicted of the difference.

    `theory` is {design: table of limit_points}. Both forms of delta_eff have the same limit; Stein's divergence is df
    where the RS solution is stable, and unknown where it is not.
    """
    parts = [points.assign(design=design) for design, points in theory.items()]
    numbers = ["eta", "df", "df_error", "delta_eff"]
    known = pd.concat(parts, ignore_index=True)[["design", "penalty", "rs_stable", *numbers]]
    known[numbers] = known[numbers].astype(float)  # an empty table has no types
    table = limits.merge(known, on=["design", "penalty", "eta"], how="left")
    table["rs_stable"], stein = table.rs_stable.eq(True), table.gap == "stein"
    table["predicted"] = np.where(stein, np.where(table.rs_stable, 0.0, np.nan), table.df - table.delta_eff)
    table["predicted_error"] = np.where(stein, 0.0, table.df_error)
    table["z_predicted"] = (table.limit - table.predicted) / np.hypot(table.limit_se, table.predicted_error)
    return table.drop(columns=["df", "df_error", "delta_eff"])
