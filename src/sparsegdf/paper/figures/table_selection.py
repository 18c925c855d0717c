"""Table: figure 10 in numbers."""

from sparsegdf.paper.experiments.selection_tables import selection_table, verdict
from sparsegdf.paper.figures.base import Readable, Table

CAPTION = (
    "Criteria that choose eta on planted data: prediction error less the noise (error: the same A, error_new: new "
    "rows; ratio: error over that of the best eta), true and false positives and F1 of the support, with standard "
    "errors. "
)


class TableSelection(Table):
    """The planted data of figure 10."""

    shows = "figure 10 in numbers, by design, with errors on new rows and differences from C_p"
    made_of = "the data of figure 10"

    def inputs(self, config):
        return config.figure10_selection.inputs(config)

    def uses(self, config):
        return {"cells": [tuple(cell) for cell in config.figure10_selection.cells().values()]}

    def compute(self, tables, uses):
        cells = dict(zip(map(tuple, uses["cells"]), tables["planted"], strict=True))
        table = selection_table(cells)
        return Readable(table, CAPTION + verdict(table))
