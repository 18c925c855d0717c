from job import begin
from sparsegdf.agreement import agreement_samples
from sparsegdf.tables import write_table

begin(snakemake)
p = snakemake.params
write_table(agreement_samples(samples=range(p.samples), **p.simulation, **p.bp), snakemake.output[0])
