from job import begin
from sparsegdf.paper.experiments.limit_points import limit_points
from sparsegdf.paper.tables import write_table

begin(snakemake)
write_table(limit_points(**snakemake.params.limit), snakemake.output[0])
