"""The tables behind the theory figures. They depend only on numbers and penalties."""

from itertools import combinations

import numpy as np
import pandas as pd

from sparsegdf.penalties.registry import make_penalty
from sparsegdf.theory.prediction_error import crossings, lowest
from sparsegdf.theory.replica_symmetric import rs_curve, solve_rs
from sparsegdf.theory.s1_branch import branch_beyond_s1, rs_stable_range, s1_end, s1_largest_delta

_BESIDE = 1e-9  # Rows keep this distance from the ends of S1, so that rounding does not decide on their branch.


def single_body_table(panels, *, alpha, mean, variance, z_max):
    """x*(z) at the RS saddle point of each panel {penalty: block, eta}, with its thresholds in units of z.

    One row per panel and z; a jump has two rows at neighbouring z. `unregularised` is h/Q_hat.
    """
    tables = []
    for number, panel in enumerate(panels):
        penalty = make_penalty(**panel["penalty"])
        saddle = solve_rs(penalty, alpha=alpha, eta=panel["eta"], mean=mean, variance=variance)
        if saddle.branch != "S1":
            raise ValueError(
                f"{penalty} at eta = {panel['eta']:g}, alpha = {alpha:g} has no S1: there is nothing to draw"
            )
        s = np.sqrt(saddle.chi_hat)
        start = np.unique(penalty.segments(saddle.Q_hat, panel["eta"]).start)
        thresholds = start / s
        beyond = np.nextafter(thresholds, np.inf)
        while (short := s * beyond <= start).any():  # rounded back onto the threshold
            beyond[short] = np.nextafter(beyond[short], np.inf)
        sides = np.concatenate([np.nextafter(thresholds, -np.inf), beyond])
        z = np.unique(np.concatenate([np.linspace(-z_max, z_max, 401), sides, -sides]))
        x, _ = penalty.estimate(s * z, saddle.Q_hat, panel["eta"])
        table = pd.DataFrame({"panel": number, "z": z, "x": x, "unregularised": s * z / saddle.Q_hat})
        for k in range(3):
            table[f"threshold_{k + 1}"] = thresholds[k] if k < len(thresholds) else np.nan
        columns = {
            "Q_hat": saddle.Q_hat,
            "chi_hat": saddle.chi_hat,
            "delta": saddle.delta,
            "residual": saddle.residual,
        }
        tables.append(table.assign(**columns, rs_stable=saddle.rs_stable, branch=saddle.branch))
    return pd.concat(tables, ignore_index=True)


def rs_table(penalties, *, alpha, deltas, mean, variance):
    """The RS solution of each named penalty block on the grid `deltas` and at its special points, along its curve.

    Rows go up to the largest delta of S1, then from its turning point back to its end (beyond_turning), then
    continue beyond S1. The column `penalty` has the name; at_delta, s1_largest_delta and s1_end repeat the special
    deltas (NaN if there is none).
    """
    tables = []
    for name, block in penalties.items():
        penalty, problem = make_penalty(**block), {"alpha": alpha, "mean": mean, "variance": variance}
        stable = rs_stable_range(penalty, **problem)
        largest, end = s1_largest_delta(penalty, **problem), s1_end(penalty, **problem)
        sides = (largest - _BESIDE, largest + _BESIDE) if largest + _BESIDE < deltas[-1] else ()
        back = _from_turning_to_end(largest, end)
        special = np.array([*sides, *back, *(stable or ())])
        inside = special[(special >= deltas[0]) & (special <= deltas[-1])]
        curve = rs_curve(penalty, deltas=np.unique(np.concatenate([deltas, inside])), **problem)
        parts = [curve[curve.delta < largest].assign(beyond_turning=False)]
        if back.size and sides:
            tail = rs_curve(penalty, deltas=back, beyond_turning=True, **problem)
            parts.append(tail.assign(beyond_turning=True))
        parts.append(curve[curve.delta >= largest].assign(beyond_turning=False))
        columns = {"at_delta": stable[1] if stable else np.nan, "s1_largest_delta": largest, "s1_end": end}
        tables.append(pd.concat(parts).assign(penalty=name, **columns))
    return pd.concat(tables, ignore_index=True)


def _from_turning_to_end(largest, end):
    """Deltas from the turning point of S1 to its end, denser near the turning point; empty if S1 does not turn."""
    if largest - end < 3 * _BESIDE:
        return np.array([])
    return largest - _BESIDE - (largest - end - 2 * _BESIDE) * np.linspace(0, 1, 25) ** 2


def panel_curves(settings, *, mean, variance):
    """rs_table for penalties that each have their own alpha: `settings` is {name: {penalty, alpha}}."""
    deltas = np.linspace(0.005, 1, 200)
    tables = []
    for name, setting in settings.items():
        alpha = setting["alpha"]
        reachable = deltas[deltas <= min(1, 1 / alpha)]
        table = rs_table({name: setting["penalty"]}, alpha=alpha, deltas=reachable, mean=mean, variance=variance)
        tables.append(table.assign(alpha=alpha))
    return pd.concat(tables, ignore_index=True)


def prediction_marks(penalties, *, alpha, deltas, mean, variance):
    """Minima of err_pre over delta for each penalty, and crossings of each pair: found by root finding.

    Rows (kind, first, second, delta, err_pre); `second` is empty for a minimum.
    """
    problem = {"alpha": alpha, "mean": mean, "variance": variance}
    made = {name: make_penalty(**block) for name, block in penalties.items()}
    rows = [("minimum", name, "", *lowest(penalty, deltas, **problem)) for name, penalty in made.items()]
    for first, second in combinations(made, 2):
        found = crossings(made[first], made[second], deltas, **problem)
        rows += [("crossing", first, second, *point) for point in found]
    return pd.DataFrame(rows, columns=["kind", "first", "second", "delta", "err_pre"])


def threshold_table(settings, *, mean, variance):
    """For each setting {name, penalty, alpha}: the RS-stable range, the largest delta of S1, and its end."""
    rows = []
    for setting in settings:
        penalty, alpha = make_penalty(**setting["penalty"]), setting["alpha"]
        problem = {"alpha": alpha, "mean": mean, "variance": variance}
        stable = rs_stable_range(penalty, **problem)
        largest, end = s1_largest_delta(penalty, **problem), s1_end(penalty, **problem)
        turns = largest - end > 3 * _BESIDE
        at_largest = solve_rs(penalty, delta=largest - _BESIDE, **problem)
        at_end = solve_rs(penalty, delta=end + _BESIDE, beyond_turning=True, **problem) if turns else at_largest
        rows.append(
            {
                "penalty": setting["name"],
                "a": getattr(penalty, "a", np.nan),
                "lam": getattr(penalty, "lam", np.nan),
                "alpha": float(alpha),
                "stable_from": stable[0] if stable else np.nan,
                "at_delta": stable[1] if stable else np.nan,
                "s1_largest_delta": largest,
                "df_at_largest_delta": at_largest.df,
                "s1_end": end,
                "df_at_s1_end": at_end.df,
                "branch_beyond": branch_beyond_s1(penalty, **problem),
                "residual": max(at_largest.residual, at_end.residual),
            }
        )
    return pd.DataFrame(rows)
