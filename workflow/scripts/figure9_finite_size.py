from job import begin
from sparsegdf.paper.experiments.finite_size import finite_size_table
from sparsegdf.paper.figures import bundle, figure9_finite_size
from sparsegdf.paper.tables import read_table

begin(snakemake)
p = snakemake.params
names, files = map(tuple, p.names), snakemake.input.summaries
summaries = {name: read_table(file) for name, file in zip(names, files, strict=True)}
drawing = figure9_finite_size.draw(finite_size_table(summaries, p.config["shown"]), p.penalties)
bundle.save(
    drawing,
    snakemake.output,
    run=snakemake.config["run"],
    config={"block": p.config, "penalties": p.penalties},
    inputs=files,
    samples={str(size["N"]): size["samples"] for size in p.config["sizes"]},
)
