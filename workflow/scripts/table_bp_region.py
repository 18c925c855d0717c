from job import begin
from sparsegdf.paper.experiments.bp_region import region_table
from sparsegdf.paper.experiments.simulation import Simulation
from sparsegdf.paper.readable_tables import write_readable
from sparsegdf.paper.tables import read_table

begin(snakemake)
p = snakemake.params
names = [tuple(name) for name in p.names]
simulations = {name: Simulation.of(**simulation) for name, simulation in zip(names, p.simulations, strict=True)}
measured = {name: read_table(file) for name, file in zip(names, snakemake.input.summaries, strict=True)}
write_readable(
    region_table(simulations, measured, tol=p.tol, **p.region),
    snakemake.output.csv.removesuffix(".csv"),
    "Where plain belief propagation should converge (spectral radius of its map at directly found fixed points, mean "
    "and standard error over the fraction_converged of samples that have one; below 1 is stable) beside the measured "
    "fraction of bp_samples runs with adapted damping.",
)
