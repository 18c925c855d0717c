from job import begin
from sparsegdf.paper.config.simulation import Simulation
from sparsegdf.paper.experiments.agreement import agreement_samples
from sparsegdf.paper.tables import write_table

begin(snakemake)
p = snakemake.params
write_table(agreement_samples(Simulation.of(**p.simulation), range(p.samples), **p.bp), snakemake.output[0])
