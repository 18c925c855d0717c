"""Exact l0 search over samples of pure noise on iid predictors: one row per sample and subset size."""

import logging
import time

import numpy as np
import pandas as pd

from sparsegdf.designs import sample
from sparsegdf.subsets import best_subsets, swap_search

log = logging.getLogger(__name__)


def l0_samples(*, N, alpha, max_size, restarts, variance, seed, first, last):
    """Rows (sample, K): `explained` = max_{|S|=K} ||P_S y||^2 and norm2 = ||y||^2, K = 0..max_size, M = alpha N.

    restarts = 0 is the exact search; otherwise swap search with that many restarts, a lower bound.
    """
    M, started, tables = round(alpha * N), time.monotonic(), []
    for done, index in enumerate(range(first, last + 1), start=1):
        A, y = sample("iid", {}, M, N, index, seed, mean=0.0, variance=variance)
        if restarts:
            found = swap_search(A, y, max_size, restarts, np.random.default_rng([seed, N, index]))
        else:
            found = best_subsets(A, y, max_size)
        columns = {"K": np.arange(max_size + 1), "explained": found.explained, "norm2": y @ y}
        tables.append(pd.DataFrame({"sample": index, **columns}))
        total, elapsed = last - first + 1, time.monotonic() - started
        if done % 10 == 0 or done == total:
            log.info("sample %d (%d of %d), %.0f s left", index, done, total, elapsed / done * (total - done))
    return pd.concat(tables, ignore_index=True)
