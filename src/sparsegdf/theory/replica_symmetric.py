"""Replica-symmetric (RS) theory of the generalized degrees of freedom, for any penalty.

The saddle point (chi, Q, chi_hat, Q_hat) obeys, with s2 = sigma_y^2 + m_y^2 and h = sqrt(chi_hat) z,

    alpha chi = E[dx*/dh],   alpha Q = E[x*^2],   chi_hat = (Q + s2)/(1 + chi)^2,   Q_hat = 1/(1 + chi),

and df = chi/(1 + chi) = 1 - Q_hat. saddle_points.py follows its solutions: S1, connected to eta = infinity, has
finite Q and chi; in S2 chi is infinite and eta -> 0; in S3 Q is infinite, too (called S2 for l0, which has no other).
"""

from dataclasses import dataclass, fields

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.special import erfc, erfcinv

from sparsegdf.checks import require_number
from sparsegdf.ensembles.base import Design
from sparsegdf.ensembles.iid import IID
from sparsegdf.ensembles.limits import Limit
from sparsegdf.penalties.base import Penalty, require_penalty
from sparsegdf.penalties.elastic_net import ElasticNet
from sparsegdf.penalties.l0 import L0
from sparsegdf.theory.predictors import known_predictors
from sparsegdf.theory.saddle_points import TINY, SaddlePoints

# The AT condition is an inequality; l1 sits on it at delta = 1.
AT_SLACK = 1e-9
_CONVERGED = 1e-12
INDEPENDENT = IID()
# A point of S3, as far as the equations determine it.
_S3 = {"df": 1.0, "err_train": 0.0, "chi": np.inf, "Q": np.inf, "chi_hat": 0.0, "Q_hat": 0.0, "at": np.inf}
_S3 |= {"branch": "S3", "residual": 0.0, "converged": True, "df_error": 0.0}


