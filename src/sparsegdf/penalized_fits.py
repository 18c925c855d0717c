"""The fits of one (A, y) under any penalty along a grid of eta, with what is known of their degrees of freedom."""

from typing import NamedTuple

import numpy as np

from sparsegdf.checks import require_etas
from sparsegdf.dof import curvature, stein_divergence
from sparsegdf.fixed_points import kkt_violation
from sparsegdf.penalties import L0
from sparsegdf.stationary import stationary_path, stationary_points
from sparsegdf.subsets import best_subsets

EXACT_COLUMNS = 30  # the search over subsets takes seconds up to here, and grows exponentially
_LEVELS = 100
_SAME = 1e-6  # relative: two stationary points differ by far more, one found twice by far less
_ABOVE = 1 + 1e-9  # at eta_max itself rounding would decide whether a column enters


class Fits(NamedTuple):
    """Arrays over the grid; x is (N, n_eta) and NaN where no stationary point was found."""

    etas: np.ndarray
    x: np.ndarray
    kkt: np.ndarray
    stein: np.ndarray  # the divergence of the fit over M; NaN where x is no strict local minimum
    effective: np.ndarray  # (1/M) sum_i chi_i Q_hat_i; NaN where belief propagation has no fixed point
    jumps: np.ndarray  # whether the fit may jump as y moves: then stein may be an underestimate


def eta_grid(A, y, penalty):
    """Levels of eta, equal steps of its logarithm, from eta_max down to 1/1000 of it (1/100 for N >= M).

    eta_max = max_i eta_at(|A_i^T y|; ||A_i||^2) is where the first column leaves zero.
    """
    M, N = A.shape
    top = np.max(penalty.eta_at(np.abs(A.T @ y), np.square(A).sum(axis=0)))
    return _ABOVE * top * np.geomspace(1, 1e-3 if M > N else 1e-2, _LEVELS)


def fit_path(A, y, penalty, etas) -> Fits:
    """The fits at each of `etas` (decreasing); None is eta_grid, for l0 one eta per size that some eta selects."""
    if etas is None and not (A.T @ y).any():
        raise ValueError("y is orthogonal to every column of A: there is nothing to select")
    if isinstance(penalty, L0):
        etas, x = _l0_path(A, y, etas)
        kkt = np.array([kkt_violation(A, y, x[:, k], penalty, eta) for k, eta in enumerate(etas)])
        stein = np.count_nonzero(x, axis=0) / len(y)
        return Fits(etas, x, kkt, stein, np.full(etas.size, np.nan), np.ones(etas.size, bool))
    etas = require_etas(eta_grid(A, y, penalty) if etas is None else etas)
    x, fixed = stationary_points(A, y, penalty, etas), stationary_path(A, y, penalty, etas)
    # Belief propagation may have its fixed point elsewhere: then it says nothing of this x.
    same = np.abs(x - fixed.x).max(axis=0) <= _SAME * np.abs(x).max(axis=0)
    Q = np.square(A).sum(axis=0)
    kkt, stein, jumps = np.full(etas.size, np.nan), np.full(etas.size, np.nan), np.zeros(etas.size, bool)
    for k, eta in enumerate(etas):
        jumps[k] = _may_jump(A, x, k, penalty, eta, Q)
        if np.isfinite(x[:, k]).all():
            kkt[k] = kkt_violation(A, y, x[:, k], penalty, eta)
            stein[k] = _stein(A, y, x[:, k], penalty, eta, Q)
    return Fits(etas, x, kkt, stein, np.where(same, fixed.effective, np.nan), jumps)


def fit_coefficients(A, y, penalty, etas):
    """The x of fit_path alone, (N, n_eta)."""
    return _l0_path(A, y, etas)[1] if isinstance(penalty, L0) else stationary_points(A, y, penalty, etas)


def _may_jump(A, x, k, penalty, eta, Q):
    """Whether a small change of y may move the fit at level k by a finite amount.

    It may where the objective is not convex in one column, ||A_i||^2 <= max(-r''), so that the scalar estimate jumps,
    or not on the columns of the support at this level and its neighbours, lambda_min(A_S^T A_S) <= max(-r''), so that
    correlated columns may change places (local convexity, Breheny and Huang 2011).
    """
    if penalty.segments(Q, eta).jumps().any():
        return True
    # At a large Q every piece is on the estimate, with slope 1/(Q + r'').
    large = 1e3 * (eta + Q.max())
    concave = large - 1 / penalty.segments(large, eta).slope.max()
    if concave <= 1e-9 * Q.max() + 1e-14 * large:  # rounding
        return False
    S = np.nan_to_num(x[:, max(k - 1, 0) : k + 2]).any(axis=1)
    lowest = Q.min()
    if S.any():
        lowest = min(lowest, np.linalg.eigvalsh(A[:, S].T @ A[:, S])[0])
    return bool(lowest <= concave)


def _stein(A, y, x, penalty, eta, Q):
    """stein_divergence at a stationary x, NaN unless A_S^T A_S + D is positive definite."""
    h = Q * x + A.T @ (y - A @ x)
    _, chi = penalty.estimate(h * (1 + 1e-12), Q, eta)
    S = np.flatnonzero(x)
    if not (chi[S] > 0).all():
        return np.nan
    bends = curvature(x, chi, Q)
    if (bends < 0).any():
        try:
            np.linalg.cholesky(A[:, S].T @ A[:, S] + np.diag(bends[S]))
        except np.linalg.LinAlgError:
            return np.nan
    return stein_divergence(A, x, bends)


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
