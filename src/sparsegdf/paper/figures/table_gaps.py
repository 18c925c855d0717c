"""Table (ours): the gaps of figure 9 in the limit N -> infinity, as the theory predicts them and as they come out."""

from typing import ClassVar

from sparsegdf.paper.columns import UNJUDGED, Column
from sparsegdf.paper.experiments.finite_size import by_cell, finite_size_table, gap_limits, with_predicted
from sparsegdf.paper.figures.base import Readable, Table

CAPTION = (
    "GDF - delta_eff, in both definitions, and GDF - Stein divergence at the levels of figure 9: predicted by the RS "
    "theory of the design without a fit, and the limit of a fit limit + slope/N to the simulations. Beyond the AT "
    "line (rs_stable = False) the theory is an approximation, and has no value for Stein's divergence."
)
SHOWN = [
    "design",
    "penalty",
    "delta",
    "gap",
    "predicted",
    "limit",
    "limit_se",
    "z_predicted",
    "chi2",
    "dof",
    "rs_stable",
]


class TableGaps(Table):
    """The limits of figure 9."""

    shows = "ours: predicted against extrapolated gaps of figure 9"
    made_of = "the simulations of figure 9, RS theory"
    columns: ClassVar = {"z": Column("`limit` over its standard error", differs=UNJUDGED)}

    def inputs(self, config):
        return config.figure9_finite_size.inputs(config)

    def uses(self, config):
        figure = config.figure9_finite_size
        return {"cells": figure.cells(), "designs": figure.designs, "shown": figure.shown}

    def compute(self, tables, uses):
        limits = gap_limits(finite_size_table(by_cell(uses["cells"], tables["summaries"]), uses["shown"]))
        theory = dict(zip(uses["designs"], tables["theory"], strict=True))
        return Readable(with_predicted(limits, theory), CAPTION, columns=SHOWN)
