from job import begin
from sparsegdf.paper.figures import bundle, figure2_gdf
from sparsegdf.paper.tables import read_table

begin(snakemake)
p = snakemake.params
drawing = figure2_gdf.draw(read_table(snakemake.input.table), p.penalties)
config = {"block": p.config, "penalties": p.penalties}
bundle.save(drawing, snakemake.output, run=snakemake.config["run"], config=config, inputs=[snakemake.input.table])
