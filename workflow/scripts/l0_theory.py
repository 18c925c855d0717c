from job import begin
from sparsegdf.l0_tables import l0_theory
from sparsegdf.tables import write_table

begin(snakemake)
write_table(l0_theory(snakemake.params.deltas, **snakemake.params.problem), snakemake.output[0])
