from job import begin
from sparsegdf.paper.misprints import misprint_table
from sparsegdf.paper.readable_tables import write_readable

begin(snakemake)
table = misprint_table()
write_readable(
    table,
    snakemake.output.csv.removesuffix(".csv"),
    f"{len(table)} misprints and open points of the paper, each with the number that decides.",
    columns=[name for name in table if name != "test"],
    math=("printed", "corrected"),
)
