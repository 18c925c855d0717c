"""The columns that are fitted without penalty: the constant (the intercept) and those of penalty weight 0.

With F these columns and P the projection on their span, the minimum over their coefficients c of

    ||y - A x - F c||^2 / 2 + r(x)   is   ||(1 - P) y - (1 - P) A x||^2 / 2 + r(x),   c = F^+ (y - A x).

So they are removed from A and y before the path is computed, and each of them adds 1 to M df.
"""

import numpy as np


def free_columns(M, intercept, unpenalised=None):
    """F, (M, f): the constant if there is an `intercept`, and the columns `unpenalised`, (M, f')."""
    parts = [np.ones((M, 1))] if intercept else []
    return np.hstack([*parts, *([unpenalised] if unpenalised is not None else [np.empty((M, 0))])])


def regress(F, B):
    """The coefficients of B on F by least squares, F^+ B."""
    if F.shape[1] == 1 and np.ptp(F) == 0:
        return B.mean(axis=0, keepdims=True) / F[0, 0]  # more accurate than a sum of products
    return np.linalg.lstsq(F, B, rcond=None)[0]
