"""Table: belief propagation for l0, which does not converge in the paper, by damping."""

from typing import Annotated, ClassVar

from pydantic import Field

from sparsegdf.paper.columns import RESULTS
from sparsegdf.paper.config.blocks import Count, Damping, Dimension, EtaGrid, Number, Positive, Samples
from sparsegdf.paper.figures.base import Readable, Table

CAPTION = (
    "Belief propagation for l0 on iid predictors, from x = 0, by weight of the new value (1 is undamped, as in the "
    "paper). delta averages the runs that converged; pairs of them converged with a larger weight, too, and "
    "other_support is the fraction of these whose two supports differ."
)


class TableBPL0(Table):
    """Belief propagation for l0 with each of these weights on the new value."""

    shows = 'BP for ℓ₀, "does not converge" in the paper, by damping'
    made_of = "20 samples"
    columns: ClassVar = RESULTS["belief propagation for l0"]

    M: Dimension
    N: Dimension
    mean: Number
    variance: Positive
    samples: Samples
    etas: EtaGrid
    dampings: Annotated[list[Damping], Field(min_length=1)]
    max_steps: Count

    def inputs(self, config):
        return {"table": self.name}

    def compute(self, tables, uses):
        return Readable(tables["table"], CAPTION)
