from pathlib import Path

from job import begin
from sparsegdf.paper.report import page
from sparsegdf.paper.tables import write_text

begin(snakemake)
p = snakemake.params
write_text(
    page(
        Path(snakemake.output[0]).parent,
        run=p.config["run"],
        config=p.config,
        benchmarks=p.benchmarks,
    ),
    snakemake.output[0],
)
