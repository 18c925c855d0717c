from job import begin, chunk
from sparsegdf.paper.experiments.l0_search import l0_samples
from sparsegdf.paper.tables import write_table

begin(snakemake)
run, (first, last) = snakemake.params.run, chunk(snakemake)
rows = l0_samples(first=first, last=last, **run)
write_table(rows, snakemake.output[0], {"run": run, "first": first, "last": last})
