"""Best subsets against R's leaps and a plain depth-first search, by size, and the hit rate of the heuristic.

Pure noise throughout: A has iid normal entries of variance 1/M, y is standard normal.

    python benchmarks/bench_subsets.py [--quick]
"""

import numpy as np
import pandas as pd
from numba import njit

from rscript import rscript
from sparsegdf.solvers.best_subset import best_subsets, swap_search
from timing import Comparison, alone, faster, markdown, reason, seconds, spread

# leaps wants more rows than columns.
LEAPS = """
X <- rbind(A, 1e-6 * diag(ncol(A)))
z <- c(y, numeric(ncol(A)))
summary(regsubsets(X, z, nvmax = given, intercept = FALSE, method = "exhaustive", really.big = TRUE))$rss
"""


def sample(N, M, seed):
    rng = np.random.default_rng([N, M, seed])
    return rng.normal(size=(M, N)) / np.sqrt(M), rng.normal(size=M)


@njit(cache=True)
def plain_search(A, y, max_size):
    """Depth first over all subsets: the full residual Gram matrix at every node, no pruning."""
    n = A.shape[1]
    X = np.hstack((y.reshape(-1, 1), A))
    G = np.empty((max_size, n + 1, n + 1))
    G[0] = X.T @ X
    best = np.zeros(max_size + 1)
    pick = np.full(max_size, n)
    level = 0
    while level >= 0:
        k = pick[level]
        if k == 0:
            level -= 1
            continue
        pick[level] -= 1
        P = G[level]
        best[level + 1] = max(best[level + 1], G[0, 0, 0] - P[0, 0] + P[k, 0] ** 2 / P[k, k])
        if level + 1 < max_size:
            level += 1
            pick[level] = k - 1
            for i in range(k):
                factor = P[i, k] / P[k, k]
                for j in range(k):
                    G[level, i, j] = P[i, j] - factor * P[k, j]
    return best


def against_peers(quick):
    N, M, K, count = (16, 8, 4, 2) if quick else (50, 25, 6, 10)
    for search in (best_subsets, plain_search):
        search(*sample(10, 5, 0), 4)  # compile
    spent, gap, note = {"best_subsets": [], "plain depth-first, numba": [], "R leaps": []}, {}, {}
    for index in range(count):
        A, y = sample(N, M, index)
        exact = None
        for name in spent:
            try:
                if name == "R leaps":
                    (used,), rss, version = rscript("leaps", LEAPS, A, y, [K])
                    note[name] = f"leaps {version}, rows augmented by 1e-6 I"
                elif name == "best_subsets":
                    used, exact = seconds(best_subsets, A, y, K)
                    rss = exact.rss[1:]
                else:
                    used, explained = seconds(plain_search, A, y, K)
                    rss = y @ y - explained[1:]
            except (OSError, RuntimeError, ValueError) as error:
                note[name] = reason(error)
                continue
            spent[name].append(used)
            gap[name] = max(gap.get(name, 0.0), np.abs(rss / exact.rss[1:] - 1).max())
    ours = spent["best_subsets"]
    nothing = dict.fromkeys(("ms", "min", "max", "ratio", "rss gap"), np.nan)
    return pd.DataFrame(
        {"search": name}
        | (
            spread(used) | {"ratio": np.median(np.divide(used, ours)), "rss gap": gap[name]}
            if len(used) == count
            else nothing
        )
        | {"note": note.get(name, "")}
        for name, used in spent.items()
    )


def reading(frame):
    peers = frame[1:].dropna(subset="ratio")
    return "best_subsets is " + (
        ", ".join(f"{faster(row.ratio)} than {row.search}" for row in peers.itertuples())
        + ", with the same optima to "
        f"{peers['rss gap'].max():.0e} of the rss."
    )


COMPARISONS = [
    Comparison(
        "best_subset",
        "Best subset against leaps and a plain search",
        "N = 50, M = 25, the best subset of every size K ≤ 6, pure noise, ten samples. All three are exact. leaps "
        "needs more rows than columns, so 1e-6 I is appended for it; its time is R's own, without its start. rss "
        "gap: largest relative difference of a residual sum of squares to that of best_subsets.",
        against_peers,
        reading,
    )
]


def each(function, samples):
    """CPU seconds per sample, and the results."""
    spent, results = seconds(lambda: [function(*s) for s in samples])
    return spent / len(samples), results


def by_size():
    cases = [(20, 10, 10, 50), (30, 15, 10, 20), (30, 15, 15, 3), (50, 25, 6, 20), (50, 25, 7, 20), (50, 25, 8, 40)]
    cases += [(100, 50, 4, 10), (100, 50, 5, 10), (100, 50, 6, 5), (100, 50, 7, 1)]
    rows = []
    for N, M, K, count in cases:
        used, _ = each(lambda A, y, K=K: best_subsets(A, y, K), [sample(N, M, i) for i in range(count)])
        rows.append({"N": N, "M": M, "K <=": K, "samples": count, "s": used, "1000, core-minutes": used * 1000 / 60})
    print(f"\nbest_subsets, CPU seconds per sample\n\n{markdown(pd.DataFrame(rows))}")


def heuristic():
    samples = [sample(50, 25, i) for i in range(40)]
    exact = [best_subsets(A, y, 8).explained for A, y in samples]
    rows = []
    for restarts in (0, 10, 50, 200):
        used, found = each(lambda A, y, r=restarts: swap_search(A, y, 8, r, 0), samples)
        hit = np.mean([f.explained >= e * (1 - 1e-9) for f, e in zip(found, exact, strict=True)], axis=0)
        rows.append({"restarts": restarts, "s": used} | {f"K = {K}": hit[K] for K in range(2, 9)})
    print("\nswap_search, N = 50, M = 25: share of 40 samples where it finds the optimum\n")
    print(markdown(pd.DataFrame(rows)))
    samples, rows = [sample(200, 100, i) for i in range(3)], []
    for restarts in (10, 50):
        used, found = each(lambda A, y, r=restarts: swap_search(A, y, 25, r, 0), samples)
        r2 = np.mean([f.explained[[10, 25]] / (f.explained[0] + f.rss[0]) for f in found], axis=0)
        rows.append({"restarts": restarts, "s": used, "K = 10": r2[0], "K = 25": r2[1]})
    print("\nswap_search, N = 200, M = 100, K <= 25, CPU seconds and mean R^2 at K = 10, 25\n")
    print(markdown(pd.DataFrame(rows)))


if __name__ == "__main__":
    if not alone(COMPARISONS, __doc__):
        by_size()
        heuristic()
