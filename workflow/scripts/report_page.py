from pathlib import Path

from job import log_to
from sparsegdf.report import page
from sparsegdf.tables import write_text

log_to(snakemake.log[0])
p = snakemake.params
write_text(
    page(
        Path(snakemake.output[0]).parent,
        run=p.config["run"],
        config=p.config,
        benchmarks=p.benchmarks,
        patterns=p.patterns,
    ),
    snakemake.output[0],
)
