from job import begin
from sparsegdf.readable_tables import write_readable
from sparsegdf.theory_tables import threshold_table

begin(snakemake)
table = threshold_table(snakemake.params.settings, **snakemake.params.problem)
caption = (
    "RS-stable range of delta (at_delta: the AT line) and the end of the solution S1, found by root finding. "
    "branch_beyond: the solution beyond the end of S1, where df = 1."
)
write_readable(table, snakemake.output.csv.removesuffix(".csv"), caption)
