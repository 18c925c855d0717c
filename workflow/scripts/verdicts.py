from job import begin
from sparsegdf.paper.claims.document import as_text, claims_document
from sparsegdf.paper.experiments.by_penalty import by_penalty
from sparsegdf.paper.tables import read_table, recorded_digest, write_text


def tables(file, path, identities):
    """The tables of a file, each with what it is."""
    whole, where = read_table(file), {"path": path, "sha256": recorded_digest(file)}
    parts = by_penalty(whole) if "penalty" in whole else {}
    for identity in identities:
        table = parts.get(identity.get("penalty_name"), whole)
        table.attrs = identity | where
        yield table


begin(snakemake)
evidence = zip(snakemake.input, snakemake.params.made_with.items(), strict=True)
found = [table for file, (path, identities) in evidence for table in tables(file, path, identities)]
write_text(as_text(claims_document(snakemake.params.run, found)), snakemake.output[0])
