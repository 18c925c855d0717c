from job import log_to
from sparsegdf.tables import write_table
from sparsegdf.theory_tables import panel_curves

log_to(snakemake.log[0])
write_table(panel_curves(snakemake.params.settings, **snakemake.params.problem), snakemake.output[0])
