"""Every claim can be lost: its evidence is changed, by ten tolerances or by a swap, and its verdict turns.

THEORY and TABLES have one entry for each claim. Claims that look at tables begin with made-up tables on which they hold; claims
that compute from the theory begin with the theory, of which one result is changed.
"""

import inspect
from dataclasses import replace
from fnmatch import fnmatchcase
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import test_claims_predictors
from made_up_evidence import (
    bp_l0,
    bp_table,
    examples_of_sizes,
    l0_runs,
    l0_sizes,
    made_with,
    stable_theory,
    whole_run,
)

from sparsegdf.ensembles.iid import IID
from sparsegdf.paper.claims import curves, l0, l1_elastic_net, prediction, registry
from sparsegdf.paper.claims import simulated as sim
from sparsegdf.paper.claims.registry import CLAIMS
from sparsegdf.paper.claims.verdict import decide

MODULES = (curves, *filter(inspect.ismodule, vars(registry).values()))
CACHED = (curves.curve, prediction.best_delta, prediction.crossing, l1_elastic_net.l2_trace)


# --- changes of the theory -----------------------------------------------------------------------------------------


def everywhere(name, changed):
    """Replace a function in each module of claims that imports it; `changed` takes the true one."""

    def patch(monkeypatch):
        for module in MODULES:
            if hasattr(module, name):
                monkeypatch.setattr(module, name, changed(getattr(module, name)))

    return patch


def constant(name, value):
    return everywhere(name, lambda _: lambda *args, **options: value)


def shifted(name, by):
    return everywhere(name, lambda true: lambda *args, **options: true(*args, **options) + by)


def saddle(**changes):
    """Change columns of the RS solution: each by a number, or to what a function makes of the solution."""

    def new(point):
        return {c: by(point) if callable(by) else point[c] + by for c, by in changes.items()}

    def patch(monkeypatch):
        everywhere("rs_curve", lambda true: lambda *a, **k: (t := true(*a, **k)).assign(**new(t)))(monkeypatch)
        everywhere("solve_rs", lambda true: lambda *a, **k: replace(p := true(*a, **k), **new(vars(p))))(monkeypatch)

    return patch


def only_iid_is_right(true):
    return lambda *a, predictors, **k: (t := true(*a, predictors=predictors, **k)).assign(
        df=t.df + (0.0 if isinstance(predictors, IID) else 0.01)
    )


def one_eta2_for_all(monkeypatch):
    constant("best_delta", 0.170)(monkeypatch)
    everywhere("crossing", lambda _: lambda _, other: 0.028 if other == prediction.SCAD8 else 0.045)(monkeypatch)
    monkeypatch.setattr(prediction, "brentq", lambda *args, **options: 0.3)


def misprinted(monkeypatch):
    everywhere("printed_maximiser", lambda true: lambda *args: true(*args) + 0.1)(monkeypatch)


