from job import begin
from sparsegdf.paper.figures import bundle, figure7_l0_exhaustive
from sparsegdf.paper.tables import read_table, read_tables

begin(snakemake)
theory, sizes = read_table(snakemake.input.theory), read_tables(snakemake.input.sizes)
drawing = figure7_l0_exhaustive.draw(sizes, theory)
bundle.save(
    drawing,
    snakemake.output,
    run=snakemake.config["run"],
    config=snakemake.params.config,
    inputs=[snakemake.input.theory, *snakemake.input.sizes],
    samples={str(N): int(n) for N, n in sizes.groupby("N").samples.first().items()},
)
