from job import log_to
from sparsegdf.summaries import combine, summarise
from sparsegdf.tables import read_table, write_table

log_to(snakemake.log[0])
bp, direct = snakemake.input.bp, snakemake.input.direct
if bp and direct:
    chunks = (combine(read_table(b), read_table(d)) for b, d in zip(bp, direct, strict=True))
elif bp:
    chunks = (read_table(chunk).assign(solver="bp") for chunk in bp)
else:
    chunks = (read_table(chunk).assign(solver="direct", steps=float("nan")) for chunk in direct)
write_table(summarise(chunks), snakemake.output[0])
