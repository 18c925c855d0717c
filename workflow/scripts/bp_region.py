from job import begin
from sparsegdf.paper.config.simulation import Simulation
from sparsegdf.paper.experiments.bp_region import region_table
from sparsegdf.paper.experiments.by_penalty import by_penalty
from sparsegdf.paper.tables import read_table, write_table

begin(snakemake)
p = snakemake.params
names = [tuple(name) for name in p.names]
simulations = {name: Simulation.of(**simulation) for name, simulation in zip(names, p.simulations, strict=True)}
summaries = {
    name: by_penalty(read_table(file)) for name, file in zip(p.figures, snakemake.input.summaries, strict=True)
}
measured = {(figure, penalty): summaries[figure][penalty] for figure, penalty in names}
write_table(region_table(simulations, measured, tol=p.tol, **p.region), snakemake.output[0])
