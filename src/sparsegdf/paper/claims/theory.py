"""Claims about the RS theory (sections 4 to 6), at the parameters of the captions; alpha = 0.5 unless stated."""

from functools import cache

import numpy as np
import pandas as pd
from scipy.optimize import brentq
from scipy.special import erfc

from sparsegdf.paper.claims.verdict import Claim, Finding, every, identity, number, positive
from sparsegdf.penalties.elastic_net import ElasticNet
from sparsegdf.penalties.l0 import L0
from sparsegdf.penalties.l1 import L1
from sparsegdf.penalties.scad import SCAD
from sparsegdf.theory.prediction_error import crossings, lowest
from sparsegdf.theory.replica_symmetric import (
    branch_beyond_s1,
    rescaled_elastic_net_df,
    rs_curve,
    rs_stable_range,
    s1_end,
    s1_largest_delta,
    solve_rs,
)

ALPHA = 0.5
EN, SCAD8, SCAD5 = ElasticNet(eta2=0.1), SCAD(a=8, lam=1.0), SCAD(a=5, lam=1.0)
PENALTIES = {"l1": L1(), "elastic net": EN, "l0": L0(), "SCAD": SCAD8}
DELTAS = np.linspace(0.01, 0.99, 99)


@cache
def curve(penalty, mean=0.0):
    """The RS solution on a grid of delta, S1 only."""
    table = rs_curve(penalty, alpha=ALPHA, deltas=DELTAS, mean=mean)
    return table[table.branch == "S1"]


# --- closed forms --------------------------------------------------------------------------------------------------


def err_train_is_chi_hat(penalty):
    c = curve(penalty, mean=0.5)
    return identity(2 * (c.free_energy - c.penalty_mean) / ALPHA - c.chi_hat)


def l1_solution(_):
    """chi = rho/(alpha - rho) and Q = s2 tau_1/(alpha - tau_1)."""
    c = curve(L1(), mean=0.5)
    rho, theta = ALPHA * c.delta, c.eta / np.sqrt(2 * c.chi_hat)
    tau = (1 + 2 * theta**2) * rho - 2 * theta / np.sqrt(np.pi) * np.exp(-(theta**2))
    chi, Q = rho / (ALPHA - rho), 1.25 * tau / (ALPHA - tau)
    return identity(np.concatenate([c.chi / chi - 1, c.Q / Q - 1]))


def l0_solution(_):
    """chi_1 = (rho + omega)/(alpha - rho - omega), Q_1 = s2 chi_1."""
    c = curve(L0(), mean=0.5)
    weight = ALPHA * c.delta + l0_omega(c)
    return identity(np.concatenate([c.chi * (ALPHA - weight) / weight - 1, c.Q / (1.25 * c.chi) - 1]))


def l0_omega(c):
    theta = np.sqrt(c.eta * c.Q_hat / c.chi_hat)
    return 2 * theta / np.sqrt(np.pi) * np.exp(-(theta**2))


def scad_parts(c, penalty):
    """kappa = eta/(a-1) and pi_1 .. pi_4 as printed, on the points of a curve."""
    a, lam, (eta, Q_hat, chi_hat) = penalty.a, penalty.lam, (c[k].to_numpy() for k in ("eta", "Q_hat", "chi_hat"))
    t1, t2, t3 = (v / np.sqrt(2 * chi_hat) for v in (lam * eta, lam * (Q_hat + eta), a * lam * Q_hat))
    kappa, root = eta / (a - 1), 2 / np.sqrt(np.pi)
    p4 = erfc(t2) - erfc(t3)
    bracket = np.exp(-(t1**2)) + (Q_hat - eta) / eta * np.exp(-(t2**2))
    p1 = chi_hat / Q_hat * (-root * t1 * bracket + (1 + 2 * t1**2) * (erfc(t1) - erfc(t2)))
    u = kappa / Q_hat
    edges = (t2 - 2 * t3 * u) * np.exp(-(t2**2)) - (1 - 2 * u) * t3 * np.exp(-(t3**2))
    p2 = chi_hat / (Q_hat - kappa) * (root * edges + (1 + 2 * (u * t3) ** 2) * p4)
    p3 = chi_hat / Q_hat * (root * t3 * np.exp(-(t3**2)) + erfc(t3))
    return kappa, p1, p2, p3, p4, erfc(t3)


