"""Claims about the RS theory of SCAD (section 5.4)."""

import numpy as np
import pandas as pd
from scipy.optimize import brentq
from scipy.special import erfc, erfcinv

from sparsegdf.paper.claims.curves import ALPHA, DELTAS, DOMAIN, SCAD5, SCAD8, curve, pi_of
from sparsegdf.paper.claims.outcomes import Outcome, every, identity, positive, shrinks
from sparsegdf.paper.claims.verdict import Claim, within
from sparsegdf.penalties.scad import SCAD
from sparsegdf.theory.replica_symmetric import rs_curve, solve_rs
from sparsegdf.theory.s1_branch import branch_beyond_s1, rs_stable_range, s1_largest_delta


def scad_parts(c, penalty):
    """kappa = eta/(a-1) and pi_1 .. pi_4 as printed, on the points of a curve."""
    a, lam, (eta, Q_hat, chi_hat) = penalty.a, penalty.lam, (c[k].to_numpy() for k in ("eta", "Q_hat", "chi_hat"))
    t1, t2, t3 = (v / np.sqrt(2 * chi_hat) for v in (lam * eta, lam * (Q_hat + eta), a * lam * Q_hat))
    kappa, root = eta / (a - 1), 2 / np.sqrt(np.pi)
    p4 = erfc(t2) - erfc(t3)
    bracket = np.exp(-(t1**2)) + (Q_hat - eta) / eta * np.exp(-(t2**2))
    p1 = chi_hat / Q_hat * (-root * t1 * bracket + (1 + 2 * t1**2) * (erfc(t1) - erfc(t2)))
    u = kappa / Q_hat
    edges = (t2 - 2 * t3 * u) * np.exp(-(t2**2)) - (1 - 2 * u) * t3 * np.exp(-(t3**2))
    p2 = chi_hat / (Q_hat - kappa) * (root * edges + (1 + 2 * (u * t3) ** 2) * p4)
    p3 = chi_hat / Q_hat * (root * t3 * np.exp(-(t3**2)) + erfc(t3))
    return kappa, p1, p2, p3, p4, erfc(t3)


def scad_saddle_point(penalty):
    """Q, chi and rbar as printed."""
    c = curve(penalty, mean=0.5)
    kappa, p1, p2, p3, p4, flat = scad_parts(c, penalty)
    level = c.eta * penalty.lam**2
    Q = (p1 / c.Q_hat + p2 / (c.Q_hat - kappa) + p3 / c.Q_hat) / ALPHA
    chi = (ALPHA * c.delta + kappa / (c.Q_hat - kappa) * p4) / (ALPHA * c.Q_hat)
    rbar = ALPHA * c.chi * c.chi_hat - p1 - (1 + kappa / (2 * (c.Q_hat - kappa))) * p2 - p3
    rbar += level * ((penalty.a + 1) * flat / 2 - p4 / (2 * (penalty.a - 1)))
    return identity(np.concatenate([Q - c.Q, chi - c.chi, rbar - c.penalty_mean]))


def scad_pi(penalty):
    c = curve(penalty, mean=0.5)
    _, p1, p2, p3, p4, flat = scad_parts(c, penalty)
    level = c.eta * penalty.lam**2
    return identity(p1 + p2 + p3 + level * (p4 / (penalty.a - 1) - (penalty.a + 1) * flat) - pi_of(c, 0.5))


def scad_df(penalty):
    c = curve(penalty)
    kappa, _, _, _, p4, _ = scad_parts(c, penalty)
    return identity(c.delta + kappa / (ALPHA * (c.Q_hat - kappa)) * p4 - c.df)


def scad_at(penalty):
    """The printed AT condition against the integral of (dx*/dh)^2."""
    c = curve(penalty)
    kappa, _, _, _, p4, _ = scad_parts(c, penalty)
    weight = ALPHA * c.delta / c.Q_hat**2 + ((c.Q_hat - kappa) ** -2 - c.Q_hat**-2) * p4
    return identity(weight / (ALPHA * (1 + c.chi) ** 2) - c["at"])


