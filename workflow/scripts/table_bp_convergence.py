from job import begin
from sparsegdf.paper.experiments.summaries import convergence_table
from sparsegdf.paper.readable_tables import write_readable
from sparsegdf.paper.tables import read_table

begin(snakemake)
names, files = map(tuple, snakemake.params.names), snakemake.input.summaries
table = convergence_table({name: read_table(file) for name, file in zip(names, files, strict=True)})
caption = (
    "Belief propagation per simulation and eta: fraction_bp of the samples converged by it; median and 95 % quantile "
    "of its steps. delta is the mean, with its standard error, and kkt_max the largest violation of stationarity, of "
    "the fraction_converged of the samples that have a fixed point by belief propagation or by the direct solver."
)
write_readable(table, snakemake.output.csv.removesuffix(".csv"), caption)
