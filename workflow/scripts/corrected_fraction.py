from job import begin
from sparsegdf.paper.config.simulation import Simulation
from sparsegdf.paper.experiments.corrected_fraction import corrected_fraction
from sparsegdf.paper.tables import write_table

begin(snakemake)
p = snakemake.params
write_table(corrected_fraction(Simulation.of(**p.simulation), p.samples), snakemake.output[0])
