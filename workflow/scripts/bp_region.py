from job import begin
from sparsegdf.paper.config.simulation import Simulation
from sparsegdf.paper.experiments.bp_region import region_table
from sparsegdf.paper.tables import read_table, write_table

begin(snakemake)
p = snakemake.params
names = [tuple(name) for name in p.names]
simulations = {name: Simulation.of(**simulation) for name, simulation in zip(names, p.simulations, strict=True)}
measured = {name: read_table(file) for name, file in zip(names, snakemake.input.summaries, strict=True)}
write_table(region_table(simulations, measured, tol=p.tol, **p.region), snakemake.output[0])
