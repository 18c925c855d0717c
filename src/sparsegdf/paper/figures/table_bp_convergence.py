"""Table: on which fraction of samples belief propagation converged, and in how many steps."""

from typing import ClassVar

from sparsegdf.paper.columns import RESULTS
from sparsegdf.paper.experiments.summaries import convergence_table
from sparsegdf.paper.figures.base import Readable, Table

CAPTION = (
    "Belief propagation per simulation and eta: fraction_bp of the samples converged by it; median and 95 % quantile "
    "of its steps. delta is the mean, with its standard error, and kkt_max the largest violation of stationarity, of "
    "the fraction_converged of the samples that have a fixed point by belief propagation or by the direct solver."
)


class TableBPConvergence(Table):
    """The simulations of every BPFigure."""

    shows = "fraction of BP runs that converged, and their steps"
    made_of = "the runs of figures 4 to 6"
    columns: ClassVar = RESULTS["summaries of fixed points"]

    def inputs(self, config):
        return {"summaries": [f"summaries/{figure}/{penalty}" for figure, penalty in config.bp_simulations]}

    def uses(self, config):
        return {"simulations": config.bp_simulations}

    def compute(self, tables, uses):
        names = map(tuple, uses["simulations"])
        return Readable(convergence_table(dict(zip(names, tables["summaries"], strict=True))), CAPTION)
