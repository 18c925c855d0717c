"""Table: df of l0 by N and K, with the theory."""

from typing import ClassVar

import pandas as pd

from sparsegdf.paper.columns import RESULTS
from sparsegdf.paper.figures.base import Readable, Table

CAPTION = (
    "GDF of the best subset of K columns (df: mean R^2, df_plain: covariance), with standard errors; "
    "exact = False is swap search, a lower bound. RS, one-step RSB and the first-moment bound are for N to infinity."
)


class TableL0(Table):
    """Every run of the l0 search."""

    shows = "ℓ₀ df by N and K beside RS, one-step RSB and the bound"
    made_of = "the runs of figure 8"
    columns: ClassVar = RESULTS["l0 at fixed size"]

    def inputs(self, config):
        return {"sizes": [f"l0/{run}_sizes" for run in config.l0_search.runs]}

    def uses(self, config):
        return {"problem": {"alpha": config.l0_search.alpha, "variance": config.l0_search.variance}}

    def compute(self, tables, uses):
        from sparsegdf.paper.experiments.l0_tables import df_table

        return Readable(df_table(pd.concat(tables["sizes"], ignore_index=True), **uses["problem"]), CAPTION)
