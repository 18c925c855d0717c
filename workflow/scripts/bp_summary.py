from job import log_to
from sparsegdf.summaries import summarise
from sparsegdf.tables import read_table, write_table

log_to(snakemake.log[0])
write_table(summarise(read_table(chunk) for chunk in snakemake.input.chunks), snakemake.output[0])
