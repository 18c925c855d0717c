"""Levels of eta around the minimum of a criterion along the path of a convex penalty.

Between knots, where columns enter or leave, err_train falls with eta at a constant number of columns. A criterion
that grows with err_train and df is therefore smallest just before a column enters. A bound says in which intervals of
eta it may be smaller than so far, and there these levels are added, or the middle of the interval if they are not
found.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy import linalg

from sparsegdf.penalties.base import Penalty
from sparsegdf.solvers.direct import new_path, points_and_divergence

_ROUNDS = 10  # Levels are added in at most this many rounds.
_CLOSE = 5e-4  # Relative. Levels are added until the criterion is this close to its minimum over all eta,
_SHARE = 0.05  # and this close in units of the price of a column, which is less if there are many rows.
_MOST_KNOTS = 4  # An interval with more knots is halved first: most of them do not matter.
_BEFORE = 1 + 1e-9  # At a knot itself, rounding would decide whether the column is in the model.
_AHEAD = 1e-12  # Relative. A column that has just entered or left is at no smaller eta than the present one.
_SAME = 1e-6  # Relative. The path that was followed has arrived at the fit if it is this close.


class Levels(NamedTuple):
    """The fits so far, eta decreasing."""

    etas: np.ndarray
    x: np.ndarray  # (N, n_eta)
    err: np.ndarray
    stein: np.ndarray
    known: np.ndarray  # whether there is no knot between this level and the next


def refined(
    A: np.ndarray, y: np.ndarray, penalty: Penalty, etas: np.ndarray, value: Callable, below: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(etas, x, stein) of the fits at `etas` and at the levels that are added, for a convex penalty.

    The smallest value(err_train, stein) of all levels is then within 0.05 %, and a twentieth of a column's price, of
    the minimum over all eta. With `below`, levels may be added below the last of `etas`, too.
    """
    line, end, floor = _line(penalty, etas[0]), None, np.inf
    if below:
        end, floor = dense_end(A, y, line[1] if line else 0.0)
    path, levels, new, known, begin = new_path(A, y, penalty), None, etas, np.zeros(etas.size, bool), None
    for _ in range(1 + _ROUNDS):
        x, stein = points_and_divergence(path, new, begin)
        added = Levels(new, x, np.square(y[:, None] - A @ x).mean(axis=0), stein, known)
        if levels is not None:
            added = Levels(*(np.concatenate(pair, axis=-1) for pair in zip(levels, added, strict=True)))
        order = np.argsort(-added.etas)
        levels = Levels(*(column[..., order] for column in added))
        new, known = _to_add(A, y, line, levels, *promising(len(y), levels, value, end if line else None, floor))
        if not new.size:
            break
        begin = np.nan_to_num(levels.x[:, np.searchsorted(-levels.etas, -new) - 1])
    return levels.etas, levels.x, levels.stein


def _line(penalty, eta):
    """(b, d) of a penalty with r'(x; eta) = b eta + d x, as l1 and the elastic net; None for another."""
    start, *rest = penalty.derivative(np.array([0.0, 1.0, 3.0]), eta)
    b, d = start / eta, rest[0] - start
    expected = np.array([[b * eta + d * x, b * eta / 2 + d * x] for x in (1.0, 3.0)])
    given = np.column_stack([penalty.derivative(np.array([1.0, 3.0]), at) for at in (eta, eta / 2)])
    return (b, d) if np.allclose(given, expected, rtol=1e-9, atol=0) else None


def dense_end(A: np.ndarray, y: np.ndarray, d: float = 0.0) -> tuple[np.ndarray | None, float]:
    """x and err_train at eta = 0, the smallest of any fit; x is None where it is not unique.

    With d it is the minimum of ||y - A x||^2 / 2 + d ||x||^2 / 2.
    """
    M, N = A.shape
    if d > 0:
        x = (
            np.linalg.solve(A.T @ A + d * np.eye(N), A.T @ y)
            if N < M
            else A.T @ np.linalg.solve(A @ A.T + d * np.eye(M), y)
        )
    elif N < M:
        # QR with pivoting takes a fifth of the time of the default, which computes singular values.
        x = linalg.lstsq(A, y, lapack_driver="gelsy")[0]
    else:
        return None, 0.0
    return x, float(np.square(y - A @ x).mean())


