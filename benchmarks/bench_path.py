"""A whole path of stationary points for one (A, y) against the solvers of scikit-learn, celer, skglm and adelie.

python benchmarks/bench_path.py [--quick]
"""

import importlib

import numpy as np
import pandas as pd

from sparsegdf.ensembles.ensemble import Ensemble
from sparsegdf.ensembles.iid import IID
from sparsegdf.ensembles.registry import make_design
from sparsegdf.penalties.elastic_net import ElasticNet
from sparsegdf.penalties.l1 import L1
from sparsegdf.penalties.scad import SCAD
from sparsegdf.solvers import direct as stationary
from sparsegdf.solvers.direct import stationary_path, stationary_points
from sparsegdf.solvers.fixed_points import kkt_violation
from timing import SEED, Comparison, alone, markdown, reason, seconds, spread

PILOT = 1_000_000  # a sample that is never timed fixes the levels of eta
DESIGNS = {"iid": {}, "ar1": {"c": 0.5}, "block": {"T": 125}}
OURS, ALONE = "stationary_path", "stationary_points"  # with the variances of BP, and x alone as the peers


def grid(design, penalty, M, N, levels):
    """Levels of eta where delta goes from 0.05 to 0.9, or as far as fixed points go, on a sample of its own."""
    A, y = Ensemble(make_design(design, **DESIGNS[design]), M, N, seed=SEED).sample(PILOT)
    fine, etas, delta = np.abs(A.T @ y).max() * np.geomspace(0.98, 0.02, 60), [], []
    path = stationary._Path(A, y, penalty)
    for eta in fine:
        level = path.level(eta)
        if level["status"] != "converged" or (delta and delta[-1] > 0.9):
            break
        if not delta or np.count_nonzero(level["x"]) > M * delta[-1]:
            etas.append(eta)
            delta.append(np.count_nonzero(level["x"]) / M)
    wanted = np.linspace(0.05, min(0.9, delta[-1]), levels)
    return np.exp(np.interp(wanted, delta, np.log(etas)))


def mixing(penalty, eta, M):
    """(alpha, l1_ratio) of the others, whose loss is divided by M."""
    eta2 = getattr(penalty, "eta2", 0.0)
    return (eta + eta2) / M, eta / (eta + eta2)


def lars(A, y, etas, penalty):
    lars_path = importlib.import_module("sklearn.linear_model").lars_path
    M, N = A.shape
    alphas, _, knots = lars_path(A, y, method="lasso", alpha_min=etas[-1] / M, max_iter=10 * N)
    after = np.clip(np.searchsorted(-alphas, -etas / M), 1, alphas.size - 1)
    share = (alphas[after - 1] - etas / M) / (alphas[after - 1] - alphas[after])
    share = np.clip(share, 0, 1)  # above the first knot x is zero
    x = knots[:, after - 1] * (1 - share) + knots[:, after] * share
    return np.where(np.abs(x) < 1e-12, 0, x)  # what has left the support is zero to rounding only


def enet(A, y, etas, penalty, tol=1e-10):
    """One call per level, because l1_ratio changes with eta at fixed eta2; each starts from the last."""
    enet_path = importlib.import_module("sklearn.linear_model").enet_path
    X, x, gram, Xy = np.asfortranarray(A), None, A.T @ A, A.T @ y
    path = []
    for eta in etas:
        alpha, ratio = mixing(penalty, eta, y.size)
        arguments = {"l1_ratio": ratio, "alphas": [alpha], "precompute": gram, "Xy": Xy, "check_input": False}
        x = enet_path(X, y, coef_init=x, tol=tol, max_iter=100_000, **arguments)[1][:, 0]
        path.append(x.copy())  # the next call overwrites its coef_init
    return np.stack(path, axis=1)


def celer(A, y, etas, penalty, tol=1e-12):
    celer_path = importlib.import_module("celer").celer_path
    X, how = np.asfortranarray(A), {"tol": tol, "max_iter": 100, "prune": 1}
    if isinstance(penalty, L1):
        return celer_path(X, y, "lasso", alphas=etas / y.size, **how)[1]
    x, path = None, []
    for eta in etas:
        alpha, ratio = mixing(penalty, eta, y.size)
        x = celer_path(X, y, "lasso", alphas=np.array([alpha]), l1_ratio=ratio, coef_init=x, **how)[1][:, 0]
        path.append(x.copy())
    return np.stack(path, axis=1)