def scad_to_l1(_):
    tables = [rs_curve(SCAD(a=a, lam=1.0), alpha=ALPHA, deltas=np.linspace(0.05, 0.9, 18)) for a in (10, 100, 1e4)]
    return shrinks([np.abs(t.df - t.delta).max() for t in tables], "a = 10, 100, 10000")


def scad_at_to_l1(_):
    tables = [rs_curve(SCAD(a=a, lam=1.0), alpha=ALPHA, deltas=np.linspace(0.05, 0.9, 18)) for a in (10, 100, 1e4)]
    return shrinks([np.abs(t["at"] - t.delta).max() for t in tables], "a = 10, 100, 10000")


def scad_pi4(_):
    """pi_4 at delta = 0.5 for growing a."""
    values = []
    for a in (10, 100, 1e4):
        penalty = SCAD(a=a, lam=1.0)
        point = solve_rs(penalty, alpha=ALPHA, delta=0.5)
        *_, p4, _ = scad_parts(pd.DataFrame([vars(point)]), penalty)
        values.append(p4.item())
    measured = f"π₄ = {', '.join(f'{value:.4f}' for value in values)} at δ = 0.5 for a = 10, 100, 10000"
    return Outcome(abs(values[-1]) < 1e-3, measured, "→ 0", effect="0.001", value=values[-1])


def scad_condition(penalty):
    """alpha - rho - (..) pi_4 goes to zero at the end of S1, where df = 1 and Q is finite."""
    point, after = solve_rs(penalty, alpha=ALPHA, eta=1e-6), branch_beyond_s1(penalty, alpha=ALPHA)
    kappa, *_, p4, _ = scad_parts(pd.DataFrame([vars(point)]), penalty)
    margin = ALPHA - ALPHA * point.delta - (kappa / (point.Q_hat - kappa) * p4).item()
    return Outcome(
        bool(abs(margin) < 1e-4 and after == "S2"),
        f"α - ρ - .. π₄ = {margin:.1e} and Q = {point.Q:.3f} at η = 1e-6, then {after}",
        "0, S2",
        effect="any other branch",
        value=margin,
    )


def scad_beyond(penalty):
    """l0_rs.l0_beyond for SCAD: at fixed delta and infinite chi Q solves its own equation (h in units of Q_hat)."""
    last = s1_largest_delta(penalty, alpha=ALPHA)
    factors = []
    for delta in np.linspace(last + 1e-6, 1, 20):
        reach = np.sqrt(2) * erfcinv(ALPHA * delta) / penalty.lam  # eta/Q_hat in units of sqrt(chi_hat)/Q_hat

        def parts(Q, delta=delta, reach=reach):
            point = {"eta": reach * np.sqrt(Q + 1), "Q_hat": 1.0, "chi_hat": Q + 1, "delta": delta}
            return scad_parts(pd.DataFrame([point]), penalty)

        def excess(Q, parts=parts):
            kappa, p1, p2, p3, _, _ = parts(Q)
            return ((p1 + p2 / (1 - kappa) + p3) / ALPHA - Q).item()

        # Beyond, kappa would pass Q_hat: the printed segments, and with them S2, end there.
        most = ((penalty.a - 1) / reach) ** 2 - 1
        grid = np.linspace(0, most * (1 - 1e-9), 200)
        signs = np.sign([excess(Q) for Q in grid])
        crossing_at = np.flatnonzero(signs[:-1] * signs[1:] < 0)
        if crossing_at.size:
            Q = brentq(excess, grid[crossing_at[0]], grid[crossing_at[0] + 1])
            kappa, *_, p4, _ = parts(Q)
            factors.append((delta + kappa / (1 - kappa) * p4 / ALPHA).item())
    return positive(
        np.array(factors) - 1, f"growth of χ in one step, less 1, at {len(factors)} of 20 δ with finite Q"
    )


