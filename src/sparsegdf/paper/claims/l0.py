"""Claims about the exact l0 search (section 8) and about one-step RSB (section 5.3); alpha = 0.5, m_y = 0."""

import numpy as np
import pandas as pd
from scipy.stats import chi2

from sparsegdf.paper.claims.bp_examples import previous
from sparsegdf.paper.claims.choices import chosen
from sparsegdf.paper.claims.outcomes import Outcome, agreement, every, identity, larger
from sparsegdf.paper.claims.simulated import EXAMPLES
from sparsegdf.paper.claims.verdict import OURS, Claim, Undecided, of_the_paper, tables_of, within
from sparsegdf.paper.experiments.l0_summaries import extrapolate
from sparsegdf.penalties.l0 import L0
from sparsegdf.theory.one_step_rsb import solve_l0_1rsb
from sparsegdf.theory.replica_symmetric import rs_curve, solve_rs
from sparsegdf.theory.s1_branch import s1_end

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
    return larger(gap, se, "growth of df from one N to the next at δ = 0.2")


def on_s1(evidence, runs=None):
    """The exact points at which RS has its solution S1, with its df as column `rs`."""
    table = sizes(evidence, runs)
    table = table[table.delta < s1_end(L0(), alpha=0.5)]
    return table.assign(rs=rs_curve(L0(), alpha=0.5, deltas=table.delta).df.to_numpy())


def below_rs(evidence):
    """The exact df stays below RS at every N and K on S1."""
    table = on_s1(evidence)
    return larger(table.rs - table.df, table.df_se, "RS - exact", table.delta)


def limit_range(evidence, delta):
    """The lowest and highest N -> infinity limit of the exact df, a text of each, and the sizes.

    The range is over the forms of extrapolation that fit, each with three standard errors on either side.
    """
    table = sizes(evidence)
    at = table[np.abs(table.delta - delta) < 1e-9]
    if len(at) < 3:
        raise Undecided(f"{len(at)} sizes with exactly δ = {delta}")
    fits = extrapolate(at)
    fits = fits[chi2.sf(fits.chi2, fits.dof) > chosen("noise")]
    if fits.empty:
        raise Undecided("no form of extrapolation fits")
    low, high = (fits.limit - 3 * fits.limit_se).min(), (fits.limit + 3 * fits.limit_se).max()
    each = ", ".join(f"{fit.form} {fit.limit:.4f}({fit.limit_se:.4f})" for fit in fits.itertuples())
    return low, high, each, f"δ = {delta:g}, N = {at.N.min()} to {at.N.max()}"


def limit_is(target, delta):
    """Whether all limits of the exact df lie within a symbol of a theory; None if only some do."""

    def check(evidence):
        (low, high, each, part), expected = limit_range(evidence, delta), target(delta)
        far = max(expected - low, high - expected)
        apart = max(low - expected, expected - high, 0.0)
        size = chosen("symbol")
        holds = True if far <= size else False if apart > 0 else None
        why = "" if holds is not None else "the forms of extrapolation that fit do not tell"
        measured = f"{low:.3f} to {high:.3f} against {expected:.4f} ({each})"
        return Outcome(holds, measured, f"± {size:g}", why, f"{size:g} in df", part, high - expected)

    return check


def limit_below(target, delta):
    """Whether all limits of the exact df lie below a theory."""

    def check(evidence):
        (low, high, each, part), expected = limit_range(evidence, delta), target(delta)
        measured = f"{low:.3f} to {high:.3f} against {expected:.4f} ({each})"
        return Outcome(high < expected, measured, "below", effect="the sign", part=part, value=high - expected)

    return check


def one_step_in_range(evidence):
    """Whether the df of one-step RSB lies in the range of the limits at delta = 0.1 and 0.2."""
    found = {}
    for delta in (0.1, 0.2):
        (low, high, _, part), expected = limit_range(evidence, delta), one_step_df(delta)
        inside = min(expected - low, high - expected)
        measured = f"{low:.3f} to {high:.3f} against {expected:.4f}"
        found[f"δ = {delta}"] = Outcome(inside >= 0, measured, "in the range", "", "the range", part, inside)
    return every(found)


def rs_df(delta):
    return solve_rs(L0(), alpha=0.5, delta=delta).df


def one_step_df(delta):
    return solve_l0_1rsb(alpha=0.5, delta=delta).df


