import pandas as pd

from job import begin
from sparsegdf.paper.experiments.chunks import require_finite, require_samples
from sparsegdf.paper.experiments.l0_summaries import fixed_eta, fixed_size
from sparsegdf.paper.tables import read_table, write_table

begin(snakemake)
p, run, parts = snakemake.params, snakemake.params.run, []
for path, (first, last) in zip(snakemake.input.chunks, p.chunks, strict=True):
    parts.append(read_table(path, {"run": run, "first": first, "last": last}))
    require_samples(parts[-1], first, last, K=range(run["max_size"] + 1))
    require_finite(parts[-1], ["explained", "norm2"])
rows, N, exact = pd.concat(parts, ignore_index=True), run["N"], run["restarts"] == 0
problem = {"M": round(run["alpha"] * N), "variance": run["variance"]}
write_table(fixed_size(rows, **problem).assign(N=N, exact=exact), snakemake.output.sizes)
write_table(fixed_eta(rows, p.etas, N=N, **problem).assign(N=N, exact=exact), snakemake.output.etas)
