from job import begin
from sparsegdf.planted import planted_rows
from sparsegdf.tables import write_table

begin(snakemake)
p = snakemake.params
write_table(planted_rows(**p.problem, penalties=p.penalties, seed=p.seed), snakemake.output[0])
