"""Claims about the RS theory (sections 4 to 6), at the parameters of the captions; alpha = 0.5 unless stated."""

from functools import cache

import numpy as np
import pandas as pd
from scipy.optimize import brentq
from scipy.special import erfc, erfcinv

from sparsegdf.paper.claims.verdict import OURS, Claim, Outcome, every, identity, number, positive, within
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
    measured = f"largest |difference| {', '.join(f'{d:.1e}' for d in steps)} for {what}"
    return Outcome(holds, measured, "falling, < 0.001", effect="0.001 in df")


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
    return Outcome(
        abs(value - trace) <= 3 * se + 5e-4,
        f"{value:.4f} against the trace {trace:.4f}({se:.4f})",
        "3 se + 0.0005",
        effect="0.001 in df",
    )


# --- stability and branches ----------------------------------------------------------------------------------------


def never_unstable(penalty):
    stable = [rs_stable_range(penalty, alpha=alpha) or (0.0, 0.0) for alpha in (0.3, 0.5, 0.8, 1.0)]
    end = min(high for _, high in stable)
    measured = f"stable up to δ = {end:.6g} at 4 values of α"
    return Outcome(end > 1 - 1e-9, measured, "1", effect="any δ below 1")


def l0_at(_):
    at = curve(L0())["at"]
    return Outcome(
        bool(np.isinf(at).all()), f"infinite at {np.isinf(at).sum()} of {len(at)} points", "all", effect="one point"
    )


def l0_condition(_):
    """S1 ends where alpha = rho + omega."""
    t = brentq(lambda t: erfc(t) + 2 * t / np.sqrt(np.pi) * np.exp(-t * t) - ALPHA, 0.5, 5)
    return identity([erfc(t) / ALPHA - s1_end(L0(), alpha=ALPHA)], 1e-7)


def l0_beyond(_):
    """At fixed delta eq. (l0_chi) is chi <- (1 + chi)(rho + omega)/alpha: df -> 1 wherever that factor is above 1."""
    deltas = np.linspace(s1_end(L0(), alpha=ALPHA) + 1e-6, 1, 50)
    theta = erfcinv(ALPHA * deltas)
    factor = deltas + 2 * theta / (np.sqrt(np.pi) * ALPHA) * np.exp(-(theta**2))
    return positive(factor - 1, "growth of χ in one step, less 1")


def scad_beyond(penalty):
    """The same for SCAD at fixed delta and infinite chi, where Q solves its own equation (h in units of Q_hat)."""
    last = s1_largest_delta(penalty, alpha=ALPHA)
    factors = []
    for delta in np.linspace(last + 1e-6, 1, 20):
        reach = np.sqrt(2) * erfcinv(ALPHA * delta) / penalty.lam  # eta/Q_hat in units of sqrt(chi_hat)/Q_hat

        def parts(Q, delta=delta, reach=reach):
            point = {"eta": reach * np.sqrt(Q + 1), "Q_hat": 1.0, "chi_hat": Q + 1, "delta": delta}
            return scad_parts(pd.DataFrame([point]), penalty)

        def excess(Q, parts=parts):
            kappa, p1, p2, p3, _, _ = parts(Q)
            return ((p1 + p2 / (1 - kappa) + p3) / ALPHA - Q).item()

        # Beyond, kappa would pass Q_hat: the printed segments, and with them S2, end there.
        most = ((penalty.a - 1) / reach) ** 2 - 1
        grid = np.linspace(0, most * (1 - 1e-9), 200)
        signs = np.sign([excess(Q) for Q in grid])
        crossing_at = np.flatnonzero(signs[:-1] * signs[1:] < 0)
        if crossing_at.size:
            Q = brentq(excess, grid[crossing_at[0]], grid[crossing_at[0] + 1])
            kappa, *_, p4, _ = parts(Q)
            factors.append((delta + kappa / (1 - kappa) * p4 / ALPHA).item())
    return positive(
        np.array(factors) - 1, f"growth of χ in one step, less 1, at {len(factors)} of 20 δ with finite Q"
    )


