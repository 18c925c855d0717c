"""Table: linear stability of belief propagation and its measured convergence."""

from typing import Annotated, ClassVar

from pydantic import Field

from sparsegdf.paper.columns import RESULTS
from sparsegdf.paper.config.blocks import Count, Damping, Samples
from sparsegdf.paper.figures.base import Readable, Table

CAPTION = (
    "Where plain belief propagation should converge (spectral radius of its map at directly found fixed points, mean "
    "and standard error over the fraction_converged of samples that have one; below 1 is stable) beside the measured "
    "fraction of the iterated samples that converged, with adapted damping."
)


class TableBPRegion(Table):
    """Linear stability on the first `samples` samples, at every `every`-th level of eta, with these dampings."""

    shows = "linear stability of BP beside its measured convergence"
    made_of = "10 samples per panel"
    columns: ClassVar = RESULTS["stability"]

    samples: Samples
    every: Count
    dampings: Annotated[list[Damping], Field(min_length=1)]

    def inputs(self, config):
        return {"table": self.name}

    def compute(self, tables, uses):
        return Readable(tables["table"], CAPTION)
