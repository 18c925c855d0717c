from job import begin
from sparsegdf.paper.experiments.finite_size import finite_size_table
from sparsegdf.paper.figures import bundle, figure9_finite_size
from sparsegdf.paper.tables import read_table

begin(snakemake)
p = snakemake.params
summaries = {
    (size["N"], design, penalty): read_table(snakemake.input[f"size{size['N']}_{design}__{penalty}"])
    for size in p.config["sizes"]
    for design in p.config["designs"]
    for penalty in p.penalties
}
drawing = figure9_finite_size.draw(finite_size_table(summaries, p.config["shown"]), p.penalties)
bundle.save(
    drawing,
    snakemake.output,
    run=snakemake.config["run"],
    config={"block": p.config, "penalties": p.penalties},
    inputs=[path for key, path in snakemake.input.items() if "__" in key],
    samples={str(size["N"]): size["samples"] for size in p.config["sizes"]},
)
