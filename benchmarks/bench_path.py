"""A whole path of stationary points for one (A, y), 500 x 1000, against the solvers of scikit-learn and skglm.

The same 20 levels of eta for both, one thread, one run, CPU time of this process, mean over samples. stationary_path
is timed whole, with the variances that no peer computes; `found` is the fraction of levels that are fixed points of
belief propagation. Tolerances of different tools do not mean the same thing, so the largest violation of stationarity
stands beside each time.

    python benchmarks/bench_path.py [--samples 5]
"""

import argparse
import time

import numpy as np
from skglm.datafits import Quadratic
from skglm.penalties import SCAD as SkglmSCAD
from skglm.solvers import AndersonCD
from sklearn.linear_model import enet_path, lars_path
from threadpoolctl import threadpool_limits

from sparsegdf import stationary
from sparsegdf.designs import sample
from sparsegdf.fixed_points import kkt_violation
from sparsegdf.penalties import L1, SCAD, ElasticNet
from sparsegdf.stationary import stationary_path

SEED, M, N = 20240101, 500, 1000
DELTAS = np.linspace(0.05, 0.9, 20)
DESIGNS = {"iid": {}, "ar1": {"c": 0.5}, "block": {"T": 125}}


def grid(design, penalty):
    """Levels of eta where delta passes through DELTAS, or as far as fixed points go, on a sample of its own."""
    A, y = sample(design, DESIGNS[design], M, N, 1_000_000, SEED)
    fine, etas, delta = np.abs(A.T @ y).max() * np.geomspace(0.98, 0.02, 60), [], []
    path = stationary._Path(A, y, penalty)
    for eta in fine:
        level = path.level(eta)
        if level["status"] != "converged" or (delta and delta[-1] > DELTAS[-1]):
            break
        if not delta or np.count_nonzero(level["x"]) > M * delta[-1]:
            etas.append(eta)
            delta.append(np.count_nonzero(level["x"]) / M)
    wanted = np.linspace(DELTAS[0], min(DELTAS[-1], delta[-1]), DELTAS.size)
    return np.exp(np.interp(wanted, delta, np.log(etas)))


def lars(A, y, etas):
    alphas, _, knots = lars_path(A, y, method="lasso", alpha_min=etas[-1] / M, max_iter=10 * N)
    after = np.clip(np.searchsorted(-alphas, -etas / M), 1, alphas.size - 1)
    share = (alphas[after - 1] - etas / M) / (alphas[after - 1] - alphas[after])
    x = knots[:, after - 1] * (1 - share) + knots[:, after] * share
    return np.where(np.abs(x) < 1e-12, 0, x)  # what has left the support is zero to rounding only


def enet(A, y, etas, eta2):
    """One call per level, because l1_ratio changes with eta at fixed eta2; each starts from the last."""
    X, x, gram, Xy = np.asfortranarray(A), None, A.T @ A, A.T @ y
    path = []
    for eta in etas:
        arguments = {"l1_ratio": eta / (eta + eta2), "alphas": [(eta + eta2) / M], "precompute": gram, "Xy": Xy}
        x = enet_path(X, y, coef_init=x, tol=1e-10, max_iter=100_000, check_input=False, **arguments)[1][:, 0]
        path.append(x.copy())  # the next call overwrites its coef_init
    return np.stack(path, axis=1)


def skglm(A, y, etas, penalty):
    """skglm states SCAD without eta and the loss over M, so A and y are scaled. Each level starts from the last."""
    solver = AndersonCD(tol=1e-12, fit_intercept=False, warm_start=True, max_iter=500)
    x, path, datafit, peer = np.zeros(N), [], Quadratic(), SkglmSCAD(float(penalty.lam), float(penalty.a))
    for eta in etas:
        scale = np.sqrt(M / eta)
        X, z = np.asfortranarray(A * scale), y * scale
        datafit.initialize(X, z)
        x = solver.solve(X, z, datafit, peer, w_init=x.copy(), Xw_init=X @ x)[0]
        path.append(x.copy())
    return np.stack(path, axis=1)


