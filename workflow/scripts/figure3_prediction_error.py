from job import begin
from sparsegdf.paper.figures import bundle, figure3_prediction_error
from sparsegdf.paper.tables import read_table

begin(snakemake)
p = snakemake.params
table, marks = read_table(snakemake.input.table), read_table(snakemake.input.marks)
drawing = figure3_prediction_error.draw(table, marks, p.penalties, zoom=p.config["zoom"])
config = {"block": p.config, "penalties": p.penalties}
bundle.save(
    drawing,
    snakemake.output,
    run=snakemake.config["run"],
    config=config,
    inputs=[snakemake.input.table, snakemake.input.marks],
)
