"""How fast plain belief propagation approaches a fixed point, or leaves it: the spectral radius of its map there.

The map of plain_bp.py, with weight gamma on the new x (gamma = 1 is the undamped iteration of the paper), acts on
(x, R, sigma^2). Near a fixed point no coordinate changes its segment of the estimator, and R = y - A x. The Jacobian
then has two blocks that do not act on each other, with V = 1/(1 + sigma^2):

    means      dx' = (1 - gamma) dx + gamma chi (Q_hat dx + A^T dR),   dR' = (1 - V) dR - V A dx'
    variances  dsigma^2' = A^2 [chi^2 (A^2)^T (V^2 dsigma^2)],   A^2 taken entry by entry

(R does not depend on dsigma^2 because R = y - A x, and x does not because h and Q_hat x change together.) The larger
of the two radii is the factor by which the distance shrinks in one step. The radius of the variances does not depend
on the damping of x. For iid predictors it goes to Q_hat^2 (1/M) sum_i chi_i^2 as N grows, the left side of the de
Almeida-Thouless condition, which is below 1 where RS is stable.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import linalg

from sparsegdf.checks import require_number
from sparsegdf.threads import one_blas_thread


class Stability(NamedTuple):
    """What linear stability predicts for plain belief propagation with one fixed damping.

    means, variances  spectral radius of each block; the iteration is stable while both are below 1
    radius            the larger of them
    steps             ln(tol) / ln(radius): steps until a distance of order 1 has become tol; infinite if unstable
    """

    means: float
    variances: float
    radius: float
    steps: float


def bp_jacobian(A, x, chi, Q_hat, damping):
    """The blocks (means, variances) of the Jacobian at a fixed point, over (x_S, R) and sigma^2.

    Coordinates off the support S only decay, by a factor 1 - damping per step.
    """
    S = np.flatnonzero(x)
    M, k, A2 = A.shape[0], S.size, A[:, S] ** 2
    V = 1 / (1 + A2 @ chi[S])
    means = np.empty((k + M, k + M))
    means[:k, :k] = np.diag(1 - damping + damping * chi[S] * Q_hat[S])
    means[:k, k:] = damping * chi[S, None] * A[:, S].T
    means[k:] = -V[:, None] * (A[:, S] @ means[:k])
    means[k:, k:] += np.diag(1 - V)
    return means, (A2 * chi[S] ** 2) @ (A2.T * V**2)


@one_blas_thread
def linear_stability(
    A: ArrayLike, x: ArrayLike, chi: ArrayLike, Q_hat: ArrayLike, damping: float = 1.0, tol: float = 1e-10
) -> Stability:
    """Predicted stability of plain belief propagation at the fixed point (x, chi, Q_hat), e.g. of stationary_path.

    Parameters
    ----------
    A : (M, N)
    x, chi, Q_hat : (N,)
        A level of FixedPoints that has converged.
    damping : float
        The weight of the new x, above 0 and at most 1.
    tol : float
        Stability.steps is the number of steps to this precision.

    Returns
    -------
    Stability

    Notes
    -----
    The prediction is for belief_propagation(..., damping=damping) and belief_propagation_reference near the fixed
    point. It does not hold for the adapted damping that belief_propagation uses by default, which chooses its weights
    for the sample and also converges to points that the undamped iteration leaves.

    Examples
    --------
    >>> import sparsegdf
    >>> A, y = sparsegdf.Ensemble(sparsegdf.IID(), M=50, N=100).sample(0)
    >>> points = sparsegdf.stationary_path(A, y, sparsegdf.L1(), etas=[2.0, 1.5])
    >>> stability = sparsegdf.linear_stability(A, points.x[:, 1], points.chi[:, 1], points.Q_hat[:, 1])
    >>> bool(stability.radius < 1)  # so belief propagation converges near this point
    True
    """
    damping = require_number("damping", damping, above=0, at_most=1)
    tol = require_number("tol", tol, above=0)
    A, x, chi, Q_hat = (np.asarray(v, dtype=float) for v in (A, x, chi, Q_hat))
    for name, value in (("x", x), ("chi", chi), ("Q_hat", Q_hat)):
        if value.shape != (A.shape[1],) or not np.isfinite(value).all():
            allowed = f"{A.shape[1]} finite numbers, a converged level"
            raise ValueError(f"{name} of shape {value.shape} is no fixed point (allowed: {allowed})")
    means, variances = bp_jacobian(A, x, chi, Q_hat, damping)
    means, variances = _spectral_radius(means), _perron_radius(variances)
    if (x == 0).any():
        means = max(means, 1 - damping)
    radius = max(means, variances)
    return Stability(means, variances, radius, _steps(radius, tol))


def _spectral_radius(block):
    """The largest |eigenvalue|. All are computed (0.5 s for 1000 rows), since Arnoldi iteration may not converge."""
    return float(np.abs(linalg.eigvals(block, check_finite=False)).max())


def _perron_radius(block):
    """The same for a matrix of non-negative entries, by power iteration.

    The ratios (block p)_i / p_i enclose the largest eigenvalue for every positive p (Collatz and Wielandt).
    """
    p = np.ones(len(block))
    for _ in range(1000):
        image = block @ p
        if not (image > 0).all():
            break
        ratio = image / p
        if ratio.max() - ratio.min() <= 1e-12 * ratio.max():
            return float(ratio.max())
        p = image / image.max()
    return _spectral_radius(block)


def _steps(radius, tol):
    if radius >= 1:
        return float("inf")
    return float(np.log(tol) / np.log(radius)) if radius > 0 else 1.0
