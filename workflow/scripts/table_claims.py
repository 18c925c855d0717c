import pandas as pd

from job import begin
from sparsegdf.paper.claims import l0, simulation, theory
from sparsegdf.paper.claims.verdict import claims_table
from sparsegdf.paper.readable_tables import write_readable
from sparsegdf.paper.tables import read_table

begin(snakemake)
evidence = [*map(read_table, snakemake.input.results), pd.read_csv(snakemake.input.table_bp_l0)]
for table, made_with in zip(evidence, snakemake.params.made_with, strict=True):
    table.attrs = made_with
claims = claims_table([*theory.CLAIMS, *simulation.CLAIMS, *l0.CLAIMS], evidence)
counts = ", ".join(f"{count} {verdict}" for verdict, count in claims.verdict.value_counts().items())
write_readable(
    claims,
    snakemake.output.csv.removesuffix(".csv"),
    f"{len(claims)} claims of the paper: {counts}. Run: {snakemake.config['run']}.",
    columns=["id", "where", "statement", "quoted", "measured", "tolerance", "verdict", "correction"],
)