def promising(
    M: int, levels: Levels, value: Callable, end: np.ndarray | None, floor: float
) -> tuple[np.ndarray, bool]:
    """(intervals, below): whether the criterion may be smaller in each interval of eta, and below the last eta.

    As eta decreases, err_train falls. df changes as columns enter and leave: on an interval it is at least about that
    of the columns that stay. The criterion is therefore at least that of err_train at the dense end and the df of
    these columns. Smaller means by more than a tolerance; but the interval that follows the
    smallest value so far is always one of them, since there the criterion is a little smaller still.

    Below the last eta the dense end is `end`, with the err_train `floor`. If `end` is not known, or has the signs of
    the last level, one column may leave all the same; but then this does not count if the smallest value is there.
    """
    err, df, size = levels.err, levels.stein, np.count_nonzero(levels.x, axis=0)
    found = value(err, df)
    lowest = np.nanargmin(found)
    best = found[lowest]
    enough = best - min(_CLOSE * abs(best), best - value(err[lowest], df[lowest] - _SHARE / M))
    left = np.minimum(size[:-1], size[1:]) - np.count_nonzero(_stay(levels), axis=0)
    intervals = value(err[1:], np.minimum(df[:-1], df[1:]) - left / M) < enough
    intervals[lowest : lowest + 1] = True
    if not np.isfinite(found[-1]):
        return intervals, False
    turned = 0 if end is None else np.count_nonzero(end * levels.x[:, -1] < 0)
    bound = value(floor, df[-1] - max(turned, 1) / M)
    if not turned:
        bound = max(bound, best - (found[-1] - value(floor, df[-1])))
    return intervals, bool(bound < enough)


def _stay(levels):
    """(N, intervals): which columns have the same sign at both ends, and do not seem to leave and enter in between.

    They do if the line through the last two levels leads to the other sign.
    """
    x, step = levels.x, np.diff(levels.etas)
    stay = x[:, :-1] * x[:, 1:] > 0
    ahead = x[:, 1:-1] + (x[:, 1:-1] - x[:, :-2]) * (step[1:] / step[:-1])
    stay[:, 1:] &= ahead * x[:, 2:] > 0
    return stay


def _to_add(A, y, line, levels, intervals, below):
    """(etas, known) to be added; `known` of the levels is set for an interval whose knots are added."""
    new, known = [], []
    for k in np.flatnonzero(intervals & ~levels.known[:-1]):
        etas = levels.etas[k : k + 2]
        found = knots(A, y, *line, levels.x[:, k : k + 2], etas) if line else None
        levels.known[k] = found is not None
        new.extend([np.sqrt(etas[0] * etas[1])] if found is None else found)
        known.extend([False] if found is None else [True] * len(found))
    if below:
        new.append(levels.etas[-1] / 4)
        known.append(False)
    return np.array(new), np.array(known, bool)


def knots(A: np.ndarray, y: np.ndarray, b: float, d: float, ends: np.ndarray, etas: np.ndarray) -> list[float] | None:
    """The etas, decreasing, just before a column enters; None if they are not found.

    `ends`, (N, 2), has the fits at the two `etas`. This is LARS, for r'(x; eta) = b eta + d x: the fit at eta - t is
    x + t u, u = b (A_S^T A_S + d)^-1 s with the support S and the signs s of x, until a coefficient on S vanishes or
    some |A_i^T (y - A x)| off S reaches b eta. They are not found if this does not lead from one end to the other,
    because of dependent columns or two columns that enter at the same eta, or if there are many knots.
    """
    x, (eta, last) = ends[:, 0].copy(), etas
    g, on, found = A.T @ (y - A @ x), x != 0, []
    for _ in range(1 + _MOST_KNOTS):
        S = np.flatnonzero(on)
        X, s = A[:, S], np.sign(np.where(x[S] != 0, x[S], g[S]))
        try:
            u = b * np.linalg.solve(X.T @ X + d * np.eye(S.size), s)
        except np.linalg.LinAlgError:
            return None
        fall = A.T @ (X @ u)
        with np.errstate(divide="ignore", invalid="ignore"):
            steps = np.fmin(_ahead((b * eta - g) / (b - fall), eta), _ahead((b * eta + g) / (b + fall), eta))
            steps[S] = _ahead(-x[S] / u, eta)
        j = np.argmin(steps)
        step = min(steps[j], eta - last)
        x[S] += step * u
        g -= step * fall
        eta -= step
        if eta <= last:
            break
        if on[j]:
            x[j] = 0.0
        else:
            found.append(_BEFORE * eta)
        on[j] = not on[j]
    arrived = np.abs(x - ends[:, 1]).max() <= _SAME * np.abs(ends[:, 1]).max()
    return [knot for knot in found if knot < etas[0]] if arrived else None


def _ahead(steps, eta):
    """The steps that lead to a smaller eta; infinite for the others."""
    return np.where(steps > _AHEAD * eta, steps, np.inf)
