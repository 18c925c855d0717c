import pandas as pd

from job import begin
from sparsegdf.paper.claims.verdict import lost
from sparsegdf.paper.tables import write_text

begin(snakemake)
claims, reference = pd.read_csv(snakemake.input.claims), pd.read_csv(snakemake.input.reference)
gone = lost(claims, reference, same_scale=snakemake.params.same_scale)
if len(gone):
    named = ", ".join(f"{claim.id} ({claim.verdict})" for claim in gone.itertuples())
    raise SystemExit(f"reproduced by the reference run, not by this one: {named}")
write_text(f"{len(claims)} claims, none lost\n", snakemake.output[0])