def skglm(A, y, etas, penalty, tol=1e-12):
    """skglm states SCAD without eta, so A and y are scaled for it. Each level starts from the last."""
    penalties = importlib.import_module("skglm.penalties")
    datafit = importlib.import_module("skglm.datafits").Quadratic()
    AndersonCD = importlib.import_module("skglm.solvers").AndersonCD
    solver = AndersonCD(tol=tol, fit_intercept=False, warm_start=True, max_iter=500)
    M, N = A.shape
    X, z, x, path = np.asfortranarray(A), y, np.zeros(N), []
    for eta in etas:
        if isinstance(penalty, SCAD):
            scale, peer = np.sqrt(M / eta), penalties.SCAD(float(penalty.lam), float(penalty.a))
            X, z = np.asfortranarray(A * scale), y * scale
        elif isinstance(penalty, ElasticNet):
            peer = penalties.L1_plus_L2(*mixing(penalty, eta, M))
        else:
            peer = penalties.L1(eta / M)
        datafit.initialize(X, z)
        x = solver.solve(X, z, datafit, peer, w_init=x.copy(), Xw_init=X @ x)[0]
        path.append(x.copy())
    return np.stack(path, axis=1)


def adelie(A, y, etas, penalty, tol=1e-16):
    """Its tol bounds a change of the objective; 1e-16 is where its violation stops falling at a reasonable cost."""
    ad = importlib.import_module("adelie")
    limits = {"tol": tol, "adev_tol": 1, "ddev_tol": 0, "early_exit": False}
    options = {"intercept": False, "progress_bar": False, "n_threads": 1}
    path = ad.solver.grpnet(np.asfortranarray(A), ad.glm.gaussian(y), lmda_path=etas / y.size, **limits, **options)
    return path.betas.toarray().T


def ours(A, y, etas, penalty):
    return stationary_path(A, y, penalty, etas)


def points(A, y, etas, penalty):
    return stationary_points(A, y, penalty, etas)


CONVEX = {"scikit-learn enet_path": enet, "celer": celer, "skglm": skglm}
CASES = {
    "l1": (L1(), {"scikit-learn lars_path": lars} | CONVEX | {"adelie": adelie}),
    "elastic net": (ElasticNet(0.1), CONVEX),
    "SCAD a=5": (SCAD(5, 1), {"skglm": skglm}),
    "SCAD a=8": (SCAD(8, 1), {"skglm": skglm}),
}


def compare(design, name, M, N, levels, samples):
    """One row for stationary_path and one for each peer."""
    penalty, peers = CASES[name]
    etas, ways, missing = grid(design, penalty, M, N, levels), {OURS: ours, ALONE: points}, {}
    A, y = Ensemble(make_design(design, **DESIGNS[design]), M, N, seed=SEED).sample(PILOT)
    for way in ways.values():
        way(A, y, etas, penalty)
    for peer, solve in peers.items():
        try:
            solve(A, y, etas[:2], penalty)  # compiles; what a peer cannot do here it cannot do below
            ways[peer] = solve
        except Exception as error:  # a peer may be missing, or not fit the versions here, in any way
            missing[peer] = reason(error)
    spent, kkt, gap = ({way: [] for way in ways} for _ in range(3))
    for index in range(samples):
        A, y = Ensemble(make_design(design, **DESIGNS[design]), M, N, seed=SEED).sample(index)
        for way, solve in ways.items():
            used, found = seconds(solve, A, y, etas, penalty)
            spent[way].append(used)
            if way == OURS:
                direct, found = found, found.x
            kkt[way].append(max(kkt_violation(A, y, x, penalty, eta) for x, eta in zip(found.T, etas, strict=True)))
            gap[way].append(np.median(np.abs(found - direct.x).max(axis=0)))
    rows = []
    for way in [OURS, ALONE, *peers]:
        row = {"design": design, "penalty": name, "solver": way}
        if way in ways:
            ratio, ratio_x = (np.median(np.divide(spent[way], spent[mine])) for mine in (OURS, ALONE))
            row |= spread(spent[way]) | {
                "ratio": ratio,
                "ratio x": ratio_x,
                "KKT": max(kkt[way]),
                "x gap": max(gap[way]),
                "note": "",
            }
        else:
            row |= dict.fromkeys(("ms", "min", "max", "ratio", "ratio x", "KKT", "x gap"), np.nan) | {
                "note": missing[way]
            }
        rows.append(row)
    return rows


