from job import log_to
from sparsegdf.summaries import convergence_table
from sparsegdf.tables import read_table, write_readable

log_to(snakemake.log[0])
table = convergence_table({tuple(name.split("__")): read_table(path) for name, path in snakemake.input.items()})
caption = (
    "Belief propagation per simulation and eta: fraction of samples converged, median and 95 % quantile of the steps."
)
write_readable(table, snakemake.output.csv.removesuffix(".csv"), caption)