def scad_condition(penalty):
    """alpha - rho - (..) pi_4 goes to zero at the end of S1, where df = 1 and Q is finite."""
    point, after = solve_rs(penalty, alpha=ALPHA, eta=1e-6), branch_beyond_s1(penalty, alpha=ALPHA)
    kappa, *_, p4, _ = scad_parts(pd.DataFrame([vars(point)]), penalty)
    margin = ALPHA - ALPHA * point.delta - (kappa / (point.Q_hat - kappa) * p4).item()
    return Outcome(
        0 < margin < 1e-4 and after == "S2",
        f"α - ρ - .. π₄ = {margin:.1e} and Q = {point.Q:.3f} at η = 1e-6, then {after}",
        "0, S2",
        effect="any other branch",
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
    return Outcome(at < end, f"{at:.5f} < {end:.5f}", "order", effect="the sign")


def cut(value, quoted):
    """Whether the value gives the quoted digits when it is truncated instead of rounded."""
    digits = 10 ** len(quoted.partition(".")[2])
    return Outcome(
        np.floor(value * digits) / digits == float(quoted),
        f"{value:.6g}",
        "digits cut off",
        effect="the last quoted digit",
    )


# --- prediction error ----------------------------------------------------------------------------------------------


@cache
def best_delta(penalty, mean=0.5, last=0.6):
    """The delta up to `last` with the smallest err_pre; 0 if the empty model is best."""
    return lowest(penalty, np.linspace(0.002, last, round(200 * last)), alpha=ALPHA, mean=mean)[0]


@cache
def crossing(first, second):
    """The smallest delta at which the two prediction errors cross."""
    return crossings(first, second, np.geomspace(0.0005, 0.3, 80), alpha=ALPHA, mean=0.5)[0][0]


def order(low, high, *names):
    """err_pre in descending order of `names` at every delta between low and high."""
    deltas = np.linspace(low, high, 42)[1:-1]
    values = [rs_curve(PENALTIES[name], alpha=ALPHA, deltas=deltas, mean=0.5).err_pre.to_numpy() for name in names]
    held = (np.diff(values, axis=0) < 0).all(axis=0)
    return Outcome(bool(held.all()), f"in {held.mean():.0%} of ({low:.3f}, {high:.3f})", "100 %", effect="the order")


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
    measured = ", ".join(f"{name} needs η₂ = {e:.3f}" for name, e in found.items())
    return Outcome(bool(fits), measured, "one value", effect="the last quoted digit")


def stable_in_figure3(_):
    tables = [rs_curve(p, alpha=ALPHA, deltas=np.linspace(0.0005, 0.3, 200), mean=0.5) for p in (L1(), EN, SCAD8)]
    return positive(np.concatenate([1 - t["at"] for t in tables]), "1 - AT")


def is_inside(penalty, mean):
    """Whether the best delta of all lies where RS is stable; the empty model does."""
    low, high = rs_stable_range(penalty, alpha=ALPHA, mean=mean) or (1.0, 0.0)
    best = best_delta(penalty, mean, last=0.995)
    return best == 0 or low <= best <= high


def scad_minimum_is_stable(_):
    """Up to which mean of the data the best SCAD model, of any delta, lies in the RS-stable region."""
    means = (0.0, 0.25, 0.5, 0.75, 1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 2.0, 3.0)
    inside = {mean: is_inside(SCAD8, mean) for mean in means}
    edge = next((mean for mean in means if not inside[mean]), None)
    held = [mean for mean in means if edge is None or mean < edge]
    shown = f"stable up to m_y = {held[-1]:g}" if held else "never stable"
    lost = f", not from m_y = {edge:g} on" if edge is not None else ""
    return Outcome(0.5 in held, shown + lost, "m_y = 0.5", effect="any m_y up to 0.5, that of Fig. pre_error")


def identifies(_):
    """Whether a model with non-zeros is best on standardised data, for each convex or stable penalty."""
    best = {name: best_delta(PENALTIES[name], 0.0) for name in ("l1", "elastic net", "SCAD")}
    shown = ", ".join(f"{name}: δ = {delta:g}" for name, delta in best.items())
    return Outcome(min(best.values()) > 0, f"best at m_y = 0: {shown}", "δ > 0", effect="an empty model")


def identifies_empty(_):
    inside = {name: is_inside(PENALTIES[name], 0.0) for name in ("l1", "elastic net", "SCAD")}
    shown = "the best model, δ = 0, is stable" if all(inside.values()) else f"unstable: {inside}"
    return Outcome(all(inside.values()), shown, "inside", effect="any that is unstable")


def l0_prediction_error(_):
    """err_pre of l0 on S1 against s2 + (sigma^2 - m_y^2) df, at m_y = 0.5 and 1.5."""
    return identity(
        np.concatenate([curve(L0(), m).err_pre - (1 + m**2 + (1 - m**2) * curve(L0(), m).df) for m in (0.5, 1.5)])
    )


def scad_pi4(_):
    """pi_4 at delta = 0.5 for growing a."""
    values = []
    for a in (10, 100, 1e4):
        penalty = SCAD(a=a, lam=1.0)
        point = solve_rs(penalty, alpha=ALPHA, delta=0.5)
        *_, p4, _ = scad_parts(pd.DataFrame([vars(point)]), penalty)
        values.append(p4.item())
    measured = f"π₄ = {', '.join(f'{value:.4f}' for value in values)} at δ = 0.5 for a = 10, 100, 10000"
    return Outcome(abs(values[-1]) < 1e-3, measured, "→ 0", effect="0.001")


# --- the single-body problem ---------------------------------------------------------------------------------------


def printed_maximiser(name, h, Q_hat, penalty, eta):
    """x*(h) for h > 0 as printed."""
    if name == "l1":
        return np.where(h > eta, (h - eta) / Q_hat, 0.0)
    if name == "elastic net":
        return np.where(h > eta, (h - eta) / (Q_hat + penalty.eta2), 0.0)
    if name == "l0":
        return np.where(h > np.sqrt(2 * eta * Q_hat), h / Q_hat, 0.0)
    a, lam = penalty.a, penalty.lam
    middle = (h * (a - 1) - a * lam * eta) / (Q_hat * (a - 1) - eta)
    first, second, third = lam * eta, lam * (Q_hat + eta), a * lam * Q_hat
    return np.select([h <= first, h <= second, h <= third], [0.0, (h - lam * eta) / Q_hat, middle], h / Q_hat)


def single_body(name, penalty):
    """The printed x* reaches the largest objective on a fine grid of x, at the saddle point of Fig. single-body."""

    def check(_):
        Q_hat = solve_rs(penalty, alpha=1, eta=1).Q_hat
        h = np.linspace(0.013, 6, 120)
        x = np.linspace(0, 6 / Q_hat + 1, 20001)
        best = np.array([(-Q_hat / 2 * x**2 + v * x - penalty.value(x, 1.0)).max() for v in h])
        star = printed_maximiser(name, h, Q_hat, penalty, 1.0)
        reached = -Q_hat / 2 * star**2 + h * star - penalty.value(star, 1.0)
        return identity(np.maximum(best - reached, 0), 1e-6)

    return check


def greater_than_delta(penalty):
    return positive(curve(penalty).df - curve(penalty).delta, "df - δ")


def falls_with_eta2(_):
    tables = [rs_curve(ElasticNet(eta2=e), alpha=ALPHA, deltas=DELTAS).df.to_numpy() for e in (0, 0.05, 0.1, 0.5, 2)]
    return positive(-np.diff(tables, axis=0), "fall of df from one η₂ to the next")


_CUT = "digits cut off instead of rounded"
_ETA2 = "η₂ = 0.5 in place of the caption's 0.1"
_DELTA12 = "with the crossings that follow from the caption, δ₁ = 0.005 and δ₂ = 0.027"

CLAIMS = within("α = 0.5, m_y = 0 or 0.5, σ_y² = 1; S1, δ from 0.01 to 0.99", [
    Claim("l1-df", "eq. (df_L1)", "For l1 the GDF is the fraction of non-zeros.", "df = δ", "theory: df - δ on S1",
          lambda _: identity(curve(L1()).df - curve(L1()).delta)),
    Claim("l1-solution", "Sec. 5.1", "The l1 saddle point in closed form.", "χ = ρ/(α-ρ), Q = s²τ₁/(α-τ₁)",
          "theory: χ and Q against the closed forms", l1_solution),
    *(Claim(f"{name.replace(' ', '-').lower()}-err-train", "Sec. 5", f"The training error of {name} is chi_hat.",
            "err_train = χ̂", "theory: 2(f - rbar)/α - χ̂", lambda _, p=p: err_train_is_chi_hat(p))
      for name, p in PENALTIES.items()),
    Claim("l1-at", "Sec. 5.1", "For l1 the AT instability lies outside the physical region.", "ρ/α > 1",
          "theory: end of the stable range", lambda _: never_unstable(L1()),
          domain="α = 0.3, 0.5, 0.8, 1; all δ ≤ 1"),
    Claim("en-at", "Sec. 5.2", "The elastic net is stable in the whole physical region.", "always",
          "theory: end of the stable range", lambda _: never_unstable(EN),
          domain="η₂ = 0.1; α = 0.3, 0.5, 0.8, 1; all δ ≤ 1"),
    Claim("en-df", "eq. (df_en)", "GDF of the elastic net.", "df = δ Q̂/(Q̂+η₂)", "theory: both sides on S1",
          elastic_net_df),
    Claim("en-free-energy", "Sec. 5.2", "Free energy and mean penalty of the elastic net.", "f, rbar",
          "theory: both sides on S1, with ||x||_2^2 for the printed ||x||_2", elastic_net_free_energy),
    Claim("en-less", "Sec. 6, Fig. GDF", "The GDF of the elastic net falls as η₂ grows.", "falling",
          "theory: df at η₂ = 0, 0.05, 0.1, 0.5, 2", falls_with_eta2,
          domain="η₂ = 0, 0.05, 0.1, 0.5, 2; δ from 0.01 to 0.99"),
    Claim("en-to-l1", "Sec. 5.2", "The elastic net becomes l1 as η₂ goes to zero.", "df → δ",
          "theory: df - δ for falling η₂", elastic_net_to_l1,
          domain="δ from 0.05 to 0.9"),
    Claim("en-rescaled", "Sec. 5.2", "The rescaled elastic net has df = δ.", "df = δ",
          "theory.rescaled_elastic_net_df - δ", rescaled,
          domain="η₂ = 0.1; δ = 0.1, 0.5, 0.9"),
    Claim("l2-df", "eq. (df_l2)", "GDF of l2 is the expected trace.", "df = Q̂/(Q̂+η₂)",
          "closed form against tr A(A'A+η₂)⁻¹A'/M over 20 Gaussian A, M = 500, N = 1000", l2_df,
          "a factor 1/α is missing", lambda e: l2_df(e, 1 / ALPHA),
          domain="η₂ = 0.1, α = 0.5"),
    Claim("l2-limit", "Sec. 5.2", "l2 is the limit δ → 1 of the elastic net.", "δ → 1",
          "theory: df of the elastic net at that δ minus df at η₁ = 0", l2_limit,
          "the limit is δ → 1/α, where all components are non-zero", lambda e: l2_limit(e, 1 / ALPHA),
          domain="η₂ = 0.1, α = 0.5"),
    Claim("l0-solution", "eq. (l0_chi_finite)", "The finite l0 saddle point in closed form.",
          "χ₁ = (ρ+ω)/(α-ρ-ω), Q₁ = s²χ₁", "theory: χ and Q against the closed forms", l0_solution),
    Claim("l0-df", "eq. (l0_GDF)", "GDF of l0 is δ plus the term of the jump.", "df = δ + ω/α", "theory: both sides",
          lambda _: identity(curve(L0()).delta + l0_omega(curve(L0())) / ALPHA - curve(L0()).df)),
    Claim("l0-condition", "Sec. 5.3", "S1 of l0 is valid while α > ρ + ω.", "α = ρ + ω",
          "root of α = ρ + ω against theory.s1_end", l0_condition,
          domain="α = 0.5"),
    Claim("l0-s1-end", "Sec. 6, Fig. GDF", "S1 of l0 ends at this δ.", "0.248", "theory.s1_end(L0)",
          lambda _: number(s1_end(L0(), alpha=ALPHA), "0.248"),
          domain="α = 0.5"),
    Claim("l0-df-one", "eq. (l0_GDF)", "Beyond it S2, with df = 1, is the stable solution.", "df = 1",
          "the factor by which eq. (l0_chi) multiplies a large χ at fixed δ", l0_beyond, domain="S2: 0.248 < δ ≤ 1"),
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
          "theory: df - δ for growing a", scad_to_l1,
          domain="δ from 0.05 to 0.9; a = 10, 100, 10000"),
    Claim("scad-at-to-l1", "Sec. 5.4", "Its AT condition becomes that of l1.", "AT → δ",
          "theory: AT - δ for growing a", scad_at_to_l1,
          domain="δ from 0.05 to 0.9; a = 10, 100, 10000"),
    Claim("scad-greater", "Sec. 5.4", "The GDF of SCAD is greater than δ.", "df > δ", "theory: df - δ on S1, a = 8",
          lambda _: greater_than_delta(SCAD8)),
    Claim("scad-at", "Sec. 6, Fig. GDF", "The AT line of SCAD.", "0.866", "theory.rs_stable_range(SCAD a = 8)",
          lambda _: number(rs_stable_range(SCAD8, alpha=ALPHA)[1], "0.866"), _CUT,
          lambda _: cut(rs_stable_range(SCAD8, alpha=ALPHA)[1], "0.866"),
          domain="a = 8, λ = 1, α = 0.5, m_y = 0"),
    Claim("scad-s1-end", "Sec. 6, Fig. GDF", "S1 of SCAD loses its local stability.", "0.924",
          "theory.s1_end(SCAD a = 8)", lambda _: number(s1_end(SCAD8, alpha=ALPHA), "0.924"),
          domain="a = 8, λ = 1, α = 0.5, m_y = 0"),
    Claim("scad-at-first", "Sec. 6", "The AT instability appears before S1 is lost.", "0.866 < 0.924",
          "theory: the two thresholds", at_before_end,
          domain="a = 8, λ = 1, α = 0.5, m_y = 0"),
    Claim("scad-s2", "Sec. 5.4", "For large a, S1 is replaced by S2 where df reaches 1.", "S1 → S2",
          "theory: the condition as η → 0 along S1, a = 8", lambda _: scad_condition(SCAD8),
          domain="a = 8, λ = 1; the end of S1"),
    Claim("scad-s2-a5", "Sec. 5.4", "The same for a = 5, the value of Fig. BP(a).", "S1 → S2",
          "theory: the condition as η → 0 along S1, a = 5", lambda _: scad_condition(SCAD5),
          domain="a = 5, λ = 1; the end of S1"),
    Claim("scad-df-one", "eq. (SCAD_df)", "Beyond S1 df = 1.", "df = 1",
          "the factor by which the printed equation multiplies a large χ at fixed δ, a = 8 and 5",
          lambda _: every({"a = 8": scad_beyond(SCAD8), "a = 5": scad_beyond(SCAD5)}), domain="δ beyond all of S1"),
    Claim("scad-s3-at", "Sec. 5.4", "S3 appears where the AT instability does.", "inside", "theory: 4 SCAD settings",
          s3_within_at,
          domain="a = 4, 5, 8 with λ = 1 and a = 6 with λ = 0.9"),
    Claim("min-l1", "Sec. 6, Fig. pre_error", "Best δ of l1.", "0.085", "theory: minimum of err_pre",
          lambda _: number(best_delta(L1()), "0.085"),
          domain="m_y = 0.5, RS-stable"),
    Claim("min-en", "Sec. 6, Fig. pre_error", "Best δ of the elastic net.", "0.170", "theory: minimum of err_pre",
          lambda _: number(best_delta(EN), "0.170"), _ETA2,
          lambda _: number(best_delta(ElasticNet(eta2=0.5)), "0.170"),
          domain="η₂ = 0.1, m_y = 0.5, RS-stable"),
    Claim("min-scad", "Sec. 6, Fig. pre_error", "Best δ of SCAD.", "0.072", "theory: minimum of err_pre",
          lambda _: number(best_delta(SCAD8), "0.072"),
          domain="a = 8, λ = 1, m_y = 0.5, RS-stable"),
    Claim("min-l0", "Sec. 6, Fig. pre_error(c)", "For l0 the empty model is best.", "0", "theory: minimum of err_pre",
          lambda _: Outcome(best_delta(L0()) == 0, f"best δ = {best_delta(L0()):g}", "exact", effect="any δ > 0"),
          domain="m_y = 0.5, S1 of the (unstable) RS solution"),
    Claim("delta1", "Sec. 6, Fig. pre_error(b)", "Elastic net and SCAD cross at δ₁.", "0.028", "theory: crossing",
          lambda _: number(delta_1_2()[0], "0.028"), _ETA2, lambda _: number(delta_1_2(0.5)[0], "0.028"),
          domain="m_y = 0.5, RS-stable"),
    Claim("delta2", "Sec. 6, Fig. pre_error(b)", "Elastic net and l1 cross at δ₂.", "0.045", "theory: crossing",
          lambda _: number(delta_1_2()[1], "0.045"), _ETA2, lambda _: number(delta_1_2(0.5)[1], "0.045"),
          domain="m_y = 0.5, RS-stable"),
    Claim("one-eta2", "Sec. 6", "One η₂ gives the minimum 0.170, δ₁ and δ₂ together.", "one value",
          "theory: the η₂ that each of the three asks for", eta2_scan,
          domain="η₂ from 0.05 to 1.5, m_y = 0.5"),
    Claim("order-1", "Sec. 6", "err_pre below δ₁: elastic net > SCAD > l1.", "δ < 0.028", "theory: order on a grid",
          lambda _: order(0.0005, 0.028, "elastic net", "SCAD", "l1"), _DELTA12,
          lambda _: order(0.0005, delta_1_2()[0], "elastic net", "SCAD", "l1"),
          domain="RS-stable, m_y = 0.5, δ < δ₁"),
    Claim("order-2", "Sec. 6", "Between δ₁ and δ₂: SCAD > elastic net > l1.", "0.028 < δ < 0.045",
          "theory: order on a grid", lambda _: order(0.028, 0.045, "SCAD", "elastic net", "l1"), _DELTA12,
          lambda _: order(*delta_1_2(), "SCAD", "elastic net", "l1"),
          domain="RS-stable, m_y = 0.5, δ₁ < δ < δ₂"),
    Claim("order-3", "Sec. 6", "Above δ₂: SCAD > l1 > elastic net.", "δ > 0.045", "theory: order on a grid",
          lambda _: order(0.045, 0.3, "SCAD", "l1", "elastic net"),
          domain="RS-stable, m_y = 0.5, δ₂ < δ ≤ 0.3"),
    Claim("stable-figure3", "Sec. 6", "l1, elastic net and SCAD are stable in the whole range of Fig. pre_error(a).",
          "stable", "theory: 1 - AT for δ up to 0.3, m_y = 0.5", stable_in_figure3,
          domain="m_y = 0.5, δ up to 0.3"),
    Claim("scad-min-stable", "Sec. 6", "SCAD finds its best model in the RS region when the mean is small.",
          "RS region", "theory: best of all δ against the stable range for m_y from 0 to 3", scad_minimum_is_stable,
          domain="a = 8, λ = 1; m_y up to 0.5, that of the figure"),
    Claim("standardize", "Sec. 6", "Standardised data (m_y = 0) let RS analysis identify a model.", "useful",
          "theory: minimum of err_pre at m_y = 0", identifies,
          "the model is the empty one", identifies_empty, domain="l1, elastic net and SCAD at m_y = 0"),
    Claim("scad-pi4", "Sec. 5.4", "π₄ vanishes as a goes to infinity, and with it the second term of df.", "π₄ → 0",
          "theory: π₄ at δ = 0.5 for growing a", scad_pi4, "π₄ does not vanish; η/(a-1) does, and with it the term",
          scad_to_l1, domain="δ = 0.5 (π₄), δ from 0.05 to 0.9 (the term)"),
    *(Claim(f"single-body-{panel}", f"Fig. single-body({panel})", f"The printed maximiser of {name}, as drawn.",
            quoted, "its objective against the best of 20001 x, for 120 values of h up to 6",
            single_body(name, printed), "λ = 0.5, as in the caption; with 0.1 it is not the maximiser"
            if corrected else "", corrected and single_body(name, corrected), domain="α = 1, η = 1, m_y = 0")
      for panel, name, quoted, printed, corrected in (
          ("a", "l1", "η = 1", L1(), None), ("b", "elastic net", "η₁ = 1, η₂ = 0.5", ElasticNet(eta2=0.5), None),
          ("c", "l0", "η = 1", L0(), None),
          ("d", "SCAD", "a = 5, λ = 0.1 (text)", SCAD(a=5, lam=0.1), SCAD(a=5, lam=0.5)))),
    Claim("l0-err-pre", OURS, "For l0 err_pre = s² + (σ² - m_y²) df: empty is best if and only if m_y < σ_y.",
          "identity", "theory: both sides on S1", l0_prediction_error, domain="S1; m_y = 0.5 and 1.5"),
])  # fmt: skip
