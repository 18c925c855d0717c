"""Degrees of freedom by the parametric bootstrap covariance (Efron, JASA 99, 2004), for any fit yhat = A x."""

from concurrent.futures import ProcessPoolExecutor
from functools import partial
from signal import SIG_DFL, SIGINT, signal

import numpy as np

from sparsegdf.estimators.monte_carlo import estimate_with_controls, mean_estimate
from sparsegdf.progress import with_bar
from sparsegdf.threads import one_blas_thread


@one_blas_thread
def bootstrap_coefficients(fit, A, mu, samples, controls=None, *, seed=0, jobs=1, progress=False):
    """(df, frequency) of fits yhat = A x over y* ~ N(mu, 1), where fit(y*) -> x of shape (N, levels).

    df = (1/M) sum_mu Cov(y*_mu, yhat_mu(y*)), one Estimate per level; frequency, (N, levels), is how often x_i is not
    zero. A sample without a fit at a level is left out there. Sample b uses the stream SeedSequence(seed,
    spawn_key=(b,)), so the result does not depend on `jobs`. `fit` is pickled for jobs > 1; progress goes to stderr.

    controls is (values of shape (samples, levels), expectations of shape (levels,)) of z^T J z / M for a linear fit
    J close to the given one, with z from bootstrap_noise. Its known expectation tr J / M removes what the sampled z
    add to the covariance. NaN is no control.
    """
    # y* - mu has mean zero, so any constant may be subtracted from yhat. Subtracting the fit to mu removes most of
    # the variance.
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
        df.append(estimate_with_controls(values[used], np.column_stack(known)[used]))
    return df, fitted / np.maximum(np.isfinite(covariance).sum(axis=0), 1)


def bootstrap_noise(size, samples, seed=0):
    """z = y* - mu of each sample, (samples, size)."""
    return np.array([sample_noise(size, seed, index) for index in range(samples)])


def bootstrap_excess(fit, mu, tangent, samples, *, seed=0):
    """The bootstrap's df minus Stein's tr J / M at the last level of `fit`, where tangent(z) = J z.

    This is the mean of z . (yhat(mu + z) - yhat(mu) - J z) / M over the samples. Subtracting the tangent removes most
    of the variance, so a few samples are enough. They are the first samples of bootstrap_coefficients; those without
    a fit are left out.
    """
    reference, excess = fit(mu)[:, -1], []
    for index in range(samples):
        z = sample_noise(mu.size, seed, index)
        excess.append(z @ (fit(mu + z)[:, -1] - reference - tangent(z)) / mu.size)
    return mean_estimate(np.array(excess)[np.isfinite(excess)])


def sample_noise(size, seed, index):
    """z = y* - mu of one sample."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(index,))).normal(size=size)


def _one_fit(fit, A, mu, reference, seed, index):
    """(y* - mu) . A (x - reference) / M at each level, ||y* - mu||^2 / M, and whether each x_i is not zero."""
    z = sample_noise(mu.size, seed, index)
    x = fit(mu + z)
    return (z @ A) @ (x - reference) / mu.size, z @ z / mu.size, np.nan_to_num(x) != 0


def mapped(function, samples, jobs):
    """function(index) of each sample in order, in `jobs` processes."""
    if jobs == 1:
        yield from map(function, range(samples))
        return
    # Ctrl-C reaches all processes of a terminal. With the default action these end at once and in silence.
    with ProcessPoolExecutor(jobs, initializer=signal, initargs=(SIGINT, SIG_DFL)) as pool:
        yield from pool.map(function, range(samples), chunksize=max(1, samples // (8 * jobs)))
