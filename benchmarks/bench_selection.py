"""The ways to choose eta of Figure 10, and `select` against scikit-learn: CPU time on the same data.

python benchmarks/bench_selection.py [--quick]
"""

import warnings

import numpy as np
import pandas as pd
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LassoCV, LassoLarsIC

from sparsegdf.ensembles.ar1 import AR1
from sparsegdf.ensembles.ensemble import Ensemble
from sparsegdf.paper.experiments.planted import planted_sample
from sparsegdf.penalties.l1 import L1
from sparsegdf.penalties.scad import SCAD
from sparsegdf.selection.cross_validation import cross_validation
from sparsegdf.selection.noise import estimate_noise_variance
from sparsegdf.selection.select import select
from timing import SEED, Comparison, alone, faster, interleaved, spread

BOOTSTRAP = 50
CP = "C_p, Stein's df"


def ways_to_choose(A, y, penalty):
    """What each takes from (A, y) to its eta; all but the estimate of sigma2 have the same grid."""
    centred, target = A - A.mean(axis=0), y - y.mean()
    scaled = centred / np.linalg.norm(centred, axis=0)
    etas = select(A, y, penalty, sigma2=1.0, bootstrap=0).path.eta.to_numpy()
    return {
        CP: lambda: select(A, y, penalty, sigma2=1.0, bootstrap=0),
        "estimate of sigma2": lambda: estimate_noise_variance(centred, target, intercept=True),
        "10-fold cross-validation": lambda: cross_validation(scaled, target, penalty, etas, intercept=True),
        f"C_p, bootstrap df ({BOOTSTRAP})": lambda: select(A, y, penalty, sigma2=1.0, bootstrap=BOOTSTRAP),
    }


def choosing(quick):
    sizes, repeat = ((20, 30),) if quick else ((100, 50), (100, 200)), 2 if quick else 5
    rows = []
    for M, N in sizes:
        A, y, _ = planted_sample(Ensemble(AR1(0.8), M, N, seed=SEED), 0, nonzeros=5, strength=4.0)
        for name, penalty in {"l1": L1(), "SCAD a=8": SCAD(8, 1)}.items():
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", message=".*may be too small")
                ways = ways_to_choose(A, y, penalty)
                interleaved(ways, 1)  # compiles
                spent, _ = interleaved(ways, repeat)
            for way, used in spent.items():
                ratio = np.median(np.divide(used, spent[CP]))
                rows.append({"M": M, "N": N, "penalty": name, "way": way, **spread(used), "ratio": ratio})
    return pd.DataFrame(rows)


def reading(frame):
    text = [
        f"{way} takes {part.ratio.min():.3g} to {part.ratio.max():.3g} times as long as {CP}"
        for way, part in frame[frame.way != CP].groupby("way", sort=False)
    ]
    return "; ".join(text) + "."


SELECT, CV, LARS, LASSO_CV = "select, C_p", "our cross-validation", "LassoLarsIC", "LassoCV"


def planted_data(quick):
    """(A, y) at each size, the smallest first, and how often each fit is repeated."""
    sizes = ((20, 30),) if quick else ((100, 50), (100, 200), (200, 2000))
    ensembles = [Ensemble(AR1(0.8), M, N, seed=SEED) for M, N in sizes]
    return [planted_sample(ensemble, 0, nonzeros=5, strength=4.0)[:2] for ensemble in ensembles], 2 if quick else 5


def against_sklearn(quick):
    """What each takes from (A, y) to its lasso fit, sigma2 given."""
    (data, repeat), rows = planted_data(quick), []
    for A, y in data:
        M, N = A.shape
        centred, target = A - A.mean(axis=0), y - y.mean()
        scaled = centred / np.linalg.norm(centred, axis=0)
        etas = select(A, y, L1(), sigma2=1.0).path.eta.to_numpy()
        ways = {
            SELECT: lambda A=A, y=y: select(A, y, L1(), sigma2=1.0),
            LARS: lambda A=A, y=y: LassoLarsIC(criterion="aic", noise_variance=1.0).fit(A, y),
            CV: lambda A=scaled, y=target, etas=etas: cross_validation(A, y, L1(), etas, intercept=True),
            LASSO_CV: lambda A=A, y=y: LassoCV(cv=10).fit(A, y),
        }
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            interleaved(ways, 1)  # compiles
            spent, _ = interleaved(ways, repeat)
        for way, used in spent.items():
            ratio, ratio_cv = (np.median(np.divide(used, spent[mine])) for mine in (SELECT, CV))
            rows.append({"M": M, "N": N, "way": way, **spread(used), "ratio": ratio, "ratio cv": ratio_cv})
        print(f"  {M} × {N}", flush=True)
    return pd.DataFrame(rows)


def reading_against_sklearn(frame):
    by_way = frame.set_index("way")
    return (
        f"select with C_p is {faster(*by_way.ratio[[LARS]])} than LassoLarsIC and "
        f"{faster(*by_way.ratio[[LASSO_CV]])} than LassoCV with 10 folds; "
        f"our own cross-validation is {faster(*by_way['ratio cv'][[LASSO_CV]])} than LassoCV."
    )


COMPARISONS = [
    Comparison(
        "selection",
        "Ways to choose η",
        "Planted data on AR(1) predictors, c = 0.8, 100 levels of η. CPU ms from (A, y) to the choice, σ² given but "
        f"in its own row; ratio: over {CP}. The bootstrap has {BOOTSTRAP} samples.",
        choosing,
        reading,
    ),
    Comparison(
        "selection_peers",
        "select against LassoLarsIC and LassoCV",
        "The same data, l1, σ² given: CPU ms from (A, y) to the fit. select and our cross-validation have 100 levels "
        "of η and the knots around the smallest C_p, LassoCV (10 folds) 100, and LassoLarsIC every knot of its path. "
        "The table of the path is made when it is read, which is not timed. "
        f"ratio: over {SELECT}; ratio cv: over {CV}, which has 10 folds, too. LassoLarsIC does not "
        "report df where it is not |support|, nor KKT.",
        against_sklearn,
        reading_against_sklearn,
    ),
]

if __name__ == "__main__":
    alone(COMPARISONS, __doc__)
