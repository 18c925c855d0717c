r"""l0 beyond replica symmetry: one-step RSB at zero complexity, and the first-moment bound.

min_x ||y - A x||^2 / 2 + eta ||x||_0 with A_{mu i} ~ N(0, 1/M), y ~ N(0, sigma^2), alpha = M/N, delta = K/M.

**One-step RSB.** mu = lim beta m, phi(h) = max(0, h^2 / (2 Q_hat) - eta), x = phi'(h), h = sqrt(chi_hat0) z
+ sqrt(chi_hat1 - chi_hat0) t with z, t standard normal, D = q1 - q0, B = 1 + chi + mu D. The free entropy is

    Phi(mu) = -(alpha/2) ln[B / (1 + chi)] - (alpha mu/2) (q0 + sigma^2) / B
              + (alpha mu/2) (q1 Q_hat - chi chi_hat1) - (alpha mu^2/2) (q1 chi_hat1 - q0 chi_hat0)
              + int Dz ln int Dt exp(mu phi),

and it is stationary where (<.> is the average over t with weight exp(mu phi))

    Q_hat = 1/(1 + chi)                         alpha q1 = int Dz <x^2>
    chi_hat1 - chi_hat0 = D / [(1 + chi) B]     alpha q0 = int Dz <x>^2
    chi_hat0 = (q0 + sigma^2) / B^2             alpha chi / (1 + chi) = rho + omega,

rho = int Dz <1(x != 0)> = alpha delta, and omega = T int Dz [<delta(g - T)> + <delta(g + T)>] comes from the
jump of x, with g = h / sqrt(chi_hat1) and its threshold T = sqrt(2 eta Q_hat / chi_hat1). Then

    df = 1 - 1/B,   err_train = chi_hat1 = sigma^2/B,
    Sigma = Phi - mu dPhi/dmu = Phi + mu (alpha err_train/2 + eta rho).

The ground state has Sigma = 0. As mu -> 0, (chi, q1, chi_hat1, Q_hat) solve the replica-symmetric equations.

**Reduction.** With v = 1 - chi_hat0/chi_hat1, r = (1 + chi)/B, d = chi/(1 + chi) and lam = (1 - r)/v,

    mu sigma^2 = lam/r,   1/B = r (1 - d),   eta = sigma^2 r T^2/2,   mu phi = lam (g^2 - T^2)/2 for |g| > T,
    Phi = (alpha/2) ln r - alpha lam (1 - v)/(2 r) + int Dz ln int Dt exp(mu phi),

and two equations remain: rho = alpha delta and alpha v = r int Dz Var(g 1(|g| > T)). The second holds trivially
at v = 0, which is replica symmetry; it is divided by v, and its right side then diverges as v -> 0 (the jump makes
replica symmetry unstable everywhere), so the solver cannot end there. sigma^2 is a unit only.
"""

from __future__ import annotations

from collections import namedtuple
from dataclasses import asdict, dataclass, fields
from functools import cache

import numpy as np
import pandas as pd
from scipy.optimize import brentq
from scipy.special import erfcx, expit, log_ndtr, logit

from sparsegdf.checks import require_number

TOLERANCE = 1e-9
_Z_MAX = 10.0  # exp(-z^2/2) is below 1e-21 beyond
_NODES = 160  # of the quadrature; the residual, on twice as many, says whether they are enough
_ANCHOR = (0.5, 0.2)  # alpha and delta from which all others are reached,
_ANCHOR_STATE = (0.230995, 0.863803, 0.740620)  # and logit v, ln T, logit(1 - r) there


@dataclass(frozen=True)
class L0OneStepRSB:
    """One-step RSB solution for l0; `status` is "ok", or says why the numbers are NaN or not to be trusted.

    `residual` is the largest violation of the saddle-point equations (q in units of q1), of rho = alpha delta
    and of Sigma = 0, on a twice finer quadrature than the solver's.
    """

    alpha: float
    delta: float
    variance: float
    df: float
    err_train: float
    eta: float
    mu: float
    complexity: float
    chi: float
    q0: float
    q1: float
    chi_hat0: float
    chi_hat1: float
    Q_hat: float
    residual: float
    converged: bool
    status: str


