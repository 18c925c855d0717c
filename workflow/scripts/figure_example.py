from job import begin
from sparsegdf.paper.figures import bundle, figure_example
from sparsegdf.paper.tables import read_table

begin(snakemake)
p = snakemake.params
summaries = {name: read_table(snakemake.input[name]) for name in p.penalties}
drawing = figure_example.draw(summaries, p.penalties, panels=p.config["panels"])
bundle.save(
    drawing,
    snakemake.output,
    run=snakemake.config["run"],
    config={"block": p.config, "penalties": p.penalties},
    inputs=[snakemake.input[name] for name in p.penalties],
    samples=p.config["samples"],
)
