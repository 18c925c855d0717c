from job import begin
from sparsegdf.paper.experiments.theory_tables import single_body_table
from sparsegdf.paper.tables import write_table

begin(snakemake)
write_table(single_body_table(snakemake.params.panels, **snakemake.params.problem), snakemake.output[0])
