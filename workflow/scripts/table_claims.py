import pandas as pd

from job import log_to
from sparsegdf.claims import l0, simulation, theory
from sparsegdf.claims.verdict import claims_table
from sparsegdf.tables import read_table, write_readable

log_to(snakemake.log[0])
evidence = {
    key: read_table(path).assign(N=snakemake.params.N[key])
    for key, path in zip(snakemake.params.N, snakemake.input.results, strict=True)
}
evidence["table_bp_l0"] = pd.read_csv(snakemake.input.table_bp_l0).assign(N=snakemake.params.N_bp_l0)
claims = claims_table([*theory.CLAIMS, *simulation.CLAIMS, *l0.CLAIMS], evidence)
counts = ", ".join(f"{count} {verdict}" for verdict, count in claims.verdict.value_counts().items())
write_readable(
    claims,
    snakemake.output.csv.removesuffix(".csv"),
    f"{len(claims)} claims of the paper: {counts}. Run: {snakemake.config['run']}.",
    columns=["id", "where", "statement", "quoted", "measured", "tolerance", "verdict", "correction"],
)
