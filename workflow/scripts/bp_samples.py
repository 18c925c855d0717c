from job import log_to
from sparsegdf.simulation import bp_samples
from sparsegdf.tables import write_table

log_to(snakemake.log[0])
first, last = int(snakemake.wildcards.first), int(snakemake.wildcards.last)
write_table(bp_samples(first=first, last=last, **snakemake.params.simulation), snakemake.output[0])
