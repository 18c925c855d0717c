"""df as a function of delta, predicted from the singular values of A alone, before any y.

The RS theory of docs/theory.md takes the singular vectors of A as Haar, and y as noise. Columns without penalty, such
as the intercept, are removed from A first: they take their number of rows, and A has the others.
"""

import numpy as np

from sparsegdf.ensembles.limits import Spectrum
from sparsegdf.theory.replica_symmetric import rs_curve


def spectral_curve(A, penalty, deltas, *, free_rank=0, variance=1.0):
    """rs_curve at these deltas = nonzeros/(M - free_rank); A is without its free_rank unpenalised columns."""
    M, N = A.shape
    alpha, deltas = (M - free_rank) / N, np.asarray(deltas, float)
    deltas = np.where(np.isclose(deltas, 1 / alpha, rtol=1e-12, atol=0), 1 / alpha, deltas)  # no rounding beyond it
    return rs_curve(penalty, alpha=alpha, deltas=deltas, variance=variance, predictors=Spectrum.of(A))


def centred_curve(A, penalty, deltas=None):
    """spectral_curve with an intercept, columns of norm 1 and y in units of its noise, as in select.

    By default at 20 deltas, evenly spaced up to the largest: no more non-zeros than rows or columns.
    """
    A = np.asarray(A, dtype=float)
    if deltas is None:
        deltas = np.linspace(0, min(1, A.shape[1] / (len(A) - 1)), 21)[1:]
    A = A - A.mean(axis=0)
    return spectral_curve(A / np.linalg.norm(A, axis=0), penalty, deltas, free_rank=1)


def predicted_df(problem, penalty, nonzeros):
    """df at these numbers of penalised non-zeros in the problem of a Selection, and whether RS is stable there.

    df is NaN beyond the theory. Where RS is not stable it is only near the true one: for penalties that jump it was
    too large by up to 0.27.
    """
    left = problem.rows - problem.free_rank
    largest = min(left, problem.A.shape[1])
    counts = np.unique(nonzeros[(nonzeros > 0) & (nonzeros <= largest)])
    df, stable = np.full(len(nonzeros), np.nan), nonzeros == 0
    df[stable] = 0.0
    if counts.size:
        curve = spectral_curve(
            problem.A, penalty, counts / left, free_rank=problem.free_rank, variance=problem.variance
        )
        at, known = np.searchsorted(counts, nonzeros).clip(max=counts.size - 1), np.isin(nonzeros, counts)
        df[known], stable[known] = curve.df[at[known]], curve.rs_stable[at[known]]
    return (problem.free_rank + left * df) / problem.rows, stable
