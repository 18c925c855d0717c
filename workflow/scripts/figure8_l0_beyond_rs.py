from job import begin
from sparsegdf.paper.figures import bundle, figure8_l0_beyond_rs
from sparsegdf.paper.tables import read_table, read_tables

begin(snakemake)
theory = read_table(snakemake.input.theory)
sizes, etas = read_tables(snakemake.input.sizes), read_tables(snakemake.input.etas)
block = snakemake.params.config["figure8_l0_beyond_rs"]
drawing = figure8_l0_beyond_rs.draw(sizes, etas, theory, limit_deltas=block["limits"])
bundle.save(
    drawing,
    snakemake.output,
    run=snakemake.config["run"],
    config=snakemake.params.config,
    inputs=[snakemake.input.theory, *snakemake.input.sizes, *snakemake.input.etas],
    samples={str(N): int(n) for N, n in sizes.groupby("N").samples.first().items()},
)
