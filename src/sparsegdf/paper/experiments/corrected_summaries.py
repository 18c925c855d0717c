"""Summaries of fixed points beside the corrected effective fraction of a part of their samples."""

import numpy as np


def with_corrected(summary, corrected):
    """A summary of fixed points with `corrected` and its gap, GDF - corrected, of one penalty or of all of a run.

    The gap is GDF - Stein's divergence of all samples and Stein's divergence - corrected of fewer, which scatters far
    less; the errors of both are added as if independent.
    """
    numbers = corrected.columns.drop("penalty", errors="ignore")
    corrected = corrected.astype(dict.fromkeys(numbers, float))  # an empty table has no types
    table = summary.merge(corrected, how="left")  # on eta, and of a run on penalty
    gap_se = np.hypot(table.gap_stein_se, table.corrected_stein_se)
    return table.assign(gap_corrected=table.gap_stein + table.corrected_stein, gap_corrected_se=gap_se).drop(
        columns=["corrected_stein", "corrected_stein_se"]
    )
