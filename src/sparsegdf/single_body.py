"""Gaussian averages over the effective single-body problem, in closed form for any piecewise linear estimator.

With h = sqrt(chi_hat) z, z standard normal, the replica theory needs a handful of averages of x*(h). On a segment
x* is linear in |h|, so each average is a sum of truncated normal moments (erfc and exp).
"""

from typing import NamedTuple

import numpy as np
from scipy.special import erfc

from sparsegdf.penalties import Segments


class Averages(NamedTuple):
    """Averages over h ~ N(0, chi_hat)."""

    nonzero: np.ndarray  # rho_hat = P(x* != 0)
    response: np.ndarray  # E[dx*/dh], with the delta function of each jump: alpha chi
    response_squared: np.ndarray  # E[(dx*/dh)^2]: infinite when x* jumps
    square: np.ndarray  # E[x*^2]: alpha Q
    maximum: np.ndarray  # E[max_x(-Q_hat x^2/2 + h x - r)] = pi_r / 2


def averages(segments: Segments, chi_hat) -> Averages:
    """Averages of the estimator given by `segments` (shape (K, ...)) over h ~ N(0, chi_hat) (shape (...))."""
    start, b, c = segments
    s = np.sqrt(chi_hat)
    z = start / s
    # E[|z|^j ; |z| > z_k] for j = 0, 1, 2, then differences between successive starts.
    density = np.sqrt(2 / np.pi) * np.exp(-(z**2) / 2)
    tail = erfc(z / np.sqrt(2))
    m0, m1, m2 = (T - _next(T) for T in (tail, density, tail + z * density))

    jumps = segments.jumps()

    # The envelope theorem: d/dh max(...) = x*(h), so the maximum is the primitive of x* that vanishes at 0.
    primitive = b * start**2 / 2 + c * start
    at_start = np.cumsum(_previous(b * _next(start) ** 2 / 2 + c * _next(start) - primitive), axis=0)

    return Averages(
        nonzero=tail[0],
        response=(b * m0 + jumps * density / s).sum(0),
        response_squared=np.where(((jumps > 0) & (density > 0)).any(0), np.inf, (b**2 * m0).sum(0)),
        square=((b * s) ** 2 * m2 + 2 * b * c * s * m1 + c**2 * m0).sum(0),
        maximum=((at_start - primitive) * m0 + b * s**2 * m2 / 2 + c * s * m1).sum(0),
    )


def _next(rows):
    """Row k+1 in place of row k; zeros for the last (a tail beyond infinity)."""
    return np.concatenate([rows[1:], np.zeros_like(rows[:1])])


def _previous(rows):
    """Row k-1 in place of row k; zeros for the first."""
    return np.concatenate([np.zeros_like(rows[:1]), rows[:-1]])
