"""The fits of one (A, y) under any penalty along a grid of eta, with what is known of their degrees of freedom."""

from typing import NamedTuple

import numpy as np

from sparsegdf.checks import require_etas
from sparsegdf.estimators.degrees_of_freedom import curvature
from sparsegdf.penalties.l0 import L0
from sparsegdf.solvers.best_subset import best_subsets
from sparsegdf.solvers.direct import new_path, points_and_divergence, stationary_path, stationary_points
from sparsegdf.solvers.fixed_points import violation

EXACT_COLUMNS = 30  # the search over subsets takes seconds up to here, and grows exponentially
LEVELS = 100
_FINE = 0.1  # of the standard error of the direction that A determines worst: where the grid ends
_FINEST = 0.003  # of a standard error: where columns are nearly dependent there are few fits below
_ROUNDS = 10  # of adding levels, each halving the intervals that need it
_SAME = 1e-6  # relative: two stationary points differ by far more, one found twice by far less
_ABOVE = 1 + 1e-9  # at eta_max itself rounding would decide whether a column enters


class Fits(NamedTuple):
    """Arrays over the grid; x is (N, n_eta) and NaN where no stationary point was found."""

    etas: np.ndarray
    x: np.ndarray
    err: np.ndarray  # ||y - A x||^2 / M
    kkt: np.ndarray
    stein: np.ndarray  # the divergence of the fit over M; NaN where x is no strict local minimum
    jumps: np.ndarray  # whether the fit may jump as y moves by its noise: then stein may be an underestimate


def eta_grid(A, y, penalty, variance=1.0, *, eta_min=None, levels=LEVELS):
    """Levels of eta from eta_max down, equal steps of the logarithm of the threshold at which a column leaves zero.

    eta_max = max_i eta_at(|A_i^T y|; ||A_i||^2) is where the first column leaves zero. For l1 the threshold is eta;
    where the estimate jumps, it goes as sqrt(eta). The last threshold is a tenth of the standard error sigma ||A_i||
    of A_i^T y, and less for columns that are nearly dependent: 0.1 s sigma ||A_i||, where s is the smallest non-zero
    singular value of A with columns of norm 1, but not below 0.003 sigma ||A_i||.
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
    """Of the grid, in units of the standard error, for columns of norm 1."""
    M, N = A.shape
    # Columns that are centred leave one direction of the rows out.
    smallest = np.linalg.eigvalsh(A.T @ A)[0] if N < M else np.linalg.eigvalsh(A @ A.T)[1]
    return np.clip(_FINE * np.sqrt(max(smallest, 0)), _FINEST, _FINE)


def default_path(A, y, penalty, variance, floor, *, eta_min=None, levels=None) -> Fits:
    """The fits on eta_grid, for l0 at one eta per size that some eta selects.

    `variance` is that of the noise, `floor` the smallest_error.

    Under a convex penalty the fit depends on eta alone, and levels are added where a smaller C_p may hide: until
    C_p = err_train + 2 sigma^2 df at one of them is within 0.05 % (and 0.1 sigma^2 / M) of its minimum over all eta.
    """
    if not (A.T @ y).any():
        raise ValueError("y is orthogonal to every column of A: there is nothing to select")
    if isinstance(penalty, L0):
        if given := [name for name, value in (("eta_min", eta_min), ("levels", levels)) if value is not None]:
            raise ValueError(f"{given[0]} has no meaning for L0: its path has one level for each size")
        return fit_path(A, y, penalty, None)
    etas = eta_grid(A, y, penalty, variance, eta_min=eta_min, levels=LEVELS if levels is None else levels)
    sigma = np.sqrt(variance)
    path = new_path(A, y, penalty)
    fits = fit_path(A, y, penalty, etas, sigma, path)
    if not is_convex(A, penalty, etas):
        return fits
    floor = floor if eta_min is None else np.inf
    for _ in range(_ROUNDS):
        new = _between(A.shape, fits, variance, floor)
        if not new.size:
            break
        added = fit_path(A, y, penalty, new, sigma, path)
        order = np.argsort(-np.append(fits.etas, new))
        fits = Fits(*(np.concatenate(pair, axis=-1)[..., order] for pair in zip(fits, added, strict=True)))
    return fits


def smallest_error(A, y):
    """The err_train that no fit is below: that of least squares on all columns, 0 for N >= M."""
    M, N = A.shape
    return np.square(y - A @ np.linalg.lstsq(A, y, rcond=None)[0]).mean() if N < M else 0.0


def _between(shape, fits, variance, floor):
    """The etas to add: in the middle of each interval that may hold a smaller C_p than its ends, and below the last.

    err_train falls with eta and df grows, up to rare exceptions, so that on an interval C_p is not below err_train of
    its dense end + 2 sigma^2 df of its sparse end. `floor` is the err_train at eta = 0, infinite to stop at the last.
    Below the last eta all columns but one may take part, while their err_train is not yet the floor.
    """
    M, N = shape
    err, cost = fits.err, 2 * variance * fits.stein
    best = np.nanmin(err + cost)
    enough = best - min(5e-4 * best, 0.1 * variance / M)
    inside = err[1:] + np.minimum(cost[:-1], cost[1:]) < enough
    new = np.sqrt(fits.etas[:-1] * fits.etas[1:])[inside]
    if N < M and floor + max(cost[-1] - 2 * variance / M, best - err[-1]) < enough:
        new = np.append(new, fits.etas[-1] / 4)
    return new


def fit_path(A, y, penalty, etas, sigma=1.0, path=None) -> Fits:
    """The fits at each of `etas` (decreasing); for l0 None is one eta per size that some eta selects.

    `sigma` is the standard deviation of y: `jumps` looks at what a move of this size may do. `path` is a new_path of
    the same (A, y, penalty), to be used again.
    """
    if isinstance(penalty, L0):
        etas, x = _l0_path(A, y, etas)
        stein, jumps = np.count_nonzero(x, axis=0) / len(y), np.ones(etas.size, bool)
    else:
        etas = require_etas(etas)
        x, stein = points_and_divergence(new_path(A, y, penalty) if path is None else path, etas)
        jumps = _jumps(A, y, x, penalty, etas, sigma)
    left = y[:, None] - A @ x
    return Fits(etas, x, np.square(left).mean(axis=0), violation(A.T @ left, x, penalty, etas), stein, jumps)


def effective_df(A, y, penalty, etas, x):
    """(1/M) sum_i chi_i Q_hat_i at each eta; NaN where belief propagation has no fixed point, or another than x."""
    if isinstance(penalty, L0):
        return np.full(len(etas), np.nan)
    fixed = stationary_path(A, y, penalty, etas)
    same = np.abs(x - fixed.x).max(axis=0) <= _SAME * np.abs(x).max(axis=0)
    return np.where(same, fixed.effective, np.nan)


def fit_coefficients(A, y, penalty, etas):
    """The x of fit_path alone, (N, n_eta)."""
    return _l0_path(A, y, etas)[1] if isinstance(penalty, L0) else stationary_points(A, y, penalty, etas)


def _jumps(A, y, x, penalty, etas, sigma):
    """_may_jump at each eta."""
    if is_convex(A, penalty, etas):
        return np.zeros(etas.size, bool)
    Q, x = np.square(A).sum(axis=0), np.nan_to_num(x)
    return np.array([_may_jump(A, y, x[:, k], penalty, eta, Q, sigma) for k, eta in enumerate(etas)])


def _may_jump(A, y, x, penalty, eta, Q, sigma):
    """Whether a change of y by its noise may move the fit at x by a finite amount.

    It may where the objective is not convex in one column, ||A_i||^2 <= max(-r''), so that the scalar estimate jumps,
    or not on the columns within reach, lambda_min(A_S^T A_S) <= max(-r''), so that correlated columns may change
    places (local convexity, Breheny and Huang 2011). Within reach are the support and the columns whose gradient is
    at most one standard error, sigma ||A_i||, from the threshold.
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


