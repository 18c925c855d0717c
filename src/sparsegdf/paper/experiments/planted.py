"""Does C_p with the degrees of freedom of this package choose well? A comparison with other methods on planted data.

y = A x0 + noise of variance 1, where x0 has `nonzeros` components +-strength at random places. The columns of A have
unit length (iid: nearly), so strength is in units of the error of a single coefficient.
"""

from dataclasses import replace

import numpy as np
import pandas as pd

from sparsegdf.ensembles.ensemble import Ensemble
from sparsegdf.ensembles.registry import make_design
from sparsegdf.paper.experiments.samples import over_samples
from sparsegdf.penalties.registry import make_penalty
from sparsegdf.selection.cross_validation import cross_validation
from sparsegdf.selection.fits import eta_grid, fit_path
from sparsegdf.selection.noise import estimate_noise_variance

_LEVELS = 34  # The number of levels of eta, a third of that of `select`.
_STREAM = 10  # The random stream of x0, which differs from those of A and the noise.


def planted_coefficients(ensemble, index, *, nonzeros, strength):
    """x0 of sample `index` of an ensemble."""
    rng = np.random.default_rng(np.random.SeedSequence(ensemble.seed, spawn_key=(_STREAM, index)))
    x0 = np.zeros(ensemble.N)
    x0[rng.choice(ensemble.N, nonzeros, replace=False)] = strength * rng.choice([-1, 1], nonzeros)
    return x0


def planted_sample(ensemble, index, **how):
    """(A, y, x0) of sample `index`, where A and the noise are the sample (A, y) of the ensemble."""
    (A, noise), x0 = ensemble.sample(index), planted_coefficients(ensemble, index, **how)
    return A, A @ x0 + noise, x0


def planted_rows(*, design, M, N, nonzeros, strength, penalties, samples, new_rows, seed):
    """One row per sample, penalty and method: the chosen model and its errors.

    error      ||A (x - x0) + intercept||^2 / M: prediction error at the same A, without the noise
    error_new  the same on new rows
    f1         2 |S and S0| / (|S| + |S0|), where S is the support of x and S0 that of x0
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
    """The choice of each of selection_tables.METHODS on one (A, y); `fit` is (x, intercept)."""
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
