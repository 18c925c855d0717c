import pandas as pd

from job import log_to
from sparsegdf.report import manifest, times
from sparsegdf.tables import write_text

log_to(snakemake.log[0])
p = snakemake.params
tables = {"costs": pd.DataFrame(times(p.benchmarks, p.patterns)).round(2), "manifest": manifest(p.folders)}
for name, table in tables.items():
    write_text(table.to_csv(index=False, lineterminator="\n"), snakemake.output[name])
