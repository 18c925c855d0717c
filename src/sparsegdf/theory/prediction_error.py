"""Where the prediction error of the RS theory is least, and where those of two penalties cross."""

import numpy as np
from scipy.optimize import brentq, minimize_scalar

from sparsegdf.theory.replica_symmetric import rs_curve, solve_rs


def lowest(penalty, deltas, *, alpha, mean, variance=1.0):
    """(delta, err_pre) where err_pre is least, looked for on the grid `deltas` and then between its neighbours.

    Where no delta of the grid is better than the empty model, it is that: delta = 0, err_pre = mean^2 + variance.
    """
    problem = {"alpha": alpha, "mean": mean, "variance": variance}
    values = rs_curve(penalty, deltas=deltas, **problem).err_pre.to_numpy()
    k, empty = int(values.argmin()), mean**2 + variance
    if values[k] >= empty:
        return 0.0, empty
    if k in (0, len(deltas) - 1):
        return deltas[k], values[k]

    def err_pre(delta):
        return solve_rs(penalty, delta=delta, **problem).err_pre

    best = minimize_scalar(err_pre, bounds=(deltas[k - 1], deltas[k + 1]), method="bounded", options={"xatol": 1e-8})
    return best.x, best.fun


def crossings(first, second, deltas, *, alpha, mean, variance=1.0):
    """[(delta, err_pre), ...] where the prediction errors of two penalties cross, one between two grid points."""
    problem = {"alpha": alpha, "mean": mean, "variance": variance}

    def gap(delta):
        return solve_rs(first, delta=delta, **problem).err_pre - solve_rs(second, delta=delta, **problem).err_pre

    curves = [rs_curve(penalty, deltas=deltas, **problem).err_pre.to_numpy() for penalty in (first, second)]
    sign = np.sign(curves[0] - curves[1])
    found = [brentq(gap, deltas[k], deltas[k + 1], xtol=1e-10) for k in np.flatnonzero(sign[:-1] * sign[1:] < 0)]
    return [(delta, solve_rs(first, delta=delta, **problem).err_pre) for delta in found]
