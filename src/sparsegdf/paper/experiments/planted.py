"""Does C_p with the degrees of freedom of this package choose well? Planted data, and other ways to choose.

y = A x0 + noise of variance 1, where x0 has `nonzeros` components +-strength at random places. The columns of A have
unit length (iid: nearly), so strength is in units of the error of a single coefficient.
"""

from dataclasses import replace

import numpy as np
import pandas as pd

from sparsegdf.ensembles.ensemble import Ensemble
from sparsegdf.ensembles.registry import make_design
from sparsegdf.estimators.monte_carlo import mean_estimate
from sparsegdf.paper.experiments.samples import over_samples
from sparsegdf.penalties.registry import make_penalty
from sparsegdf.selection.cross_validation import cross_validation
from sparsegdf.selection.fits import eta_grid, fit_path
from sparsegdf.selection.noise import estimate_noise_variance

# Which eta each way takes, all on the same path of fits; paths of fits that it costs, beside those of the estimate of
# sigma2 (11 of the lasso where N is not well below M).
METHODS = {
    "cp": 1,  # err_train + 2 sigma2 df with Stein's df: what select does
    "cp_known": 1,  # the same with the true sigma2
    "count": 1,  # C_p with the number of non-zeros for df
    "bic": 1,  # err_train / sigma2 + ln(M) (non-zeros) / M
    "cv": 11,  # 10-fold cross-validation
    "oracle": 1,  # the smallest true prediction error
}
RIVALS = ("cv", "count", "bic")  # that C_p is compared with, sample by sample
MEASURES = ("error", "error_new", "f1", "nonzeros")
_LEVELS = 34  # of eta, a third of those of `select`
_STREAM = 10  # of x0, apart from those of A and the noise


def planted_coefficients(ensemble, index, *, nonzeros, strength):
    """x0 of sample `index` of an ensemble."""
    rng = np.random.default_rng(np.random.SeedSequence(ensemble.seed, spawn_key=(_STREAM, index)))
    x0 = np.zeros(ensemble.N)
    x0[rng.choice(ensemble.N, nonzeros, replace=False)] = strength * rng.choice([-1, 1], nonzeros)
    return x0


def planted_sample(ensemble, index, **how):
    """(A, y, x0) of sample `index`; A and the noise are those that the ensemble always has."""
    (A, noise), x0 = ensemble.sample(index), planted_coefficients(ensemble, index, **how)
    return A, A @ x0 + noise, x0


def planted_rows(*, design, M, N, nonzeros, strength, penalties, samples, new_rows, seed):
    """One row per sample, penalty and method: what was chosen and how well.

    error      ||A (x - x0) + intercept||^2 / M: prediction error at the same A, less the noise
    error_new  the same on rows that were not seen
    f1         2 |S and S0| / (|S| + |S0|), support of x against that of x0
    sigma2     the estimate of the noise variance that C_p and BIC used (true value 1)
    jumps      whether the fit may jump at the chosen level, so that Stein's df may be too small
    """
    ensemble, tables = Ensemble(make_design(**design), M, N, seed=seed), []
    unseen = replace(ensemble, M=new_rows)
    for index, A, noise in over_samples(ensemble, range(samples)):
        x0 = planted_coefficients(ensemble, index, nonzeros=nonzeros, strength=strength)
        y, new = A @ x0 + noise, np.sqrt(new_rows / M) * unseen.sample(index)[0]
        sigma2 = estimate_noise_variance(A - A.mean(axis=0), y - y.mean(), intercept=True).value
        for name, penalty in penalties.items():
            chosen = choices(A, y, x0, make_penalty(**penalty), sigma2)
            chosen["error_new"] = [np.square(new @ (x - x0) + b).mean() for x, b in chosen.pop("fit")]
            tables.append(chosen.assign(sample=index, penalty=name, sigma2=sigma2))
    return pd.concat(tables, ignore_index=True)


