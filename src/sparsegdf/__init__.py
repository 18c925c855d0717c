"""Generalized degrees of freedom of sparse estimators: replica theory, belief propagation, exact search."""

from importlib import import_module

# Where each public name lives. Modules are imported when a name is first used: a job of the pipeline that reads one
# table should not wait for numba.
_HOME = {
    "AR1": "ensembles.ar1",
    "BestSubsets": "solvers.best_subset",
    "Block": "ensembles.block",
    "ElasticNet": "penalties.elastic_net",
    "Ensemble": "ensembles.ensemble",
    "FixedPoints": "solvers.fixed_points",
    "IID": "ensembles.iid",
    "IllConditioned": "ensembles.ill_conditioned",
    "L0": "penalties.l0",
    "L1": "penalties.l1",
    "MCP": "penalties.mcp",
    "Penalty": "penalties.base",
    "RSSolution": "theory.replica_symmetric",
    "RowOrthogonal": "ensembles.row_orthogonal",
    "SCAD": "penalties.scad",
    "Segments": "penalties.base",
    "Selection": "selection.select",
    "SparseRegressor": "selection.regressor",
    "Spectrum": "ensembles.limits",
    "belief_propagation": "solvers.belief_propagation",
    "best_subsets": "solvers.best_subset",
    "l0_first_moment_bound": "theory.one_step_rsb",
    "linear_stability": "solvers.stability",
    "rescaled_elastic_net_df": "theory.replica_symmetric",
    "rs_curve": "theory.replica_symmetric",
    "rs_delta_eff": "theory.effective_fraction",
    "rs_stable_range": "theory.replica_symmetric",
    "s1_end": "theory.replica_symmetric",
    "s1_largest_delta": "theory.replica_symmetric",
    "select": "selection.select",
    "solve_l0_1rsb": "theory.one_step_rsb",
    "solve_rs": "theory.replica_symmetric",
    "stationary_path": "solvers.direct",
    "swap_search": "solvers.best_subset",
}
# "import *" must not ask for scikit-learn.
__all__ = [name for name in _HOME if name != "SparseRegressor"]


def __getattr__(name):
    if name not in _HOME:
        raise AttributeError(f"module 'sparsegdf' has no attribute {name!r}")
    return getattr(import_module(f"sparsegdf.{_HOME[name]}"), name)


def __dir__():
    return sorted([*globals(), *_HOME])