CASES = {
    "l1": (L1(), "scikit-learn lars_path", lars),
    "elastic net": (ElasticNet(0.1), "scikit-learn enet_path", lambda A, y, etas: enet(A, y, etas, 0.1)),
    "SCAD a=5": (SCAD(5, 1), "skglm", lambda A, y, etas: skglm(A, y, etas, SCAD(5, 1))),
    "SCAD a=8": (SCAD(8, 1), "skglm", lambda A, y, etas: skglm(A, y, etas, SCAD(8, 1))),
}


def timed(function, *args):
    begin = time.process_time()
    result = function(*args)
    return time.process_time() - begin, result


def compare(design, name, samples):
    penalty, peer_name, peer = CASES[name]
    etas, rows = grid(design, penalty), []
    for index in range(samples):
        A, y = sample(design, DESIGNS[design], M, N, index, SEED)
        ours, found = timed(stationary_path, A, y, penalty, etas)
        theirs, x = timed(peer, A, y, etas)
        kkt = max(kkt_violation(A, y, x[:, k], penalty, eta) for k, eta in enumerate(etas))
        gap = np.abs(found.x - x).max(axis=0)
        rows.append((ours, theirs, found.kkt.max(), kkt, found.converged.mean(), found.delta.max(), np.median(gap)))
    table = np.array(rows)
    (ours, theirs), (kkt, kkt_peer) = table[:, :2].mean(axis=0), table[:, 2:4].max(axis=0)
    print(
        f"| {design} | {name} | {table[:, 5].mean():.2f} | {table[:, 4].mean():.0%} | {1000 * ours:.0f} | {kkt:.0e} "
        f"| {peer_name} | {1000 * theirs:.0f} | {kkt_peer:.0e} | {theirs / ours:.1f} | {table[:, 6].max():.0e} |",
        flush=True,
    )


def clocked(function, used, part):
    def wrapped(*args):
        spent, result = timed(function, *args)
        used[part] += spent
        return result

    return wrapped


def split():
    """Where the time of stationary_path goes, iid, first sample."""
    print("\nCPU ms by part, iid (the parts are wrapped, so their sum is a little above the times above)\n")
    parts = {
        "Gram matrix": (stationary._Path, "_admit"),
        "sweeps": (stationary, "_sweep"),
        "Newton": (stationary._Path, "_newton"),
        "walk": (stationary, "_walk"),
        "gradient": (stationary._Path, "_gradient"),
        "variances": (stationary, "variances_at_rest"),
    }
    print("| penalty | " + " | ".join(parts) + " | all |\n|" + "---|" * (len(parts) + 2))
    for name, (penalty, *_) in CASES.items():
        A, y = sample("iid", {}, M, N, 0, SEED)
        etas, used, originals = grid("iid", penalty), dict.fromkeys(parts, 0.0), {}
        for part, (owner, attribute) in parts.items():
            originals[part] = getattr(owner, attribute)
            setattr(owner, attribute, clocked(originals[part], used, part))
        whole, _ = timed(stationary_path, A, y, penalty, etas)
        for part, (owner, attribute) in parts.items():
            setattr(owner, attribute, originals[part])
        cells = " | ".join(f"{1000 * used[part]:.0f}" for part in parts)
        print(f"| {name} | {cells} | {1000 * whole:.0f} |")


def main(samples):
    A, y = sample("iid", {}, M, N, 1_000_000, SEED)
    for penalty, _, peer in CASES.values():  # compile, or load what was compiled
        stationary_path(A, y, penalty, [1.0, 0.5, 0.3])
        peer(A, y, np.array([1.0, 0.9]))
    print(f"M = {M}, N = {N}, {DELTAS.size} levels, mean of {samples} samples, CPU ms\n")
    print("| design | penalty | delta | found | stationary_path | kkt | peer | ms | kkt | ratio | median x gap |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    for design in DESIGNS:
        for name in CASES:
            compare(design, name, samples)
    split()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=5, help="samples per row (default 5)")
    with threadpool_limits(1):
        main(parser.parse_args().samples)
