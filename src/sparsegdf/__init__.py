"""Generalized degrees of freedom of sparse estimators: replica theory, belief propagation, exact search."""

from importlib import import_module

# Where each public name lives. Modules are imported when a name is first used: a job of the pipeline that reads one
# table should not wait for numba.
_HOME = {
    "L0": "penalties",
    "L1": "penalties",
    "MCP": "penalties",
    "SCAD": "penalties",
    "BestSubsets": "subsets",
    "ElasticNet": "penalties",
    "FixedPoints": "fixed_points",
    "Penalty": "penalties",
    "RSSolution": "theory",
    "Segments": "penalties",
    "Selection": "selection",
    "SparseRegressor": "regressor",
    "belief_propagation": "bp",
    "best_subsets": "subsets",
    "l0_first_moment_bound": "l0_rsb",
    "linear_stability": "bp_stability",
    "rescaled_elastic_net_df": "theory",
    "rs_curve": "theory",
    "rs_stable_range": "theory",
    "s1_end": "theory",
    "s1_largest_delta": "theory",
    "select": "selection",
    "solve_l0_1rsb": "l0_rsb",
    "solve_rs": "theory",
    "stationary_path": "stationary",
    "swap_search": "subsets",
}
# "import *" must not ask for scikit-learn.
__all__ = [name for name in _HOME if name != "SparseRegressor"]


def __getattr__(name):
    if name not in _HOME:
        raise AttributeError(f"module 'sparsegdf' has no attribute {name!r}")
    return getattr(import_module(f"sparsegdf.{_HOME[name]}"), name)


def __dir__():
    return sorted([*globals(), *_HOME])
