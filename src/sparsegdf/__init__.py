"""Generalized degrees of freedom of sparse estimators: replica theory, belief propagation, exact search."""

from sparsegdf.bp import belief_propagation
from sparsegdf.fixed_points import FixedPoints
from sparsegdf.l0_rsb import l0_first_moment_bound, solve_l0_1rsb
from sparsegdf.penalties import L0, L1, SCAD, ElasticNet, Penalty, Segments
from sparsegdf.subsets import BestSubsets, best_subsets, swap_search
from sparsegdf.theory import RSSolution, rescaled_elastic_net_df, rs_curve, rs_stable_range, s1_end, solve_rs

__all__ = [
    "L0",
    "L1",
    "SCAD",
    "BestSubsets",
    "ElasticNet",
    "FixedPoints",
    "Penalty",
    "RSSolution",
    "Segments",
    "belief_propagation",
    "best_subsets",
    "l0_first_moment_bound",
    "rescaled_elastic_net_df",
    "rs_curve",
    "rs_stable_range",
    "s1_end",
    "solve_l0_1rsb",
    "solve_rs",
    "swap_search",
]
