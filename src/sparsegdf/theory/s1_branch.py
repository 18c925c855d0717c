"""Where the branch S1 of the RS saddle points is stable, where it turns, where it ends, and what lies beyond.

S1 begins at eta = infinity. replica_symmetric.py has its points at a given delta or eta.
"""

import numpy as np

from sparsegdf.ensembles.base import Design
from sparsegdf.ensembles.limits import Limit
from sparsegdf.penalties.base import Penalty
from sparsegdf.penalties.l0 import L0
from sparsegdf.theory.replica_symmetric import (
    AT_SLACK,
    INDEPENDENT,
    Sampled,
    checked_problem,
    columns_at_t,
    delta_of_t,
    t_of_delta,
)
from sparsegdf.theory.saddle_points import T_MAX, SaddlePoints


def rs_stable_range(
    penalty: Penalty,
    *,
    alpha: float,
    mean: float = 0.0,
    variance: float = 1.0,
    predictors: Design | Limit = INDEPENDENT,
) -> tuple[float, float] | None:
    """The interval of delta where S1 is stable against replica symmetry breaking.

    Parameters
    ----------
    penalty, alpha, mean, variance, predictors :
        As those of solve_rs.

    Returns
    -------
    (low, high) or None if nowhere
        high is the AT line. low is zero unless the estimate jumps at large eta: for SCAD there is a tiny delta,
        reached at eta = (a-1) Q_hat, below which it does, and a jump makes the AT integral infinite. Where
        the theory is sampled, low is zero, and high is a Sampled number. If the estimate begins to jump before the
        AT line, that is high, to the next node of the curve. NaN if a chain has no point there.

    Examples
    --------
    >>> from sparsegdf import SCAD, rs_stable_range
    >>> low, high = rs_stable_range(SCAD(a=8, lam=1), alpha=0.5)
    >>> round(high, 4)
    0.8669
    """
    known, variance = checked_problem(penalty, alpha, mean, variance, predictors)
    if known.sampled:
        curve = known.curve(penalty)
        if not curve.nodes[0].unique:
            return None
        return 0.0, _sampled_number(curve.stable_delta(), 1.0)
    curve = SaddlePoints(penalty, known)

    def margin(t):
        return 1 / columns_at_t(curve, variance, np.atleast_1d(t))["at"] - 1

    dense = float(t_of_delta(min(1.0, 1 / curve.alpha), curve.alpha))
    grid = np.concatenate([np.linspace(T_MAX, dense + 4.1, 40), np.linspace(dense + 4, dense, 161)])
    stable = margin(grid) >= -AT_SLACK
    if not stable.any():
        return None
    first = int(np.argmax(stable))
    last = first + int(np.argmin(np.append(stable[first:], False))) - 1
    low = 0.0 if first == 0 else delta_of_t(_crossing(margin, *grid[[first, first - 1]]), curve.alpha)
    high = grid[-1] if last == grid.size - 1 else _crossing(margin, *grid[[last, last + 1]])
    return low, delta_of_t(high, curve.alpha)


def s1_largest_delta(
    penalty: Penalty,
    *,
    alpha: float,
    mean: float = 0.0,
    variance: float = 1.0,
    predictors: Design | Limit = INDEPENDENT,
) -> float:
    """The largest delta on S1, at most min(1, 1/alpha): at its end, or at a turning point before.

    Parameters
    ----------
    penalty, alpha, mean, variance, predictors :
        As those of solve_rs.

    Returns
    -------
    float
        A Sampled number where the theory is sampled, NaN if S1 cannot be followed so far.

    Examples
    --------
    >>> from sparsegdf import SCAD, s1_end, s1_largest_delta
    >>> penalty = SCAD(a=5, lam=1)
    >>> round(s1_largest_delta(penalty, alpha=0.5), 4), round(s1_end(penalty, alpha=0.5), 4)
    (0.7924, 0.7847)
    """
    known, _ = checked_problem(penalty, alpha, mean, variance, predictors)
    if known.sampled:
        return _sampled_number(known.curve(penalty).largest_delta, 1.0)
    return min(1.0, delta_of_t(SaddlePoints(penalty, known).smallest_t(), known.alpha))


def s1_end(
    penalty: Penalty,
    *,
    alpha: float,
    mean: float = 0.0,
    variance: float = 1.0,
    predictors: Design | Limit = INDEPENDENT,
) -> float:
    """The delta at which S1 ends, at most min(1, 1/alpha): where chi diverges (S2, S3), or at eta = 0.

    Parameters
    ----------
    penalty, alpha, mean, variance, predictors :
        As those of solve_rs.

    Returns
    -------
    float
        A Sampled number where the theory is sampled, NaN if S1 cannot be followed so far.

    Examples
    --------
    >>> from sparsegdf import SCAD, s1_end
    >>> round(s1_end(SCAD(a=8, lam=1), alpha=0.5), 4)
    0.9242
    """
    known, _ = checked_problem(penalty, alpha, mean, variance, predictors)
    if known.sampled:
        return _sampled_number(known.curve(penalty).end(), 1.0)
    return min(1.0, delta_of_t(SaddlePoints(penalty, known).end()[1], known.alpha))


def s1_lowest_eta(
    penalty: Penalty,
    *,
    alpha: float,
    mean: float = 0.0,
    variance: float = 1.0,
    predictors: Design | Limit = INDEPENDENT,
) -> float:
    """The smallest eta on S1: zero unless S1 goes to S3, else where eta turns and grows again, or at the end of S1.

    Parameters
    ----------
    penalty, alpha, mean, variance, predictors :
        As those of solve_rs.

    Returns
    -------
    float
        A Sampled number where the theory is sampled, NaN if S1 cannot be followed so far.

    Examples
    --------
    >>> from sparsegdf import SCAD, Block, s1_lowest_eta
    >>> round(s1_lowest_eta(SCAD(a=5, lam=1), alpha=0.5, predictors=Block(fraction=0.375)), 3)
    0.118
    """
    known, _ = checked_problem(penalty, alpha, mean, variance, predictors)
    if not known.sampled:
        return float(SaddlePoints(penalty, known).s1.eta.min())
    return _sampled_number(known.curve(penalty).lowest_eta)


def branch_beyond_s1(penalty, *, alpha, mean=0.0, variance=1.0, predictors=INDEPENDENT) -> str:
    """The branch that S1 goes over into at its end: S2, S3, or "" where it ends at eta = 0 with df < 1.

    "unknown" where the theory is sampled and could not follow it.
    """
    known, _ = checked_problem(penalty, alpha, mean, variance, predictors)
    curve = known.curve(penalty) if known.sampled else SaddlePoints(penalty, known)
    return "S2" if isinstance(penalty, L0) and curve.beyond else curve.beyond


def _crossing(f, positive, negative):
    """The t between `positive` and `negative` where f (vectorised) changes sign, by bisection to rounding."""
    while abs(positive - negative) > 4e-16 * (1 + abs(positive)):
        trial = np.linspace(positive, negative, 34)[1:-1]
        signs = f(trial) < 0
        cut = int(np.argmax(np.append(signs, True)))
        ends = np.concatenate([[positive], trial, [negative]])
        if (positive, negative) == (ends[cut], ends[cut + 1]):
            break
        positive, negative = ends[cut], ends[cut + 1]
    return float(positive)


def _sampled_number(values, at_most=np.inf):
    """A Sampled number from the value on each chain, NaN without them."""
    return Sampled([np.nan, np.nan] if values is None else np.minimum(values, at_most))
