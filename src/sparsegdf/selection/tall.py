"""Fewer rows for data with many more rows than columns.

With the factor R of [A y] = Q R, ||y - A x|| = ||R_y - R_A x|| for every x: fits, their errors and their degrees of
freedom can be computed from N + 1 rows.
"""

import numpy as np
from scipy import linalg

_TALL = 4  # Data with more than this many rows per column of [A y] are reduced.
_BLOCK = 50_000  # This many rows are reduced at a time.


def with_few_rows(A, y):
    """(A, y) unchanged, or N + 1 rows with the same ||y - A x|| for all x if A has more than 4 (N + 1) rows."""
    M, N = A.shape
    if M <= _TALL * (N + 1):
        return A, y
    R = np.empty((0, N + 1))
    for first in range(0, M, _BLOCK):
        block = slice(first, first + _BLOCK)
        R = linalg.qr(np.vstack([R, np.column_stack([A[block], y[block]])]), mode="r", overwrite_a=True)[0][: N + 1]
    return R[:, :N], R[:, N]
