from job import begin
from sparsegdf.tables import write_table
from sparsegdf.theory_tables import rs_table

begin(snakemake)
p = snakemake.params
write_table(rs_table(p.penalties, deltas=p.deltas, **p.problem), snakemake.output[0])
