"""What figures 4 to 6 have in common: fixed points on samples of one design."""

from typing import Annotated

from pydantic import Field

from sparsegdf.paper.config.blocks import SameSize
from sparsegdf.paper.config.messages import unknown
from sparsegdf.paper.figures.base import Figure


class BPFigure(Figure, SameSize):
    """Fixed points on `samples` samples of a design, for each penalty named in `simulations`; `panels` are drawn."""

    design: str
    panels: Annotated[list[str], Field(min_length=1)]

    def fixed_points(self, config):
        return {self.name: self.run_on(self.design, config, block=self.name)}

    def inputs(self, config):
        return {"summaries": f"summaries/{self.name}"}

    def penalty_names(self):
        return list(self.simulations)

    def check(self, config):
        for name in self.panels:
            if name not in self.simulations:
                raise ValueError(f"{self.name}.panels = {name!r}: {unknown('simulation', name, self.simulations)}")
