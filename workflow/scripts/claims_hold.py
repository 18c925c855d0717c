import pandas as pd

from job import log_to
from sparsegdf.claims.verdict import lost
from sparsegdf.tables import write_text

log_to(snakemake.log[0])
claims, reference = pd.read_csv(snakemake.input.claims), pd.read_csv(snakemake.input.reference)
gone = lost(claims, reference)
if len(gone):
    raise SystemExit("reproduced by the reference run, contradicted by this one: " + ", ".join(gone.id))
write_text(f"{len(claims)} claims, none lost\n", snakemake.output[0])
