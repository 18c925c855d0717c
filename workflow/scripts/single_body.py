from job import begin
from sparsegdf.tables import write_table
from sparsegdf.theory_tables import single_body_table

begin(snakemake)
write_table(single_body_table(snakemake.params.panels, **snakemake.params.problem), snakemake.output[0])
