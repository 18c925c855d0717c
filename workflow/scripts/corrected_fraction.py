import pandas as pd

from job import begin
from sparsegdf.paper.config.simulation import Simulation
from sparsegdf.paper.experiments.corrected_fraction import corrected_fraction
from sparsegdf.paper.tables import write_table

begin(snakemake)
p, tables = snakemake.params, []
for penalty, simulation in p.simulations.items():
    tables.append(corrected_fraction(Simulation.of(**simulation), p.samples))
    tables[-1].insert(0, "penalty", penalty)
write_table(pd.concat(tables, ignore_index=True), snakemake.output[0])
