"""Belief propagation against plain NumPy, step by step and as a whole path.

python benchmarks/bench_bp.py [--quick]
"""

import numpy as np
import pandas as pd

from sparsegdf.ensembles.ensemble import Ensemble
from sparsegdf.ensembles.registry import make_design
from sparsegdf.penalties.elastic_net import ElasticNet
from sparsegdf.penalties.l1 import L1
from sparsegdf.penalties.scad import SCAD
from sparsegdf.solvers.belief_propagation import belief_propagation
from sparsegdf.solvers.plain_bp import belief_propagation_reference
from sparsegdf.theory.replica_symmetric import rs_curve
from timing import SEED, Comparison, alone, faster, interleaved, seconds, spread

PILOT = 1_000_000  # a sample that is in no panel fixes the grid of eta
DELTAS = np.linspace(0.05, 0.9, 20)
DAMPINGS = (1.0, 0.7, 0.5, 0.35, 0.25, 0.17, 0.12, 0.08, 0.05)
EXAMPLES = {"example 1": ("ar1", {"c": 0.5}), "example 2": ("block", {"T": 125})}
PENALTIES = {"l1": L1(), "elastic net": ElasticNet(0.1), "SCAD a=5": SCAD(5, 1), "SCAD a=8": SCAD(8, 1)}


def steps(quick):
    """Both forms at one eta and one damping, from x = 0 until the residual is below 1e-10."""
    M, N, repeat, deltas = (60, 120, 2, (0.1, 0.5)) if quick else (500, 1000, 5, (0.1, 0.5, 0.9))
    rows = []
    for design, params in {"iid": {}, "ar1": {"c": 0.5}}.items():
        A, y = Ensemble(make_design(design, **params), M, N, seed=SEED).sample(0)
        for delta in deltas:
            problem = A, y, L1(), rs_curve(L1(), alpha=0.5, deltas=[delta]).eta.to_numpy()
            belief_propagation(*problem, damping=0.5)  # compile, or load what was compiled
            ways = {
                "plain": lambda p=problem: belief_propagation_reference(*p, damping=0.5),
                "kernel": lambda p=problem: belief_propagation(*p, damping=0.5),
            }
            spent, found = interleaved(ways, repeat)
            count = {way: int(fixed.steps[0]) for way, fixed in found.items()}
            plain, kernel = spread(spent["plain"], count["plain"]), spread(spent["kernel"], count["kernel"])
            rows.append(
                {"design": design, "δ": found["kernel"].delta[0]}
                | {"plain steps": count["plain"], "plain ms": plain["ms"], "steps": count["kernel"], **kernel}
                | {"ratio": plain["ms"] / kernel["ms"]}
                | {"x gap": np.abs(found["plain"].x - found["kernel"].x).max()}
                | {"plain KKT": found["plain"].kkt[0], "KKT": found["kernel"].kkt[0]}
            )
    return pd.DataFrame(rows)


def read_steps(frame):
    return (
        f"A step of the kernel is {faster(*frame.ratio)} than one of plain NumPy, and ends at the same x "
        f"to {frame['x gap'].max():.0e}."
    )


def grid(design, params, penalty, M, N):
    """The etas at which the pilot's delta passes through DELTAS, as far as BP follows it."""
    A, y = Ensemble(make_design(design, **params), M, N, seed=SEED).sample(PILOT)
    fine = np.abs(A.T @ y).max() * np.geomspace(0.98, 0.01, 60)
    if isinstance(penalty, SCAD):
        fine = fine / penalty.lam
    pilot = belief_propagation(A, y, penalty, fine, tol=1e-6, max_steps=5000)
    good = np.flatnonzero(pilot.converged)
    rising = good[np.r_[True, np.diff(np.maximum.accumulate(pilot.delta[good])) > 0]]
    reached = DELTAS[DELTAS <= pilot.delta[rising].max()]
    return np.exp(np.interp(reached, pilot.delta[rising], np.log(fine[rising])))


def best_damping(A, y, penalty, etas):
    """The fixed damping of the fairest baseline, and the levels it carries."""
    runs = [(d, belief_propagation(A, y, penalty, etas, damping=d, max_steps=30_000)) for d in DAMPINGS]
    damping, run = min(runs, key=lambda r: (-r[1].converged.sum(), r[1].steps[r[1].converged].sum()))
    return damping, run.converged


def compare(example, name, M, N, every):
    (design, params), penalty = EXAMPLES[example], PENALTIES[name]
    etas = grid(design, params, penalty, M, N)[::every]
    A, y = Ensemble(make_design(design, **params), M, N, seed=SEED).sample(0)
    damping, carried = best_damping(A, y, penalty, etas)
    etas = etas[carried]
    slow, plain = seconds(belief_propagation_reference, A, y, penalty, etas, damping=damping)
    spent, found = interleaved({"kernel": lambda: belief_propagation(A, y, penalty, etas)}, 3)
    fixed, kernel = found["kernel"], spread(spent["kernel"])
    both = plain.converged & fixed.converged
    return (
        {"panel": f"{example}, {name}", "levels": int(both.sum()), "δ up to": plain.delta[both].max()}
        | {"plain damping": damping, "plain steps": int(plain.steps.sum()), "plain ms": 1000 * slow}
        | {"steps": int(fixed.steps.sum()), **kernel, "ratio": 1000 * slow / kernel["ms"]}
        | {"x gap": np.median(np.abs(plain.x - fixed.x)[:, both].max(axis=0))}
        | {"plain KKT": plain.kkt[both].max(), "KKT": fixed.kkt[both].max()}
    )


def paths(quick):
    M, N, every = (60, 400, 5) if quick else (500, 1000, 1)
    rows = []
    for example in EXAMPLES:
        for name in ("l1",) if quick else ("l1", "elastic net", "SCAD a=5"):
            rows.append(compare(example, name, M, N, every))
            print(f"  {example}, {name}", flush=True)
    return pd.DataFrame(rows)


def read_paths(frame):
    return (
        f"A whole path is {faster(*frame.ratio)} than plain NumPy; over these {len(frame)} panels together "
        f"{faster(frame['plain ms'].sum() / frame.ms.sum())}."
    )


COMPARISONS = [
    Comparison(
        "bp_step",
        "One BP step against plain NumPy",
        "M = 500, N = 1000, l1. Both at the same η with the same damping 0.5, from x = 0 to a residual of 1e-10; "
        "CPU ms divided by the steps, everything included. Plain: plain_bp.py, four matrix-vector products a "
        "step. x gap: largest difference between the two results.",
        steps,
        read_steps,
    ),
    Comparison(
        "bp_path",
        "A whole BP path against plain NumPy",
        "One sample of the panels of Figures 5 and 6, levels of η from sparse to dense, to 1e-10. Plain NumPy has "
        "the best of nine fixed dampings (most levels carried, then fewest steps), found beforehand, and only the "
        "levels that it carries are counted; it is timed once, the kernel three times. x gap: median over levels.",
        paths,
        read_paths,
    ),
]


if __name__ == "__main__":
    alone(COMPARISONS, __doc__)