def scad_saddle_point(penalty):
    """Q, chi and rbar as printed."""
    c = curve(penalty, mean=0.5)
    kappa, p1, p2, p3, p4, flat = scad_parts(c, penalty)
    level = c.eta * penalty.lam**2
    Q = (p1 / c.Q_hat + p2 / (c.Q_hat - kappa) + p3 / c.Q_hat) / ALPHA
    chi = (ALPHA * c.delta + kappa / (c.Q_hat - kappa) * p4) / (ALPHA * c.Q_hat)
    rbar = ALPHA * c.chi * c.chi_hat - p1 - (1 + kappa / (2 * (c.Q_hat - kappa))) * p2 - p3
    rbar += level * ((penalty.a + 1) * flat / 2 - p4 / (2 * (penalty.a - 1)))
    return identity(np.concatenate([Q - c.Q, chi - c.chi, rbar - c.penalty_mean]))


def scad_df(penalty):
    c = curve(penalty)
    kappa, _, _, _, p4, _ = scad_parts(c, penalty)
    return identity(c.delta + kappa / (ALPHA * (c.Q_hat - kappa)) * p4 - c.df)


def scad_at(penalty):
    """The printed AT condition against the integral of (dx*/dh)^2."""
    c = curve(penalty)
    kappa, _, _, _, p4, _ = scad_parts(c, penalty)
    weight = ALPHA * c.delta / c.Q_hat**2 + ((c.Q_hat - kappa) ** -2 - c.Q_hat**-2) * p4
    return identity(weight / (ALPHA * (1 + c.chi) ** 2) - c["at"])


def elastic_net_df(_):
    return identity(curve(EN).delta * curve(EN).Q_hat / (curve(EN).Q_hat + EN.eta2) - curve(EN).df)


def elastic_net_free_energy(_):
    c = curve(EN, mean=0.5)
    common = ALPHA * (c.chi * c.chi_hat - c.Q * c.Q_hat)
    f = ALPHA * c.chi_hat / 2 + common - ALPHA * EN.eta2 * c.Q / 2
    rbar = common - ALPHA * EN.eta2 * c.Q / 2
    return identity(np.concatenate([f - c.free_energy, rbar - c.penalty_mean]))


def rescaled(_):
    points = [solve_rs(EN, alpha=ALPHA, delta=delta) for delta in (0.1, 0.5, 0.9)]
    return identity([rescaled_elastic_net_df(EN, point) - point.delta for point in points])


# --- limits --------------------------------------------------------------------------------------------------------


def shrinks(differences, what):
    """A limit: the largest difference falls at each step, and ends below 1e-3."""
    steps = np.array(differences)
    holds = bool((np.diff(steps) < 0).all() and steps[-1] < 1e-3)
    return Finding(
        holds, f"largest |difference| {', '.join(f'{d:.1e}' for d in steps)} for {what}", "falling, < 0.001"
    )


def scad_to_l1(_):
    tables = [rs_curve(SCAD(a=a, lam=1.0), alpha=ALPHA, deltas=np.linspace(0.05, 0.9, 18)) for a in (10, 100, 1e4)]
    return shrinks([np.abs(t.df - t.delta).max() for t in tables], "a = 10, 100, 10000")


def scad_at_to_l1(_):
    tables = [rs_curve(SCAD(a=a, lam=1.0), alpha=ALPHA, deltas=np.linspace(0.05, 0.9, 18)) for a in (10, 100, 1e4)]
    return shrinks([np.abs(t["at"] - t.delta).max() for t in tables], "a = 10, 100, 10000")


