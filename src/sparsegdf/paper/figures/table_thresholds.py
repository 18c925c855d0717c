"""Table: AT lines and the ends of the RS solution S1."""

from typing import Annotated

from pydantic import Field

from sparsegdf.paper.config.blocks import Model, Number, Positive
from sparsegdf.paper.figures.base import Readable, Table

CAPTION = (
    "RS-stable range of delta (at_delta: the AT line), the largest delta of the solution S1, a turning point if it "
    "goes on, and the delta at its end, by root finding. branch_beyond: what S1 goes over into at its end."
)


class Setting(Model):
    penalty: str
    alpha: Positive


class TableThresholds(Table):
    """The thresholds of each penalty at its alpha."""

    target = "paper_figures"
    shows = "AT lines and ends of the RS solution S1"
    made_of = "root finding"

    mean: Number
    variance: Positive
    settings: Annotated[list[Setting], Field(min_length=1)]

    def penalty_names(self):
        return [setting.penalty for setting in self.settings]

    def compute(self, tables, uses):
        from sparsegdf.paper.experiments.theory_tables import threshold_table

        settings = [
            {"name": setting.penalty, "penalty": uses["penalties"][setting.penalty], "alpha": setting.alpha}
            for setting in self.settings
        ]
        return Readable(threshold_table(settings, mean=self.mean, variance=self.variance), CAPTION)
