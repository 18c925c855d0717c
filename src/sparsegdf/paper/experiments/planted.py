"""Which criterion chooses well? Those of `select`, with the degrees of freedom of this package, on planted data.

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
from sparsegdf.selection.criteria import CRITERIA, choose
from sparsegdf.selection.fits import eta_grid, is_convex
from sparsegdf.selection.noise import estimate_noise_variance
from sparsegdf.selection.select import select

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


def planted_rows(*, design, M, N, nonzeros, strength, penalties, samples, new_rows, bootstrap, seed):
    """One row per sample, penalty and method: the chosen model and its errors.

    error            ||A (x - x0) + intercept||^2 / M: prediction error at the same A, without the noise
    error_new        the same on new rows
    true_positives   |S and S0|, where S is the support of x and S0 that of x0
    false_positives  |S| - |S and S0|
    f1               2 |S and S0| / (|S| + |S0|)
    sigma2           the estimate of the noise variance that the methods without `known` used (true value 1)
    jumps            whether the fit may jump at the chosen level, so that Stein's df may be too small
    """
    ensemble, tables = Ensemble(make_design(**design), M, N, seed=seed), []
    unseen = replace(ensemble, M=new_rows)
    for index, A, noise in over_samples(ensemble, range(samples)):
        x0 = planted_coefficients(ensemble, index, nonzeros=nonzeros, strength=strength)
        # The columns of both have length 1: with this factor a new row has the size of a row of A.
        y, new = A @ x0 + noise, np.sqrt(new_rows / M) * unseen.sample(index)[0]
        sigma2 = estimate_noise_variance(A - A.mean(axis=0), y - y.mean(), intercept=True).value
        for name, penalty in penalties.items():
            chosen = choices(A, y, x0, make_penalty(**penalty), sigma2, bootstrap)
            chosen["error_new"] = [np.square(new @ (x - x0) + b).mean() for x, b in chosen.pop("fit")]
            tables.append(chosen.assign(sample=index, penalty=name, sigma2=sigma2))
    return pd.concat(tables, ignore_index=True)


def choices(A, y, x0, penalty, sigma2, bootstrap):
    """The choice of each of selection_tables.METHODS on one (A, y); `fit` is (x, intercept).

    As in `select`, df is Stein's under a convex penalty and the bootstrap's, of this many samples, under any other.
    """
    # The units of select: columns of norm 1, y in units of sigma.
    columns = A - A.mean(axis=0)
    columns /= np.linalg.norm(columns, axis=0)
    etas = eta_grid(columns, (y - y.mean()) / np.sqrt(sigma2), penalty, levels=_LEVELS)
    samples = 0 if is_convex(columns, penalty, etas) else bootstrap
    found = select(A, y, penalty, sigma2, etas, criterion="cv", bootstrap=samples)
    path, x, b = found.path, found.coefficients, found.intercepts
    error, on = np.square(A @ (x - x0[:, None]) + b).mean(axis=0), x != 0
    hits, size = on[x0 != 0].sum(axis=0), on.sum(axis=0)
    rows = []
    for method, values in _criteria(found, error).items():
        k = choose(method, values, path.converged, path.cv_se)
        rows.append({"method": method, "eta": etas[k], "error": error[k], "true_positives": hits[k],
                     "false_positives": size[k] - hits[k], "f1": 2 * hits[k] / (size[k] + np.count_nonzero(x0)),
                     "jumps": path.jumps[k], "fit": (x[:, k], b[k])})  # fmt: skip
    return pd.DataFrame(rows)


def _criteria(found, error):
    """{method: what it minimises along the path} of a Selection whose true `error` is known."""
    path, setting = found.path, found.setting
    known = setting._replace(sigma2=1.0)

    def value(name, df, setting=setting):
        return CRITERIA[name].value(path.err_train, df, setting)

    count = (path.nonzeros.to_numpy(float, na_value=np.nan) + 1) / found.rows  # the intercept counts
    return {
        **{name: path[name] for name in ("cp", "gcv", "cv")},
        "cv1se": path["cv"],
        **{name: path[name] for name in ("bic", "ebic")},
        **{f"{name}_known": value(name, path.df, known) for name in ("cp", "bic", "ebic")},
        "cp_stein": value("cp", path.get("df_stein", path.df)),
        "cp_count": value("cp", count),
        "oracle": error,
    }
