"""Claims decided from tables, and made-up tables of simulations on which they hold or are lost."""

import itertools
from functools import cache

import numpy as np
import pandas as pd

from sparsegdf.paper.claims import bp_examples, bp_iid
from sparsegdf.paper.claims import simulated as sim
from sparsegdf.paper.claims.document import as_frame
from sparsegdf.paper.claims.verdict import decide
from sparsegdf.theory.replica_symmetric import rs_curve, solve_rs

BP = [*bp_iid.CLAIMS, *bp_examples.CLAIMS]
BLOCKS = {
    "l1": {"kind": "l1"},
    "elastic_net": {"kind": "elastic_net", "eta2": 0.1},
    "scad_a5": {"kind": "scad", "a": 5, "lam": 1},
    "scad_a8_lam08": {"kind": "scad", "a": 8, "lam": 0.8},
    "scad_a6_lam09": {"kind": "scad", "a": 6, "lam": 0.9},
    "scad_a8_lam07": {"kind": "scad", "a": 8, "lam": 0.7},
}
curve, saddle_point = cache(rs_curve), cache(solve_rs)  # the made-up runs ask for the same again and again


def claims_table(claims, tables):
    """The claims decided from these tables, one row each."""
    return as_frame({"claims": [decide(claim, tables) for claim in claims]})


def made_with(table, **parameters):
    table.attrs = {"N": 1000, "alpha": 0.5, "mean": 0, "variance": 1, "seed": 20180621, **parameters}
    return table


def bp_table(simulated, name, gap=0.0, se=1e-3, alpha=0.5, N=1000, **columns):
    """A made-up summary of one simulation in which GDF - (any estimator) is `gap`."""
    delta = np.linspace(0.05, 0.9, 12)
    table = pd.DataFrame({"eta": 2 - 2 * delta, "delta": delta, "delta_se": se, "gdf": delta + gap, "gdf_se": se})
    for other in ("delta_eff", "delta_eff_sum", "stein"):
        table = table.assign(**{f"gap_{other}": gap, f"gap_{other}_se": se, other: delta, f"{other}_se": se})
    if name.startswith("scad"):  # else its levels are those of an estimate that jumps
        table["gap_stein"] = 0.0
    columns = {
        "err_train": 0.5,
        "err_train_se": se,
        "fraction_converged": 1.0,
        "iterated": 50,
        "steps_median": 100.0,
        "steps_median_se": 1.0,
        "samples": 400,
        "stationary": 400,
        "delta_stationary": delta,
        "delta_stationary_se": se,
        "gdf_stationary": delta + gap,
        "gdf_stationary_se": se,
    } | columns
    names = {"block": simulated.block, "design_name": simulated.design, "penalty_name": name}
    design, penalty = sim.DESIGNS[simulated.design], BLOCKS[name]
    return made_with(
        table.assign(**columns), kind="summary", **names, design=design, penalty=penalty, alpha=alpha, N=N
    )


def stable_theory(simulated, design=None):
    """A made-up theory of a design that is stable at every level of bp_table."""
    eta = bp_table(simulated, "l1").eta
    tables = [pd.DataFrame({"eta": eta, "penalty": name, "rs_stable": True, "delta": 0.5}) for name in sim.SHOWN]
    table = pd.concat(tables, ignore_index=True)
    design = design or sim.DESIGNS[simulated.design]
    return made_with(table, kind="limits", block=simulated.block, design=design)


