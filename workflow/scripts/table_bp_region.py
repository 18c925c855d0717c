from job import begin
from sparsegdf.bp_region import region_table
from sparsegdf.readable_tables import write_readable
from sparsegdf.tables import read_table

begin(snakemake)
p = snakemake.params
measured = {key: read_table(snakemake.input[key]) for key in p.simulations}
write_readable(
    region_table(p.simulations, measured, tol=p.tol, **p.region),
    snakemake.output.csv.removesuffix(".csv"),
    "Where plain belief propagation should converge (spectral radius of its map at directly found fixed points, mean "
    "and standard error over the fraction_converged of samples that have one; below 1 is stable) beside the measured "
    "fraction of bp_samples runs with adapted damping.",
)
