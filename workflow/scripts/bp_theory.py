from job import begin
from sparsegdf.paper.experiments.theory_tables import panel_curves
from sparsegdf.paper.tables import write_table

begin(snakemake)
write_table(panel_curves(snakemake.params.settings, **snakemake.params.problem), snakemake.output[0])
