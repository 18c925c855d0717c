from inputs import read_inputs
from job import begin
from sparsegdf.paper.figures.registry import TABLES
from sparsegdf.paper.readable_tables import write_readable

begin(snakemake)
p = snakemake.params
table = TABLES[p.name](**p.block).compute(read_inputs(snakemake.input), p.uses)
write_readable(table.frame, snakemake.output.csv.removesuffix(".csv"), table.caption, table.columns, table.math)
