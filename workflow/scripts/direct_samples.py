from job import log_to
from sparsegdf.simulation import simulate
from sparsegdf.stationary import stationary_path
from sparsegdf.tables import read_table, write_table

log_to(snakemake.log[0])
samples = range(int(snakemake.wildcards.first), int(snakemake.wildcards.last) + 1)
if snakemake.input.bp:
    found = read_table(snakemake.input.bp[0])
    samples = found["sample"][~found.converged].unique()
write_table(simulate(stationary_path, samples=samples, **snakemake.params.simulation), snakemake.output[0])
