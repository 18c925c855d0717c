"""What part of the machine the BP kernel uses: flops against dgemm, bytes against the matrix-vector product.

python benchmarks/bench_peak.py [--quick]
"""

import numpy as np
import pandas as pd

from sparsegdf.ensembles.ensemble import Ensemble
from sparsegdf.ensembles.iid import IID
from sparsegdf.penalties.l1 import L1
from sparsegdf.solvers.belief_propagation import _Path
from sparsegdf.theory.replica_symmetric import rs_curve
from timing import SEED, Comparison, alone, seconds


def rate(function, count, repeat):
    """The fewest CPU seconds of one in `count` calls: a peak is what the machine can do at best."""

    def calls():
        for _ in range(count):
            function()

    calls()
    return min(seconds(calls)[0] for _ in range(repeat)) / count


def blas(n, repeat):
    """Rows of the matrix-matrix products."""
    for name, kind in (("dgemm", np.float64), ("sgemm", np.float32)):
        A = np.random.default_rng(SEED).standard_normal((n, n)).astype(kind)
        yield {"work": f"{name} {n} × {n}", "ms": 1000 * rate(lambda A=A: A @ A, 1, repeat), "flops": 2 * n**3}


def matrix_vector(M, N, repeat):
    """Rows of what reads one M x N matrix: BLAS, plain BP and the two halves of the kernel's step."""
    A, y = Ensemble(IID(), M, N, seed=SEED).sample(0)
    count = max(1, 50_000_000 // (M * N))
    eta = rs_curve(L1(), alpha=0.5, deltas=[0.5]).eta[0]
    for name, kind in (("dgemv", np.float64), ("sgemv", np.float32)):
        B, v = A.astype(kind), y.astype(kind)
        best = rate(lambda B=B, v=v: B.T @ v, count, repeat)
        yield {"work": name, "ms": 1000 * best, "flops": 2 * M * N, "bytes": B.nbytes, "columns": N}
    A2, r, x = A**2, y, np.ones(N)
    best = rate(lambda: (A2.T @ r, A.T @ r, A2 @ x, A @ x), count, repeat)
    yield {
        "work": "plain BP, four products",
        "ms": 1000 * best,
        "flops": 8 * M * N,
        "bytes": 4 * A.nbytes,
        "columns": N,
    }

    path = _Path(A, y, L1(), 1e-10, 48, 0.5)
    path.steps = 0
    path._run(eta, 1.0)  # 48 steps: on its way, with a working set that the kernel has chosen
    saved, n = path._snapshot(), path.members.size

    def means():
        path._restore(saved)
        path._step(0.0, 32)

    best = rate(means, 1, 5 * repeat) / 32
    moved = 4 * (path.move[path.work] != 0).reshape(-1, 4).any(axis=1).sum()  # an idle block of four is not added
    yield {
        "work": "BP kernel, means",
        "ms": 1000 * best,
        "flops": 2 * M * (n + moved),
        "bytes": 4 * M * n,
        "columns": n,
    }

    best = rate(lambda: path._follow(eta, 0.0, 32), 1, 5 * repeat) / 32
    support = np.count_nonzero(path.chi)
    flops, size = 3 * M * (n + support), 8 * M * (n + support)
    yield {"work": "BP kernel, variances", "ms": 1000 * best, "flops": flops, "bytes": size, "columns": n}


def peak(quick):
    square, sizes, repeat = (200, ((60, 120),), 2) if quick else (2000, ((500, 1000), (2000, 4000)), 5)
    rows = [row | {"M × N": "–"} for row in blas(square, repeat)]
    for M, N in sizes:
        rows += [row | {"M × N": f"{M} × {N}"} for row in matrix_vector(M, N, repeat)]
    frame = pd.DataFrame(rows)
    flop_rate, byte_rate = frame.flops / frame.ms / 1e6, frame.bytes / frame.ms / 1e6
    frame = frame.assign(**{"GFlop/s": flop_rate, "of dgemm": flop_rate / flop_rate[0], "GB/s": byte_rate})
    # The kernel's means are in single precision: what reads float32 is measured by sgemv, the rest by dgemv.
    single = frame.work.isin(["sgemv", "BP kernel, means"])
    for size in frame["M × N"].unique()[1:]:
        here = frame["M × N"] == size
        for precision, name in ((single, "sgemv"), (~single, "dgemv")):
            limit = byte_rate[here & (frame.work == name)].item()
            frame.loc[here & precision, "of gemv"] = byte_rate / limit
    return frame[["work", "M × N", "columns", "ms", "GFlop/s", "of dgemm", "GB/s", "of gemv"]]


def reading(frame):
    size = frame["M × N"][2]
    here = frame[frame["M × N"] == size].set_index("work")
    means, variances = here.loc["BP kernel, means"], here.loc["BP kernel, variances"]
    return (
        f"dgemm reaches {frame['GFlop/s'][0]:.3g} GFlop/s on one thread. A matrix-vector product uses each number "
        f"that it reads once, so memory and caches bound it and it cannot get there: at {size} dgemv itself reaches "
        f"{here.loc['dgemv', 'of dgemm']:.0%} of it and sgemv {here.loc['sgemv', 'of dgemm']:.0%}. The BP kernel "
        f"reaches {means['of dgemm']:.0%} with its means and {variances['of dgemm']:.0%} with its variances, reading "
        f"the matrix at {means['of gemv']:.2g} and {variances['of gemv']:.2g} times the speed of sgemv and dgemv, "
        "with up to twice and 1.5 times their flops for each entry."
    )


COMPARISONS = [
    Comparison(
        "peak",
        "Fraction of the machine's peak",
        "The best of repeated runs. A step of the kernel takes a dot product with each column that it visits and "
        "adds the column to A x where x moved: 2 + 2 flops for each entry, which is read once, in single "
        "precision (means). When a branch changed, each column of the support and then each visited column take 3 "
        "flops and one reading for each entry, in double precision (variances). State of a run at δ = 0.5 (l1, "
        "iid) after 48 steps; flops and bytes are counted for the columns visited, not for all N, and the work on "
        "vectors is not counted.",
        peak,
        reading,
    )
]

if __name__ == "__main__":
    alone(COMPARISONS, __doc__)