def choices(A, y, x0, penalty, sigma2):
    """What each of METHODS chooses on one (A, y); `fit` is (x, intercept)."""
    M = len(y)
    # The units of select: columns of norm 1, y in units of sigma.
    shift, mean, sigma = A.mean(axis=0), y.mean(), np.sqrt(sigma2)
    norms, target = np.linalg.norm(A - shift, axis=0), (y - mean) / sigma
    scaled = (A - shift) / norms
    etas = eta_grid(scaled, target, penalty, levels=_LEVELS)
    fits = fit_path(scaled, target, penalty, etas)
    x = sigma * fits.x / norms[:, None]
    b = mean - shift @ x
    err_train = np.square(y[:, None] - A @ x - b).mean(axis=0)
    error = np.square(A @ (x - x0[:, None]) + b).mean(axis=0)
    df, count = fits.stein + 1 / M, (np.count_nonzero(x, axis=0) + 1) / M  # the intercept counts
    criteria = {
        "cp": err_train + 2 * sigma2 * df,
        "cp_known": err_train + 2 * df,
        "count": err_train + 2 * sigma2 * count,
        "bic": err_train / sigma2 + np.log(M) * count,
        "cv": cross_validation(scaled, target, penalty, etas, intercept=True),
        "oracle": error,
    }
    rows = []
    for method, values in criteria.items():
        k = int(np.argmin(np.where(np.isfinite(df), values, np.inf)))
        hits = np.count_nonzero((x[:, k] != 0) & (x0 != 0))
        size = np.count_nonzero(x[:, k])
        rows.append({"method": method, "eta": etas[k], "nonzeros": size, "error": error[k],
                     "f1": 2 * hits / (size + np.count_nonzero(x0)), "jumps": fits.jumps[k],
                     "fit": (x[:, k], b[k])})  # fmt: skip
    return pd.DataFrame(rows)


def selection_table(cells):
    """Means over the samples of each cell {(design, N, strength): planted_rows}, penalty and method, with errors.

    gap_<rival> is the mean difference of error from that of each of RIVALS on the same samples.
    """
    rows = []
    for (design, N, strength), table in cells.items():
        for penalty, group in table.groupby("penalty", sort=False):
            errors = group.pivot(index="sample", columns="method", values="error")
            for method, part in group.groupby("method", sort=False):
                row = {"design": design, "N": N, "strength": strength, "penalty": penalty, "method": method,
                       "samples": len(part), "paths": METHODS[method]}  # fmt: skip
                for measure in MEASURES:
                    mean = mean_estimate(part[measure])
                    row |= {measure: mean.value, f"{measure}_se": mean.se}
                for other in RIVALS:
                    gap = mean_estimate(errors[method] - errors[other])
                    row |= {f"gap_{other}": gap.value, f"gap_{other}_se": gap.se}
                rows.append(row | {"jumps": part.jumps.mean()})
    return pd.DataFrame(rows)


def verdict(table, z=2.0):
    """In words: in how many settings C_p has a smaller, a larger error than each of RIVALS, and where it is worst."""
    mine = table[table.method == "cp"]
    return " ".join(_against(mine, table[table.method == other], other, z) for other in RIVALS)


def _against(mine, theirs, other, z):
    gap, se = mine[f"gap_{other}"], mine[f"gap_{other}_se"]
    better, worse = (gap < -z * se).sum(), (gap > z * se).sum()
    ratio = mine.error.to_numpy() / theirs.error.to_numpy()

    def place(k):
        row = mine.iloc[k]
        return f"{row.penalty}, {row.design}, N = {row.N}, strength {row.strength:g}"

    return (
        f"C_p against {_NAMES[other]}: smaller error in {better}, larger in {worse}, within {z:g} standard errors in "
        f"{len(mine) - better - worse} of {len(mine)} settings; at best {ratio.min():.2f} times the error "
        f"({place(int(ratio.argmin()))}), at worst {ratio.max():.2f} times ({place(int(ratio.argmax()))})."
    )


_NAMES = {"cv": "cross-validation", "count": "C_p with the number of non-zeros", "bic": "BIC"}
