from job import begin, chunk
from sparsegdf.paper.config.simulation import Simulation
from sparsegdf.paper.experiments.simulation import simulate
from sparsegdf.paper.tables import read_table, write_table
from sparsegdf.solvers.direct import stationary_path

begin(snakemake)
p, (first, last) = snakemake.params, chunk(snakemake)
made_with = {"simulation": p.simulation, "bp": p.bp, "first": first, "last": last}
samples = range(first, last + 1)
if snakemake.input.bp:
    found = read_table(snakemake.input.bp, made_with)
    samples = found["sample"][~found.converged].unique()
rows = simulate(stationary_path, Simulation.of(**p.simulation), samples)
write_table(rows, snakemake.output[0], made_with)
