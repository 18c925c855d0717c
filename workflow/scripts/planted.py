from job import log_to
from sparsegdf.planted import planted_rows
from sparsegdf.tables import write_table

log_to(snakemake.log[0])
p = snakemake.params
write_table(planted_rows(**p.problem, penalties=p.penalties, seed=p.seed), snakemake.output[0])
