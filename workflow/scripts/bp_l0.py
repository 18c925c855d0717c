from job import begin
from sparsegdf.paper.experiments.l0_bp import l0_bp_table
from sparsegdf.paper.tables import write_table

begin(snakemake)
write_table(l0_bp_table(**snakemake.params.runs), snakemake.output[0])
