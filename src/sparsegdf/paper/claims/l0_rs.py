"""Claims about the RS solution of l0 (section 5.3)."""

import numpy as np
from scipy.optimize import brentq
from scipy.special import erfc, erfcinv

from sparsegdf.paper.claims.curves import ALPHA, DOMAIN, curve, pi_of
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


def l0_pi(_):
    c = curve(L0(), mean=0.5)
    rho, theta = ALPHA * c.delta, np.sqrt(c.eta * c.Q_hat / c.chi_hat)
    return identity(c.chi_hat / c.Q_hat * (l0_omega(c) + (1 - 2 * theta**2) * rho) - pi_of(c, 0.5))


def l0_free_energy(_):
    """f = alpha chi_hat/2 + eta rho, of which the second term is rbar."""
    c = curve(L0(), mean=0.5)
    rbar = c.eta * ALPHA * c.delta
    return identity(np.concatenate([ALPHA * c.chi_hat / 2 + rbar - c.free_energy, rbar - c.penalty_mean]))


def l0_at(_):
    """The AT integral with a difference quotient of dx*/dh: where x* jumps, it grows as one over its width."""
    c, widths = curve(L0()), (0.1, 0.01, 0.001)  # in units of sqrt(chi_hat)
    Q_hat, eta, scale = (column.to_numpy()[:, None] for column in (c.Q_hat, c.eta, np.sqrt(c.chi_hat)))
    z = np.arange(0.0, 8.0, 2e-4)
    weight = 2e-4 * np.sqrt(2 / np.pi) * np.exp(-(z**2) / 2)
    smallest = []
    for width in widths:
        low, high = (L0().estimate(scale * (z + side), Q_hat, eta)[0] for side in (-width / 2, width / 2))
        at = ((high - low) / (scale * width)) ** 2 @ weight * c.Q_hat.to_numpy() ** 2 / ALPHA
        smallest.append(at.min())
    holds = smallest[-1] > 1 and smallest[2] > 5 * smallest[1] > 25 * smallest[0]
    shown = ", ".join(f"{at:.3g}" for at in smallest)
    measured = f"smallest AT with a quotient of width 0.1, 0.01, 0.001: {shown}"
    return Outcome(bool(holds), measured, "growing as 1/width, > 1", effect="one point", value=smallest[-1])


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
    Claim("l0-pi", "Sec. 5.3", "π of l0 as printed.", "π", "theory: printed formula against 2∫Dz log g on S1", l0_pi),
    Claim("l0-free-energy", "eq. (f_l0)", "Free energy and mean penalty of l0.", "f, rbar",
          "theory: both sides on S1", l0_free_energy),
    Claim("l0-condition", "Sec. 5.3", "S1 of l0 is valid while α > ρ + ω.", "α = ρ + ω",
          "root of α = ρ + ω against theory.s1_end", l0_condition,
          domain="α = 0.5"),
    Claim("l0-df-one", "eq. (l0_GDF)", "Beyond it S2, with df = 1, is the stable solution.", "df = 1",
          "the factor by which eq. (l0_chi) multiplies a large χ at fixed δ", l0_beyond, domain="S2: 0.248 < δ ≤ 1"),
    Claim("l0-at", "Sec. 5.3", "For l0 the AT instability always appears.", "always",
          "theory: the AT integral, by difference quotients of x*", l0_at),
    Claim("l0-greater", "Sec. 5.3", "The GDF of l0 is greater than δ.", "df > δ", "theory: df - δ on S1",
          lambda _: positive(curve(L0()).df - curve(L0()).delta, "df - δ")),
    Claim("l0-err-pre", OURS, "For l0 err_pre = s² + (σ² - m_y²) df: empty is best if and only if m_y < σ_y.",
          "identity", "theory: both sides on S1", l0_prediction_error, domain="S1; m_y = 0.5 and 1.5"),
])  # fmt: skip
