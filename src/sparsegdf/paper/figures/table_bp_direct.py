"""Table: belief propagation and the direct solver on the same samples."""

from typing import ClassVar

from sparsegdf.paper.columns import COUNT, Column
from sparsegdf.paper.experiments.summaries import agreement_table
from sparsegdf.paper.figures.base import Readable, Table

CAPTION = (
    "Belief propagation, iterated, and the direct solver on the same samples: levels of eta where each has a fixed "
    "point, where both have and where these differ, and the largest differences where they are the same. Iterating "
    "ends when x moves by less than bp.tol; near the edge of the region this is far less than the distance from "
    "rest, so x_gap is mostly the error of belief propagation."
)


class TableBPDirect(Table):
    """Every simulation on which belief propagation is iterated."""

    shows = "BP and the direct solver on the same samples"
    made_of = "the samples on which BP is iterated"
    columns: ClassVar = {
        "delta": Column("largest mean δ of a level at which both have a fixed point"),
        "bp": Column("levels at which belief propagation converged", "1", COUNT, "levels"),
        "direct": Column("levels at which the direct solver has a fixed point", "1", COUNT, "levels"),
        "both": Column("levels at which both have one", "1", COUNT, "levels"),
        "other_state": Column("of these, levels at which they have different ones", "1", COUNT, "levels"),
    }

    def _runs(self, config):
        return [name for name, run in config.runs.items() if run.iterated]

    def inputs(self, config):
        return {"summaries": [f"summaries/{run}" for run in self._runs(config)]}

    def uses(self, config):
        return {"runs": self._runs(config)}

    def compute(self, tables, uses):
        return Readable(agreement_table(dict(zip(uses["runs"], tables["summaries"], strict=True))), CAPTION)
