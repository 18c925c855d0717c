"""Roots of many small equations at once: one unknown in a bracket, or two unknowns by Newton's method."""

import numpy as np

_STEPS = 200
_NEWTON_STEPS = 15


def bracketed_roots(f, low, high):
    """x with f(x) = 0 between `low` and `high`, elementwise, to rounding (Chandrupatla, Adv. Eng. Softw. 28, 1997).

    f maps an array to an array of the same shape, and f(low), f(high) differ in sign or one of them is zero. Inverse
    quadratic interpolation where that is safe, bisection elsewhere.
    """
    a, b = (np.array(end, dtype=float) for end in np.broadcast_arrays(low, high))
    fa, fb = f(a), f(b)
    step = np.full(a.shape, 0.5)
    with np.errstate(all="ignore"):
        for _ in range(_STEPS):
            x = a + step * (b - a)
            fx = f(x)
            same = np.sign(fx) == np.sign(fa)
            c, fc = np.where(same, a, b), np.where(same, fa, fb)
            b, fb = np.where(same, b, a), np.where(same, fb, fa)
            a, fa = x, fx
            better = np.abs(fa) < np.abs(fb)
            root = np.where(better, a, b)
            smallest = 2 * np.finfo(float).eps * np.abs(root) / np.abs(b - a)
            # A bracket of no width has smallest = infinity or NaN.
            if (~(smallest < 0.5) | (np.where(better, fa, fb) == 0)).all():
                break
            xi, phi = (a - b) / (c - b), (fa - fb) / (fc - fb)
            smooth = (phi**2 < xi) & ((1 - phi) ** 2 < 1 - xi)
            quadratic = fa / (fb - fa) * fc / (fb - fc) + (c - a) / (b - a) * fa / (fc - fa) * fb / (fc - fb)
            step = np.where(smooth & np.isfinite(quadratic), quadratic, 0.5)
            step = np.clip(step, np.fmin(smallest, 0.5), np.fmax(1 - smallest, 0.5))
    return root


def newton_pairs(f, x, tol):
    """(x, found): pairs of positive numbers, the columns of x, with both rows of f(x) at most `tol` in size.

    f maps (2, n) to (2, n), column by column; derivatives are finite differences. A column that was not found holds
    the last trial.
    """
    x = np.array(x, dtype=float)
    with np.errstate(all="ignore"):
        for _ in range(_NEWTON_STEPS):
            values, step = f(x), 1e-7 * x
            found = np.abs(values).max(axis=0) <= tol
            if found.all():
                break
            (a, c), (b, d) = ((f(x + step * side[:, None]) - values) / step[k] for k, side in enumerate(np.eye(2)))
            change = np.array([d * values[0] - b * values[1], a * values[1] - c * values[0]]) / (a * d - b * c)
            change = np.where(np.isfinite(change), change, 0.0)
            x = np.where(found, x, np.maximum(x - change, x / 4))
    return x, found
