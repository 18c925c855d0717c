from job import log_to
from sparsegdf.bp_region import region_table
from sparsegdf.tables import read_table, write_readable

log_to(snakemake.log[0])
p = snakemake.params
measured = {key: read_table(snakemake.input[key]) for key in p.simulations}
write_readable(
    region_table(p.simulations, measured, tol=p.tol, **p.region),
    snakemake.output.csv.removesuffix(".csv"),
    "Where plain belief propagation should converge (spectral radius of its map at directly found fixed points, mean "
    "and standard error over the fraction_converged of samples that have one; below 1 is stable) beside the measured "
    "fraction of bp_samples runs with adapted damping.",
)
