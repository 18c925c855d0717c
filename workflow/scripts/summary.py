from job import begin
from sparsegdf.paper.experiments.chunks import require_samples
from sparsegdf.paper.experiments.summaries import combine, summarise
from sparsegdf.paper.tables import read_table, write_table


def chunks(bp, direct, p):
    """The chunks one by one, each with the samples that its name says."""
    for number, (first, last) in enumerate(p.chunks):
        made_with = {"simulation": p.simulation, "bp": p.bp, "first": first, "last": last}
        of_bp, of_direct = (read_table(files[number], made_with) if files else None for files in (bp, direct))
        require_samples(of_direct if of_bp is None else of_bp, first, last, eta=p.simulation["etas"])
        yield combine(of_bp, of_direct)


begin(snakemake)
write_table(summarise(chunks(snakemake.input.bp, snakemake.input.direct, snakemake.params)), snakemake.output[0])
