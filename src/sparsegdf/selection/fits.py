"""The fits of one (A, y) under any penalty along a grid of eta, with their Stein degrees of freedom."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from sparsegdf.checks import require_etas
from sparsegdf.estimators.degrees_of_freedom import curvature
from sparsegdf.penalties.base import Penalty
from sparsegdf.penalties.l0 import L0
from sparsegdf.selection.refine import refined
from sparsegdf.solvers.best_subset import best_subsets, swap_search
from sparsegdf.solvers.direct import new_path, points_and_divergence, stationary_path, stationary_points
from sparsegdf.solvers.fixed_points import violation

EXACT_COLUMNS = 30  # Up to this many columns the search over subsets takes seconds; its time grows exponentially.
SWAP_COLUMNS = 3000  # Beyond EXACT_COLUMNS subsets are improved by swaps, which need the Gram matrix of all columns.
_RESTARTS = 5  # The random supports that the search by swaps starts from, for each size.
LEVELS = 100  # The default number of levels of eta.
_FINE = 0.1  # The grid ends at this fraction of the standard error of the direction that A determines worst.
_FINEST = 0.003  # But not below this fraction of a standard error: with nearly dependent columns few fits are below.
_SAME = 1e-6  # Relative. Two stationary points differ by far more than this, one point found twice by far less.
_ABOVE = 1 + 1e-9  # At eta_max itself, rounding would decide whether a column enters.


class Fits(NamedTuple):
    """Arrays over the grid; x is (N, n_eta) and NaN where no stationary point was found."""

    etas: np.ndarray
    x: np.ndarray
    err: np.ndarray  # ||y - A x||^2 / M
    kkt: np.ndarray
    stein: np.ndarray  # the divergence of the fit over M; NaN where x is not a strict local minimum
    jumps: np.ndarray  # whether the fit may jump when y changes by its noise; then stein may be too small


def eta_grid(
    A: np.ndarray,
    y: np.ndarray,
    penalty: Penalty,
    variance: float = 1.0,
    *,
    eta_min: float | None = None,
    levels: int = LEVELS,
) -> np.ndarray:
    """Levels of eta from eta_max down, in equal steps of the logarithm of the threshold where a column leaves zero.

    eta_max = max_i eta_at(|A_i^T y|; ||A_i||^2) is where the first column leaves zero. For l1 the threshold is eta;
    where the estimate jumps, it is proportional to sqrt(eta). The last threshold is a tenth of the standard error
    sigma ||A_i|| of A_i^T y. For nearly dependent columns it is smaller: 0.1 s sigma ||A_i||, where s is the smallest
    singular value of A with columns of norm 1 (for N >= M the second smallest, since that of centred columns is
    zero), but not below 0.003 sigma ||A_i||.
    """
    Q = np.square(A).sum(axis=0)
    norms = np.sqrt(Q)
    enter = penalty.eta_at(np.abs(A.T @ y), Q)
    first = np.argmax(enter)
    if eta_min is None:
        last = np.sqrt(variance) * _last_threshold(A / norms) * norms
        eta_min = min(np.min(penalty.eta_at(last, Q)), enter[first] / 2)
    elif not eta_min < enter[first]:
        raise ValueError(
            f"eta_min = {eta_min:g} is out of range (allowed: < {enter[first]:g}, where the path starts)"
        )
    thresholds = [penalty.segments(Q[first], eta).start[0] for eta in (_ABOVE * enter[first], eta_min)]
    return penalty.eta_at(np.geomspace(*thresholds, levels), Q[first])


def _last_threshold(A):
    """The last threshold of the grid in units of the standard error, for columns of norm 1."""
    M, N = A.shape
    # With centred columns A A^T always has one eigenvalue 0, so the second smallest is taken.
    smallest = np.linalg.eigvalsh(A.T @ A)[0] if N < M else np.linalg.eigvalsh(A @ A.T)[1]
    return np.clip(_FINE * np.sqrt(max(smallest, 0)), _FINEST, _FINE)


def default_path(
    A: np.ndarray,
    y: np.ndarray,
    penalty: Penalty,
    variance: float,
    value: Callable,
    *,
    eta_min: float | None = None,
    levels: int | None = None,
) -> Fits:
    """The fits on eta_grid; for l0, at one eta for each size that is optimal at some eta.

    `variance` is the noise variance and value(err, stein) the criterion: under a convex penalty, where the fit at an
    eta does not depend on the path, levels are added around its minimum (refine.py). None is below a given eta_min.
    """
    if not (A.T @ y).any():
        raise ValueError("y is orthogonal to every column of A: there is nothing to select")
    if isinstance(penalty, L0):
        if given := [name for name, value in (("eta_min", eta_min), ("levels", levels)) if value is not None]:
            raise ValueError(f"{given[0]} has no meaning for L0: its path has one level for each size")
        return fit_path(A, y, penalty, None)
    etas = eta_grid(A, y, penalty, variance, eta_min=eta_min, levels=LEVELS if levels is None else levels)
    if is_convex(A, penalty, etas):
        etas, x, stein = refined(A, y, penalty, etas, value, below=eta_min is None)
        return _fits(A, y, penalty, etas, x, stein, np.zeros(etas.size, bool))
    return fit_path(A, y, penalty, etas, np.sqrt(variance))


def fit_path(A: np.ndarray, y: np.ndarray, penalty: Penalty, etas: Any, sigma: float = 1.0) -> Fits:
    """The fits at each of `etas` (decreasing). For l0, None means one eta for each size that is optimal at some eta.

    `sigma` is the standard deviation of the noise in y, which `jumps` needs.
    """
    if isinstance(penalty, L0):
        etas, x = _l0_path(A, y, etas)
        stein, jumps = np.count_nonzero(x, axis=0) / len(y), np.ones(etas.size, bool)
    else:
        etas = require_etas(etas)
        x, stein = points_and_divergence(new_path(A, y, penalty), etas)
        jumps = _jumps(A, y, x, penalty, etas, sigma)
    return _fits(A, y, penalty, etas, x, stein, jumps)


def _fits(A, y, penalty, etas, x, stein, jumps):
    left = y[:, None] - A @ x
    return Fits(etas, x, np.square(left).mean(axis=0), violation(A.T @ left, x, penalty, etas), stein, jumps)


def effective_df(A: np.ndarray, y: np.ndarray, penalty: Penalty, etas: np.ndarray, x: np.ndarray) -> np.ndarray:
    """(1/M) sum_i chi_i Q_hat_i at each eta; NaN where belief propagation has no fixed point at x, and for l0."""
    if isinstance(penalty, L0):
        return np.full(len(etas), np.nan)
    fixed = stationary_path(A, y, penalty, etas)
    same = np.abs(x - fixed.x).max(axis=0) <= _SAME * np.abs(x).max(axis=0)
    return np.where(same, fixed.delta_eff_sum, np.nan)


def fit_coefficients(A: np.ndarray, y: np.ndarray, penalty: Penalty, etas: Any) -> np.ndarray:
    """Only the x of fit_path, (N, n_eta)."""
    return _l0_path(A, y, etas)[1] if isinstance(penalty, L0) else stationary_points(A, y, penalty, etas)


def _jumps(A, y, x, penalty, etas, sigma):
    """_may_jump at each eta."""
    if is_convex(A, penalty, etas):
        return np.zeros(etas.size, bool)
    Q, x = np.square(A).sum(axis=0), np.nan_to_num(x)
    return np.array([_may_jump(A, y, x[:, k], penalty, eta, Q, sigma) for k, eta in enumerate(etas)])


def _may_jump(A, y, x, penalty, eta, Q, sigma):
    """Whether the fit at x may jump when y changes by its noise.

    There are two cases. The objective may be non-convex in a single column, ||A_i||^2 <= max(-r''), so that the
    scalar estimate jumps. Or it may be non-convex on the columns within reach, lambda_min(A_S^T A_S) <= max(-r''), so
    that correlated columns may replace each other (local convexity, Breheny and Huang 2011). Within reach are the
    support and the columns whose gradient is at most one standard error, sigma ||A_i||, below the threshold.
    """
    segments = penalty.segments(Q, eta)
    if segments.jumps().any():
        return True
    concave = _concavity(penalty, eta, Q)
    if concave == 0:
        return False
    S = (x != 0) | (np.abs(A.T @ (y - A @ x)) > segments.start[0] - sigma * np.sqrt(Q))
    if Q.min() <= concave or S.sum() > len(y):
        return True
    return not _positive_definite(A[:, S].T @ A[:, S] - concave * np.eye(S.sum()))


def is_convex(A: np.ndarray, penalty: Penalty, etas: np.ndarray) -> bool:
    """Whether the penalty is convex at the largest of `etas`. The objective is then convex, and no fit jumps."""
    Q = np.square(A).sum(axis=0)
    return _concavity(penalty, etas[0], Q) == 0 and not penalty.segments(Q, etas[0]).jumps().any()


def _concavity(penalty, eta, Q):
    """max(-r''(x)), 0 for a convex penalty."""
    # At a large Q the estimate has every segment of the penalty, with slope 1/(Q + r'').
    large = 1e3 * (eta + Q.max())
    concave = large - 1 / penalty.segments(large, eta).slope.max()
    return concave if concave > 1e-9 * Q.max() + 1e-14 * large else 0.0  # rounding


def _positive_definite(matrix):
    try:
        np.linalg.cholesky(matrix)
    except np.linalg.LinAlgError:
        return False
    return True


def _curvature(A, y, x, penalty, eta, Q):
    """r''(x_i) on the support of a stationary x; None if some estimate on the support does not depend on h."""
    h = Q * x + A.T @ (y - A @ x)
    _, chi = penalty.estimate(h * (1 + 1e-12), Q, eta)
    return curvature(x, chi, Q) if (chi[x != 0] > 0).all() else None


def tangent(
    A: np.ndarray, y: np.ndarray, x: np.ndarray, penalty: Penalty, eta: float
) -> Callable[[np.ndarray], np.ndarray]:
    """The function z -> J z, J = A_S (A_S^T A_S + D)^-1 A_S^T the Jacobian of the fit; Stein's df is tr J / M."""
    S = np.flatnonzero(x)
    D = _curvature(A, y, x, penalty, eta, np.square(A).sum(axis=0))[S]
    hessian = A[:, S].T @ A[:, S] + np.diag(D)
    return lambda z: A[:, S] @ np.linalg.solve(hessian, A[:, S].T @ z)


