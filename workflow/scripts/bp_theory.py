from job import begin
from sparsegdf.tables import write_table
from sparsegdf.theory_tables import panel_curves

begin(snakemake)
write_table(panel_curves(snakemake.params.settings, **snakemake.params.problem), snakemake.output[0])