# Averages over z of <1(|g| > T)>, of T <delta(|g| - T)>, of <x>^2 and <x^2> - <x>^2 with x = g 1(|g| > T), and of
# ln int Dt exp(mu phi).
_Site = namedtuple("_Site", ["rho", "omega", "mean_square", "spread", "log_weight"])
_legendre = cache(np.polynomial.legendre.leggauss)


def _half_line(centre, width, nodes):
    """Nodes and weights of int Dz over even functions that change on the scale `width` around z = centre."""
    centre = min(centre, _Z_MAX)
    low, high = np.arcsinh(-centre / width), np.arcsinh((_Z_MAX - centre) / width)
    s, weight = _legendre(nodes)
    s = low + (high - low) * (s + 1) / 2
    z = centre + width * np.sinh(s)
    return z, weight * (high - low) * width * np.cosh(s) * np.exp(-z * z / 2) / np.sqrt(2 * np.pi)


def _site(v, c, r, lam, T, nodes=_NODES):
    """Single-site averages: g = sqrt(c) z + sqrt(v) t, weight exp(lam (g^2 - T^2)/2) where |g| > T.

    Beyond the threshold the weight times the Gaussian is again a Gaussian, of mean m/r and variance v/r.
    """
    # Everything changes where sqrt(c) z makes the weights inside and outside the threshold equal.
    switch = np.sqrt(max(r * (T * T + np.log(r) / lam), 0.0))
    width = min(np.sqrt(v), r / (lam * max(switch, np.sqrt(r / lam))))
    z, weight = _half_line(switch / np.sqrt(c), width / np.sqrt(c), nodes)
    m, s = np.sqrt(c) * z, np.sqrt(v / r)
    tail = np.stack([T - m / r, T + m / r]) / s  # how far +T and -T are in the tilted Gaussian
    edge = np.stack([T - m, T + m]) / np.sqrt(v)
    log_out = lam * (m * m / r - T * T) / 2 - np.log(r) / 2 + log_ndtr(-tail)
    log_in = log_ndtr(edge[0]) + np.log1p(-np.exp(log_ndtr(-edge[1]) - log_ndtr(edge[0])))
    log_w = np.logaddexp(np.logaddexp(*log_out), log_in)
    p = np.exp(log_out - log_w)
    hazard = np.sqrt(2 / np.pi) / erfcx(tail / np.sqrt(2))
    sides = np.stack([m / r, m / r]) + s * hazard * np.array([[1.0], [-1.0]])
    mean = (p * sides).sum(axis=0)
    within = s * s * (1 + tail * hazard - hazard**2)
    # Summed as spreads around the mean: <g^2> - <g>^2 would cancel as v -> 0.
    spread = (p * (within + (sides - mean) ** 2)).sum(axis=0) + np.exp(log_in - log_w) * mean**2
    density = np.exp(-edge * edge / 2 - log_w).sum(axis=0) / np.sqrt(2 * np.pi * v)
    values = np.stack([p.sum(axis=0), T * density, mean**2, spread, log_w])
    return _Site(*(values @ weight))


def _unpack(state):
    """v, c = 1 - v, r, lam, T; the complements are not formed by subtraction."""
    v, c, r = expit(state[0]), expit(-state[0]), expit(-state[2])
    return v, c, r, expit(state[2]) / v, np.exp(state[1])


def _complexity(state, site, alpha):
    _, c, r, lam, T = _unpack(state)
    d = (site.rho + site.omega) / alpha
    phi = alpha / 2 * np.log(r) - alpha * lam * c / (2 * r) + site.log_weight
    return phi + alpha * lam * (1 - d) / 2 + lam * T * T * site.rho / 2


