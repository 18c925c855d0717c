from job import log_to
from sparsegdf.l0_simulation import l0_samples
from sparsegdf.tables import write_table

log_to(snakemake.log[0])
first, last = int(snakemake.wildcards.first), int(snakemake.wildcards.last)
write_table(l0_samples(first=first, last=last, **snakemake.params.run), snakemake.output[0])
