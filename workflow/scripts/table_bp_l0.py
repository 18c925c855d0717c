from job import begin
from sparsegdf.paper.experiments.l0_bp import l0_bp_table
from sparsegdf.paper.readable_tables import write_readable

begin(snakemake)
caption = (
    "Belief propagation for l0 on iid predictors, from x = 0, by weight of the new value (1 is undamped, as in the "
    "paper). delta averages the runs that converged; pairs of them converged with a larger weight, too, and "
    "other_support is the fraction of these whose two supports differ."
)
write_readable(l0_bp_table(**snakemake.params.runs), snakemake.output.csv.removesuffix(".csv"), caption)
