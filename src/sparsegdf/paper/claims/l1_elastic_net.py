"""Claims about the RS theory of l1 and the elastic net (sections 5.1 and 5.2)."""

from functools import cache

import numpy as np
from scipy.special import erfc

from sparsegdf.paper.claims.curves import ALPHA, DELTAS, DOMAIN, EN, PENALTIES, curve, pi_of
from sparsegdf.paper.claims.outcomes import Outcome, identity, positive, shrinks
from sparsegdf.paper.claims.verdict import Claim, within
from sparsegdf.penalties.elastic_net import ElasticNet
from sparsegdf.penalties.l1 import L1
from sparsegdf.theory.replica_symmetric import rescaled_elastic_net_df, rs_curve, solve_rs
from sparsegdf.theory.s1_branch import rs_stable_range


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


def l1_pi(_):
    return identity(elastic_net_pi(curve(L1(), mean=0.5), 0.0) - pi_of(curve(L1(), mean=0.5), 0.5))


def elastic_net_pi(c, eta2):
    """pi of the elastic net as printed; at eta2 = 0 it is that of l1."""
    theta = c.eta / np.sqrt(2 * c.chi_hat)
    bracket = (1 + 2 * theta**2) * erfc(theta) - 2 * theta / np.sqrt(np.pi) * np.exp(-(theta**2))
    return c.chi_hat / (c.Q_hat + eta2) * bracket


def elastic_net_and_l2_pi(_):
    """pi of the elastic net, and of l2 (chi_hat/(Q_hat + eta_2))."""
    c, dense = curve(EN, mean=0.5), l2()
    gap = dense.chi_hat / (dense.Q_hat + EN.eta2) - pi_of(dense, 0.0)
    return identity(np.append(elastic_net_pi(c, EN.eta2) - pi_of(c, 0.5), gap))


def l1_free_energy(_):
    """f = alpha chi_hat/2 + alpha (chi chi_hat - Q Q_hat), of which the second term is rbar."""
    c = curve(L1(), mean=0.5)
    rbar = ALPHA * (c.chi * c.chi_hat - c.Q * c.Q_hat)
    return identity(np.concatenate([ALPHA * c.chi_hat / 2 + rbar - c.free_energy, rbar - c.penalty_mean]))


def fraction_is_erfc(_):
    """rho = erfc(theta), theta the threshold of each penalty over sqrt(2 chi_hat)."""
    gaps = []
    for name, penalty in PENALTIES.items():
        c = curve(penalty)
        field = {"l0": np.sqrt(2 * c.eta * c.Q_hat)}.get(name, c.eta)  # lambda = 1 for SCAD
        gaps.append(erfc(field / np.sqrt(2 * c.chi_hat)) - ALPHA * c.delta)
    return identity(np.concatenate(gaps))


def elastic_net_saddle_point(_):
    """Q and chi as printed."""
    c = curve(EN, mean=0.5)
    rho, theta, stiff = ALPHA * c.delta, c.eta / np.sqrt(2 * c.chi_hat), c.Q_hat + EN.eta2
    tau = (1 + 2 * theta**2) * rho - 2 * theta / np.sqrt(np.pi) * np.exp(-(theta**2))
    return identity(np.concatenate([c.chi_hat * tau / (ALPHA * stiff**2) - c.Q, rho / (ALPHA * stiff) - c.chi]))


def elastic_net_at(_):
    """The printed condition rho/alpha > ((Q_hat + eta_2)/Q_hat)^2 against the integral of (dx*/dh)^2."""
    c = curve(EN)
    return identity(c.delta * (c.Q_hat / (c.Q_hat + EN.eta2)) ** 2 - c["at"])


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


def elastic_net_to_l1(_):
    tables = [rs_curve(ElasticNet(eta2=e), alpha=ALPHA, deltas=np.linspace(0.05, 0.9, 18)) for e in (0.1, 1e-2, 1e-5)]
    return shrinks([np.abs(t.df - t.delta).max() for t in tables], "eta_2 = 0.1, 0.01, 0.00001")


def falls_with_eta2(_):
    tables = [rs_curve(ElasticNet(eta2=e), alpha=ALPHA, deltas=DELTAS).df.to_numpy() for e in (0, 0.05, 0.1, 0.5, 2)]
    return positive(-np.diff(tables, axis=0), "fall of df from one η₂ to the next")


def never_unstable(penalty):
    stable = [rs_stable_range(penalty, alpha=alpha) or (0.0, 0.0) for alpha in (0.3, 0.5, 0.8, 1.0)]
    end = min(high for _, high in stable)
    measured = f"stable up to δ = {end:.6g} at 4 values of α"
    return Outcome(end > 1 - 1e-9, measured, "1", effect="any δ below 1", value=end)


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
        value=value - trace,
        error=se,
    )


CLAIMS = within(DOMAIN, [
    Claim("l1-df", "eq. (df_L1)", "For l1 the GDF is the fraction of non-zeros.", "df = δ", "theory: df - δ on S1",
          lambda _: identity(curve(L1()).df - curve(L1()).delta)),
    Claim("l1-solution", "Sec. 5.1", "The l1 saddle point in closed form.", "χ = ρ/(α-ρ), Q = s²τ₁/(α-τ₁)",
          "theory: χ and Q against the closed forms", l1_solution),
    *(Claim(f"{name.replace(' ', '-').lower()}-err-train", "Sec. 5", f"The training error of {name} is chi_hat.",
            "err_train = χ̂", "theory: 2(f - rbar)/α - χ̂", lambda _, p=p: err_train_is_chi_hat(p))
      for name, p in PENALTIES.items()),
    Claim("fraction-erfc", "Sec. 5", "The fraction of non-zeros is erfc of the threshold.", "ρ = erfc(θ)",
          "theory: erfc(θ) - αδ on S1 of l1, elastic net, l0 and SCAD", fraction_is_erfc),
    Claim("l1-free-energy", "Sec. 5.1", "Free energy and mean penalty of l1.", "f, rbar", "theory: both sides on S1",
          l1_free_energy),
    Claim("l1-pi", "Sec. 5.1", "π of l1 as printed.", "π", "theory: printed formula against 2∫Dz log g on S1", l1_pi),
    Claim("en-pi", "Sec. 5.2", "π of the elastic net and of l2 as printed.", "π",
          "theory: printed formulas against 2∫Dz log g on S1", elastic_net_and_l2_pi),
    Claim("en-saddle", "Sec. 5.2", "Q and χ of the elastic net as printed.", "Q, χ",
          "theory: printed formulas against the solver", elastic_net_saddle_point),
    Claim("en-at-form", "Sec. 5.2", "The AT condition of the elastic net.", "AT integral", "theory: printed form",
          elastic_net_at),
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
])  # fmt: skip
