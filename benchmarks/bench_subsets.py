"""Best subsets: CPU time against R's leaps and a plain depth-first search, and the hit rate of the heuristic.

Pure noise throughout: A has iid normal entries of variance 1/M, y is standard normal. One thread, a minute.
"""

import os

os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"))

import shutil
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np
from numba import njit

from sparsegdf.subsets import best_subsets, swap_search

LEAPS = """
library(leaps)
folder <- commandArgs(TRUE)[1]
A <- as.matrix(read.csv(file.path(folder, "A.csv"), header = FALSE))
y <- scan(file.path(folder, "y.csv"), quiet = TRUE)
A <- rbind(A, 1e-6 * diag(ncol(A)))  # leaps wants more rows than columns
y <- c(y, numeric(ncol(A)))
used <- system.time(
  fit <- regsubsets(A, y, nvmax = 6, intercept = FALSE, method = "exhaustive", really.big = TRUE)
)
cat(used["user.self"] + used["sys.self"], summary(fit)$rss, sep = "\\n")
"""


def sample(N, M, seed):
    rng = np.random.default_rng([N, M, seed])
    return rng.normal(size=(M, N)) / np.sqrt(M), rng.normal(size=M)


def seconds(function, samples):
    """CPU seconds per sample, and the results."""
    start = time.process_time()
    results = [function(*s) for s in samples]
    return (time.process_time() - start) / len(samples), results


def leaps(A, y):
    """(CPU seconds, rss of sizes 1..6) by R, or None where R or leaps is missing."""
    if shutil.which("Rscript") is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        np.savetxt(Path(folder, "A.csv"), A, delimiter=",")
        np.savetxt(Path(folder, "y.csv"), y)
        Path(folder, "leaps.R").write_text(LEAPS)
        command = ["Rscript", str(Path(folder, "leaps.R")), folder]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode:
        return None
    used, *rss = map(float, run.stdout.split())
    return used, np.array(rss)


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


def against_peers():
    samples = [sample(50, 25, i) for i in range(10)]
    ours, exact = seconds(lambda A, y: best_subsets(A, y, 6), samples)
    plain, values = seconds(lambda A, y: plain_search(A, y, 6), samples)
    assert all(np.allclose(v, e.explained, rtol=1e-9) for v, e in zip(values, exact, strict=True))
    print("\nN = 50, M = 25, K <= 6, CPU seconds per sample\n")
    print("| way | s | ratio |\n|---|---|---|")
    print(f"| best_subsets | {ours:.4f} | 1 |")
    print(f"| plain depth-first search, numba | {plain:.3f} | {plain / ours:.0f} |")
    runs = [leaps(A, y) for A, y in samples[:5]]
    if None in runs:
        print("| R leaps | Rscript or the package leaps is missing | - |")
    else:
        assert all(np.allclose(rss, e.rss[1:], rtol=1e-4) for (_, rss), e in zip(runs, exact, strict=False))
        peer = np.mean([used for used, _ in runs])
        print(f"| R leaps, rows augmented by 1e-6 I | {peer:.3f} | {peer / ours:.0f} |")


def by_size():
    print("\nbest_subsets, CPU seconds\n\n| N | M | K <= | samples | per sample | 1000 samples, core-minutes |")
    print("|---|---|---|---|---|---|")
    cases = [(20, 10, 10, 50), (30, 15, 10, 20), (30, 15, 15, 3), (50, 25, 6, 20), (50, 25, 7, 20), (50, 25, 8, 40)]
    cases += [(100, 50, 4, 10), (100, 50, 5, 10), (100, 50, 6, 5), (100, 50, 7, 1)]
    for N, M, K, count in cases:
        used, _ = seconds(lambda A, y, K=K: best_subsets(A, y, K), [sample(N, M, i) for i in range(count)])
        print(f"| {N} | {M} | {K} | {count} | {used:.4f} | {used * 1000 / 60:.1f} |")


def heuristic():
    samples = [sample(50, 25, i) for i in range(40)]
    exact = [best_subsets(A, y, 8).explained for A, y in samples]
    print("\nswap_search, N = 50, M = 25: share of 40 samples where it finds the optimum\n")
    print("| restarts | s | " + " | ".join(f"K = {K}" for K in range(2, 9)) + " |\n|" + "---|" * 9)
    for restarts in (0, 10, 50, 200):
        used, found = seconds(lambda A, y, r=restarts: swap_search(A, y, 8, r, 0), samples)
        hit = np.mean([f.explained >= e * (1 - 1e-9) for f, e in zip(found, exact, strict=True)], axis=0)
        print(f"| {restarts} | {used:.4f} | " + " | ".join(f"{h:.2f}" for h in hit[2:]) + " |")
    print("\nswap_search, N = 200, M = 100, K <= 25, CPU seconds and mean R^2 at K = 10, 25\n")
    print("| restarts | s | K = 10 | K = 25 |\n|---|---|---|---|")
    samples = [sample(200, 100, i) for i in range(3)]
    for restarts in (10, 50):
        used, found = seconds(lambda A, y, r=restarts: swap_search(A, y, 25, r, 0), samples)
        r2 = np.mean([f.explained[[10, 25]] / (f.explained[0] + f.rss[0]) for f in found], axis=0)
        print(f"| {restarts} | {used:.2f} | {r2[0]:.4f} | {r2[1]:.4f} |")


if __name__ == "__main__":
    for warm_up in (best_subsets, plain_search):  # compile before the clock starts
        warm_up(*sample(10, 5, 0), 4)
    against_peers()
    by_size()
    heuristic()
