from functools import partial

from job import log_to
from sparsegdf.bp import belief_propagation
from sparsegdf.simulation import simulate
from sparsegdf.tables import write_table

log_to(snakemake.log[0])
solve = partial(belief_propagation, **snakemake.params.bp)
samples = range(int(snakemake.wildcards.first), int(snakemake.wildcards.last) + 1)
write_table(simulate(solve, samples=samples, **snakemake.params.simulation), snakemake.output[0])
