"""Table: belief propagation and the direct solver on the same samples."""

from typing import Annotated, ClassVar

from pydantic import Field

from sparsegdf.paper.columns import RESULTS
from sparsegdf.paper.config.blocks import Count, Positive
from sparsegdf.paper.config.messages import unknown
from sparsegdf.paper.figures.base import Readable, Table

CAPTION = (
    "Belief propagation and the direct solver on the same samples: levels of eta where each converged, where both "
    "did and to another state, and the largest differences where they found the same."
)


class TableBPDirect(Table):
    """Both solvers on the first `samples` samples of each penalty of these runs; `tol` is that of BP here."""

    shows = "BP and the direct solver on the same samples"
    made_of = "100 samples per panel"
    columns: ClassVar = RESULTS["agreement"]

    runs: Annotated[list[str], Field(min_length=1)]
    samples: Count
    tol: Positive

    def check(self, config):
        for name in self.runs:
            if name not in config.runs:
                raise ValueError(f"{self.name}.runs = {name!r}: {unknown('run', name, config.runs)}")

    def _simulations(self, config):
        return [(run, penalty) for run in self.runs for penalty in config.runs[run].simulations]

    def inputs(self, config):
        return {"panels": [f"agreement/{run}/{penalty}" for run, penalty in self._simulations(config)]}

    def uses(self, config):
        return {"simulations": self._simulations(config)}

    def compute(self, tables, uses):
        from sparsegdf.paper.experiments.agreement import agreement_table

        names = map(tuple, uses["simulations"])
        return Readable(agreement_table(dict(zip(names, tables["panels"], strict=True))), CAPTION)
