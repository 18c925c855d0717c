from job import log_to
from sparsegdf.l0_tables import l0_theory
from sparsegdf.tables import write_table

log_to(snakemake.log[0])
write_table(l0_theory(snakemake.params.deltas, **snakemake.params.problem), snakemake.output[0])
