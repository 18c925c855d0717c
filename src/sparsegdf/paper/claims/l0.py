"""Claims about the exact l0 search (section 8) and about one-step RSB (section 5.3); alpha = 0.5, m_y = 0."""

import numpy as np
import pandas as pd

from sparsegdf.paper.claims.verdict import Claim, Finding, Undecided, larger, of_the_paper, tables_of
from sparsegdf.paper.experiments.l0_summaries import extrapolate
from sparsegdf.penalties.l0 import L0
from sparsegdf.theory.one_step_rsb import solve_l0_1rsb
from sparsegdf.theory.replica_symmetric import rs_curve, solve_rs

PAPER = ("n20", "n30", "n50")


def sizes(evidence, runs=None):
    """The exact points of these runs of the l0 search (all by default), in one table."""
    identities = [{"run": run} for run in runs] if runs else [{}]
    found = [table for identity in identities for table in tables_of(evidence, kind="l0_sizes", **identity)]
    tables = [of_the_paper(table, alpha=0.5).assign(N=table.attrs["N"]) for table in found]
    table = pd.concat(tables, ignore_index=True)
    return table[table.exact & (table.K > 0)]


def approaches(evidence):
    """df at delta = 0.2 grows with N: 20, 30, 50 (K = 2, 3, 5)."""
    table = sizes(evidence, PAPER)
    at = table[np.abs(table.delta - 0.2) < 1e-9].sort_values("N")
    gap = np.diff(at.df)
    se = np.hypot(at.df_se[1:].to_numpy(), at.df_se[:-1].to_numpy())
    return larger(gap, se, "growth of df from one N to the next at δ = 0.2", level=3.0)


def below_rs(evidence):
    """The exact df stays below RS at every N and K on S1."""
    table = sizes(evidence)
    table = table[table.delta <= 0.24]
    rs = rs_curve(L0(), alpha=0.5, deltas=table.delta).df.to_numpy()
    return larger(rs - table.df, table.df_se, "RS - exact", level=3.0)


def limit_is(target, delta):
    """Compare the N -> infinity limit of the exact df at this delta, in the form that fits best, with a theory."""

    def check(evidence):
        table = sizes(evidence)
        at = table[np.abs(table.delta - delta) < 1e-9]
        if len(at) < 3:
            raise Undecided(f"{len(at)} sizes with exactly δ = {delta}")
        fit = extrapolate(at).sort_values("chi2").iloc[0]
        expected = target(delta)
        z = (fit.limit - expected) / fit.limit_se
        fitted = f"{fit.form}, χ² = {fit.chi2:.1f}/{fit.dof:.0f}"
        measured = f"{fit.limit:.4f}({fit.limit_se:.4f}) against {expected:.4f}, z = {z:+.1f} ({fitted})"
        if fit.limit_se > 0.01:
            return Finding(None, measured, "|z| ≤ 3", "the limit is not sharp enough")
        return Finding(abs(z) <= 3, measured, "|z| ≤ 3")

    return check


def rs_df(delta):
    return solve_rs(L0(), alpha=0.5, delta=delta).df


def approximates(evidence):
    """RS against the exact df at the largest N of the paper, relative to df, for delta on S1."""
    table = sizes(evidence, ("n50",))
    table = table[table.delta <= 0.24]
    off = rs_curve(L0(), alpha=0.5, deltas=table.delta).df.to_numpy() / table.df - 1
    measured = f"RS is {off.min():.0%} to {off.max():.0%} above the exact df at N = 50"
    return Finding(None, measured, "", "the paper does not say how close an approximation is")


def small_delta(evidence):
    """The relative growth of df from N = 20 to N = 40 falls from delta = 0.1 to 0.4."""
    table = sizes(evidence, ("n20", "n40"))
    growth, errors = [], []
    for delta in (0.1, 0.2, 0.3, 0.4):
        small, large = (table[(table.N == N) & (np.abs(table.delta - delta) < 1e-9)] for N in (20, 40))
        if len(small) != 1 or len(large) != 1:
            raise Undecided(f"no K with δ = {delta} at N = 20 and 40")
        growth.append(large.df.item() / small.df.item() - 1)
        errors.append(np.hypot(large.df_se.item(), small.df_se.item()) / small.df.item())
    fall = growth[0] - growth[-1]
    shown = ", ".join(f"{g:.1%}({e:.1%})" for g, e in zip(growth, errors, strict=True))
    z = fall / np.hypot(errors[0], errors[-1])
    holds = True if z > 3 else False if z < -3 else None
    return Finding(
        holds, f"growth of df from N = 20 to 40 at δ = 0.1, .., 0.4: {shown}", "falling, z > 3", f"z = {z:+.1f}"
    )


def exact_greater(evidence):
    table = sizes(evidence, PAPER)
    table = table[table.delta < 0.9]
    return larger(table.df - table.delta, table.df_se, "df - δ")


def one_step_form(_):
    """df = 1 - 1/B against (rho + omega)/alpha = chi/(1 + chi) of the one-step RSB solution."""
    points = [solve_l0_1rsb(alpha=0.5, delta=delta) for delta in (0.05, 0.1, 0.2)]
    gaps = [point.df - point.chi / (1 + point.chi) for point in points]
    measured = f"df - (δ + ω/α) = {', '.join(f'{g:.3f}' for g in gaps)} at δ = 0.05, 0.1, 0.2"
    why = "ω is that of one state; the response between states is missing from this sum"
    return Finding(max(map(abs, gaps)) < 1e-6, measured, "1e-06", why)


CLAIMS = [
    Claim("exact-grows", "Sec. 8, Fig. L0_exhaustive", "The exact GDF approaches RS as N grows from 20 to 50.",
          "approaches", "l0/n20, n30, n50: df at δ = 0.2", approaches),
    Claim("exact-below", "Sec. 8", "It does so from below.", "below", "l0/*: RS - exact at every K on S1", below_rs),
    Claim("exact-limit-1", "Sec. 8", "Its limit is RS, δ = 0.1.", "RS", "l0/*: extrapolation in N at δ = 0.1",
          limit_is(rs_df, 0.1), "the limit is one-step RSB",
          limit_is(lambda delta: solve_l0_1rsb(alpha=0.5, delta=delta).df, 0.1)),
    Claim("exact-limit-2", "Sec. 8", "Its limit is RS, δ = 0.2.", "RS", "l0/*: extrapolation in N at δ = 0.2",
          limit_is(rs_df, 0.2), "the limit is one-step RSB",
          limit_is(lambda delta: solve_l0_1rsb(alpha=0.5, delta=delta).df, 0.2)),
    Claim("rs-approximates", "Sec. 8", "RS approximates the exact GDF at N = 50.", "approximates",
          "l0/n50: RS/exact - 1 on S1", approximates),
    Claim("exact-small-delta", "Sec. 8", "The finite-size effects are intense at small δ.", "small δ",
          "l0/n20, n40: relative growth of df with N at four values of δ", small_delta),
    Claim("exact-greater", "Sec. 5.3", "The exact GDF of l0 is greater than δ.", "df > δ", "l0/n20, n30, n50: df - δ",
          exact_greater),
    Claim("one-step-form", "Sec. 5.3", "In one-step RSB, too, df is δ plus the term of the jump.", "df = δ + ω/α",
          "one_step_rsb: df - χ/(1+χ)", one_step_form),
]  # fmt: skip
