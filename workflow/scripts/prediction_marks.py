from job import begin
from sparsegdf.paper.experiments.theory_tables import prediction_marks
from sparsegdf.paper.tables import write_table

begin(snakemake)
p = snakemake.params
write_table(prediction_marks(p.penalties, deltas=p.deltas, **p.problem), snakemake.output[0])
