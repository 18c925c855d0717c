from job import begin
from sparsegdf.paper.figures import bundle, figure4_bp_vs_rs
from sparsegdf.paper.tables import read_table

begin(snakemake)
p = snakemake.params
summaries = {name: read_table(snakemake.input[name]) for name in p.penalties}
theory = read_table(snakemake.input.theory)
drawing = figure4_bp_vs_rs.draw(summaries, theory, p.penalties, panels=p.config["panels"])
bundle.save(
    drawing,
    snakemake.output,
    run=snakemake.config["run"],
    config={"block": p.config, "penalties": p.penalties},
    inputs=[snakemake.input.theory, *(snakemake.input[name] for name in p.penalties)],
    samples=p.config["samples"],
)
