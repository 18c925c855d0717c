from job import begin
from sparsegdf.paper.experiments.planted import planted_rows
from sparsegdf.paper.tables import write_table

begin(snakemake)
p = snakemake.params
write_table(planted_rows(**p.problem, penalties=p.penalties, seed=p.seed), snakemake.output[0])
