from job import log_to
from sparsegdf.agreement import agreement_samples
from sparsegdf.tables import write_table

log_to(snakemake.log[0])
p = snakemake.params
write_table(agreement_samples(samples=range(p.samples), **p.simulation, **p.bp), snakemake.output[0])
