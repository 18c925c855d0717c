"""Summaries of fixed points beside the corrected effective fraction of a part of their samples."""

import numpy as np


def with_corrected(summary, corrected):
    """A summary of fixed points with `corrected` and its gap, GDF - corrected.

    The gap is GDF - Stein's divergence of all samples and Stein's divergence - corrected of fewer, which scatters far
    less; the errors of both are added as if independent.
    """
    table = summary.merge(corrected.astype(float), on="eta", how="left")  # an empty table has no types
    gap_se = np.hypot(table.gap_stein_se, table.corrected_stein_se)
    return table.assign(gap_corrected=table.gap_stein + table.corrected_stein, gap_corrected_se=gap_se).drop(
        columns=["corrected_stein", "corrected_stein_se"]
    )
