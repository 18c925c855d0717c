from job import log_to
from sparsegdf.tables import write_table
from sparsegdf.theory_tables import single_body_table

log_to(snakemake.log[0])
write_table(single_body_table(snakemake.params.panels, **snakemake.params.problem), snakemake.output[0])
