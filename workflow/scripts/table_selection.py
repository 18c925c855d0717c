from job import begin
from sparsegdf.paper.experiments.planted import selection_table, verdict
from sparsegdf.paper.readable_tables import write_readable
from sparsegdf.paper.tables import read_table

begin(snakemake)
p = snakemake.params
cells = {(s["called"], s["N"], s["strength"]): read_table(snakemake.input[name]) for name, s in p.settings.items()}
table = selection_table(cells)
write_readable(
    table,
    snakemake.output.csv.removesuffix(".csv"),
    "Ways to choose eta on planted data: prediction error less the noise (error: the same A, error_new: new rows), "
    "support recovery (f1), size, with standard errors; paths: fits along the path that each takes, "
    "beside those of the estimate of sigma2. " + verdict(table),
)
