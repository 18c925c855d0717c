from job import log_to
from sparsegdf.l0_summaries import fixed_eta, fixed_size
from sparsegdf.tables import read_tables, write_table

log_to(snakemake.log[0])
p = snakemake.params
rows, problem = read_tables(snakemake.input.chunks), {"M": round(p.alpha * p.N), "variance": p.variance}
write_table(fixed_size(rows, **problem).assign(N=p.N, exact=p.exact), snakemake.output.sizes)
write_table(fixed_eta(rows, p.etas, N=p.N, **problem).assign(N=p.N, exact=p.exact), snakemake.output.etas)
