"""Degrees of freedom by the parametric bootstrap covariance (Efron, JASA 99, 2004), for any fitting rule."""

from concurrent.futures import ProcessPoolExecutor
from functools import partial

import numpy as np
from tqdm import tqdm

from sparsegdf.estimators.monte_carlo import controlled_estimate, mean_estimate
from sparsegdf.threads import one_blas_thread


@one_blas_thread
def bootstrap_df(fit, mu, samples, *, seed=0, jobs=1, progress=False):
    """df = (1/M) sum_mu Cov(y*_mu, yhat_mu(y*)), y* ~ N(mu, 1), one Estimate per level of fit(y*) -> (M, levels).

    Sample b uses the stream SeedSequence(seed, spawn_key=(b,)), so the result does not depend on `jobs`. The estimate
    is NaN at a level where one of the samples has no fit. `fit` is pickled for jobs > 1; progress goes to stderr.
    """
    # y* - mu has mean zero, so any constant may be subtracted from yhat. Subtracting the fit to mu removes most of
    # the variance.
    one = partial(_one_sample, fit, mu, fit(mu), seed)
    rows = tqdm(_mapped(one, samples, jobs), "bootstrap", samples, disable=not progress)
    covariance, noise = (np.array(column) for column in zip(*rows, strict=True))
    return [controlled_estimate(column, noise, 1.0) for column in covariance.T]


def bootstrap_excess(fit, mu, tangent, samples, *, seed=0):
    """The bootstrap's df minus Stein's tr J / M at the last level of `fit`, where tangent(z) = J z.

    This is the mean of z . (yhat(mu + z) - yhat(mu) - J z) / M over the samples. Subtracting the tangent removes most
    of the variance, so a few samples are enough. They are the first samples of bootstrap_df; those without a fit are
    left out.
    """
    reference, excess = fit(mu)[:, -1], []
    for index in range(samples):
        z = _noise(mu.size, seed, index)
        excess.append(z @ (fit(mu + z)[:, -1] - reference - tangent(z)) / mu.size)
    return mean_estimate(np.array(excess)[np.isfinite(excess)])


def _noise(size, seed, index):
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(index,))).normal(size=size)


def _one_sample(fit, mu, reference, seed, index):
    """(y* - mu) . (yhat - reference) / M at each level, and ||y* - mu||^2 / M."""
    z = _noise(mu.size, seed, index)
    return z @ (fit(mu + z) - reference) / mu.size, z @ z / mu.size


def _mapped(function, samples, jobs):
    if jobs == 1:
        yield from map(function, range(samples))
        return
    with ProcessPoolExecutor(jobs) as pool:
        yield from pool.map(function, range(samples), chunksize=max(1, samples // (8 * jobs)))
