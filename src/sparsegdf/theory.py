"""Replica-symmetric (RS) theory of the generalized degrees of freedom, for any penalty.

The saddle point (chi, Q, chi_hat, Q_hat) obeys, with s2 = sigma_y^2 + m_y^2 and h = sqrt(chi_hat) z,

    alpha chi = E[dx*/dh],   alpha Q = E[x*^2],   chi_hat = (Q + s2)/(1 + chi)^2,   Q_hat = 1/(1 + chi),

and df = chi/(1 + chi) = 1 - Q_hat. A point of the solution curve is named by t, the field at which the estimate
leaves zero in units of sqrt(chi_hat), since alpha delta = P(|z| > t). With tau = sqrt(chi_hat)/Q_hat and
w = s2/tau^2 in (0, 1], two equations remain,

    1 - w - w E[x*^2]/(alpha s2) = 0        and        1 - Q_hat - Q_hat E[dx*/dh]/alpha = 0,

the first along w, the second (solved inside it) along Q_hat. For a penalty proportional to eta, x* depends on h and
eta through h/Q_hat and eta/Q_hat only, so that Q_hat drops out of the first.

S1 is the solution continuously connected to eta = infinity: the largest root w, with Q_hat > 0. Where that
root asks for Q_hat <= 0, chi is infinite (S2, eta -> 0). Where there is no root, Q and chi are infinite (S3, called
S2 for l0, which has no other).
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.optimize import elementwise
from scipy.special import erfc, erfcinv

from sparsegdf.checks import require_number
from sparsegdf.penalties import L0, ElasticNet, require_penalty
from sparsegdf.single_body import averages

# Q_hat in the limit chi -> infinity: every quantity reported there has lost its dependence on it.
_TINY = 1e-12
# Beyond this t the fraction of non-zeros, erfc(t/sqrt 2), is below the smallest double.
_T_MAX = 37.0
# Where the largest root w is looked for: dense near 1 (tau^2 near s2) and on a log scale towards tau = infinity.
_W_GRID = np.unique(np.concatenate([np.linspace(0.02, 1, 50), np.geomspace(1e-8, 0.02, 15)]))[::-1]
# The AT condition is an inequality; l1 sits on it at delta = 1.
_AT_SLACK = 1e-9
_CONVERGED = 1e-12


@dataclass(frozen=True)
class RSSolution:
    """One RS saddle point. In branches S2 and S3 chi is infinite, chi_hat = err_train = 0 and df = 1.

    In S3 the equations leave the relation of eta and delta open: the one not asked for is NaN, and so are
    penalty_mean and free_energy.
    """

    eta: float
    delta: float
    df: float
    err_train: float
    err_pre: float
    chi: float
    Q: float
    chi_hat: float
    Q_hat: float
    at: float  # left side of the AT condition, > 1 is unstable; infinite where the estimate jumps
    rs_stable: bool
    branch: str
    free_energy: float
    penalty_mean: float  # rbar
    residual: float  # largest relative violation of the saddle point equations
    converged: bool


def solve_rs(penalty, *, alpha, delta=None, eta=None, mean=0.0, variance=1.0) -> RSSolution:
    """The RS saddle point at this alpha and either this delta or this eta.

    delta lies in (0, min(1, 1/alpha)]. By eta, the sparsest solution is taken, and delta may exceed 1 (elastic net).
    """
    if (delta is None) == (eta is None):
        raise ValueError(f"give exactly one of delta and eta (delta = {delta!r}, eta = {eta!r})")
    alpha, variance, s2 = _require_problem(penalty, alpha, mean, variance)
    if eta is None:
        t = _t_of_delta(_require_deltas([delta], alpha), alpha)
    else:
        eta = require_number("eta", eta, at_least=0)
        t = np.array([_t_of_eta(penalty, alpha, s2, eta)])
    columns = _solve(penalty, alpha, s2, variance, t)
    solution = {name: column[0].item() for name, column in columns.items()}
    solution |= {"delta": float(delta)} if eta is None else {"eta": eta}
    return RSSolution(**solution)


def rs_curve(penalty, *, alpha, deltas, mean=0.0, variance=1.0) -> pd.DataFrame:
    """The RS saddle points at each delta: one row per delta, columns as the fields of RSSolution."""
    alpha, variance, s2 = _require_problem(penalty, alpha, mean, variance)
    deltas = _require_deltas(deltas, alpha)
    columns = _solve(penalty, alpha, s2, variance, _t_of_delta(deltas, alpha))
    return pd.DataFrame(columns | {"delta": deltas})


def rs_stable_range(penalty, *, alpha, mean=0.0, variance=1.0) -> tuple[float, float] | None:
    """The interval of delta (low, high) where S1 is stable against replica symmetry breaking; None if nowhere.

    high is the AT line. low is zero unless the estimate jumps at large eta: for SCAD there is a tiny delta,
    reached at eta = (a-1) Q_hat, below which it does, and a jump makes the AT integral infinite.
    """
    alpha, variance, s2 = _require_problem(penalty, alpha, mean, variance)

    def margin(t):
        return 1 / _solve(penalty, alpha, s2, variance, np.atleast_1d(t))["at"] - 1

    grid = _t_grid(alpha)
    stable = margin(grid) >= -_AT_SLACK
    if not stable.any():
        return None
    first = int(np.argmax(stable))
    last = first + int(np.argmin(np.append(stable[first:], False))) - 1
    low = 0.0 if first == 0 else _delta_of_t(_crossing(margin, *grid[[first, first - 1]]), alpha)
    high = grid[-1] if last == grid.size - 1 else _crossing(margin, *grid[[last, last + 1]])
    return low, _delta_of_t(high, alpha)


def s1_end(penalty, *, alpha, mean=0.0, variance=1.0) -> float:
    """The delta at which S1 ceases to exist (at most min(1, 1/alpha))."""
    alpha, variance, s2 = _require_problem(penalty, alpha, mean, variance)

    def on_s1(t):
        return np.where(_solve(penalty, alpha, s2, variance, np.atleast_1d(t))["branch"] == "S1", 1.0, -1.0)

    grid = _t_grid(alpha)
    beyond = np.flatnonzero(on_s1(grid) < 0)
    end = _crossing(on_s1, *grid[[beyond[0] - 1, beyond[0]]]) if beyond.size else grid[-1]
    return _delta_of_t(end, alpha)


def rescaled_elastic_net_df(penalty: ElasticNet, solution: RSSolution) -> float:
    """df of the rescaled elastic net (1 + eta2/Q_hat) x*: chi_res Q_hat, which equals delta."""
    return (1 + penalty.eta2 / solution.Q_hat) * solution.df


def _t_grid(alpha):
    """t from nothing selected down to delta = min(1, 1/alpha)."""
    dense = float(_t_of_delta(min(1.0, 1 / alpha), alpha))
    return np.concatenate([np.linspace(_T_MAX, dense + 4.1, 40), np.linspace(dense + 4, dense, 161)])


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


def _solve(penalty, alpha, s2, variance, t):
    """Columns of RSSolution at each t of a 1-d array."""
    w, Q_hat, branch = _saddle_points(penalty, alpha, s2, t)
    finite_Q, finite_chi = branch != "S3", branch == "S1"
    # Where Q diverges, chi_hat/Q_hat is free; s2 is its value in the empty model, which l0 keeps.
    chi_hat = np.where(finite_Q, s2 / np.where(finite_Q, w, 1) * Q_hat**2, s2 * Q_hat)
    eta = penalty.eta_at(t * np.sqrt(chi_hat), Q_hat)
    mean = averages(penalty.segments(Q_hat, eta), chi_hat)

    chi, Q = 1 / Q_hat - 1, mean.square / alpha
    penalty_mean = mean.response * chi_hat - Q_hat * mean.square / 2 - mean.maximum
    free_energy = (alpha * Q_hat * s2 + alpha * chi * chi_hat) / 2 - mean.maximum
    at = Q_hat**2 * mean.response_squared / alpha
    equations = [
        (s2 + Q) * Q_hat**2 / chi_hat - 1,
        np.where(finite_chi, (mean.response / alpha - chi) / np.maximum(chi, 1), 0),
        (mean.nonzero - erfc(t / np.sqrt(2))) / alpha,
    ]
    residual = np.where(finite_Q, np.max(np.abs(equations), axis=0), 0.0)
    df = np.where(finite_chi, 1 - Q_hat, 1.0)
    chi_hat = np.where(finite_chi, chi_hat, 0.0)
    eta = np.where(branch == "S2", 0.0, eta)
    delta = mean.nonzero / alpha
    if isinstance(penalty, L0):
        # Here Q = s2 chi all along, so the limit is a definite one.
        branch = np.where(finite_Q, branch, "S2")
    else:
        eta, delta, penalty_mean = (np.where(finite_Q, column, np.nan) for column in (eta, delta, penalty_mean))
    return {
        "eta": eta,
        "delta": delta,
        "df": df,
        "err_train": chi_hat,
        "err_pre": chi_hat + 2 * variance * df,
        "chi": np.where(finite_chi, chi, np.inf),
        "Q": np.where(finite_Q, Q, np.inf),
        "chi_hat": chi_hat,
        "Q_hat": np.where(finite_chi, Q_hat, 0.0),
        "at": at,
        "rs_stable": at <= 1 + _AT_SLACK,
        "branch": branch,
        "free_energy": np.where(finite_chi, free_energy, penalty_mean),
        "penalty_mean": penalty_mean,
        "residual": residual,
        "converged": residual <= _CONVERGED,
    }


def _saddle_points(penalty, alpha, s2, t):
    """w, Q_hat and branch at each t; Q_hat = _TINY stands for zero, branch is S1, S2 (chi infinite) or S3 (Q too)."""

    def state(w, Q_hat, t):
        tau = np.sqrt(s2 / w)
        eta = penalty.eta_at(t * tau * Q_hat, Q_hat)
        return averages(penalty.segments(Q_hat, eta), (tau * Q_hat) ** 2)

    def Q_hat_equation(Q_hat, w, t):
        return 1 - Q_hat - Q_hat * state(w, Q_hat, t).response / alpha

    def Q_hat_of(w, t):
        w, t = np.broadcast_arrays(w, t)
        # Exact for a penalty proportional to eta, for which Q_hat E[dx*/dh] does not depend on Q_hat.
        Q_hat = np.maximum(1 + Q_hat_equation(1.0, w, t), _TINY)
        todo = (np.abs(Q_hat_equation(Q_hat, w, t)) > 1e-15) & (Q_hat_equation(_TINY, w, t) > 0)
        Q_hat[todo] = elementwise.find_root(Q_hat_equation, (_TINY, 1.0), args=(w[todo], t[todo])).x
        return Q_hat

    def w_equation(w, t):
        return 1 - w - w * state(w, Q_hat_of(w, t), t).square / (alpha * s2)

    # The largest root: w_equation(1) <= 0, so it lies before the first positive value on the way down.
    values = w_equation(_W_GRID, t[:, None])
    positive = values > 0
    exists = positive.any(axis=1)
    first = np.where(exists, positive.argmax(axis=1), values.argmax(axis=1))
    low, high = _W_GRID[first], _W_GRID[np.maximum(first - 1, 0)]
    # Near its end S1 meets another root, and w_equation is positive only between two points of the grid.
    missed = np.flatnonzero(~exists & (first > 0) & (first < _W_GRID.size - 1))
    if missed.size:
        bracket = (_W_GRID[first[missed] + 1], low[missed], high[missed])
        peak = elementwise.find_minimum(lambda w, t: -w_equation(w, t), bracket, args=(t[missed],))
        low[missed], exists[missed] = peak.x, peak.f_x < 0

    w, Q_hat = np.zeros_like(t), np.full_like(t, _TINY)
    w[exists] = elementwise.find_root(w_equation, (low[exists], high[exists]), args=(t[exists],)).x
    Q_hat[exists] = Q_hat_of(w[exists], t[exists])
    return w, Q_hat, np.where(~exists, "S3", np.where(Q_hat > _TINY, "S1", "S2"))


def _t_of_delta(deltas, alpha):
    """t with P(|z| > t) = alpha delta."""
    return np.sqrt(2) * erfcinv(np.minimum(alpha * deltas, 1.0))


def _delta_of_t(t, alpha):
    return float(erfc(t / np.sqrt(2)) / alpha)


def _t_of_eta(penalty, alpha, s2, eta):
    """The largest t whose solution has this eta: S1 if it gets there, the branch beyond its end if not."""

    def excess(t):
        columns = _solve(penalty, alpha, s2, 1.0, np.atleast_1d(t))
        # Beyond the end of S1 the sign says "too small", so that the search stops at the end at worst.
        return np.where(columns["branch"] == "S1", columns["eta"], -1.0) - eta

    grid = np.concatenate([np.linspace(_T_MAX, 6, 16), np.linspace(5.9, 0, 119)])
    below = np.flatnonzero(excess(grid) <= 0)
    if below.size == 0:
        return 0.0
    if below[0] == 0:
        return _T_MAX
    t = _crossing(excess, *grid[[below[0] - 1, below[0]]])
    if excess(t)[0] <= 1e-6 * eta + 1e-9:
        return t
    # S1 ended at a larger eta: Q diverges, and chi_hat/Q_hat = s2 names the threshold (see _solve).
    return float(penalty.segments(_TINY, eta).start[0] / np.sqrt(s2 * _TINY))


def _require_problem(penalty, alpha, mean, variance):
    """alpha, variance and s2 = variance + mean^2, checked."""
    require_penalty(penalty)
    alpha = require_number("alpha", alpha, above=0)
    variance = require_number("variance", variance, above=0)
    return alpha, variance, variance + require_number("mean", mean) ** 2


def _require_deltas(deltas, alpha):
    """deltas as a float array in (0, min(1, 1/alpha)]: no more non-zeros than rows, nor than columns."""
    deltas = [require_number("delta", d, above=0, at_most=min(1.0, 1 / alpha)) for d in deltas]
    if not deltas:
        raise ValueError("deltas = [] is empty (allowed: at least one delta)")
    return np.array(deltas)
