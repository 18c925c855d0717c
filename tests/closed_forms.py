"""Averages of the single-body problem by the formulas of the paper, term by term."""

import numpy as np
from scipy.special import erfc

from sparsegdf import L0, L1, MCP, SCAD, ElasticNet

SQRTPI = np.sqrt(np.pi)


def paper_scad_terms(penalty, Q, eta, chi_hat):
    a, lam = penalty.a, penalty.lam
    s = np.sqrt(2 * chi_hat)
    t1, t2, t3 = lam * eta / s, lam * (Q + eta) / s, a * lam * Q / s
    e = lambda t: np.exp(-(t**2))
    rho, k = erfc(t1), eta / (a - 1)
    pi4 = erfc(t2) - erfc(t3)
    pi1 = chi_hat / Q * (-2 * t1 / SQRTPI * (e(t1) + (Q - eta) / eta * e(t2)) + (1 + 2 * t1**2) * (rho - erfc(t2)))
    pi2 = chi_hat / (Q - k)
    pi2 *= (
        2 / SQRTPI * ((t2 - 2 * t3 * k / Q) * e(t2) - (1 - 2 * k / Q) * t3 * e(t3))
        + (1 + 2 * (k * t3 / Q) ** 2) * pi4
    )
    pi3 = chi_hat / Q * (2 * t3 / SQRTPI * e(t3) + erfc(t3))
    chi = (rho + k / (Q - k) * pi4) / Q  # times 1/alpha
    square = pi1 / Q + pi2 / (Q - k) + pi3 / Q
    at = rho / Q**2 + ((Q - k) ** -2 - Q**-2) * pi4
    return {"chi": chi, "square": square, "at": at}


def closed_forms(penalty, Q, eta, chi_hat):
    """(E[dx*/dh], E[x*^2]) by the paper's formulas; those of l0 where SCAD and MCP jump from zero to h/Q_hat.

    None for SCAD between its two regimes, where an l1 segment remains and neither formula holds.
    """
    s = np.sqrt(2 * chi_hat)
    if isinstance(penalty, L1 | ElasticNet):
        total, th = Q + getattr(penalty, "eta2", 0.0), eta / s
        return erfc(th) / total, chi_hat / total**2 * (
            (1 + 2 * th**2) * erfc(th) - 2 * th / SQRTPI * np.exp(-(th**2))
        )
    if isinstance(penalty, SCAD) and eta < (penalty.a - 1) * Q:
        terms = paper_scad_terms(penalty, Q, eta, chi_hat)
        return terms["chi"], terms["square"]
    if isinstance(penalty, MCP) and eta < penalty.a * Q:
        start, end, gap = penalty.lam * eta / s, penalty.a * penalty.lam * Q / s, Q - eta / penalty.a
        middle = lambda t: (1 + 2 * start**2) * erfc(t) + 2 / SQRTPI * (t - 2 * start) * np.exp(-(t**2))
        flat = erfc(end) + 2 / SQRTPI * end * np.exp(-(end**2))
        response = (erfc(start) - erfc(end)) / gap + erfc(end) / Q
        return response, chi_hat * ((middle(start) - middle(end)) / gap**2 + flat / Q**2)
    if isinstance(penalty, SCAD) and eta <= (penalty.a + 1) * Q:
        return None
    height = {L0: lambda p: 1.0, SCAD: lambda p: (p.a + 1) * p.lam**2 / 2, MCP: lambda p: p.a * p.lam**2 / 2}
    th = np.sqrt(eta * height[type(penalty)](penalty) * Q / chi_hat)
    weight = erfc(th) + 2 * th / SQRTPI * np.exp(-(th**2))
    return weight / Q, chi_hat * weight / Q**2