AS_DELTA = saddle(df=lambda point: point["delta"])
THEORY = {
    "single-body-*": misprinted,
    "scad-pieces": saddle(Q_hat=-0.2),
    "l1-df": saddle(df=0.01),
    "l1-solution": saddle(chi=0.01),
    "*-err-train": saddle(chi_hat=0.01),
    "fraction-erfc": saddle(eta=0.01),
    "*-pi": saddle(free_energy=0.01),
    "l1-free-energy": saddle(penalty_mean=0.01),
    "l1-at": constant("rs_stable_range", (0.0, 0.99)),
    "en-at": constant("rs_stable_range", (0.0, 0.99)),
    "en-df": saddle(df=0.01),
    "en-saddle": saddle(Q=0.01),
    "en-at-form": saddle(at=0.01),
    "en-free-energy": saddle(free_energy=0.01),
    "en-less": AS_DELTA,
    "en-to-l1": saddle(df=0.01),
    "en-rescaled": shifted("rescaled_elastic_net_df", 0.01),
    "l2-df": constant("l2_trace", (0.92, 1e-5)),
    "l2-limit": constant("l2", SimpleNamespace(df=0.9)),
    "l0-solution": saddle(chi=0.01),
    "l0-df": saddle(df=0.01),
    "l0-free-energy": saddle(penalty_mean=0.01),
    "l0-condition": shifted("s1_end", 0.005),
    "l0-df-one": constant("s1_end", 0.2),
    "l0-at": saddle(eta=lambda point: 0 * point["delta"]),
    "l0-greater": AS_DELTA,
    "l0-err-pre": saddle(err_pre=0.01),
    "scad-saddle": saddle(Q=0.01),
    "scad-df": saddle(df=0.01),
    "scad-at-form": saddle(at=0.01),
    "scad-to-l1": saddle(df=0.01),
    "scad-at-to-l1": saddle(at=0.01),
    "scad-greater": AS_DELTA,
    "scad-pi4": saddle(df=0.01),
    "scad-s2": constant("branch_beyond_s1", "S3"),
    "scad-s2-a5": constant("branch_beyond_s1", "S3"),
    "scad-df-one": constant("s1_largest_delta", 0.3),
    "scad-s3-at": constant("rs_stable_range", (0.0, 1.0)),
    "l0-s1-end": shifted("s1_end", 0.005),
    "scad-at": constant("rs_stable_range", (0.0, 0.871)),
    "scad-s1-end": shifted("s1_end", 0.005),
    "scad-at-first": constant("rs_stable_range", (0.0, 0.93)),
    "min-l1": shifted("best_delta", 0.005),
    "min-en": constant("best_delta", 0.170),
    "min-scad": shifted("best_delta", 0.005),
    "min-l0": shifted("best_delta", 0.005),
    "delta1": shifted("crossing", 0.005),
    "delta2": shifted("crossing", 0.005),
    "one-eta2": one_eta2_for_all,
    "order-?": saddle(err_pre=lambda point: -point["err_pre"]),
    "stable-figure3": saddle(at=1.0),
    "scad-min-stable": constant("rs_stable_range", (0.0, 0.01)),
    "standardize": constant("best_delta", 0.1),
    "supports": constant("stationary_points", np.tril(np.ones((400, 60)))),
    "one-step-form": everywhere("solve_l0_1rsb", lambda true: lambda **k: replace(p := true(**k), df=p.df + 0.01)),
    "l0-one-curve": everywhere("rs_curve", only_iid_is_right),
}


# --- changes of tables ---------------------------------------------------------------------------------------------


def changed(where=None, **columns):
    """Change columns of the tables whose attrs have `where`: each by a number, or to what a function makes of them."""

    def change(evidence):
        return [made(table, columns) if _is(table, where or {}) else table for table in evidence]

    def made(table, columns):
        new = table.assign(**{c: by(table) if callable(by) else table[c] + by for c, by in columns.items()
                              if callable(by) or c in table})  # fmt: skip
        new.attrs = table.attrs
        return new

    return change


def _is(table, where):
    return all(
        table.attrs.get(name) in (value if isinstance(value, tuple) else (value,)) for name, value in where.items()
    )


def backwards(column):
    return changed(**{column: lambda table: table[column].to_numpy()[::-1] if column in table else 0.0})


def examples(gap):
    """Examples 1 and 2 with GDF - delta_eff = gap(delta), and their theory, stable at every level."""
    tables = [bp_table(example, name) for example in sim.EXAMPLES.values() for name in sim.SHOWN]
    tables = changed(gap_delta_eff=lambda table: gap(table.delta))(tables)
    return [*tables, *(stable_theory(example) for example in sim.EXAMPLES.values())]


def bp_region():
    table = pd.DataFrame({"figure": "figure5_example1", "fraction_converged": 1.0, "radius_1": [0.5, 2.0]})
    return [made_with(table.assign(radius_1_se=0.01), kind="bp_region")]


def exact(limit, **how):
    return lambda: l0_sizes(limit, **how)


def other_penalties():
    return test_claims_predictors.run()


def half_without_fixed_points():
    """The run in which half of the samples have no fixed point beyond delta = 0.5, where those that have one are off."""
    dense = {
        "gdf": lambda t: t.gdf + 0.2 * (t.delta > 0.5),
        "fraction_converged": lambda t: 1 - 0.5 * (t.delta > 0.5),
    }
    return changed({"block": ("figure4_bp_vs_rs", "near_at")}, **dense)(whole_run())


def in_examples(**columns):
    return changed({"design_name": ("example1", "example2")}, **columns)


