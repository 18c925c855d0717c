"""What figures 2 and 3 have in common: RS curves."""

from typing import Annotated

from pydantic import Field

from sparsegdf.paper.config.blocks import DeltaGrid, Number, Positive
from sparsegdf.paper.figures.base import Figure


class RSFigure(Figure):
    """RS curves of these penalties over delta."""

    alpha: Positive
    mean: Number
    variance: Positive
    deltas: DeltaGrid
    penalties: Annotated[list[str], Field(min_length=1)]

    def inputs(self, config):
        return {"table": f"theory/rs_curves/{self.name}"}

    def penalty_names(self):
        return self.penalties

    def check(self, config):
        if self.deltas.last > 1 / self.alpha:
            limit = f"must be <= 1/alpha = {1 / self.alpha:g} (no more non-zeros than columns)"
            raise ValueError(f"{self.name}.deltas.last = {self.deltas.last:g}: {limit}")
