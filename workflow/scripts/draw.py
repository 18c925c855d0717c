from inputs import read_inputs
from job import begin
from sparsegdf.paper.figures import bundle
from sparsegdf.paper.figures.registry import FIGURES

begin(snakemake)
p = snakemake.params
figure = FIGURES[snakemake.wildcards.figure](**p.block)
bundle.save(
    figure.draw(read_inputs(snakemake.input), p.uses),
    snakemake.output,
    run=snakemake.config["run"],
    config=figure.settings(p.uses),
    inputs=snakemake.input,
)