def approximates(evidence):
    """RS is nearer to the exact df at the largest N of the paper than delta, the count of non-zeros, is."""
    table, times = on_s1(evidence, ("n50",)), chosen("nearer")
    off = table.rs / table.df - 1
    gain = times * (table.df - table.delta).abs() - (table.rs - table.df).abs()
    outcome = larger(gain, (1 + times) * table.df_se, "gain on δ", table.delta)
    return outcome._replace(measured=f"RS is {off.min():.0%} to {off.max():.0%} off; {outcome.measured}")


def err_pre_approximates(evidence):
    """The same for the prediction error at m_y = 0, sigma = 1, against the criterion that counts non-zeros.

    The exact err_pre is err_train + 2 df = 1 + df, since err_train = 1 - df for a projection; RS has the same form.
    Counting non-zeros gives err_train + 2 delta.
    """
    table, times = on_s1(evidence, ("n50",)), chosen("nearer")
    off, counted = (table.rs - table.df).abs(), 2 * (table.df - table.delta).abs()
    outcome = larger(times * counted - off, (1 + 2 * times) * table.df_se, "gain on counting", table.delta)
    share = (off / (1 + table.df)).max()
    return outcome._replace(measured=f"RS is up to {share:.0%} off in err_pre; {outcome.measured}")


def small_delta(evidence):
    """The relative growth of df from N = 20 to N = 40 falls from delta = 0.1 to 0.4."""
    table = sizes(evidence, ("n20", "n40"))
    growth, errors = [], []
    for delta in (0.1, 0.2, 0.3, 0.4):
        small, large = (table[(table.N == N) & (np.abs(table.delta - delta) < 1e-9)] for N in (20, 40))
        if len(small) != 1 or len(large) != 1:
            raise Undecided(f"no K with δ = {delta} at N = 20 and 40")
        ratio = large.df.item() / small.df.item()
        growth.append(ratio - 1)
        errors.append(np.hypot(large.df_se.item(), ratio * small.df_se.item()) / small.df.item())
    shown = ", ".join(f"{g:.1%}({e:.1%})" for g, e in zip(growth, errors, strict=True))
    outcome = larger([growth[0] - growth[-1]], [np.hypot(errors[0], errors[-1])], "fall")
    return outcome._replace(measured=f"growth of df from N = 20 to 40 at δ = 0.1, .., 0.4: {shown}")


def exact_greater(evidence):
    table = sizes(evidence, PAPER)
    table = table[table.delta < 1]
    return larger(table.df - table.delta, table.df_se, "df - δ", table.delta)


def divergence(evidence):
    """The exact df minus delta, which is the divergence of a least-squares fit to a support that does not move."""
    table = sizes(evidence, PAPER)
    return agreement(table.df - table.delta, table.df_se, table.delta)


ONE_STEP = (0.05, 0.1, 0.2)


def one_step_form(_):
    """df minus (rho + omega)/alpha = chi/(1 + chi), the response within a state of the one-step RSB solution."""
    points = [solve_l0_1rsb(alpha=0.5, delta=delta) for delta in ONE_STEP]
    gaps = [point.df - point.chi / (1 + point.chi) for point in points]
    measured = f"df - (δ + ω/α) = {', '.join(f'{g:.3f}' for g in gaps)} at δ = 0.05, 0.1, 0.2"
    worst = max(map(abs, gaps))
    return Outcome(worst < 1e-6, measured, "1e-06", effect="any beyond rounding", value=worst)


def one_step_response(_):
    """df minus chi_tot/(1 + chi_tot), chi_tot the response of the estimate to a field, switching included."""
    points = [solve_l0_1rsb(alpha=0.5, delta=delta) for delta in ONE_STEP]
    total = np.array([whole_response(point) for point in points])
    jumps = [point.mu * (point.q1 - point.q0) * (1 - point.df) / (1 + point.chi) for point in points]
    terms = [f"{p.delta:g} + {p.chi / (1 + p.chi) - p.delta:.4f} + {s:.4f} = {p.df:.4f}"
             for p, s in zip(points, jumps, strict=True)]  # fmt: skip
    outcome = identity(total / (1 + total) - [point.df for point in points], 1e-4)
    return outcome._replace(measured=f"{outcome.measured}: {', '.join(terms)}")


