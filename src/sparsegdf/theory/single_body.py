"""Gaussian averages over the effective single-body problem, in closed form for any piecewise linear estimator.

With h = sqrt(chi_hat) z, z standard normal, the replica theory needs a handful of averages of x*(h). On a segment
x* is linear in |h|, so each average is a sum of truncated normal moments (erfc and exp).
"""

from functools import cached_property

import numpy as np
from scipy.special import erfc

from sparsegdf.penalties.base import Segments

_SQRT_2, _SQRT_2_OVER_PI = np.sqrt(2), np.sqrt(2 / np.pi)


class Averages:
    """Averages of the estimator given by `segments` (shape (K, ...)) over h ~ N(0, chi_hat) (shape (...)).

    Each is computed when it is first asked for: solvers need two of them, very often.
    """

    def __init__(self, segments: Segments, chi_hat):
        self._segments, self._s = segments, np.sqrt(chi_hat)
        z = segments.start / self._s
        self._density = _SQRT_2_OVER_PI * np.exp(-(z**2) / 2)
        self._tail = erfc(z / _SQRT_2)
        # E[|z|^j ; |z| > z_k] for j = 0, 1, 2, less that of the next start.
        tails = (self._tail, self._density, self._tail + z * self._density)
        self._m0, self._m1, self._m2 = (_between_starts(tail) for tail in tails)

    @property
    def nonzero(self):
        """rho_hat = P(x* != 0)."""
        return self._tail[0]

    @property
    def probability(self):
        """P(h is on segment k), shape (K, ...)."""
        return self._m0

    @cached_property
    def square(self):
        """E[x*^2] = alpha Q."""
        _, b, c = self._segments
        slope = b * self._s
        return (slope**2 * self._m2 + 2 * slope * c * self._m1 + c**2 * self._m0).sum(0)

    @cached_property
    def response(self):
        """E[dx*/dh] = alpha chi, with the delta function of each jump."""
        return (self._segments.slope * self._m0 + self._jumps * self._density / self._s).sum(0)

    @cached_property
    def response_squared(self):
        """E[(dx*/dh)^2], infinite where x* jumps."""
        jumps = ((self._jumps > 0) & (self._density > 0)).any(0)
        return np.where(jumps, np.inf, (self._segments.slope**2 * self._m0).sum(0))

    @cached_property
    def maximum(self):
        """E[max_x(-Q_hat x^2/2 + h x - r)] = pi_r / 2.

        By the envelope theorem its derivative by h is x*(h), so it is the primitive of x* that vanishes at 0.
        """
        (start, b, c), s = self._segments, self._s
        end = np.concatenate([start[1:], np.zeros_like(start[:1])])
        primitive = b * start**2 / 2 + c * start
        gained = b * end**2 / 2 + c * end - primitive
        at_start = np.cumsum(np.concatenate([np.zeros_like(gained[:1]), gained[:-1]]), axis=0)
        return ((at_start - primitive) * self._m0 + b * s**2 * self._m2 / 2 + c * s * self._m1).sum(0)

    @cached_property
    def _jumps(self):
        return self._segments.jumps()


class MixedAverages:
    """Averages over columns in groups: of each the share, the scale s of its covariance, and its Averages.

    chi and Q of the saddle point are those of Sigma x*: E[dx*/dh] and E[x*^2] count s times, E[(dx*/dh)^2] s^2 times.
    """

    def __init__(self, shares, scales, parts):
        self._shares, self._scales, self._parts = shares, scales, parts

    def _sum(self, name, power):
        groups = zip(self._shares, self._scales, self._parts, strict=True)
        return sum(share * scale**power * getattr(part, name) for share, scale, part in groups)

    @property
    def nonzero(self):
        return self._sum("nonzero", 0)

    @cached_property
    def square(self):
        return self._sum("square", 1)

    @cached_property
    def response(self):
        return self._sum("response", 1)

    @cached_property
    def response_squared(self):
        return self._sum("response_squared", 2)

    @cached_property
    def maximum(self):
        return self._sum("maximum", 0)


def _between_starts(tail):
    """Each row less the next one; nothing is beyond the last."""
    between = tail.copy()
    between[:-1] -= tail[1:]
    return between
