"""The lasso and ridge regression of R's lars, glmnet and MASS: the same coefficients, and the CPU time.

python benchmarks/bench_r.py [--quick]
"""

import numpy as np
import pandas as pd
from bench_selection import planted_data

from rscript import rscript
from sparsegdf.penalties.elastic_net import ElasticNet
from sparsegdf.penalties.l1 import L1
from sparsegdf.selection.select import select
from sparsegdf.solvers.direct import stationary_points
from timing import Comparison, alone, faster, reason, seconds, spread

LASSO, RIDGE = "lasso, C_p", "ridge"
LARS, GLMNET, MASS = "R lars", "R glmnet", "R MASS lm.ridge"
ETA2 = np.geomspace(10, 0.01, 20)
# Columns have length sqrt(M) in glmnet and MASS and 1 here, and glmnet divides the loss by M.
IN_R = {
    LARS: ("lars", 'path <- lars(A, y, type = "lasso", use.Gram = ncol(A) <= 500)\n'
           "coef(path)[which.min(summary(path, sigma2 = 1)$Cp), ]"),
    GLMNET: ("glmnet", "path <- glmnet(A, y, lambda = given[-1] / sqrt(nrow(A)), thresh = 1e-14)\n"
             "path$beta[, given[1]]"),
    MASS: ("MASS", "coef(lm.ridge(y ~ A, lambda = given * nrow(A)))[, -1]"),
}  # fmt: skip


def measured(peer, *problem, repeat):
    """Seconds, coefficients and a note; None and the reason where R does not have the package."""
    package, fit = IN_R[peer]
    try:
        used, found, version = rscript(package, fit, *problem, repeat=repeat)
    except (OSError, RuntimeError, ValueError) as error:
        return None, None, reason(error)
    return used, found, f"{package} {version}"


def against_r(quick):
    (data, repeat), rows = planted_data(quick), []
    for k, (A, y) in enumerate(data):
        M, N = A.shape
        centred, target = A - A.mean(axis=0), y - y.mean()
        lengths = np.linalg.norm(centred, axis=0)

        def ridge(scaled=centred / lengths, target=target, lengths=lengths):
            fits = [stationary_points(scaled, target, ElasticNet(eta2), [0.0])[:, 0] for eta2 in ETA2]
            return np.concatenate([x / lengths for x in fits])

        def lasso(A=A, y=y):
            return select(A, y, L1(), sigma2=1.0)

        chosen = lasso()
        etas = chosen.path.eta.to_numpy()
        level = 1 + np.argmin(np.abs(etas - chosen.best.eta))  # R counts from 1
        for problem, ours, peers in (
            (LASSO, lasso, {LARS: (A, y, ()), GLMNET: (A, y, [level, *etas])}),
            (RIDGE, ridge, {MASS: (A, y, ETA2)}),
        ):
            if problem == RIDGE and k > 0:
                continue
            own, x = zip(*(seconds(ours) for _ in range(repeat)), strict=True)
            x = chosen.coef if problem == LASSO else x[0]
            rows.append({"M": M, "N": N, "problem": problem, "solver": "sparsegdf", "ratio": 1.0} | spread(own))
            for peer, arguments in peers.items():
                used, found, note = measured(peer, *arguments, repeat=repeat)
                rows.append({"M": M, "N": N, "problem": problem, "solver": peer, "note": note})
                if found is not None:
                    found = found.reshape(-1, ETA2.size).T.ravel() if peer == MASS else found  # R goes by columns
                    gap = np.abs(found - x).max() / np.abs(x).max()
                    rows[-1] |= spread(used) | {"ratio": np.median(used) / np.median(own), "x gap": gap}
        print(f"  {M} × {N}", flush=True)
    columns = ["M", "N", "problem", "solver", "ms", "min", "max", "ratio", "x gap", "note"]
    return pd.DataFrame(rows).reindex(columns=columns).assign(note=lambda frame: frame.note.fillna(""))


def reading(frame):
    peers = frame[frame.solver != "sparsegdf"].dropna(subset="ratio")
    if peers.empty:
        return "No peer was available."
    parts = [
        f"{faster(*rows.ratio)} than {peer} (coefficients agree to {rows['x gap'].max():.0e})"
        for peer, rows in peers.groupby("solver", sort=False)
    ]
    return f"We are {', '.join(parts)}."


COMPARISONS = [
    Comparison(
        "r_peers",
        "The lasso and ridge regression against R's lars, glmnet and MASS",
        "The data of the table above. Lasso: `select` with C_p and σ² given, against `lars` with the C_p of its own "
        "`summary`, and against `glmnet` (thresh 1e-14) on our levels of η, read at the one we choose. Ridge, at the "
        f"first size alone: the elastic net with η = 0 at {ETA2.size} values of η₂, each solved by itself, against "
        "`lm.ridge`, which takes one singular value decomposition for all. x gap: largest difference of a coefficient"
        " over the largest coefficient. The time of a peer is R's own, in steps of 1 ms, without its start.",
        against_r,
        reading,
    )
]

if __name__ == "__main__":
    alone(COMPARISONS, __doc__)
