"""Generalized degrees of freedom of sparse estimators: replica theory, belief propagation, exact search."""

from sparsegdf.penalties import L0, L1, SCAD, ElasticNet, Penalty, Segments
from sparsegdf.theory import RSSolution, rescaled_elastic_net_df, rs_curve, rs_stable_range, s1_end, solve_rs

__all__ = [
    "L0",
    "L1",
    "SCAD",
    "ElasticNet",
    "Penalty",
    "RSSolution",
    "Segments",
    "rescaled_elastic_net_df",
    "rs_curve",
    "rs_stable_range",
    "s1_end",
    "solve_rs",
]
