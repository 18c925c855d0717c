from functools import partial

from job import log_to
from sparsegdf.bp import belief_propagation
from sparsegdf.simulation import simulate
from sparsegdf.tables import write_table

log_to(snakemake.log[0])
solve = partial(belief_propagation, **snakemake.params.bp)
first, last = int(snakemake.wildcards.first), int(snakemake.wildcards.last)
write_table(simulate(solve, first=first, last=last, **snakemake.params.simulation), snakemake.output[0])
