"""The result that every solver returns for one (A, y) over a grid of eta."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sparsegdf.penalties.base import Penalty

STATUSES = ("converged", "diverged", "cycling", "max_steps", "no_fixed_point")


def kkt_violation(A, y, x, penalty, eta):
    """How far x is from a stationary point of ||y - A x||^2 / 2 + r(x; eta).

    With g = A^T (y - A x), the largest of |g_i - sign(x_i) r'(x_i)| on the support and max(0, |g_i| - r'(0)) off it.
    """
    return float(violation(A.T @ (y - A @ x), x, penalty, eta))


def violation(g, x, penalty, eta):
    """kkt_violation for a known g. With an array of etas, x and g have one column for each eta."""
    slope = penalty.derivative(x, eta)
    on = np.abs(g - np.copysign(np.where(x != 0, slope, 0), x))  # r'(0) may be infinite
    off = np.maximum(0, np.abs(g) - slope)
    return np.max(np.where(x != 0, on, off), axis=0)


@dataclass(frozen=True)
class FixedPoints:
    """Fixed points of belief propagation on a grid of eta.

    A level that diverged, or for which stationary_path found no x, has no estimate: its x, chi, Q_hat and all that
    follows from them are NaN.

    Attributes
    ----------
    etas : array (n_eta,)
        The grid; the arrays from `converged` on have this shape, too.
    x, chi, Q_hat : arrays (N, n_eta)
        The thresholded output x*, its variances chi_i, the precisions Q_hat_i.
    converged, status : arrays
        Whether status is "converged", and one of STATUSES (see belief_propagation and stationary_path).
    steps, residual, damping : arrays
        BP steps taken; max_i |x*_t - x_{t-1}| at the last step, before damping; the weight of the new x there.
    kkt : array
        Violation of the stationarity conditions by x.
    delta : array
        |support of x| / M.
    delta_eff : array
        ((1/M) sum_i chi_i) ((1/N) sum_i Q_hat_i), the paper's effective fraction of non-zeros.
    delta_eff_sum : array
        (1/M) sum_i chi_i Q_hat_i, the same fraction without the mean-field factorisation.
    stein : array
        Stein's divergence of the fit over M; NaN unless stationary_path was asked for it.

    Examples
    --------
    >>> import sparsegdf
    >>> A, y = sparsegdf.Ensemble(sparsegdf.IID(), M=50, N=100).sample(0)
    >>> points = sparsegdf.stationary_path(A, y, sparsegdf.L1(), etas=[2.0, 1.5, 1.0])
    >>> points.x.shape
    (100, 3)
    >>> points.delta_eff.round(3)
    array([0.044, 0.169, 0.305])
    """

    etas: np.ndarray
    x: np.ndarray
    chi: np.ndarray
    Q_hat: np.ndarray
    converged: np.ndarray
    status: np.ndarray
    steps: np.ndarray
    residual: np.ndarray
    damping: np.ndarray
    kkt: np.ndarray
    delta: np.ndarray
    delta_eff: np.ndarray
    delta_eff_sum: np.ndarray
    stein: np.ndarray

    @classmethod
    def from_levels(
        cls, A: np.ndarray, y: np.ndarray, penalty: Penalty, etas: np.ndarray, levels: Sequence[dict]
    ) -> "FixedPoints":
        """Collect `levels`, dicts with x, chi, Q_hat, status, steps, residual, damping; kkt and stein if known."""
        M = A.shape[0]
        x, chi, Q_hat = (np.stack([level[key] for level in levels], axis=1) for key in ("x", "chi", "Q_hat"))
        lost = np.isnan(x).any(axis=0)
        return cls(
            etas=etas,
            x=x,
            chi=chi,
            Q_hat=Q_hat,
            converged=np.array([level["status"] == "converged" for level in levels]),
            status=np.array([level["status"] for level in levels]),
            steps=np.array([level["steps"] for level in levels]),
            residual=np.array([level["residual"] for level in levels], dtype=float),
            damping=np.array([level["damping"] for level in levels], dtype=float),
            kkt=np.array(
                [
                    level["kkt"] if "kkt" in level else kkt_violation(A, y, level["x"], penalty, eta)
                    for eta, level in zip(etas, levels, strict=True)
                ]
            ),
            delta=np.where(lost, np.nan, np.count_nonzero(x, axis=0) / M),
            delta_eff=chi.sum(axis=0) / M * Q_hat.mean(axis=0),
            delta_eff_sum=(chi * Q_hat).sum(axis=0) / M,
            stein=np.array([level.get("stein", np.nan) for level in levels]),
        )
