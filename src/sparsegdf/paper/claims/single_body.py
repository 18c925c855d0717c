"""Claims about the single-body problem (Fig. single-body)."""

import numpy as np

from sparsegdf.paper.claims.outcomes import identity
from sparsegdf.paper.claims.verdict import Claim, within
from sparsegdf.penalties.elastic_net import ElasticNet
from sparsegdf.penalties.l0 import L0
from sparsegdf.penalties.l1 import L1
from sparsegdf.penalties.scad import SCAD
from sparsegdf.theory.replica_symmetric import solve_rs


def printed_maximiser(name, h, Q_hat, penalty, eta):
    """x*(h) for h > 0 as printed."""
    if name == "l1":
        return np.where(h > eta, (h - eta) / Q_hat, 0.0)
    if name == "elastic net":
        return np.where(h > eta, (h - eta) / (Q_hat + penalty.eta2), 0.0)
    if name == "l0":
        return np.where(h > np.sqrt(2 * eta * Q_hat), h / Q_hat, 0.0)
    a, lam = penalty.a, penalty.lam
    middle = (h * (a - 1) - a * lam * eta) / (Q_hat * (a - 1) - eta)
    first, second, third = lam * eta, lam * (Q_hat + eta), a * lam * Q_hat
    return np.select([h <= first, h <= second, h <= third], [0.0, (h - lam * eta) / Q_hat, middle], h / Q_hat)


def single_body(name, penalty):
    """The printed x* reaches the largest objective on a fine grid of x, at the saddle point of Fig. single-body."""

    def check(_):
        Q_hat = solve_rs(penalty, alpha=1, eta=1).Q_hat
        h = np.linspace(0.013, 6, 120)
        x = np.linspace(0, 6 / Q_hat + 1, 20001)
        best = np.array([(-Q_hat / 2 * x**2 + v * x - penalty.value(x, 1.0)).max() for v in h])
        star = printed_maximiser(name, h, Q_hat, penalty, 1.0)
        reached = -Q_hat / 2 * star**2 + h * star - penalty.value(star, 1.0)
        return identity(np.maximum(best - reached, 0), 1e-6)

    return check


def scad_pieces(_):
    """x* is that of l1 between the first two thresholds, h/Q_hat beyond the third, and the chord between."""
    penalty = SCAD(a=5, lam=0.5)
    Q_hat = solve_rs(penalty, alpha=1, eta=1).Q_hat
    low, middle, high = penalty.lam, penalty.lam * (Q_hat + 1), penalty.a * penalty.lam * Q_hat
    first, second, third = (np.linspace(*ends, 50) for ends in ((low, middle), (middle, high), (high, 2 * high)))

    def x(h):
        return penalty.estimate(h, np.full(h.shape, Q_hat), 1.0)[0]

    line = np.interp(second, [middle, high], [(middle - low) / Q_hat, high / Q_hat])
    return identity(np.concatenate([x(first) - (first - low) / Q_hat, x(second) - line, x(third) - third / Q_hat]))


CLAIMS = within("α = 1, η = 1, m_y = 0", [
    *(Claim(f"single-body-{panel}", f"Fig. single-body({panel})", f"The printed maximiser of {name}, as drawn.",
            quoted, "its objective against the best of 20001 x, for 120 values of h up to 6",
            single_body(name, printed), "λ = 0.5, as in the caption; with 0.1 it is not the maximiser"
            if corrected else "", corrected and single_body(name, corrected), domain="α = 1, η = 1, m_y = 0")
      for panel, name, quoted, printed, corrected in (
          ("a", "l1", "η = 1", L1(), None), ("b", "elastic net", "η₁ = 1, η₂ = 0.5", ElasticNet(eta2=0.5), None),
          ("c", "l0", "η = 1", L0(), None),
          ("d", "SCAD", "a = 5, λ = 0.1 (text)", SCAD(a=5, lam=0.1), SCAD(a=5, lam=0.5)))),
    Claim("scad-pieces", "Sec. 5.4, Fig. single-body(d)",
          "SCAD is l1 between its first two thresholds, l0 beyond the third, and linear between.", "three thresholds",
          "the maximiser of the penalty, found without the printed formula, at 150 values of h", scad_pieces,
          domain="a = 5, λ = 0.5, α = 1, η = 1"),
])  # fmt: skip