def _l0_path(A, y, etas):
    """(etas, x) of min_K { RSS_K / 2 + eta K } over the subsets of every size K.

    The search is exact up to EXACT_COLUMNS. Beyond, it goes by swaps, up to K = M/2, and may miss the best subset.
    """
    M, N = A.shape
    if N > SWAP_COLUMNS:
        raise ValueError(f"L0 takes at most {SWAP_COLUMNS} columns, and A has {N}; SCAD and MCP take any number")
    rank = int(np.linalg.matrix_rank(A))
    best = best_subsets(A, y, rank) if N <= EXACT_COLUMNS else swap_search(A, y, min(rank, M // 2), _RESTARTS, 0)
    etas = _l0_etas(best.rss) if etas is None else require_etas(etas)
    x = np.zeros((N, etas.size))
    for k, eta in enumerate(etas):
        S = best.supports[np.argmin(best.rss / 2 + eta * np.arange(best.rss.size))]
        x[S, k] = np.linalg.lstsq(A[:, S], y, rcond=None)[0]
    return etas, x


def _l0_etas(rss):
    """One eta for each size on the lower convex hull of RSS_K / 2. The other sizes are not optimal at any eta.

    It is the geometric mean of the ends of the interval of eta in which the size is optimal; eta_max for size 0, and
    half the upper end for the last size.
    """
    size, last = 0, rss.size - 1
    edges = []
    while size < last:
        slopes = (rss[size] - rss[size + 1 :]) / (2 * np.arange(1, last - size + 1))
        if slopes.max() <= 1e-9 * rss[0]:
            break  # further columns explain nothing
        edges.append(slopes.max())
        size += 1 + int(np.flatnonzero(slopes >= slopes.max() * (1 - 1e-12))[-1])
    edges = np.array(edges)
    return np.concatenate([_ABOVE * edges[:1], np.sqrt(edges[:-1] * edges[1:]), edges[-1:] / 2])
