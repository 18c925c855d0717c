from job import begin
from sparsegdf.paper.experiments.agreement import agreement_table
from sparsegdf.paper.readable_tables import write_readable
from sparsegdf.paper.tables import read_table

begin(snakemake)
names, files = map(tuple, snakemake.params.names), snakemake.input.panels
write_readable(
    agreement_table({name: read_table(file) for name, file in zip(names, files, strict=True)}),
    snakemake.output.csv.removesuffix(".csv"),
    "Belief propagation and the direct solver on the same samples: levels of eta where each converged, where both "
    "did and to another state, and the largest differences where they found the same.",
)
