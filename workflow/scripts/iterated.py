from job import begin, chunk
from sparsegdf.paper.config.simulation import Simulation
from sparsegdf.paper.experiments.iterated import iterated_samples
from sparsegdf.paper.tables import write_table

begin(snakemake)
p, (first, last) = snakemake.params, chunk(snakemake)
rows = iterated_samples(Simulation.of(**p.simulation), range(first, last + 1), **p.bp)
write_table(rows, snakemake.output[0], {"simulation": p.simulation, "bp": p.bp, "first": first, "last": last})