def paths(quick):
    size = (
        {"M": 60, "N": 120, "levels": 5, "samples": 3} if quick else {"M": 500, "N": 1000, "levels": 20, "samples": 5}
    )
    rows = []
    for design in ("iid", "ar1") if quick else DESIGNS:
        for name in CASES:
            rows += compare(design, name, **size)
            print(f"  {design}, {name}", flush=True)
    return pd.DataFrame(rows)


def reading(frame):
    direct, peers = frame[frame.solver == OURS], frame[~frame.solver.isin([OURS, ALONE]) & frame.ratio.notna()]
    kkt = f"Largest violation of stationarity: {direct.KKT.max():.0e} here"
    if peers.empty:
        return f"{kkt}; no peer was available."
    ahead, behind = peers[peers.ratio >= 1], peers[peers.ratio < 1]
    text = f"The direct path is faster than its peer in {len(ahead)} of {len(peers)} rows"
    if len(ahead):
        text += f" (by factors {ahead.ratio.min():.3g} to {ahead.ratio.max():.3g})"
    if len(behind):
        slow = (f"{r.solver} on {r.design}, {r.penalty} ({1 / r.ratio:.3g} times)" for r in behind.itertuples())
        text += f", slower than {', '.join(slow)}"
    text += f"; x alone, which is what the peers compute, takes 1/{peers['ratio x'].min():.3g} to "
    text += f"1/{peers['ratio x'].max():.3g} of their time"
    return f"{text}. {kkt}, {peers.KKT.min():.0e} to {peers.KKT.max():.0e} for the peers."


COMPARISONS = [
    Comparison(
        "direct_path",
        "Direct path against lars_path, enet_path, celer, skglm and adelie",
        "A 500 × 1000, y pure noise, the same 20 levels of η for all, δ from 0.05 to 0.9 or as far as fixed "
        "points go. Median, smallest and largest CPU ms of a whole path over five samples; ratio: median of their "
        "time over that of stationary_path, which computes the variances of BP too, sample by sample; ratio x: "
        "over that of stationary_points, x alone, as the peers compute it. Tolerances of different tools do not mean "
        "the same thing: lars_path is exact, enet_path has tol 1e-10, celer and skglm 1e-12, adelie 1e-16, and "
        "KKT is the largest violation of stationarity over all levels and samples. x gap: "
        "median over levels of the largest difference to ours (a concave penalty has many stationary points).",
        paths,
        reading,
    )
]


def split():
    """Where the time of stationary_path goes, iid, first sample."""
    parts = {
        "Gram matrix": (stationary._Path, "_admit"),
        "sweeps, Newton and walks": (stationary, "_settle"),
        "gradient": (stationary._Path, "_gradient"),
        "variances": (stationary, "variances_at_rest"),
    }
    rows = []
    for name, (penalty, _) in CASES.items():
        A, y = Ensemble(IID(), 500, 1000, seed=SEED).sample(0)
        etas, used = grid("iid", penalty, 500, 1000, 20), dict.fromkeys(parts, 0.0)
        originals = {part: getattr(owner, attribute) for part, (owner, attribute) in parts.items()}

        def clocked(part, used=used, originals=originals):
            def wrapped(*args):
                spent, result = seconds(originals[part], *args)
                used[part] += 1000 * spent
                return result

            return wrapped

        for part, (owner, attribute) in parts.items():
            setattr(owner, attribute, clocked(part))
        whole, _ = seconds(stationary_path, A, y, penalty, etas)
        for part, (owner, attribute) in parts.items():
            setattr(owner, attribute, originals[part])
        rows.append({"penalty": name} | used | {"all": 1000 * whole})
    return pd.DataFrame(rows)


if __name__ == "__main__":
    if not alone(COMPARISONS, __doc__):
        print(
            f"\nCPU ms by part, iid (wrapped, so their sum is a little above the times above)\n\n{markdown(split())}"
        )
