import json
from pathlib import Path

from job import begin
from sparsegdf.paper.claims.verdict import lost
from sparsegdf.paper.tables import write_text

begin(snakemake)
files = snakemake.input.claims, snakemake.input.reference
claims, reference = (json.loads(Path(file).read_text(encoding="utf-8"))["claims"] for file in files)
gone = lost(claims, reference, same_scale=snakemake.params.same_scale)
if gone:
    named = ", ".join(f"{id} ({verdict})" for id, verdict in gone.items())
    raise SystemExit(f"reproduced by the reference run, not by this one: {named}")
write_text(f"{len(claims)} claims, none lost\n", snakemake.output[0])
