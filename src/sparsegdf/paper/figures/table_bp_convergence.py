"""Table: on which fraction of samples belief propagation converged, and in how many steps."""

from typing import ClassVar

from sparsegdf.paper.columns import RESULTS
from sparsegdf.paper.experiments.summaries import convergence_table
from sparsegdf.paper.figures.base import Readable, Table

CAPTION = (
    "Where belief propagation has fixed points, and where it gets to them by iterating. fraction_converged of the "
    "samples have a fixed point, found by either solver: delta is their mean, kkt_max their largest violation of "
    "stationarity, residual_max the largest move in one plain step from there. Iterated as in the paper on the "
    "first samples, belief propagation converged on fraction_bp of them, with 95 % limits; its steps are their "
    "median and 95 % quantile."
)


class TableBPConvergence(Table):
    """The simulations of every BPFigure."""

    target = "paper_figures"
    shows = "where BP has fixed points, and where it finds them by iterating, in how many steps"
    made_of = "the samples of figures 4 to 6; BP iterated on 100 of them"
    columns: ClassVar = RESULTS["summaries of fixed points"]

    def inputs(self, config):
        return {"summaries": [f"summaries/{figure}" for figure in config.bp_figures]}

    def uses(self, config):
        return {"figures": config.bp_figures}

    def compute(self, tables, uses):
        summaries = dict(zip(uses["figures"], tables["summaries"], strict=True))
        return Readable(convergence_table(summaries), CAPTION)
