"""Throughput of belief_propagation against plain NumPy BP, and what Figures 4-6 cost at paper scale.

One thread, one run, CPU time of this process. The plain form gets the best fixed damping for the whole path: the
one that carries the most levels, then the fewest steps. Both are compared on the levels where both converge.

    python benchmarks/bench_bp.py [--samples 20]
"""

import argparse
import resource
import time

import numpy as np
from threadpoolctl import threadpool_limits

from sparsegdf.bp import belief_propagation
from sparsegdf.bp_reference import belief_propagation_reference
from sparsegdf.designs import sample
from sparsegdf.penalties import L1, SCAD, ElasticNet

SEED = 20240101
PILOT = 1_000_000  # a sample that is in no panel fixes the grid of eta
DELTAS = np.linspace(0.05, 0.9, 20)
DAMPINGS = (1.0, 0.7, 0.5, 0.35, 0.25, 0.17, 0.12, 0.08, 0.05)
EXAMPLES = {"example 1": ("ar1", {"c": 0.5}), "example 2": ("block", {"T": 125})}
PENALTIES = {"l1": L1(), "en": ElasticNet(0.1), "scad a=5": SCAD(5, 1), "scad a=8": SCAD(8, 1)}
FIGURE4 = {
    "a=5 lam=1 M=100": (SCAD(5, 1), 100),
    "a=8 lam=.8 M=100": (SCAD(8, 0.8), 100),
    "a=6 lam=.9 M=160": (SCAD(6, 0.9), 160),
    "a=8 lam=.7 M=160": (SCAD(8, 0.7), 160),
}


def grid(design, params, penalty, M, N):
    """The etas at which the pilot's delta passes through DELTAS, as far as BP follows it."""
    A, y = sample(design, params, M, N, PILOT, SEED)
    fine = np.abs(A.T @ y).max() * np.geomspace(0.98, 0.01, 60)
    if isinstance(penalty, SCAD):
        fine = fine / penalty.lam
    pilot = belief_propagation(A, y, penalty, fine, tol=1e-6, max_steps=5000)
    good = np.flatnonzero(pilot.converged)
    rising = good[np.r_[True, np.diff(np.maximum.accumulate(pilot.delta[good])) > 0]]
    reached = DELTAS[DELTAS <= pilot.delta[rising].max()]
    return np.exp(np.interp(reached, pilot.delta[rising], np.log(fine[rising])))


def timed(function, *args, **kwargs):
    begin = time.process_time()
    result = function(*args, **kwargs)
    return time.process_time() - begin, result


def best_damping(A, y, penalty, etas):
    """The fixed damping of the fairest baseline, and the levels it carries."""
    runs = [(d, belief_propagation(A, y, penalty, etas, damping=d, max_steps=30_000)) for d in DAMPINGS]
    damping, run = min(runs, key=lambda r: (-r[1].converged.sum(), r[1].steps[r[1].converged].sum()))
    return damping, run.converged


def compare(name, design, params, penalty, etas):
    A, y = sample(design, params, 500, 1000, 0, SEED)
    damping, carried = best_damping(A, y, penalty, etas)
    etas = etas[carried]
    slow, plain = timed(belief_propagation_reference, A, y, penalty, etas, damping=damping)
    runs = [timed(belief_propagation, A, y, penalty, etas) for _ in range(3)]
    fast, fixed = np.mean([spent for spent, _ in runs]), runs[0][1]
    both = plain.converged & fixed.converged
    gap = np.abs(plain.x - fixed.x)[:, both].max()
    print(
        f"{name:22s} {both.sum():6d} {plain.delta[both].max():5.2f} {damping:7.2f} {plain.steps.sum():8d} {slow:8.2f}"
        f" {fixed.steps.sum():8d} {fast:8.3f} {slow / fast:6.1f} {gap:8.1e} {fixed.kkt[both].max():8.1e}",
        flush=True,
    )
    return slow


def panel(name, design, params, penalty, M, N, etas, samples):
    """Mean CPU seconds per sample over the whole grid, unconverged levels included, and where BP converges."""
    seconds, runs = [], []
    for index in range(samples):
        A, y = sample(design, params, M, N, index, SEED)
        spent, run = timed(belief_propagation, A, y, penalty, etas)
        seconds.append(spent)
        runs.append(run)
    converged = np.mean([run.converged for run in runs], axis=0)
    delta = DELTAS[: len(etas)]
    steps = np.array([run.steps for run in runs])
    kkt = max(run.kkt[run.converged].max() for run in runs)
    broken = np.flatnonzero(converged < 1)
    whole = broken[0] if broken.size else len(etas)
    until = np.mean([run.delta[whole - 1] for run in runs]) if whole else 0.0
    print(
        f"{name:30s} {len(etas):6d} {np.mean(seconds):8.3f} {np.median(steps.sum(axis=1)):8.0f} {steps.max():7d}"
        f" {kkt:8.1e} {until:8.2f}   "
        + (" ".join(f"{d:.2f}:{c:.0%}" for d, c in zip(delta[broken], converged[broken], strict=True)) or "all"),
        flush=True,
    )
    return np.mean(seconds)


def main(samples):
    A, y = sample("iid", {}, 20, 40, 0, SEED)
    belief_propagation(A, y, L1(), [0.5])  # compile, or load what was compiled
    grids = {
        (example, name): grid(design, params, penalty, 500, 1000)
        for example, (design, params) in EXAMPLES.items()
        for name, penalty in PENALTIES.items()
    }
    print("M = 500, N = 1000, one sample; CPU seconds of a whole path")
    print(f"{'panel':22s} levels delta damping    steps    plain    steps     fast  ratio  |x gap|      kkt")
    naive = 0.0
    for (example, name), etas in grids.items():
        design, params = EXAMPLES[example]
        if name != "scad a=8":
            naive += compare(f"{example} {name}", design, params, PENALTIES[name], etas) * 1000 / 3600

    print(
        f"\nmean over {samples} samples; mean delta of the last level before any failure, then pilot delta:fraction"
    )
    print(f"{'panel':30s} levels  s/path    steps worst level    kkt      all   some")
    hours = 0.0
    for (example, name), etas in grids.items():
        design, params = EXAMPLES[example]
        spent = panel(f"{example} {name}", design, params, PENALTIES[name], 500, 1000, etas, samples)
        hours += spent * 1000 / 3600
    for name, (penalty, M) in FIGURE4.items():
        etas = grid("iid", {}, penalty, M, 200)
        hours += panel(f"figure 4 {name}", "iid", {}, penalty, M, 200, etas, samples) * 100 / 3600
    print(f"\nFigures 4-6 at paper scale: {hours:.2f} core-hours (4 x 100 and 8 x 1000 samples)")
    print(f"plain NumPy, six panels of Figures 5-6, levels it carries only: {naive:.1f} core-hours")
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=20, help="samples per panel (default 20)")
    with threadpool_limits(1):
        main(parser.parse_args().samples)