@dataclass(frozen=True)
class RSSolution:
    """One RS saddle point. In branches S2 and S3 chi is infinite, chi_hat = err_train = 0 and df = 1.

    If the rank of A is below M, df is rank/M there, and err_train = s2 (1 - df).

    In S3 the equations leave the relation of eta and delta open: the one not asked for is NaN, and so are
    penalty_mean and free_energy.

    Attributes
    ----------
    eta, delta : float
        The strength of the penalty and the number of non-zeros over M.
    df, err_train, err_pre : float
        The degrees of freedom over M, the training error, and the prediction error err_train + 2 variance df.
    chi, Q, chi_hat, Q_hat : float
        The solution of the saddle point equations.
    at : float
        The left side of the AT condition; above 1 the point is unstable. Infinite where the estimate jumps.
    rs_stable : bool
        Whether at is at most 1.
    branch : str
        "S1", "S2" or "S3".
    free_energy, penalty_mean : float
        The minimum of the objective and the mean of the penalty, both over N.
    residual, converged : float, bool
        The largest relative violation of the saddle point equations, and whether it is small enough.

    Examples
    --------
    >>> from sparsegdf import L1, solve_rs
    >>> point = solve_rs(L1(), alpha=0.5, delta=0.3)
    >>> point.branch, point.rs_stable, point.converged
    ('S1', True, True)
    >>> round(point.chi / (1 + point.chi), 6)
    0.3
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
    at: float
    rs_stable: bool
    branch: str
    free_energy: float
    penalty_mean: float
    residual: float
    converged: bool


@dataclass(frozen=True)
class SampledRSSolution(RSSolution):
    """An RS saddle point whose averages are sampled; all numbers are NaN where none was found.

    `at` is infinite where on more than half of the chains several minima of the single-body problem were seen.
    """

    df_error: float  # standard error of df at the delta or eta asked for
    df_jumps: float  # the part of df that is due to jumps of the estimate; Stein's divergence misses it


class Sampled(float):
    """A number with its standard error, `error`, where the theory is sampled."""

    def __new__(cls, values):
        number = super().__new__(cls, np.mean(values))
        number.error = float(np.std(values, ddof=1) / np.sqrt(len(values)))
        return number


def solve_rs(
    penalty: Penalty,
    *,
    alpha: float,
    delta: float | None = None,
    eta: float | None = None,
    mean: float = 0.0,
    variance: float = 1.0,
    predictors: Design | Limit = INDEPENDENT,
    beyond_turning: bool = False,
) -> RSSolution:
    """The RS saddle point at this alpha and either this delta or this eta.

    Parameters
    ----------
    penalty : Penalty
    alpha : float
        M/N.
    delta : float, optional
        In (0, min(1, 1/alpha)]: the first point with this delta. For SCAD and MCP there may be a second: on S1 delta
        grows up to s1_largest_delta, turns, and falls again to s1_end, while eta goes on towards zero.
    eta : float, optional
        The first point of S1 that has it, on the way from eta = infinity; delta may exceed 1 (elastic net). An eta
        below all those of S1 gives S3.
    mean, variance : float
        Of y.
    predictors : design or limit
        A design, or what is known of A as N grows: IID(), RowOrthogonal(), IllConditioned(condition), Block(T).at(N),
        Block(fraction=f), Spectrum(eigenvalues), Spectrum.of(A), AR1(c). The last is sampled: the first
        point of a problem takes a second of CPU time, each other one a tenth, and df_error is the standard error of
        df. Where the minimum jumps it takes 10 to 20 s, each other one 3 to 6 s, or up to 40 s with more chains than
        16; df_error is then at most 1e-3 if 192 chains are enough for that.
    beyond_turning : bool
        Ask for the second point with this delta.

    Returns
    -------
    RSSolution

    Examples
    --------
    >>> from sparsegdf import SCAD, solve_rs
    >>> point = solve_rs(SCAD(a=8, lam=1), alpha=0.5, delta=0.5)
    >>> round(point.df, 4), point.rs_stable
    (0.52, True)
    >>> round(solve_rs(SCAD(a=8, lam=1), alpha=0.5, eta=point.eta).delta, 6)
    0.5
    """
    if (delta is None) == (eta is None):
        raise ValueError(f"give exactly one of delta and eta (delta = {delta!r}, eta = {eta!r})")
    asked = {"deltas": [delta]} if eta is None else {"etas": [eta]}
    problem = {"alpha": alpha, "mean": mean, "variance": variance, "predictors": predictors}
    (row,) = rs_curve(penalty, **asked, **problem, beyond_turning=beyond_turning).to_dict("records")
    return (SampledRSSolution if "df_error" in row else RSSolution)(**row)


def rs_curve(
    penalty: Penalty,
    *,
    alpha: float,
    deltas: ArrayLike | None = None,
    etas: ArrayLike | None = None,
    mean: float = 0.0,
    variance: float = 1.0,
    predictors: Design | Limit = INDEPENDENT,
    beyond_turning: bool = False,
) -> pd.DataFrame:
    """The RS saddle points at each delta or at each eta.

    Parameters
    ----------
    penalty, alpha, mean, variance, predictors, beyond_turning :
        As those of solve_rs.
    deltas, etas : array, optional
        One of the two.

    Returns
    -------
    DataFrame
        One row each, columns as the fields of RSSolution.

    Examples
    --------
    >>> from sparsegdf import ElasticNet, rs_curve
    >>> rs_curve(ElasticNet(eta2=0.1), alpha=0.5, deltas=[0.2, 0.5, 0.8])[["delta", "df", "err_pre"]].round(3)
       delta     df  err_pre
    0    0.2  0.178    1.067
    1    0.5  0.426    1.242
    2    0.8  0.630    1.446
    """
    if (deltas is None) == (etas is None):
        raise ValueError(f"give exactly one of deltas and etas (deltas = {deltas!r}, etas = {etas!r})")
    known, variance = checked_problem(penalty, alpha, mean, variance, predictors)
    if etas is None:
        deltas = _require_deltas(deltas, known.alpha)
    else:
        etas = _require_etas(etas, beyond_turning, known.sampled)
    if known.sampled:
        asked = [{"delta": delta} for delta in deltas] if etas is None else [{"eta": eta} for eta in etas]
        return pd.DataFrame([_sampled(known, penalty, variance, one, beyond_turning) for one in asked])
    curve = SaddlePoints(penalty, known)
    if etas is None:
        return pd.DataFrame(_at_deltas(curve, variance, deltas, beyond_turning))
    return pd.concat([pd.DataFrame(_at_eta(curve, variance, eta)) for eta in etas], ignore_index=True)


def rescaled_elastic_net_df(penalty: ElasticNet, solution: RSSolution) -> float:
    """df of the rescaled elastic net (1 + eta2/Q_hat) x*: chi_res Q_hat, which equals delta.

    Parameters
    ----------
    penalty : ElasticNet
    solution : RSSolution

    Returns
    -------
    float

    Examples
    --------
    >>> from sparsegdf import ElasticNet, rescaled_elastic_net_df, solve_rs
    >>> penalty = ElasticNet(eta2=0.1)
    >>> round(rescaled_elastic_net_df(penalty, solve_rs(penalty, alpha=0.5, delta=0.3)), 6)
    0.3
    """
    return (1 + penalty.eta2 / solution.Q_hat) * solution.df


def checked_problem(penalty, alpha, mean, variance, predictors):
    """The predictors of a checked problem as the theory knows them, and its variance."""
    require_penalty(penalty)
    alpha = require_number("alpha", alpha, above=0)
    variance = require_number("variance", variance, above=0)
    s2 = variance + require_number("mean", mean) ** 2
    return known_predictors(predictors, alpha, s2), variance


def _sampled(known, penalty, variance, asked, beyond_turning):
    """The fields of SampledRSSolution at asked = {"delta": ...} or {"eta": ...}."""
    curve = known.curve(penalty)
    points = curve.solve(**asked, beyond_turning=beyond_turning)
    if points is None:
        unknown = {field.name: np.nan for field in fields(SampledRSSolution)} | {"branch": "", "converged": False}
        if not beyond_turning and curve.goes_beyond(**asked):
            unknown |= _S3 | {"err_pre": 2 * variance}
        return unknown | {"rs_stable": False} | asked
    found = {name: column.mean().item() for name, column in points._asdict().items()}
    Q_hat, v = found["Q_hat"], found.pop("v")
    if found.pop("unique") < 0.5:
        found["at"] = np.inf
    df, chi_hat = 1 - Q_hat, v * Q_hat**2
    found |= {"df": df, "df_error": Sampled(points.Q_hat).error, "residual": points.residual.max().item()}
    found |= {"chi": df / Q_hat, "Q": v - known.s2, "chi_hat": chi_hat}
    found |= {"err_train": chi_hat, "err_pre": chi_hat + 2 * variance * df}
    found |= {"free_energy": known.alpha * chi_hat / 2 + found["penalty_mean"], "branch": "S1"}
    return found | {"rs_stable": found["at"] <= 1 + AT_SLACK, "converged": True} | asked


def _at_deltas(curve, variance, deltas, beyond_turning):
    """Columns of RSSolution at each delta."""
    t = t_of_delta(deltas, curve.alpha)
    if not beyond_turning:
        return columns_at_t(curve, variance, t) | {"delta": deltas}
    v, u, branch = curve.at_t_beyond_turning(t)
    if (branch == "").any():
        end, largest = (delta_of_t(t, curve.alpha) for t in (curve.end()[1], curve.smallest_t()))
        allowed = f"{end:.6g} < delta <= {largest:.6g}" if end < largest else "none, S1 does not turn"
        bad = deltas[branch == ""][0]
        raise ValueError(f"delta = {bad:g} has no point beyond the turning point (allowed: {allowed})")
    return _columns(curve, variance, v, u, branch, t=t) | {"delta": deltas}


def columns_at_t(curve, variance, t):
    """Columns of RSSolution at each t of a 1-d array."""
    return _columns(curve, variance, *curve.at_t(t), t=t)


def _at_eta(curve, variance, eta):
    """Columns of RSSolution, of one row, at this eta."""
    if eta == 0 and curve.beyond != "S3":
        v, t = curve.end()
        if not curve.beyond:
            return columns_at_t(curve, variance, np.array([t])) | {"eta": np.zeros(1)}
        return _columns(curve, variance, np.array([v]), np.array([TINY]), np.array(["S2"]), t=np.array([t]))
    v, u, branch = curve.at_eta(eta)
    columns = _columns(curve, variance, *(np.array([value]) for value in (v, u, branch)), eta=np.array([eta]))
    return columns | {"eta": np.array([eta])}


def _columns(curve, variance, v, u, branch, *, t=None, eta=None):
    """Columns of RSSolution at the points (v, u) of the curve, which were asked for by t or by eta."""
    penalty, predictors, alpha, s2 = curve.penalty, curve.predictors, curve.alpha, curve.s2
    Q_hat = predictors.Q_hat(u)
    finite_Q, finite_chi = branch != "S3", branch == "S1"
    # Where Q diverges, chi_hat/Q_hat is free; s2 is its value in the empty model, which l0 keeps.
    chi_hat = np.where(finite_Q, predictors.spread(np.where(finite_Q, v, 1), u) * Q_hat**2, s2 * Q_hat)
    if eta is None:
        eta = predictors.eta_at(penalty, t, t * np.sqrt(chi_hat), Q_hat)
    mean = predictors.averages(penalty, Q_hat, eta, chi_hat)

    chi, Q, df = predictors.chi(u), mean.square / alpha, predictors.df(u)
    penalty_mean = mean.response * chi_hat - Q_hat * mean.square / 2 - mean.maximum
    free_energy = (alpha * predictors.one_less_df(u) * s2 + alpha * chi * chi_hat) / 2 - mean.maximum
    at = predictors.at(mean.response_squared, u)
    equations = [
        predictors.spread(predictors.unit + Q, u) * Q_hat**2 / chi_hat - 1,
        np.where(finite_chi, (mean.response / alpha - chi) / np.maximum(chi, 1), 0),
        (mean.nonzero - erfc(t / np.sqrt(2))) / alpha if t is not None else np.zeros(v.shape),
    ]
    residual = np.where(finite_Q, np.max(np.abs(equations), axis=0), 0.0)
    df = np.where(finite_chi, df, predictors.largest_df)
    err_train = np.where(finite_chi, predictors.err_train(Q, chi_hat, u), s2 * (1 - predictors.largest_df))
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
        "err_train": err_train,
        "err_pre": err_train + 2 * variance * df,
        "chi": np.where(finite_chi, chi, np.inf),
        "Q": np.where(finite_Q, Q, np.inf),
        "chi_hat": chi_hat,
        "Q_hat": np.where(finite_chi, Q_hat, 0.0),
        "at": at,
        "rs_stable": at <= 1 + AT_SLACK,
        "branch": branch,
        "free_energy": np.where(finite_chi, free_energy, alpha * err_train / 2 + penalty_mean),
        "penalty_mean": penalty_mean,
        "residual": residual,
        "converged": residual <= _CONVERGED,
    }


def t_of_delta(deltas, alpha):
    """t with P(|z| > t) = alpha delta."""
    return np.sqrt(2) * erfcinv(np.minimum(alpha * deltas, 1.0)) + 0.0  # erfcinv(1) is -0


def delta_of_t(t, alpha):
    return float(erfc(t / np.sqrt(2)) / alpha)


def _require_deltas(deltas, alpha):
    """deltas as a float array in (0, min(1, 1/alpha)]: no more non-zeros than rows, nor than columns."""
    deltas = [require_number("delta", d, above=0, at_most=min(1.0, 1 / alpha)) for d in deltas]
    if not deltas:
        raise ValueError("deltas = [] is empty (allowed: at least one delta)")
    return np.array(deltas)


def _require_etas(etas, beyond_turning, sampled):
    """etas as floats >= 0, or > 0 where the theory is sampled."""
    if beyond_turning:
        raise ValueError("beyond_turning = True goes with delta (by eta it is always the first point)")
    etas = [require_number("eta", eta, **({"above": 0} if sampled else {"at_least": 0})) for eta in etas]
    if not etas:
        raise ValueError("etas = [] is empty (allowed: at least one eta)")
    return etas