def _equations(state, alpha, delta):
    v, c, r, lam, T = _unpack(state)
    site = _site(v, c, r, lam, T)
    # Sigma is quadratic in 1 - r: divided by it, the root mu = 0 (which is RS) is gone.
    complexity = _complexity(state, site, alpha) / (alpha * (1 - r) ** 2)
    return np.array([np.log(site.rho / (alpha * delta)), 1 - r * site.spread / (alpha * v), complexity])


def _largest_delta(alpha):
    return min(1.0, 1.0 / alpha)


def _newton(equations, guess, iterations=10, shift=1e-5):
    """Newton's method with a central-difference Jacobian; None unless it ends close by with small equations.

    MINPACK's hybr needs far more evaluations as delta -> 0, where its Broyden updates mislead it.
    """
    state = guess
    with np.errstate(all="ignore"):
        for _ in range(iterations):
            value = equations(state)
            if np.max(np.abs(value)) < 1e-13:
                break
            steps = shift * np.eye(len(guess))
            slopes = [(equations(state + e) - equations(state - e)) / (2 * shift) for e in steps]
            if not abs(np.linalg.det(slopes)) > 0:  # also where an equation is NaN
                return None
            state = state - np.linalg.solve(np.transpose(slopes), value)
        value = equations(state)
    return state if np.max(np.abs(value)) < TOLERANCE and np.max(np.abs(state - guess)) < 1.0 else None


def _follow(state, start, end):
    """Carry a solution from position `start` to `end` (see _position) in adaptive steps; None if it is lost."""
    start, end = np.array(start), np.array(end)

    def solve(guess, t):
        log_alpha, position = start + t * (end - start)
        alpha = np.exp(log_alpha)
        delta = _largest_delta(alpha) * expit(position)
        return _newton(lambda u: _equations(u, alpha, delta), guess)

    distance = np.abs(end - start).max()
    state, slope, done, step = np.asarray(state, dtype=float), np.zeros(3), 0.0, 0.3 / max(distance, 0.3)
    while done < 1.0:
        target = min(1.0, done + step)
        found = solve(state + slope * (target - done), target)
        if found is None:
            step /= 2
            if step * distance < 1e-4:
                return None
            continue
        slope = (found - state) / (target - done)
        state, done, step = found, target, 1.5 * step
    return state


def _result(state, alpha, delta, variance):
    """Order parameters of a reduced state, with every original equation checked on a finer quadrature."""
    known = {"alpha": float(alpha), "delta": float(delta), "variance": float(variance)}
    if state is None:
        status = "no solution found: the path from known solutions was lost"
        known |= {"converged": False, "status": status}
        return L0OneStepRSB(**{f.name: np.nan for f in fields(L0OneStepRSB)} | known)
    v, c, r, lam, T = _unpack(state)
    site = _site(v, c, r, lam, T, 2 * _NODES)
    d = (site.rho + site.omega) / alpha
    B = 1 / (r * (1 - d))
    chi, Q_hat, mu, chi_hat1 = d / (1 - d), 1 - d, lam / r, 1 / B
    q0, q1 = c * B - 1, c * B - 1 + v * (1 + chi)
    complexity = _complexity(state, site, alpha)
    # The equations of Q_hat, chi, chi_hat0 and D hold by construction.
    scale = chi_hat1 / (alpha * Q_hat**2 * q1)
    residuals = [
        B / (1 + chi + mu * (q1 - q0)) - 1,
        q0 / q1 - scale * site.mean_square,
        1 - scale * (site.mean_square + site.spread),
        site.rho / (alpha * delta) - 1,
        complexity,
    ]
    converged = (residual := float(np.max(np.abs(residuals)))) <= TOLERANCE
    status = "ok" if converged else f"residual above {TOLERANCE:g}"
    numbers = {"df": 1 - 1 / B, "mu": mu / variance, "complexity": complexity, "chi": chi, "Q_hat": Q_hat}
    scaled = {"eta": r * T * T / 2, "q0": q0, "q1": q1, "chi_hat0": c * chi_hat1, "chi_hat1": chi_hat1}
    numbers |= {name: variance * value for name, value in (scaled | {"err_train": chi_hat1}).items()}
    numbers = {name: float(value) for name, value in numbers.items()}
    return L0OneStepRSB(**known, **numbers, residual=residual, converged=converged, status=status)


