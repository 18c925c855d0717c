from job import begin
from sparsegdf.tables import write_table
from sparsegdf.theory_tables import prediction_marks

begin(snakemake)
p = snakemake.params
write_table(prediction_marks(p.penalties, deltas=p.deltas, **p.problem), snakemake.output[0])
