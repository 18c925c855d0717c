from job import begin
from sparsegdf.paper.experiments.theory_tables import threshold_table
from sparsegdf.paper.readable_tables import write_readable

begin(snakemake)
table = threshold_table(snakemake.params.settings, **snakemake.params.problem)
caption = (
    "RS-stable range of delta (at_delta: the AT line), the largest delta of the solution S1, a turning point if it "
    "goes on, and the delta at its end, by root finding. branch_beyond: what S1 goes over into at its end."
)
write_readable(table, snakemake.output.csv.removesuffix(".csv"), caption)
