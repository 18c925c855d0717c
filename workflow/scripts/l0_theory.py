from job import begin
from sparsegdf.paper.experiments.l0_tables import l0_theory
from sparsegdf.paper.tables import write_table

begin(snakemake)
write_table(l0_theory(snakemake.params.deltas, **snakemake.params.problem), snakemake.output[0])
