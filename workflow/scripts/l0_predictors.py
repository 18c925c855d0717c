import pandas as pd

from job import begin
from sparsegdf.ensembles.registry import make_design
from sparsegdf.paper.experiments.l0_search import l0_samples
from sparsegdf.paper.experiments.l0_summaries import fixed_size
from sparsegdf.paper.tables import write_table


def sizes(problem):
    """The summary at one N."""
    N, M = problem["N"], round(problem["alpha"] * problem["N"])
    rows = l0_samples(**problem | {"design": make_design(**problem["design"])})
    return fixed_size(rows, M=M, variance=problem["variance"]).assign(N=N, exact=True)


begin(snakemake)
write_table(pd.concat(map(sizes, snakemake.params.problems), ignore_index=True), snakemake.output[0])
