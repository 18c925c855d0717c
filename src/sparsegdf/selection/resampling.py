"""The degrees of freedom of the fits of a Problem: Stein's, the bootstrap's, and whether Stein's may be too small."""

from functools import partial
from typing import Any

import numpy as np

from sparsegdf.estimators.bootstrap import bootstrap_coefficients, bootstrap_excess, bootstrap_noise
from sparsegdf.penalties.base import Penalty
from sparsegdf.penalties.l0 import L0
from sparsegdf.selection.fits import Fits, fit_coefficients, is_convex, tangent
from sparsegdf.selection.problem import Problem

SAMPLES = 50  # Of the bootstrap, where the fit may jump and no number is given.
_CHECKED = 10  # The bootstrap that checks whether Stein's df is too small has this many samples.
_TOO_SMALL = 0.05  # Stein's df is too small if the bootstrap exceeds it by more than this fraction.


def stein_df(problem: Problem, stein: np.ndarray) -> np.ndarray:
    """The df of fits with the divergence `stein`, a fraction of the rows. Columns without penalty count in full."""
    return (stein * len(problem.few[1]) + problem.free_rank) / problem.rows


def bootstrapped(
    problem: Problem, penalty: Penalty, fits: Fits, level: int, samples: int, *, seed: int, **how: Any
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(df, its standard error, frequency (n, levels) of non-zeros) over samples around the model of `level`.

    The tangent J of each fit is its control: where the fit is nearly linear, the error is nearly zero.
    """
    A, y = problem.few
    unit = np.sqrt(problem.variance)
    fit = partial(_coefficients, A, penalty, fits.etas, unit)
    z = bootstrap_noise(len(y), samples, seed)
    linear = np.column_stack(
        [_linear_part(A, y, x, penalty, eta, z) for x, eta in zip(fits.x.T, fits.etas, strict=True)]
    )
    found, frequency = bootstrap_coefficients(
        fit, A, A @ fits.x[:, level] / unit, samples, (linear, fits.stein), seed=seed, **how
    )
    values, errors = (np.array([getattr(estimate, name) for estimate in found]) for name in ("value", "se"))
    rows = len(y)
    return (values * rows + problem.free_rank) / problem.rows, errors * rows / problem.rows, frequency


def _linear_part(A, y, x, penalty, eta, z):
    """z^T J z / M of each row z, J the Jacobian of the fit at x; NaN without a fit."""
    if not np.isfinite(x).all():
        return np.full(len(z), np.nan)
    if isinstance(penalty, L0):  # J projects on the columns of the subset
        basis = np.linalg.qr(A[:, x != 0])[0]
        return np.square(z @ basis).sum(axis=1) / len(y)
    return np.einsum("ij,ji->i", z, tangent(A, y, x, penalty, eta)(z.T)) / len(y)


def _coefficients(A, penalty, etas, unit, y):
    """x at each eta in units of the noise, for y in units where its noise variance is 1."""
    return fit_coefficients(A, y * unit, penalty, etas) / unit


def doubt(problem: Problem, penalty: Penalty, fits: Fits, chosen: int, stein: float, seed: int) -> str:
    """Why Stein's df may be too small at the chosen level, or "" if there is no sign of it."""
    A, y = problem.few
    eta, M = fits.etas[chosen], problem.rows
    if isinstance(penalty, L0):
        return (
            f"the fit under {penalty!r} may jump as y changes at the chosen eta = {eta:.4g}: "
            "Stein's df ignores jumps and may be too small"
        )
    if is_convex(A, penalty, fits.etas):
        return ""  # unbiased
    x, unit = fits.x[:, chosen], np.sqrt(problem.variance)
    fit = partial(_fitted, A, penalty, fits.etas[: chosen + 1], unit)
    excess = bootstrap_excess(fit, A @ x / unit, tangent(A, y, x, penalty, eta), _CHECKED, seed=seed)
    value, se = excess.value * len(y), excess.se * len(y)
    if value <= _TOO_SMALL * M * stein:
        return ""
    return (
        f"Stein's df at the chosen eta = {eta:.4g} may be too small: it is {M * stein:.2f} parameters, "
        f"{_CHECKED} samples of the bootstrap give {M * stein + value:.2f} +- {se:.2f}"
    )


def _fitted(A, penalty, etas, unit, y):
    return A @ _coefficients(A, penalty, etas, unit, y)
