"""Table: the misprints of the paper in both forms, with the number that decides."""

from sparsegdf.paper.figures.base import Readable, Table


class TableMisprints(Table):
    """The misprints. They are computed from their own code and do not depend on the configuration."""

    file = "misprints"
    target = "claims"
    shows = "misprints in both forms, with the number that decides"
    made_of = "theory, small samples"

    def compute(self, tables, uses):
        from sparsegdf.paper.misprints import misprint_table

        table = misprint_table()
        return Readable(
            table,
            f"{len(table)} misprints and open points of the paper, each with the number that decides.",
            columns=[name for name in table if name != "test"],
            math=("printed", "corrected"),
        )
