from functools import partial

from job import begin, chunk
from sparsegdf.paper.config.simulation import Simulation
from sparsegdf.paper.experiments.simulation import simulate
from sparsegdf.paper.tables import write_table
from sparsegdf.solvers.belief_propagation import belief_propagation

begin(snakemake)
p, (first, last) = snakemake.params, chunk(snakemake)
rows = simulate(partial(belief_propagation, **p.bp), Simulation.of(**p.simulation), range(first, last + 1))
write_table(rows, snakemake.output[0], {"simulation": p.simulation, "bp": p.bp, "first": first, "last": last})
