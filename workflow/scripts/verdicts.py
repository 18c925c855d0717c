from job import begin
from sparsegdf.paper.claims.document import as_text, claims_document
from sparsegdf.paper.tables import read_table, recorded_digest, write_text

begin(snakemake)
tables = []
for file, (path, made_with) in zip(snakemake.input, snakemake.params.made_with.items(), strict=True):
    table = read_table(file)
    table.attrs = made_with | {"path": path, "sha256": recorded_digest(file)}
    tables.append(table)
write_text(as_text(claims_document(snakemake.params.run, tables)), snakemake.output[0])