def elastic_net_to_l1(_):
    tables = [rs_curve(ElasticNet(eta2=e), alpha=ALPHA, deltas=np.linspace(0.05, 0.9, 18)) for e in (0.1, 1e-2, 1e-5)]
    return shrinks([np.abs(t.df - t.delta).max() for t in tables], "eta_2 = 0.1, 0.01, 0.00001")


def l2():
    """The solution without an l1 term, where every component is non-zero: delta = 1/alpha."""
    return solve_rs(EN, alpha=ALPHA, eta=0)


def l2_limit(_, dense=1.0):
    """df of l2 against df of the elastic net as delta goes to `dense`."""
    problem = {"alpha": ALPHA, "delta": dense} if dense <= 1 else {"alpha": ALPHA, "eta": 1e-9}
    return identity([solve_rs(EN, **problem).df - l2().df], 1e-6)


@cache
def l2_trace(samples=20, M=500, N=1000):
    """Mean and standard error of tr A(A'A + eta_2)^-1 A' / M over Gaussian A."""
    rng, values = np.random.default_rng(20180621), []
    for _ in range(samples):
        A = rng.normal(size=(M, N)) / np.sqrt(M)
        spectrum = np.linalg.eigvalsh(A @ A.T)
        values.append(np.mean(spectrum / (spectrum + EN.eta2)))
    return np.mean(values), np.std(values, ddof=1) / np.sqrt(samples)


def l2_df(_, factor=1.0):
    """factor Q_hat/(Q_hat + eta_2) against the trace."""
    (trace, se), Q_hat = l2_trace(), l2().Q_hat
    value = factor * Q_hat / (Q_hat + EN.eta2)
    return Finding(
        abs(value - trace) <= 3 * se + 5e-4, f"{value:.4f} against the trace {trace:.4f}({se:.4f})", "3 se + 0.0005"
    )


# --- stability and branches ----------------------------------------------------------------------------------------


def never_unstable(penalty):
    stable = [rs_stable_range(penalty, alpha=alpha) or (0.0, 0.0) for alpha in (0.3, 0.5, 0.8, 1.0)]
    end = min(high for _, high in stable)
    return Finding(end > 1 - 1e-9, f"stable up to δ = {end:.6g} at 4 values of α", "1")


def l0_at(_):
    at = curve(L0())["at"]
    return Finding(bool(np.isinf(at).all()), f"infinite at {np.isinf(at).sum()} of {len(at)} points", "all")


def l0_condition(_):
    """S1 ends where alpha = rho + omega."""
    t = brentq(lambda t: erfc(t) + 2 * t / np.sqrt(np.pi) * np.exp(-t * t) - ALPHA, 0.5, 5)
    return identity([erfc(t) / ALPHA - s1_end(L0(), alpha=ALPHA)], 1e-7)


def one_beyond(penalty):
    end = s1_largest_delta(penalty, alpha=ALPHA)
    beyond = rs_curve(penalty, alpha=ALPHA, deltas=np.linspace(end + 1e-6, 1, 20))
    return identity(beyond.df - 1)


def scad_condition(penalty):
    """alpha - rho - (..) pi_4 goes to zero at the end of S1, where df = 1 and Q is finite."""
    point, after = solve_rs(penalty, alpha=ALPHA, eta=1e-6), branch_beyond_s1(penalty, alpha=ALPHA)
    kappa, *_, p4, _ = scad_parts(pd.DataFrame([vars(point)]), penalty)
    margin = ALPHA - ALPHA * point.delta - (kappa / (point.Q_hat - kappa) * p4).item()
    return Finding(
        0 < margin < 1e-4 and after == "S2",
        f"α - ρ - .. π₄ = {margin:.1e} and Q = {point.Q:.3f} at η = 1e-6, then {after}",
        "0, S2",
    )