def _check(alpha, delta, **positive):
    for name, value in {"alpha": alpha, **positive}.items():
        require_number(name, value, above=0)
    if not 0 < require_number("delta", delta) < _largest_delta(alpha):
        allowed = f"0 < delta < {_largest_delta(alpha):g} at alpha = {alpha:g}"
        raise ValueError(f"delta = {delta!r} is not allowed: it must satisfy {allowed} (K < M and K < N)")


def _position(alpha, delta):
    """Coordinates in which solutions change smoothly."""
    return np.log(alpha), logit(delta / _largest_delta(alpha))


def solve_l0_1rsb(*, alpha: float, delta: float, variance: float = 1.0) -> L0OneStepRSB:
    """The one-step RSB ground state (zero complexity) at fixed delta = K/M.

    Parameters
    ----------
    alpha : float
        M/N.
    delta : float
    variance : float
        Of y.

    Returns
    -------
    L0OneStepRSB

    Examples
    --------
    >>> from sparsegdf import solve_l0_1rsb
    >>> round(solve_l0_1rsb(alpha=0.5, delta=0.2).df, 4)
    0.7887
    """
    _check(alpha, delta, variance=variance)
    state = _follow(_ANCHOR_STATE, _position(*_ANCHOR), _position(alpha, delta))
    return _result(state, alpha, delta, variance)


def l0_1rsb_curve(*, alpha, deltas, variance=1.0):
    """One row per delta: the fields of `solve_l0_1rsb` and `df_bound`, the first-moment bound."""
    curve = pd.DataFrame([asdict(solve_l0_1rsb(alpha=alpha, delta=d, variance=variance)) for d in deltas])
    return curve.assign(df_bound=[l0_first_moment_bound(alpha=alpha, delta=d) for d in deltas])


def l0_first_moment_bound(*, alpha: float, delta: float) -> float:
    r"""The largest df = 1 - x that exact search over K = delta M columns can reach as N -> infinity.

    Parameters
    ----------
    alpha : float
        M/N.
    delta : float

    Returns
    -------
    float

    Notes
    -----
    For a fixed support 1 - R^2 ~ Beta((M - K)/2, K/2): the expected number of supports with 1 - R^2 <= x is
    exp(N s), s(x) = H(rho) + alpha [(1 - delta)/2 ln(x/(1 - delta)) + delta/2 ln((1 - x)/delta)]; none if s < 0.

    Examples
    --------
    >>> from sparsegdf import l0_first_moment_bound, solve_l0_1rsb
    >>> round(l0_first_moment_bound(alpha=0.5, delta=0.2), 4)
    0.8916
    >>> round(solve_l0_1rsb(alpha=0.5, delta=0.2).df, 4)  # what one-step RSB predicts
    0.7887
    """
    _check(alpha, delta)
    rho = alpha * delta
    entropy = (-rho * np.log(rho) - (1 - rho) * np.log1p(-rho)) / alpha

    def growth(log_x):
        inside = delta / 2 * (np.log(-np.expm1(log_x)) - np.log(delta))
        return entropy + (1 - delta) / 2 * (log_x - np.log1p(-delta)) + inside

    high = np.log1p(-delta)
    low = high - 2 * (entropy - delta / 2 * np.log(delta)) / (1 - delta) - 1.0  # growth < 0: ln(1 - x) left out
    reachable = -np.expm1(brentq(growth, low, high, xtol=1e-14, rtol=1e-14))
    return float(min(reachable, 1 / alpha))  # all N columns together explain 1/alpha if N < M