def is_convex(A, penalty, etas):
    """Whether the penalty is convex at the largest of `etas`, and with it the objective: then no fit ever jumps."""
    Q = np.square(A).sum(axis=0)
    return _concavity(penalty, etas[0], Q) == 0 and not penalty.segments(Q, etas[0]).jumps().any()


def _concavity(penalty, eta, Q):
    """max(-r''(x)), 0 for a convex penalty."""
    # At a large Q every piece is on the estimate, with slope 1/(Q + r'').
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
    """r''(x_i) on the support of a stationary x; None where the estimate does not move with h."""
    h = Q * x + A.T @ (y - A @ x)
    _, chi = penalty.estimate(h * (1 + 1e-12), Q, eta)
    return curvature(x, chi, Q) if (chi[x != 0] > 0).all() else None


def tangent(A, y, x, penalty, eta):
    """The function z -> J z, J = A_S (A_S^T A_S + D)^-1 A_S^T the Jacobian of the fit; Stein's df is tr J / M."""
    S = np.flatnonzero(x)
    D = _curvature(A, y, x, penalty, eta, np.square(A).sum(axis=0))[S]
    hessian = A[:, S].T @ A[:, S] + np.diag(D)
    return lambda z: A[:, S] @ np.linalg.solve(hessian, A[:, S].T @ z)


def _l0_path(A, y, etas):
    """(etas, x) of min_K { RSS_K / 2 + eta K } by exact search over the subsets of every size K."""
    N = A.shape[1]
    if N > EXACT_COLUMNS:
        raise ValueError(
            f"L0 is solved by exact search: A has {N} columns, allowed are at most {EXACT_COLUMNS}; "
            "SCAD and MCP take any number"
        )
    best = best_subsets(A, y, int(np.linalg.matrix_rank(A)))
    etas = _l0_etas(best.rss) if etas is None else require_etas(etas)
    x = np.zeros((N, etas.size))
    for k, eta in enumerate(etas):
        S = best.supports[np.argmin(best.rss / 2 + eta * np.arange(best.rss.size))]
        x[S, k] = np.linalg.lstsq(A[:, S], y, rcond=None)[0]
    return etas, x


def _l0_etas(rss):
    """One eta for each size on the lower convex hull of RSS_K / 2: the others are minimisers at no eta.

    The geometric middle of the interval of eta that selects the size; eta_max for size 0, half the upper end for
    the last.
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
