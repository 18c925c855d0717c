"""The RS solutions that the claims of sections 5 and 6 are about, at the parameters of Fig. GDF."""

from functools import cache

import numpy as np

from sparsegdf.penalties.elastic_net import ElasticNet
from sparsegdf.penalties.l0 import L0
from sparsegdf.penalties.l1 import L1
from sparsegdf.penalties.scad import SCAD
from sparsegdf.theory.replica_symmetric import rs_curve

ALPHA = 0.5
EN, SCAD8, SCAD5 = ElasticNet(eta2=0.1), SCAD(a=8, lam=1.0), SCAD(a=5, lam=1.0)
PENALTIES = {"l1": L1(), "elastic net": EN, "l0": L0(), "SCAD": SCAD8}
DELTAS = np.linspace(0.01, 0.99, 99)
DOMAIN = "α = 0.5, m_y = 0 or 0.5, σ_y² = 1; S1, δ from 0.01 to 0.99"


@cache
def curve(penalty, mean=0.0):
    """The RS solution on a grid of delta, S1 only."""
    table = rs_curve(penalty, alpha=ALPHA, deltas=DELTAS, mean=mean)
    return table[table.branch == "S1"]


def pi_of(points, mean):
    """pi_r = 2 int Dz log g_r at saddle points, from the free energy as printed."""
    s2 = 1 + mean**2
    return ALPHA * (points.Q_hat * s2 + points.chi * points.chi_hat) - 2 * points.free_energy
