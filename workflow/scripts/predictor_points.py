from job import begin
from sparsegdf.paper.experiments.predictor_points import predictor_points
from sparsegdf.paper.tables import write_table

begin(snakemake)
write_table(predictor_points(**snakemake.params.problem), snakemake.output[0])
