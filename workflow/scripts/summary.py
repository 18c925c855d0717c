from job import begin
from sparsegdf.paper.experiments.chunks import require_samples
from sparsegdf.paper.experiments.summaries import summarise
from sparsegdf.paper.tables import read_table, write_table


def chunks(files, bounds, etas, **made_with):
    """The chunks one by one, each with the samples that its name says."""
    for file, (first, last) in zip(files, bounds, strict=True):
        rows = read_table(file, made_with | {"first": first, "last": last})
        require_samples(rows, first, last, eta=etas)
        yield rows


begin(snakemake)
p, etas = snakemake.params, snakemake.params.simulation["etas"]
made_with = {"simulation": p.simulation, "bp": p.bp}
found = chunks(snakemake.input.fixed_points, p.chunks, etas, solver=p.solver, **made_with)
iterated = list(chunks(snakemake.input.iterated, p.iterated, etas, **made_with))
write_table(summarise(found, iterated), snakemake.output[0])
