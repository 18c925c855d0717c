from job import log_to
from sparsegdf.misprints import misprint_table
from sparsegdf.tables import write_readable

log_to(snakemake.log[0])
table = misprint_table()
write_readable(
    table,
    snakemake.output.csv.removesuffix(".csv"),
    f"{len(table)} misprints and open points of the paper, each with the number that decides.",
    columns=[name for name in table if name != "test"],
    math=("printed", "corrected"),
)
