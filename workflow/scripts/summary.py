from job import log_to
from sparsegdf.summaries import combine, summarise
from sparsegdf.tables import read_table, write_table

log_to(snakemake.log[0])
bp, direct = snakemake.input.bp, snakemake.input.direct
if bp and direct:
    chunks = (combine(read_table(b), read_table(d)) for b, d in zip(bp, direct, strict=True))
else:
    chunks = (read_table(chunk).assign(solver="bp" if bp else "direct") for chunk in bp or direct)
write_table(summarise(chunks), snakemake.output[0])
