from functools import partial

from job import begin, chunk
from sparsegdf.bp import belief_propagation
from sparsegdf.simulation import simulate
from sparsegdf.tables import write_table

begin(snakemake)
p, (first, last) = snakemake.params, chunk(snakemake)
rows = simulate(partial(belief_propagation, **p.bp), samples=range(first, last + 1), **p.simulation)
write_table(rows, snakemake.output[0], {"simulation": p.simulation, "bp": p.bp, "first": first, "last": last})
