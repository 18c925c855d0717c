from job import begin
from sparsegdf.paper.experiments.theory_tables import rs_table
from sparsegdf.paper.tables import write_table

begin(snakemake)
p = snakemake.params
write_table(rs_table(p.penalties, deltas=p.deltas, **p.problem), snakemake.output[0])
