from job import begin
from sparsegdf.paper.experiments.planted import selection_table
from sparsegdf.paper.figures import bundle, figure10_selection
from sparsegdf.paper.tables import read_table

begin(snakemake)
p = snakemake.params
cells = {(s["called"], s["N"], s["strength"]): read_table(snakemake.input[name]) for name, s in p.settings.items()}
table = selection_table(cells)
bundle.save(
    figure10_selection.draw(table, p.penalties, {s["called"]: s["design"] for s in p.settings.values()}),
    snakemake.output,
    run=snakemake.config["run"],
    config={"block": p.config, "penalties": p.penalties},
    inputs=[snakemake.input[name] for name in p.settings],
    samples=p.config["samples"],
)
