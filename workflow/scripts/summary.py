import pandas as pd

from job import begin
from sparsegdf.paper.experiments.chunks import require_samples
from sparsegdf.paper.experiments.summaries import summarise
from sparsegdf.paper.tables import read_table, write_table


def chunks(files, names, penalty, **made_with):
    """The chunks of a penalty one by one, each with the samples that its name says."""
    for file, (name, first, last) in zip(files, names, strict=True):
        if name == penalty:
            rows = read_table(file, made_with | {"first": first, "last": last})
            require_samples(rows, first, last, eta=made_with["simulation"]["etas"])
            yield rows


begin(snakemake)
p, inputs, tables = snakemake.params, snakemake.input, []
for penalty, simulation in p.simulations.items():
    made_with = {"simulation": simulation, "bp": p.bp}
    found = chunks(inputs.fixed_points, p.chunks, penalty, solver=p.solver, **made_with)
    iterated = list(chunks(inputs.iterated, p.iterated, penalty, **made_with))
    tables.append(summarise(found, iterated))
    tables[-1].insert(0, "penalty", penalty)
write_table(pd.concat(tables, ignore_index=True), snakemake.output[0])