def whole_response(point):
    """chi_tot = (1/alpha) d/dh int Dz <x>, by parts int Dz z <x> / (alpha sqrt(chi_hat0)), on plain grids.

    <x> is the average over t with weight exp(mu phi(h)), h = sqrt(chi_hat0) z + sqrt(chi_hat1 - chi_hat0) t. A field
    moves x within a state (chi) and the weights of the states (mu (q1 - q0)): chi_tot = chi + mu (q1 - q0).
    """
    z, t = np.linspace(-9, 9, 1501), np.linspace(-18, 18, 4001)  # exp(mu phi) widens the weight of t
    mean = np.empty_like(z)
    for k, field in enumerate(np.sqrt(point.chi_hat0) * z):
        h = field + np.sqrt(point.chi_hat1 - point.chi_hat0) * t
        phi = np.maximum(h**2 / (2 * point.Q_hat) - point.eta, 0)
        log_weight = point.mu * phi - t**2 / 2
        weight = np.exp(log_weight - log_weight.max())
        mean[k] = (weight * np.where(phi > 0, h / point.Q_hat, 0)).sum() / weight.sum()
    normal = np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi) * (z[1] - z[0])
    return (normal * z * mean).sum() / (point.alpha * np.sqrt(point.chi_hat0))


_BELOW = "it approaches a limit below RS"
_SWITCH = "the switching between states is a discontinuity, too: df = δ + ω/α + μ(q₁-q₀)/[(1+χ)B]"

CLAIMS = within("α = 0.5, m_y = 0, fixed K; N = 20, 30, 50", [
    Claim("exact-grows", "Sec. 8, Fig. L0_exhaustive", "The exact GDF approaches RS as N grows from 20 to 50.",
          "approaches", "l0/n20, n30, n50: df at δ = 0.2", approaches),
    Claim("exact-below", OURS,
          "It does so from below. As N → ∞ this is a theorem (Gordon): err_train ≥ σ²(1 - (ρ+ω)/α), so df ≤ RS.",
          "a theorem", "l0/*: RS - exact at every K on S1", below_rs, domain="every N and K on S1, δ < 0.248"),
    *(Claim(f"exact-limit-{number}", "Sec. 8", f"As N grows it approaches RS, δ = {delta}.", "approaches",
            f"l0/*: extrapolations at δ = {delta} in 1/N, ln N/N, N^(-2/3) and N^(-1/2)", limit_is(rs_df, delta),
            _BELOW, limit_below(rs_df, delta), domain=f"N → ∞ at δ = {delta}")
      for number, delta in ((1, 0.1), (2, 0.2))),
    Claim("one-step-limit", OURS, "One-step RSB lies in the range of the extrapolations.", "in the range",
          "l0/*: the same extrapolations", one_step_in_range, domain="N → ∞ at δ = 0.1 and 0.2"),
    Claim("rs-approximates", "Sec. 8", "RS approximates the exact GDF: it is nearer than δ.", "approximates",
          "l0/n50: |exact - δ| - |RS - exact| on S1", approximates, domain="N = 50, S1"),
    Claim("err-pre-unstable", "Sec. 9", "Where RS is unstable its prediction error still approximates the true one.",
          "meaningful", "l0/n50: |RS - exact| in err_pre against the criterion that counts non-zeros",
          err_pre_approximates, domain="l0, of which RS is nowhere stable; N = 50, S1, m_y = 0"),
    Claim("exact-small-delta", "Sec. 8", "The finite-size effects are intense at small δ.", "small δ",
          "l0/n20, n40: relative growth of df with N at four values of δ", small_delta, domain="δ = 0.1 to 0.4"),
    Claim("exact-greater", "Sec. 5.3", "The exact GDF of l0 is greater than δ.", "df > δ", "l0/n20, n30, n50: df - δ",
          exact_greater, domain="N = 20, 30, 50; 0 < δ < 1"),
    Claim("ye-form", "eq. (GDF_Ye)", "GDF is the expected divergence of the fit.", "another expression",
          "l0/n20, n30, n50: df - δ, δ being the divergence at fixed K", divergence,
          "if the fit has no jumps: elastic net, Example 1", previous(EXAMPLES[1], "elastic_net", "stein"),
          domain="any fit with a finite variance; tested for l0 and the elastic net"),
    Claim("one-step-form", "Sec. 5.3", "In one-step RSB, too, df is δ plus the term of the discontinuity.",
          "df = δ + ω/α", "one_step_rsb: df against χ/(1+χ) and against the whole response, by quadrature",
          one_step_form, _SWITCH, one_step_response, domain="one-step RSB at zero complexity, δ = 0.05, 0.1, 0.2"),
])  # fmt: skip
