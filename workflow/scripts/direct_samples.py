from job import begin, chunk
from sparsegdf.simulation import simulate
from sparsegdf.stationary import stationary_path
from sparsegdf.tables import read_table, write_table

begin(snakemake)
p, (first, last) = snakemake.params, chunk(snakemake)
made_with = {"simulation": p.simulation, "bp": p.bp, "first": first, "last": last}
samples = range(first, last + 1)
if snakemake.input.bp:
    found = read_table(snakemake.input.bp, made_with)
    samples = found["sample"][~found.converged].unique()
write_table(simulate(stationary_path, samples=samples, **p.simulation), snakemake.output[0], made_with)
