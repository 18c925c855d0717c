from job import begin
from sparsegdf.paper.experiments.l0_tables import df_table
from sparsegdf.paper.readable_tables import write_readable
from sparsegdf.paper.tables import read_tables

begin(snakemake)
table = df_table(read_tables(snakemake.input.sizes), **snakemake.params.problem)
caption = (
    "GDF of the best subset of K columns (df: mean R^2, df_plain: covariance), with standard errors; "
    "exact = False is swap search, a lower bound. RS, one-step RSB and the first-moment bound are for N to infinity."
)
write_readable(table, snakemake.output.csv.removesuffix(".csv"), caption)
