from job import log_to
from sparsegdf.figures import bundle, figure2_gdf
from sparsegdf.tables import read_table

log_to(snakemake.log[0])
p = snakemake.params
drawing = figure2_gdf.draw(read_table(snakemake.input.table), p.penalties)
config = {"block": p.config, "penalties": p.penalties}
bundle.save(drawing, snakemake.output, run=snakemake.config["run"], config=config, inputs=[snakemake.input.table])
