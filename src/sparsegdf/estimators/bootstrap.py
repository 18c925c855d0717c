"""Degrees of freedom by the parametric bootstrap covariance (Efron, JASA 99, 2004), for any fitting rule."""

from concurrent.futures import ProcessPoolExecutor
from functools import partial

import numpy as np

from sparsegdf.estimators.monte_carlo import Estimate, controlled_estimate, mean_estimate
from sparsegdf.progress import with_bar
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
    rows = with_bar(mapped(one, samples, jobs), "bootstrap", samples, progress)
    covariance, noise = (np.array(column) for column in zip(*rows, strict=True))
    return [controlled_estimate(column, noise, 1.0) for column in covariance.T]


@one_blas_thread
def bootstrap_coefficients(fit, A, mu, samples, controls=None, *, seed=0, jobs=1, progress=False):
    """(df, frequency) of linear fits yhat = A x over y* ~ N(mu, 1), where fit(y*) -> x of shape (N, levels).

    df is that of bootstrap_df, one Estimate per level; frequency, (N, levels), is how often x_i is not zero. A sample
    without a fit at a level is left out there.

    controls is (values of shape (samples, levels), expectations of shape (levels,)) of z^T J z / M for a linear fit
    J close to the given one, with z from bootstrap_noise. Its known expectation tr J / M removes what the sampled z
    add to the covariance. NaN is no control.
    """
    one = partial(_one_fit, fit, A, mu, np.nan_to_num(fit(mu)), seed)
    covariance, noise, fitted = [], [], 0
    for row, level, nonzero in with_bar(mapped(one, samples, jobs), "bootstrap", samples, progress):
        covariance.append(row)
        noise.append(level)
        fitted = fitted + nonzero
    covariance, noise = np.array(covariance), np.array(noise)
    df = []
    for k, values in enumerate(covariance.T):
        used, known = np.isfinite(values), [noise - 1]
        if controls is not None and np.isfinite(controls[0][:, k]).all() and np.isfinite(controls[1][k]):
            known.append(controls[0][:, k] - controls[1][k])
        df.append(controlled(values[used], np.column_stack(known)[used]))
    return df, fitted / np.maximum(np.isfinite(covariance).sum(axis=0), 1)


def bootstrap_noise(size, samples, seed=0):
    """z = y* - mu of each sample, (samples, size)."""
    return np.array([sample_noise(size, seed, index) for index in range(samples)])


def controlled(values, controls) -> Estimate:
    """The mean of `values` without what controls of expectation zero, (samples, n), explain by regression."""
    if len(values) < controls.shape[1] + 3:
        return mean_estimate(values)
    centred = controls - controls.mean(axis=0)
    slopes, _, rank, _ = np.linalg.lstsq(centred, values - values.mean(), rcond=1e-9)
    left = values - controls @ slopes
    return Estimate(float(left.mean()), float(left.std(ddof=1 + rank) / np.sqrt(len(values))), len(values))


def bootstrap_excess(fit, mu, tangent, samples, *, seed=0):
    """The bootstrap's df minus Stein's tr J / M at the last level of `fit`, where tangent(z) = J z.

    This is the mean of z . (yhat(mu + z) - yhat(mu) - J z) / M over the samples. Subtracting the tangent removes most
    of the variance, so a few samples are enough. They are the first samples of bootstrap_df; those without a fit are
    left out.
    """
    reference, excess = fit(mu)[:, -1], []
    for index in range(samples):
        z = sample_noise(mu.size, seed, index)
        excess.append(z @ (fit(mu + z)[:, -1] - reference - tangent(z)) / mu.size)
    return mean_estimate(np.array(excess)[np.isfinite(excess)])


def sample_noise(size, seed, index):
    """z = y* - mu of one sample."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(index,))).normal(size=size)


def _one_sample(fit, mu, reference, seed, index):
    """(y* - mu) . (yhat - reference) / M at each level, and ||y* - mu||^2 / M."""
    z = sample_noise(mu.size, seed, index)
    return z @ (fit(mu + z) - reference) / mu.size, z @ z / mu.size


def _one_fit(fit, A, mu, reference, seed, index):
    """_one_sample for yhat = A x, and whether each x_i is not zero."""
    z = sample_noise(mu.size, seed, index)
    x = fit(mu + z)
    return (z @ A) @ (x - reference) / mu.size, z @ z / mu.size, np.nan_to_num(x) != 0


def mapped(function, samples, jobs):
    """function(index) of each sample in order, in `jobs` processes."""
    if jobs == 1:
        yield from map(function, range(samples))
        return
    with ProcessPoolExecutor(jobs) as pool:
        yield from pool.map(function, range(samples), chunksize=max(1, samples // (8 * jobs)))
