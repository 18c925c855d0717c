from job import begin, chunk
from sparsegdf.paper.config.simulation import Simulation
from sparsegdf.paper.experiments.simulation import simulate, solvers_of
from sparsegdf.paper.tables import write_table

begin(snakemake)
p, (first, last) = snakemake.params, chunk(snakemake)
rows = simulate(solvers_of(p.solver, **p.bp), Simulation.of(**p.simulation), range(first, last + 1))
made_with = {"simulation": p.simulation, "solver": p.solver, "bp": p.bp, "first": first, "last": last}
write_table(rows, snakemake.output[0], made_with)
