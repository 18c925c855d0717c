from job import log_to
from sparsegdf.summaries import summarise
from sparsegdf.tables import read_tables, write_table

log_to(snakemake.log[0])
write_table(summarise(read_tables(snakemake.input.chunks)), snakemake.output[0])