def s3_within_at(_):
    """For several SCAD settings: the smallest delta with S3 against the AT line."""
    margins = []
    for a, lam in ((5, 1.0), (6, 0.9), (8, 1.0), (4, 1.0)):
        penalty = SCAD(a=a, lam=lam)
        table = rs_curve(penalty, alpha=ALPHA, deltas=DELTAS)
        third = table[table.branch == "S3"].index
        if len(third):
            margins.append(DELTAS[third[0]] - rs_stable_range(penalty, alpha=ALPHA)[1])
    return positive(margins, f"distance from the AT line, {len(margins)} settings with S3")


def at_before_end(_):
    at, end = rs_stable_range(SCAD8, alpha=ALPHA)[1], s1_end(SCAD8, alpha=ALPHA)
    return Finding(at < end, f"{at:.5f} < {end:.5f}", "order")


def cut(value, quoted):
    """Whether the value gives the quoted digits when it is truncated instead of rounded."""
    digits = 10 ** len(quoted.partition(".")[2])
    return Finding(np.floor(value * digits) / digits == float(quoted), f"{value:.6g}", "digits cut off")


# --- prediction error ----------------------------------------------------------------------------------------------


@cache
def best_delta(penalty, mean=0.5):
    """The delta with the smallest err_pre; 0 if the empty model is best."""
    return lowest(penalty, np.linspace(0.002, 0.6, 120), alpha=ALPHA, mean=mean)[0]


@cache
def crossing(first, second):
    """The smallest delta at which the two prediction errors cross."""
    return crossings(first, second, np.geomspace(0.0005, 0.3, 80), alpha=ALPHA, mean=0.5)[0][0]


def order(low, high, *names):
    """err_pre in descending order of `names` at every delta between low and high."""
    deltas = np.linspace(low, high, 42)[1:-1]
    values = [rs_curve(PENALTIES[name], alpha=ALPHA, deltas=deltas, mean=0.5).err_pre.to_numpy() for name in names]
    held = (np.diff(values, axis=0) < 0).all(axis=0)
    return Finding(bool(held.all()), f"in {held.mean():.0%} of ({low:.3f}, {high:.3f})", "100 %")


def delta_1_2(eta2=0.1):
    """delta_1 (elastic net and SCAD) and delta_2 (elastic net and l1)."""
    return crossing(ElasticNet(eta2=eta2), SCAD8), crossing(ElasticNet(eta2=eta2), L1())


def eta2_scan(_):
    """The eta_2 that each quoted number needs. The claim holds if one value gives all three."""
    wanted = {
        "minimum 0.170": lambda e: best_delta(ElasticNet(eta2=e)) - 0.170,
        "delta_1 0.028": lambda e: crossing(ElasticNet(eta2=e), SCAD8) - 0.028,
        "delta_2 0.045": lambda e: crossing(ElasticNet(eta2=e), L1()) - 0.045,
    }
    found = {name: brentq(gap, 0.05, 1.5, xtol=1e-4) for name, gap in wanted.items()}
    candidates = np.array([*found.values()])
    fits = [
        e for e in candidates
        if abs(best_delta(ElasticNet(eta2=e)) - 0.170) <= 5e-4
        and abs(delta_1_2(e)[0] - 0.028) <= 5e-4 and abs(delta_1_2(e)[1] - 0.045) <= 5e-4
    ]  # fmt: skip
    return Finding(bool(fits), ", ".join(f"{name} needs η₂ = {e:.3f}" for name, e in found.items()), "one value")


def stable_in_figure3(_):
    tables = [rs_curve(p, alpha=ALPHA, deltas=np.linspace(0.0005, 0.3, 200), mean=0.5) for p in (L1(), EN, SCAD8)]
    return positive(np.concatenate([1 - t["at"] for t in tables]), "1 - AT")


def scad_minimum_is_stable(_):
    """Up to which mean of the data the best SCAD model lies in the RS-stable region."""
    means = (0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0)
    inside = {}
    for mean in means:
        low, high = rs_stable_range(SCAD8, alpha=ALPHA, mean=mean) or (1.0, 0.0)
        inside[mean] = best_delta(SCAD8, mean) == 0 or low <= best_delta(SCAD8, mean) <= high
    bad = [mean for mean in means if not inside[mean]]
    edge = f"lost from m_y = {bad[0]:g}" if bad else f"holds up to m_y = {means[-1]:g}"
    return Finding(inside[0.5], f"best δ = {best_delta(SCAD8):.4f} at m_y = 0.5 is stable; {edge}", "inside")