def s3_within_at(_):
    """For several SCAD settings: the smallest delta with S3 against the AT line."""
    margins = []
    for a, lam in ((5, 1.0), (6, 0.9), (8, 1.0), (4, 1.0)):
        penalty = SCAD(a=a, lam=lam)
        table = rs_curve(penalty, alpha=ALPHA, deltas=DELTAS)
        third = table[table.branch == "S3"].index
        if len(third):
            margins.append(DELTAS[third[0]] - rs_stable_range(penalty, alpha=ALPHA)[1])
    return positive(margins, f"distance from the AT line, {len(margins)} settings with S3")


CLAIMS = within(DOMAIN, [
    Claim("scad-saddle", "Sec. 5.4", "Q, χ and rbar of SCAD as printed.", "π₁ .. π₄",
          "theory: printed formulas against the solver, a = 8", lambda _: scad_saddle_point(SCAD8)),
    Claim("scad-pi", "Sec. 5.4", "π of SCAD as printed.", "π", "theory: printed formula against 2∫Dz log g, a = 8",
          lambda _: scad_pi(SCAD8)),
    Claim("scad-df", "eq. (SCAD_df)", "GDF of SCAD is δ plus the term of the transient region.", "df = δ + .. π₄",
          "theory: both sides on S1, a = 8 and 5",
          lambda _: every({"a = 8": scad_df(SCAD8), "a = 5": scad_df(SCAD5)})),
    Claim("scad-at-form", "Sec. 5.4", "The AT condition of SCAD.", "AT integral", "theory: printed form, a = 8",
          lambda _: scad_at(SCAD8)),
    Claim("scad-to-l1", "Sec. 5.4", "SCAD becomes l1 as a goes to infinity.", "df → δ",
          "theory: df - δ for growing a", scad_to_l1,
          domain="δ from 0.05 to 0.9; a = 10, 100, 10000"),
    Claim("scad-at-to-l1", "Sec. 5.4", "Its AT condition becomes that of l1.", "AT → δ",
          "theory: AT - δ for growing a", scad_at_to_l1,
          domain="δ from 0.05 to 0.9; a = 10, 100, 10000"),
    Claim("scad-greater", "Sec. 5.4", "The GDF of SCAD is greater than δ.", "df > δ", "theory: df - δ on S1, a = 8",
          lambda _: positive(curve(SCAD8).df - curve(SCAD8).delta, "df - δ")),
    Claim("scad-pi4", "Sec. 5.4", "π₄ vanishes as a goes to infinity, and with it the second term of df.", "π₄ → 0",
          "theory: π₄ at δ = 0.5 for growing a", scad_pi4, "π₄ does not vanish; η/(a-1) does, and with it the term",
          scad_to_l1, domain="δ = 0.5 (π₄), δ from 0.05 to 0.9 (the term)"),
    Claim("scad-s2", "Sec. 5.4", "For large a, S1 is replaced by S2 where df reaches 1.", "S1 → S2",
          "theory: the condition as η → 0 along S1, a = 8", lambda _: scad_condition(SCAD8),
          domain="a = 8, λ = 1; the end of S1"),
    Claim("scad-s2-a5", "Sec. 5.4", "The same for a = 5, the value of Fig. BP(a).", "S1 → S2",
          "theory: the condition as η → 0 along S1, a = 5", lambda _: scad_condition(SCAD5),
          domain="a = 5, λ = 1; the end of S1"),
    Claim("scad-df-one", "eq. (SCAD_df)", "Beyond S1 df = 1.", "df = 1",
          "the factor by which the printed equation multiplies a large χ at fixed δ, a = 8 and 5",
          lambda _: every({"a = 8": scad_beyond(SCAD8), "a = 5": scad_beyond(SCAD5)}), domain="δ beyond all of S1"),
    Claim("scad-s3-at", "Sec. 5.4", "S3 appears where the AT instability does.", "inside", "theory: 4 SCAD settings",
          s3_within_at,
          domain="a = 4, 5, 8 with λ = 1 and a = 6 with λ = 0.9"),
])  # fmt: skip
