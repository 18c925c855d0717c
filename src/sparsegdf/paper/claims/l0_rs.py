"""Claims about the RS solution of l0 (section 5.3)."""

import numpy as np
from scipy.optimize import brentq
from scipy.special import erfc, erfcinv

from sparsegdf.paper.claims.curves import ALPHA, DOMAIN, curve
from sparsegdf.paper.claims.outcomes import Outcome, identity, positive
from sparsegdf.paper.claims.verdict import OURS, Claim, within
from sparsegdf.penalties.l0 import L0
from sparsegdf.theory.s1_branch import s1_end


def l0_solution(_):
    """chi_1 = (rho + omega)/(alpha - rho - omega), Q_1 = s2 chi_1."""
    c = curve(L0(), mean=0.5)
    weight = ALPHA * c.delta + l0_omega(c)
    return identity(np.concatenate([c.chi * (ALPHA - weight) / weight - 1, c.Q / (1.25 * c.chi) - 1]))


def l0_omega(c):
    theta = np.sqrt(c.eta * c.Q_hat / c.chi_hat)
    return 2 * theta / np.sqrt(np.pi) * np.exp(-(theta**2))


def l0_free_energy(_):
    """f = alpha chi_hat/2 + eta rho, of which the second term is rbar."""
    c = curve(L0(), mean=0.5)
    rbar = c.eta * ALPHA * c.delta
    return identity(np.concatenate([ALPHA * c.chi_hat / 2 + rbar - c.free_energy, rbar - c.penalty_mean]))


def l0_at(_):
    at = curve(L0())["at"]
    return Outcome(
        bool(np.isinf(at).all()), f"infinite at {np.isinf(at).sum()} of {len(at)} points", "all", effect="one point"
    )


def l0_condition(_):
    """S1 ends where alpha = rho + omega."""
    t = brentq(lambda t: erfc(t) + 2 * t / np.sqrt(np.pi) * np.exp(-t * t) - ALPHA, 0.5, 5)
    return identity([erfc(t) / ALPHA - s1_end(L0(), alpha=ALPHA)], 1e-7)


def l0_beyond(_):
    """At fixed delta eq. (l0_chi) is chi <- (1 + chi)(rho + omega)/alpha: df -> 1 wherever that factor is above 1."""
    deltas = np.linspace(s1_end(L0(), alpha=ALPHA) + 1e-6, 1, 50)
    theta = erfcinv(ALPHA * deltas)
    factor = deltas + 2 * theta / (np.sqrt(np.pi) * ALPHA) * np.exp(-(theta**2))
    return positive(factor - 1, "growth of χ in one step, less 1")


def l0_prediction_error(_):
    """err_pre of l0 on S1 against s2 + (sigma^2 - m_y^2) df, at m_y = 0.5 and 1.5."""
    return identity(
        np.concatenate([curve(L0(), m).err_pre - (1 + m**2 + (1 - m**2) * curve(L0(), m).df) for m in (0.5, 1.5)])
    )


CLAIMS = within(DOMAIN, [
    Claim("l0-solution", "eq. (l0_chi_finite)", "The finite l0 saddle point in closed form.",
          "χ₁ = (ρ+ω)/(α-ρ-ω), Q₁ = s²χ₁", "theory: χ and Q against the closed forms", l0_solution),
    Claim("l0-df", "eq. (l0_GDF)", "GDF of l0 is δ plus the term of the jump.", "df = δ + ω/α", "theory: both sides",
          lambda _: identity(curve(L0()).delta + l0_omega(curve(L0())) / ALPHA - curve(L0()).df)),
    Claim("l0-free-energy", "eq. (f_l0)", "Free energy and mean penalty of l0.", "f, rbar",
          "theory: both sides on S1", l0_free_energy),
    Claim("l0-condition", "Sec. 5.3", "S1 of l0 is valid while α > ρ + ω.", "α = ρ + ω",
          "root of α = ρ + ω against theory.s1_end", l0_condition,
          domain="α = 0.5"),
    Claim("l0-df-one", "eq. (l0_GDF)", "Beyond it S2, with df = 1, is the stable solution.", "df = 1",
          "the factor by which eq. (l0_chi) multiplies a large χ at fixed δ", l0_beyond, domain="S2: 0.248 < δ ≤ 1"),
    Claim("l0-at", "Sec. 5.3", "For l0 the AT instability always appears.", "always", "theory: the AT integral",
          l0_at),
    Claim("l0-greater", "Sec. 5.3", "The GDF of l0 is greater than δ.", "df > δ", "theory: df - δ on S1",
          lambda _: positive(curve(L0()).df - curve(L0()).delta, "df - δ")),
    Claim("l0-err-pre", OURS, "For l0 err_pre = s² + (σ² - m_y²) df: empty is best if and only if m_y < σ_y.",
          "identity", "theory: both sides on S1", l0_prediction_error, domain="S1; m_y = 0.5 and 1.5"),
])  # fmt: skip
