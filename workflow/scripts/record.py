import pandas as pd

from job import begin
from sparsegdf.paper.report import manifest, times
from sparsegdf.paper.tables import write_text

begin(snakemake)
p = snakemake.params
tables = {"costs": pd.DataFrame(times(p.benchmarks)).round(2), "manifest": manifest(p.folders)}
for name, table in tables.items():
    write_text(table.to_csv(index=False, lineterminator="\n"), snakemake.output[name])