OFF = changed(**dict.fromkeys(("gdf", "delta", "err_train", "gap_stein", "gap_delta_eff"), 0.2))
L0_ON_IID = {"design_name": "iid", "kind": "l0_predictors"}
CORRELATED = {"block": ("claims", "figure5_example1", "figure6_example2"), "kind": "summary"}
TABLES = {
    "bp-rs-[ab]": (whole_run, changed(gdf=0.2)),
    "bp-rs-[cd]": (half_without_fixed_points, changed({"block": "near_at"}, gdf_stationary=0.2)),
    "bp-to-rs-*": (whole_run, changed(gdf=0.1)),
    "eff-iid-*": (whole_run, changed(delta_eff=0.1)),
    "en-trace": (whole_run, changed(stein=0.1)),
    "bp-l0": (bp_l0, changed(fraction_converged=lambda table: 0.5)),
    "lars-cheaper": (whole_run, changed(steps_median=lambda table: 1.0)),
    "damping": (bp_region, changed(radius_1=lambda table: 0.5)),
    "eff-[12]-l1": (whole_run, changed(gap_delta_eff=0.2)),
    "eff-[12]-elastic_net": (whole_run, changed(gap_delta_eff=0.2)),
    "eff-[12]-scad_a5": (whole_run, changed(gap_delta_eff=0.2)),
    "eff-[12]-large": (lambda: examples(lambda delta: 0.05 * (delta > 0.5)), backwards("gap_delta_eff")),
    "finite-size-*": (lambda: examples_of_sizes(0.0), changed(gap_delta_eff=0.1)),
    "zou-*-l1": (whole_run, changed(gap_delta_eff_sum=0.1)),
    "zou-*-elastic_net": (whole_run, changed(gap_stein=0.1)),
    "consistent-*": (whole_run, changed(gap_delta_eff=0.2)),
    "scad-greater-[12]": (lambda: whole_run(0.1), changed(gdf=-0.2)),
    "[cT]-correspondence": (whole_run, changed(gap_delta_eff=0.2)),
    "[cT]-convergence": (lambda: whole_run(slow=1.5), changed(steps_median=lambda table: 100.0)),
    "worse-[12]": (lambda: whole_run(slow=1.5), in_examples(steps_median=lambda table: 10.0)),
    "worse-dense-[12]": (
        lambda: whole_run(slow=1.5),
        in_examples(steps_median=lambda table: 1e3 * (1 - table.delta)),
    ),
    "exact-grows": (exact(l0.rs_df), changed(df=lambda table: 1 - table.df)),
    "exact-below": (exact(l0.rs_df), changed(df=1.0)),
    "exact-limit-?": (exact(l0.rs_df, se=1e-4), changed(df=-0.2)),
    "one-step-limit": (exact(l0.one_step_df), changed(df=-0.2)),
    "rs-approximates": (exact(l0.rs_df), changed(df=lambda table: table.delta + 0.01)),
    "err-pre-unstable": (exact(l0.rs_df), changed(df=lambda table: table.delta + 0.01)),
    "exact-small-delta": (l0_runs, lambda _: l0_runs((0.05, 0.1, 0.2, 0.3))),
    "exact-greater": (exact(l0.rs_df), changed(df=lambda table: table.delta - 0.1)),
    "ye-form": (lambda: [*l0_sizes(l0.rs_df), *whole_run()], changed(gap_stein=0.1)),
    "theory-*": (other_penalties, OFF),
    "haar-*": (other_penalties, OFF),
    "cavity-*": (other_penalties, OFF),
    "corrected-*": (other_penalties, OFF),
    "sign-*": (other_penalties, changed(gap_delta_eff=lambda t: -t.gap_delta_eff if "gap_delta_eff" in t else 0.0)),
    "gaps-predicted": (other_penalties, changed(gap_delta_eff=0.2)),
    "l0-exact-row*": (other_penalties, changed(L0_ON_IID, df=0.1)),
    "l0-exact-ill*": (other_penalties, changed(L0_ON_IID, df=-0.1)),
}


def entry(mutations, id):
    return [mutation for pattern, mutation in mutations.items() if fnmatchcase(id, pattern)]


@pytest.fixture
def fresh():
    """The caches of the theory, empty before and after."""
    for cached in CACHED:
        cached.cache_clear()
    yield
    for cached in CACHED:
        cached.cache_clear()


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)
def test_the_verdict_turns_when_the_evidence_does(claim, monkeypatch, fresh):
    on_theory, on_tables = entry(THEORY, claim.id), entry(TABLES, claim.id)
    assert len(on_theory) + len(on_tables) == 1, "each claim has one mutation"
    if on_theory:
        before = decide(claim, [])
        for cached in CACHED:
            cached.cache_clear()
        on_theory[0](monkeypatch)
        after = decide(claim, [])
    else:
        made, mutate = on_tables[0]
        before, after = decide(claim, made()), decide(claim, mutate(made()))
        assert before["evidence"], "it looks at a table"
    assert before["verdict"].startswith("reproduced") or claim.id in ("min-en", "one-eta2"), before
    assert after["verdict"] not in (before["verdict"], "not decidable"), after
    assert after["statistic"]["measured"] != before["statistic"]["measured"]
