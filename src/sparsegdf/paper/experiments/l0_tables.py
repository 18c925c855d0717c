"""The tables behind figures 7 and 8 and table_l0, from summaries and theory."""

import numpy as np
import pandas as pd

from sparsegdf.penalties.l0 import L0
from sparsegdf.theory.one_step_rsb import l0_1rsb_curve
from sparsegdf.theory.replica_symmetric import rs_curve


def l0_theory(deltas, *, alpha, variance):
    """RS, one-step RSB and the first-moment bound of df at each delta."""
    rs = rs_curve(L0(), alpha=alpha, deltas=deltas, variance=variance)
    one_step = l0_1rsb_curve(alpha=alpha, deltas=deltas, variance=variance)
    return pd.DataFrame(
        {
            "delta": deltas,
            "rs": rs.df,
            "rs_branch": rs.branch,
            "rs_residual": rs.residual,
            "one_step_rsb": one_step.df,
            "bound": one_step.df_bound,
            "complexity_mu": one_step.mu,
            "one_step_residual": one_step.residual,
            "one_step_converged": one_step.converged,
        }
    )


def df_table(sizes, *, alpha, variance):
    """df by N and K with standard errors, and RS, one-step RSB and the bound at the same delta."""
    # With K = M or K = N there is nothing to choose.
    shown = sizes[(sizes.K > 0) & (sizes.delta < min(1, 1 / alpha) - 1e-12)]
    theory = l0_theory(np.unique(shown.delta), alpha=alpha, variance=variance)
    columns = ["delta", "rs", "one_step_rsb", "bound"]
    order = ["N", "K", "delta", "df", "df_se", "df_plain", "df_plain_se", "samples", "exact"]
    return shown[order].merge(theory[columns], on="delta").sort_values(["N", "K"], ignore_index=True)