def greater_than_delta(penalty):
    return positive(curve(penalty).df - curve(penalty).delta, "df - δ")


def falls_with_eta2(_):
    tables = [rs_curve(ElasticNet(eta2=e), alpha=ALPHA, deltas=DELTAS).df.to_numpy() for e in (0, 0.05, 0.1, 0.5, 2)]
    return positive(-np.diff(tables, axis=0), "fall of df from one η₂ to the next")


_CUT = "digits cut off instead of rounded"
_ETA2 = "η₂ = 0.5 in place of the caption's 0.1"
_DELTA12 = "with the crossings that follow from the caption, δ₁ = 0.005 and δ₂ = 0.027"

CLAIMS = [
    Claim("l1-df", "eq. (df_L1)", "For l1 the GDF is the fraction of non-zeros.", "df = δ", "theory: df - δ on S1",
          lambda _: identity(curve(L1()).df - curve(L1()).delta)),
    Claim("l1-solution", "Sec. 5.1", "The l1 saddle point in closed form.", "χ = ρ/(α-ρ), Q = s²τ₁/(α-τ₁)",
          "theory: χ and Q against the closed forms", l1_solution),
    *(Claim(f"{name.replace(' ', '-').lower()}-err-train", "Sec. 5", f"The training error of {name} is chi_hat.",
            "err_train = χ̂", "theory: 2(f - rbar)/α - χ̂", lambda _, p=p: err_train_is_chi_hat(p))
      for name, p in PENALTIES.items()),
    Claim("l1-at", "Sec. 5.1", "For l1 the AT instability lies outside the physical region.", "ρ/α > 1",
          "theory: end of the stable range", lambda _: never_unstable(L1())),
    Claim("en-at", "Sec. 5.2", "The elastic net is stable in the whole physical region.", "always",
          "theory: end of the stable range", lambda _: never_unstable(EN)),
    Claim("en-df", "eq. (df_en)", "GDF of the elastic net.", "df = δ Q̂/(Q̂+η₂)", "theory: both sides on S1",
          elastic_net_df),
    Claim("en-free-energy", "Sec. 5.2", "Free energy and mean penalty of the elastic net.", "f, rbar",
          "theory: both sides on S1, with ||x||_2^2 for the printed ||x||_2", elastic_net_free_energy),
    Claim("en-less", "Sec. 6, Fig. GDF", "The GDF of the elastic net falls as η₂ grows.", "falling",
          "theory: df at η₂ = 0, 0.05, 0.1, 0.5, 2", falls_with_eta2),
    Claim("en-to-l1", "Sec. 5.2", "The elastic net becomes l1 as η₂ goes to zero.", "df → δ",
          "theory: df - δ for falling η₂", elastic_net_to_l1),
    Claim("en-rescaled", "Sec. 5.2", "The rescaled elastic net has df = δ.", "df = δ",
          "theory.rescaled_elastic_net_df - δ", rescaled),
    Claim("l2-df", "eq. (df_l2)", "GDF of l2 is the expected trace.", "df = Q̂/(Q̂+η₂)",
          "closed form against tr A(A'A+η₂)⁻¹A'/M over 20 Gaussian A, M = 500, N = 1000", l2_df,
          "a factor 1/α is missing", lambda e: l2_df(e, 1 / ALPHA)),
    Claim("l2-limit", "Sec. 5.2", "l2 is the limit δ → 1 of the elastic net.", "δ → 1",
          "theory: df of the elastic net at that δ minus df at η₁ = 0", l2_limit,
          "the limit is δ → 1/α, where all components are non-zero", lambda e: l2_limit(e, 1 / ALPHA)),
    Claim("l0-solution", "eq. (l0_chi_finite)", "The finite l0 saddle point in closed form.",
          "χ₁ = (ρ+ω)/(α-ρ-ω), Q₁ = s²χ₁", "theory: χ and Q against the closed forms", l0_solution),
    Claim("l0-df", "eq. (l0_GDF)", "GDF of l0 is δ plus the term of the jump.", "df = δ + ω/α", "theory: both sides",
          lambda _: identity(curve(L0()).delta + l0_omega(curve(L0())) / ALPHA - curve(L0()).df)),
    Claim("l0-condition", "Sec. 5.3", "S1 of l0 is valid while α > ρ + ω.", "α = ρ + ω",
          "root of α = ρ + ω against theory.s1_end", l0_condition),
    Claim("l0-s1-end", "Sec. 6, Fig. GDF", "S1 of l0 ends at this δ.", "0.248", "theory.s1_end(L0)",
          lambda _: number(s1_end(L0(), alpha=ALPHA), "0.248")),
    Claim("l0-df-one", "eq. (l0_GDF)", "Beyond it df = 1.", "df = 1", "theory: df beyond the end of S1",
          lambda _: one_beyond(L0())),
    Claim("l0-at", "Sec. 5.3", "For l0 the AT instability always appears.", "always", "theory: the AT integral",
          l0_at),
    Claim("l0-greater", "Sec. 5.3", "The GDF of l0 is greater than δ.", "df > δ", "theory: df - δ on S1",
          lambda _: greater_than_delta(L0())),
    Claim("scad-saddle", "Sec. 5.4", "Q, χ and rbar of SCAD as printed.", "π₁ .. π₄",
          "theory: printed formulas against the solver, a = 8", lambda _: scad_saddle_point(SCAD8)),
    Claim("scad-df", "eq. (SCAD_df)", "GDF of SCAD is δ plus the term of the transient region.", "df = δ + .. π₄",
          "theory: both sides on S1, a = 8 and 5",
          lambda _: every({"a = 8": scad_df(SCAD8), "a = 5": scad_df(SCAD5)})),
    Claim("scad-at-form", "Sec. 5.4", "The AT condition of SCAD.", "AT integral", "theory: printed form, a = 8",
          lambda _: scad_at(SCAD8)),
    Claim("scad-to-l1", "Sec. 5.4", "SCAD becomes l1 as a goes to infinity.", "df → δ",
          "theory: df - δ for growing a", scad_to_l1),
    Claim("scad-at-to-l1", "Sec. 5.4", "Its AT condition becomes that of l1.", "AT → δ",
          "theory: AT - δ for growing a", scad_at_to_l1),
    Claim("scad-greater", "Sec. 5.4", "The GDF of SCAD is greater than δ.", "df > δ", "theory: df - δ on S1, a = 8",
          lambda _: greater_than_delta(SCAD8)),
    Claim("scad-at", "Sec. 6, Fig. GDF", "The AT line of SCAD.", "0.866", "theory.rs_stable_range(SCAD a = 8)",
          lambda _: number(rs_stable_range(SCAD8, alpha=ALPHA)[1], "0.866"), _CUT,
          lambda _: cut(rs_stable_range(SCAD8, alpha=ALPHA)[1], "0.866")),
    Claim("scad-s1-end", "Sec. 6, Fig. GDF", "S1 of SCAD loses its local stability.", "0.924",
          "theory.s1_end(SCAD a = 8)", lambda _: number(s1_end(SCAD8, alpha=ALPHA), "0.924")),
    Claim("scad-at-first", "Sec. 6", "The AT instability appears before S1 is lost.", "0.866 < 0.924",
          "theory: the two thresholds", at_before_end),
    Claim("scad-s2", "Sec. 5.4", "For large a, S1 is replaced by S2 where df reaches 1.", "S1 → S2",
          "theory: the condition as η → 0 along S1, a = 8", lambda _: scad_condition(SCAD8)),
    Claim("scad-s2-a5", "Sec. 5.4", "The same for a = 5, the value of Fig. BP(a).", "S1 → S2",
          "theory: the condition as η → 0 along S1, a = 5", lambda _: scad_condition(SCAD5)),
    Claim("scad-df-one", "eq. (SCAD_df)", "df = 1 in S2 and S3.", "df = 1", "theory: df beyond S1, a = 8 and 5",
          lambda _: every({"a = 8": one_beyond(SCAD8), "a = 5": one_beyond(SCAD5)})),
    Claim("scad-s3-at", "Sec. 5.4", "S3 appears where the AT instability does.", "inside", "theory: 4 SCAD settings",
          s3_within_at),
    Claim("min-l1", "Sec. 6, Fig. pre_error", "Best δ of l1.", "0.085", "theory: minimum of err_pre",
          lambda _: number(best_delta(L1()), "0.085")),
    Claim("min-en", "Sec. 6, Fig. pre_error", "Best δ of the elastic net.", "0.170", "theory: minimum of err_pre",
          lambda _: number(best_delta(EN), "0.170"), _ETA2,
          lambda _: number(best_delta(ElasticNet(eta2=0.5)), "0.170")),
    Claim("min-scad", "Sec. 6, Fig. pre_error", "Best δ of SCAD.", "0.072", "theory: minimum of err_pre",
          lambda _: number(best_delta(SCAD8), "0.072")),
    Claim("min-l0", "Sec. 6, Fig. pre_error(c)", "For l0 the empty model is best.", "0", "theory: minimum of err_pre",
          lambda _: Finding(best_delta(L0()) == 0, f"best δ = {best_delta(L0()):g}", "exact")),
    Claim("delta1", "Sec. 6, Fig. pre_error(b)", "Elastic net and SCAD cross at δ₁.", "0.028", "theory: crossing",
          lambda _: number(delta_1_2()[0], "0.028"), _ETA2, lambda _: number(delta_1_2(0.5)[0], "0.028")),
    Claim("delta2", "Sec. 6, Fig. pre_error(b)", "Elastic net and l1 cross at δ₂.", "0.045", "theory: crossing",
          lambda _: number(delta_1_2()[1], "0.045"), _ETA2, lambda _: number(delta_1_2(0.5)[1], "0.045")),
    Claim("one-eta2", "Sec. 6", "One η₂ gives the minimum 0.170, δ₁ and δ₂ together.", "one value",
          "theory: the η₂ that each of the three asks for", eta2_scan),
    Claim("order-1", "Sec. 6", "err_pre below δ₁: elastic net > SCAD > l1.", "δ < 0.028", "theory: order on a grid",
          lambda _: order(0.0005, 0.028, "elastic net", "SCAD", "l1"), _DELTA12,
          lambda _: order(0.0005, delta_1_2()[0], "elastic net", "SCAD", "l1")),
    Claim("order-2", "Sec. 6", "Between δ₁ and δ₂: SCAD > elastic net > l1.", "0.028 < δ < 0.045",
          "theory: order on a grid", lambda _: order(0.028, 0.045, "SCAD", "elastic net", "l1"), _DELTA12,
          lambda _: order(*delta_1_2(), "SCAD", "elastic net", "l1")),
    Claim("order-3", "Sec. 6", "Above δ₂: SCAD > l1 > elastic net.", "δ > 0.045", "theory: order on a grid",
          lambda _: order(0.045, 0.3, "SCAD", "l1", "elastic net")),
    Claim("stable-figure3", "Sec. 6", "l1, elastic net and SCAD are stable in the whole range of Fig. pre_error(a).",
          "stable", "theory: 1 - AT for δ up to 0.3, m_y = 0.5", stable_in_figure3),
    Claim("scad-min-stable", "Sec. 6", "SCAD finds its best model in the RS region when the mean is small.",
          "RS region", "theory: best δ against the stable range for m_y from 0 to 3", scad_minimum_is_stable),
]  # fmt: skip
