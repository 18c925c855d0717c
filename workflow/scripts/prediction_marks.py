from job import log_to
from sparsegdf.tables import write_table
from sparsegdf.theory_tables import prediction_marks

log_to(snakemake.log[0])
p = snakemake.params
write_table(prediction_marks(p.penalties, deltas=p.deltas, **p.problem), snakemake.output[0])