def examples_of_sizes(limit, se=1e-3):
    """Made-up summaries of figure 9 with GDF - delta_eff = limit + 5/N, and their theory, stable at every level."""
    evidence = [
        bp_table(sim.Simulated("figure9_finite_size", example.design), name, limit + 5 / N, se, N=N)
        for N in (250, 500, 1000, 2000) for example in sim.EXAMPLES.values() for name in sim.SHOWN
    ]  # fmt: skip
    for table in evidence:
        if table.attrs["design_name"] == "example2":
            table.attrs["design"] = {"kind": "block", "T": table.attrs["N"] // 8}
    sizes = [table for table in evidence if table.attrs["N"] == 2000 and table.attrs["penalty_name"] == "l1"]
    return evidence + [
        stable_theory(sim.Simulated("figure9_finite_size", table.attrs["design_name"]), table.attrs["design"])
        for table in sizes
    ]


def whole_run(gap=0.0, slow=1.0):
    """Made-up summaries of every simulation on which GDF is RS + gap, or, on correlated designs, delta_eff + gap.

    BP takes `slow` times the steps on correlated designs, more so on the stronger of two and at larger delta.
    """
    evidence = []
    for name, alpha in {"scad_a5": 0.5, "scad_a8_lam08": 0.5, "scad_a6_lam09": 0.8, "scad_a8_lam07": 0.8}.items():
        for simulated, N in ((sim.FIGURE4, 200), (sim.NEAR_AT, 3000)):
            table = bp_table(simulated, name, gap, alpha=alpha, N=N)
            rs = curve(sim.PENALTIES[name], alpha=alpha, deltas=tuple(table.delta)).df.to_numpy()
            evidence.append(table.assign(gdf=rs + gap, gdf_stationary=rs + gap))
    (weak, strong), (few, many), iid = sim.OTHER_C, sim.OTHER_T, sim.IID
    everywhere = [*sim.EXAMPLES.values(), iid, weak, strong, few, many]
    for name, simulated in itertools.product(sim.SHOWN, everywhere):
        table = bp_table(simulated, name, 0.0 if simulated in (weak, few) else gap)
        if simulated == iid:
            saddles = [saddle_point(sim.PENALTIES[name], alpha=0.5, eta=eta) for eta in table.eta]
            for column, rs in (
                ("delta", "delta"),
                ("gdf", "df"),
                ("err_train", "err_train"),
                ("delta_eff", "df"),
                ("stein", "df"),
            ):
                table[column] = [getattr(saddle, rs) + gap for saddle in saddles]
        steps = 100.0 * slow ** (0 if simulated == iid else 2 if simulated in (strong, many) else 1)
        steeper = 1.0 if simulated == iid else 1 + (slow - 1) * table.delta
        evidence.append(table.assign(steps_median=steps * steeper))
    return evidence


def l0_sizes(limit, slope=-0.5, se=1e-3):
    """df = limit(delta) + slope ln N/N at delta = 0.1 and 0.2."""
    tables = []
    for N in (20, 30, 50, 80, 100):
        K = np.array([round(0.05 * N), round(0.1 * N)])
        df = [limit(d) + slope * np.log(N) / N for d in (0.1, 0.2)]
        table = pd.DataFrame({"K": K, "delta": [0.1, 0.2], "df": df, "df_se": se, "exact": True})
        tables.append(made_with(table, kind="l0_sizes", run=f"n{N}", N=N))
    return tables


def l0_runs(growth=(0.3, 0.2, 0.1, 0.05)):
    """df that grows with N from 20 to 40, the more the smaller delta is."""
    delta, tables = np.array([0.1, 0.2, 0.3, 0.4]), []
    for N, df in ((20, 2 * delta), (40, 2 * delta * (1 + np.array(growth)))):
        table = pd.DataFrame({"K": np.round(delta * N / 2), "delta": delta, "df": df, "df_se": 1e-3, "exact": True})
        tables.append(made_with(table, kind="l0_sizes", run=f"n{N}", N=N))
    return tables


def bp_l0(**parameters):
    """BP for l0 that converges undamped in a sparse model and damped in a dense one, not undamped in a dense one."""
    rows = [(1.0, 4.0, 0.8, 0.01), (1.0, 2.0, 0.0, np.nan), (0.5, 2.0, 0.6, 0.1)]
    table = pd.DataFrame(rows, columns=["damping", "eta", "fraction_converged", "delta"]).assign(samples=20)
    return [made_with(table, kind="bp_l0", **parameters)]
