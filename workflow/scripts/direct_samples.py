from job import log_to
from sparsegdf.simulation import simulate
from sparsegdf.stationary import stationary_path
from sparsegdf.tables import write_table

log_to(snakemake.log[0])
first, last = int(snakemake.wildcards.first), int(snakemake.wildcards.last)
write_table(simulate(stationary_path, first=first, last=last, **snakemake.params.simulation), snakemake.output[0])
