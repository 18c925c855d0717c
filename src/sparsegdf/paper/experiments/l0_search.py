"""Exact l0 search over samples of pure noise: one row per sample and subset size."""

import numpy as np
import pandas as pd

from sparsegdf.ensembles.ensemble import Ensemble
from sparsegdf.ensembles.iid import IID
from sparsegdf.paper.experiments.samples import over_samples
from sparsegdf.solvers.best_subset import best_subsets, swap_search

INDEPENDENT = IID()


def l0_samples(*, N, alpha, max_size, restarts, variance, seed, first, last, design=INDEPENDENT):
    """Rows (sample, K): `explained` = max_{|S|=K} ||P_S y||^2 and norm2 = ||y||^2, K = 0..max_size, M = alpha N.

    restarts = 0 is the exact search; otherwise swap search with that many restarts, a lower bound.
    """
    ensemble, tables = Ensemble(design, round(alpha * N), N, 0.0, variance, seed), []
    for index, A, y in over_samples(ensemble, range(first, last + 1)):
        if restarts:
            found = swap_search(A, y, max_size, restarts, np.random.default_rng([seed, N, index]))
        else:
            found = best_subsets(A, y, max_size)
        columns = {"K": np.arange(max_size + 1), "explained": found.explained, "norm2": y @ y}
        tables.append(pd.DataFrame({"sample": index, **columns}))
    return pd.concat(tables, ignore_index=True)
