"""Misprints and open points of the paper: each in both forms, with the number that decides.

The numbers come from small samples, mostly with M = 200, N = 400, or from the theory; `test` is the test that asserts
them.
"""

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np
import pandas as pd

from sparsegdf.ensembles.block import Block
from sparsegdf.ensembles.ensemble import Ensemble
from sparsegdf.ensembles.iid import IID
from sparsegdf.estimators.degrees_of_freedom import curvature, stein_divergence
from sparsegdf.paper.claims import l1_elastic_net, prediction
from sparsegdf.paper.claims.curves import EN, SCAD5, SCAD8
from sparsegdf.paper.claims.scad import scad_parts
from sparsegdf.penalties.elastic_net import ElasticNet
from sparsegdf.penalties.l1 import L1
from sparsegdf.penalties.scad import SCAD
from sparsegdf.solvers.belief_propagation import belief_propagation
from sparsegdf.solvers.direct import stationary_points
from sparsegdf.solvers.plain_bp import belief_propagation_reference
from sparsegdf.theory.replica_symmetric import solve_rs
from sparsegdf.theory.s1_branch import rs_stable_range, s1_largest_delta


class Misprint(NamedTuple):
    """One misprint. `numbers` returns the results of the printed and of the corrected form, as text."""

    id: str
    where: str
    what: str
    printed: str  # LaTeX
    corrected: str  # LaTeX
    decided_by: str
    test: str
    numbers: Callable[[], tuple[str, str]]


def misprint_table() -> pd.DataFrame:
    """One row per misprint, the numbers computed."""
    rows = []
    for item in MISPRINTS:
        printed, corrected = item.numbers()
        row = {**item._asdict(), "number_printed": printed, "number_corrected": corrected}
        rows.append({name: row[name] for name in COLUMNS})
    return pd.DataFrame(rows)


COLUMNS = (
    "id", "where", "what", "printed", "corrected", "number_printed", "number_corrected", "decided_by", "test"
)  # fmt: skip


# --- belief propagation --------------------------------------------------------------------------------------------


@cache
def data():
    return Ensemble(IID(), 200, 400, seed=20180621).sample(0)


@cache
def fixed(penalty, eta):
    """The corrected fixed point and the trace that its effective fraction estimates."""
    A, y = data()
    found = belief_propagation(A, y, penalty, [eta])
    x, chi, Q_hat = found.x[:, 0], found.chi[:, 0], found.Q_hat[:, 0]
    return found, stein_divergence(A, x, curvature(x, chi, Q_hat))


def printed_bp(penalty, eta, **switches):
    A, y = data()
    return belief_propagation_reference(A, y, penalty, [eta], damping=0.3, max_steps=3000, **switches)


def onsager():
    wrong, right = printed_bp(EN, 0.4, onsager=False), fixed(EN, 0.4)[0]
    return tuple(f"KKT violation {f.kkt[0]:.1e}, δ = {f.delta[0]:.3f}" for f in (wrong, right))


def sigma2():
    right, trace = fixed(EN, 0.4)
    wrong = printed_bp(EN, 0.4, sigma2_over_alpha=True)
    return tuple(f"{f.delta_eff_sum[0]:.3f} (trace {trace:.3f})" for f in (wrong, right))


def delta_eff():
    right, trace = fixed(EN, 0.4)
    return tuple(f"{factor * right.delta_eff[0]:.3f} (trace {trace:.3f})" for factor in (0.5, 1.0))


def scad_and():
    right, trace = fixed(SCAD5, 0.8)
    wrong = printed_bp(SCAD5, 0.8, scad_chi_and=True)
    return tuple(f"{f.delta_eff_sum[0]:.3f} (trace {trace:.3f})" for f in (wrong, right))


def block_indices():
    A = Block(T=10).draw(2000, 40, np.random.default_rng(0))
    correlation = A.T @ A
    inside = np.mean([correlation[k, k + 1] for start in (0, 10, 20) for k in range(start, start + 9)])
    between = np.mean(correlation[:10, 10:20])
    return "K is not defined", f"correlation {inside:.2f} inside a block, {abs(between):.2f} between"


def impossible_a():
    try:
        SCAD(a=0.5, lam=1.0)
    except ValueError as error:
        return str(error), f"a = 5: S1 up to δ = {s1_largest_delta(SCAD5, alpha=0.5):.3f}"
    return "a = 0.5 is accepted", ""


# --- theory --------------------------------------------------------------------------------------------------------


def figure1d():
    """Q_hat - eta/(a-1), which must be positive for the three segments of the figure."""
    points = [solve_rs(SCAD(a=5, lam=lam), alpha=1, eta=1) for lam in (0.1, 0.5)]
    return tuple(f"Q̂ - η/(a-1) = {point.Q_hat - 0.25:+.3f}" for point in points)


def swept():
    first, last = (solve_rs(EN, alpha=0.5, delta=delta) for delta in (0.1, 0.5))
    return "η₂ would have to change", f"η₁ from {first.eta:.3f} (δ = 0.1) to {last.eta:.3f} (δ = 0.5) at η₂ = 0.1"


def maximiser():
    """The objective at the printed and at the true maximiser, where eta/(a+1) < Q_hat < eta/(a-1)."""
    Q_hat, eta, h = 0.2, 1.0, 1.15
    (x,), _ = SCAD5.estimate(np.array([h]), np.array([Q_hat]), eta)
    printed = (h - eta) / Q_hat  # lam eta < h <= lam (Q_hat + eta) holds here
    objective = [-Q_hat / 2 * v**2 + h * v - float(SCAD5.value(np.array(v), eta)) for v in (printed, x)]
    return f"objective {objective[0]:.4f} at x = {printed:.2f}", f"objective {objective[1]:.4f} at x = {x:.2f}"


def rbar():
    point = solve_rs(EN, alpha=0.5, delta=0.5)
    without = point.penalty_mean - 0.5 * EN.eta2 * point.Q / 2  # ||x||_2/N vanishes as N grows
    return tuple(
        f"2(f - rbar)/α = {2 * (point.free_energy - r) / 0.5:.4f}, χ̂ = {point.chi_hat:.4f}"
        for r in (without, point.penalty_mean)
    )


def prediction_numbers():
    strong = ElasticNet(eta2=0.5)
    return tuple(
        f"minimum {prediction.best_delta(p):.3f}, δ₁ = {prediction.delta_1_2(p.eta2)[0]:.3f}, "
        f"δ₂ = {prediction.delta_1_2(p.eta2)[1]:.3f}"
        for p in (EN, strong)
    )


def l2_factor():
    trace, Q_hat = l1_elastic_net.l2_trace()[0], l1_elastic_net.l2().Q_hat
    return tuple(f"{f * Q_hat / (Q_hat + EN.eta2):.4f} (trace {trace:.4f})" for f in (1, 2))


def l2_limit():
    return tuple(
        f"df = {solve_rs(EN, alpha=0.5, **where).df:.4f} (l2: {l1_elastic_net.l2().df:.4f})"
        for where in ({"delta": 1.0}, {"eta": 1e-9})
    )


def at_line():
    value = rs_stable_range(SCAD8, alpha=0.5)[1]
    return "0.866", f"{value:.5f}"


def pi4():
    """pi_4 at delta = 0.5 for a = 10^4, against what vanishes there."""
    penalty = SCAD(a=1e4, lam=1.0)
    point = solve_rs(penalty, alpha=0.5, delta=0.5)
    kappa, *_, p4, _ = scad_parts(pd.DataFrame([vars(point)]), penalty)
    return f"π₄ = {p4.item():.4f}", f"η/(a-1) = {kappa.item():.1e}, df - δ = {point.df - point.delta:.1e}"


@cache
def with_fields(kappa=0.5, nu=-0.5, eta=0.3, samples=20):
    """f_{kappa,nu} of l1 at m_y = sigma_y = 1, alpha = 1/2: as printed, with the cross term, and directly (mean, se).

    With the fields the objective is that of the data u = (1 - kappa) y - nu, plus (|y|^2 - |u|^2)/2. So f_{kappa,nu}
    is f at the second moment of u plus alpha/2 times the difference of the moments. The printed form lacks
    2 kappa nu m_y in that moment; nu is negative because at kappa = nu = 0.5 nothing positive would be left of it.
    """
    alpha, second = 0.5, 2.0
    moment = (1 - kappa) ** 2 * second - 2 * (1 - kappa) * nu + nu**2

    def free_energy(moment):
        return solve_rs(L1(), alpha=alpha, eta=eta, variance=moment).free_energy + alpha * (second - moment) / 2

    ensemble, values = Ensemble(IID(), 200, 400, mean=1.0, seed=20180621), []
    for i in range(samples):
        A, y = ensemble.sample(i)
        u = (1 - kappa) * y - nu
        x = stationary_points(A, u, L1(), [eta])[:, 0]
        least = ((u - A @ x) @ (u - A @ x) / 2 + eta * np.abs(x).sum()) / 400
        values.append(least + alpha * (second - moment) / 2)
    directly = np.mean(values), np.std(values, ddof=1) / np.sqrt(samples)
    return free_energy(moment - 2 * kappa * nu), free_energy(moment), directly


def cross_term():
    printed, corrected, (mean, se) = with_fields()
    return tuple(f"f = {value:.4f} (direct minimum {mean:.4f}({se:.4f}))" for value in (printed, corrected))


def q_norm():
    """Q of l1 at eta = 0.8 from one sample, against the saddle point."""
    x = fixed(L1(), 0.8)[0].x[:, 0]
    Q, norm = solve_rs(L1(), alpha=0.5, eta=0.8).Q, x @ x / 200
    return tuple(f"{value:.3g} (RS: Q = {Q:.3g})" for value in (400 * norm, norm))


def aic_bias():
    """The bias of K = 5 free coefficients and M = 50 samples, per sample: E[|Pw|^2]/M for w ~ N(0, 1)."""
    rng, K, M, samples = np.random.default_rng(20180621), 5, 50, 4000
    basis = np.linalg.qr(rng.normal(size=(M, K)))[0]
    w = rng.normal(size=(samples, M))
    fit = w @ basis @ basis.T
    bias = (M + (fit**2).sum(1) - ((w - fit) ** 2).sum(1)) / (2 * M)
    measured = f"b = {bias.mean():.3f}({bias.std() / np.sqrt(samples):.3f})"
    return f"{K} ({measured})", f"{K / M:g} ({measured})"


def same_region():
    return tuple(f"best δ of l1: {prediction.best_delta(L1(), mean):.3f} (quoted: 0.085)" for mean in (0.0, 0.5))


def s3_order():
    """The objective where Q_hat < eta/(a+1), so that the printed theta_S3 is the smallest threshold."""
    Q_hat, eta, h = 0.05, 1.0, 0.5
    (x,), _ = SCAD5.estimate(np.array([h]), np.array([Q_hat]), eta)
    printed = h / Q_hat  # h > a lam Q_hat holds here, h > lam eta does not
    objective = [-Q_hat / 2 * v**2 + h * v - float(SCAD5.value(np.array(v), eta)) for v in (printed, x)]
    return f"objective {objective[0]:.2f} at x = {printed:g}", f"objective {objective[1]:.2f} at x = {x:g}"


_BP = "tests/test_bp.py::test_"
_THEORY = "tests/test_theory.py::test_"
_CLAIMS = "tests/test_claims.py::test_"
_HERE = "tests/test_misprints.py::test_"

MISPRINTS = [
    Misprint("onsager", "Sec. 7.1", "The Onsager term of R is missing.",
             r"R_\mu^{(t)} = \frac{y_\mu - \hat{y}_\mu^{(t)}}{1 + {\sigma_\mu^{(t)}}^2}",
             r"R_\mu^{(t)} = \frac{y_\mu - \hat{y}_\mu^{(t)} + {\sigma_\mu^{(t)}}^2 R_\mu^{(t-1)}}"
             r"{1 + {\sigma_\mu^{(t)}}^2}",
             "the fixed point is stationary for ½||y-Ax||² + r(x) or not: elastic net, η₁ = 0.4",
             _BP + "without_the_onsager_term_bp_solves_another_problem", onsager),
    Misprint("sigma2", "Sec. 7.1", "A factor 1/α too much in the variance of the fit.",
             r"{\sigma_\mu}^2 = \frac{1}{\alpha} \sum_i A_{\mu i}^2 \chi_i",
             r"{\sigma_\mu}^2 = \sum_i A_{\mu i}^2 \chi_i",
             "effective fraction (1/M) Σ χ_i Q̂_i of the elastic net against its trace",
             _BP + "one_over_alpha_does_not_belong_in_sigma2", sigma2),
    Misprint("delta-eff", "Sec. 7.2", "χ is per training sample, not per predictor.",
             r"\delta_{\rm eff} = \overline{\frac{1}{N} \sum_i \chi_i} \; \overline{\frac{1}{N} \sum_i \hat{Q}_i}",
             r"\delta_{\rm eff} = \overline{\frac{1}{M} \sum_i \chi_i} \; \overline{\frac{1}{N} \sum_i \hat{Q}_i}",
             "δ_eff of the elastic net against its trace", _BP + "delta_eff_counts_chi_per_row", delta_eff),
    Misprint("scad-and", "Sec. 7.1", "The first branch of χ for SCAD joins two ranges that exclude each other.",
             r"\lambda\eta < |h| \leq \lambda(\hat{Q} + \eta) \; \mbox{and} \; |h| > a\lambda\hat{Q}",
             r"\lambda\eta < |h| \leq \lambda(\hat{Q} + \eta) \; \mbox{or} \; |h| > a\lambda\hat{Q}",
             "effective fraction of SCAD, a = 5, against its trace",
             _BP + "scad_variance_lives_on_either_outer_branch", scad_and),
    Misprint("example2", "Sec. 7.2", "Example 2 mixes K and T.", r"i = K+1, \ldots, 2T", r"i = T+1, \ldots, 2T",
             "correlations of the generated columns",
             "tests/test_designs.py::test_block_correlation_is_one_half_within_a_block_and_zero_elsewhere",
             block_indices),
    Misprint("scad-a", "Figs. example1, example2", "SCAD needs a > 1.", r"a = 0.5", r"a = 5",
             "the penalty exists or not",
             "tests/test_penalties.py::test_bad_parameters_are_named", impossible_a),
    Misprint("captions", "Figs. example1, example2, L0_exhaustive",
             "The captions do not state m_y and σ_y², nor, for L0_exhaustive, α.",
             r"m_y, \sigma_y^2, \alpha = \; ?", r"m_y = 0, \; \sigma_y^2 = 1, \; \alpha = 0.5",
             "consistent with the text; claims bp-rs-*, eff-* and exact-*", _HERE + "what_the_captions_leave_open",
             lambda: ("not stated", "used")),
    Misprint("figure1d", "Fig. single-body(d)", "The caption says λ = 0.5, the text 0.1.", r"\lambda = 0.1",
             r"\lambda = 0.5", "Q̂ > η/(a-1), or the drawn pieces do not exist",
             _THEORY + "figure_1d_needs_lambda_one_half", figure1d),
    Misprint("swept", "Sec. 6", "It is η₁ that is swept for the elastic net.",
             r"\eta_2 \; \mbox{controlled}", r"\eta_1 \; \mbox{controlled at fixed} \; \eta_2",
             "η₁ along the curve", _THEORY + "elastic_net_formula_and_rescaling", swept),
    Misprint("scad-maximiser", "eq. (single_body_SCAD)", "The maximiser is printed for Q̂ > η/(a-1) only.",
             r"x^* = \frac{h - \lambda\eta}{\hat{Q}} \; \mbox{for} \; h \leq \lambda(\hat{Q} + \eta)",
             r"x^* = \frac{h - \lambda\eta}{\hat{Q}} \; \mbox{for} \; h \leq \frac{\lambda}{2}"
             r"[(a+1)\hat{Q} + \eta], \; \mbox{then} \; \frac{h}{\hat{Q}}",
             "objective at Q̂ = 0.2, η = λ = 1, a = 5, h = 1.15",
             "tests/test_penalties.py::test_estimate_is_the_global_maximiser", maximiser),
    Misprint("rbar", "Sec. 5.2", "The mean penalty has the norm where its square is meant.",
             r"\frac{\eta_2}{2} ||\hat{x}||_2", r"\frac{\eta_2}{2} ||\hat{x}||_2^2", "err_train = χ̂ at δ = 0.5",
             _CLAIMS + "theory_verdicts", rbar),
    Misprint("figure3", "Sec. 6", "The numbers quoted for the elastic net do not follow from η₂ = 0.1.",
             r"\eta_2 = 0.1", r"\eta_2 = 0.5 \; \mbox{(for} \; \delta_1, \delta_2 \; \mbox{only)}",
             "quoted: minimum 0.170, δ₁ = 0.028, δ₂ = 0.045; no single η₂ gives all three (claim one-eta2)",
             _CLAIMS + "theory_verdicts", prediction_numbers),
    Misprint("l2-df", "eq. (df_l2)", "A factor 1/α is missing (found here).",
             r"{\rm df} = \frac{\hat{Q}}{\hat{Q} + \eta_2}",
             r"{\rm df} = \frac{1}{\alpha} \frac{\hat{Q}}{\hat{Q} + \eta_2}",
             "tr A(A'A + η₂)⁻¹A'/M of Gaussian A", _CLAIMS + "theory_verdicts", l2_factor),
    Misprint("l2-limit", "Sec. 5.2", "Without the l1 term every component is non-zero (found here).",
             r"\delta \to 1", r"\delta \to 1/\alpha", "df of the elastic net in the limit, α = 0.5",
             _CLAIMS + "theory_verdicts", l2_limit),
    Misprint("at-line", "Fig. GDF", "The AT line is cut, not rounded (found here).", r"\delta = 0.866",
             r"\delta = 0.867", "root finding", _CLAIMS + "theory_verdicts", at_line),
    Misprint("pi4", "Sec. 5.4", "π₄ does not vanish as a → ∞; η/(a-1) does, so that df → δ holds.",
             r"\pi_4 \to 0", r"\frac{\eta}{a-1} \to 0", "SCAD at δ = 0.5, λ = 1, a = 10⁴",
             _HERE + "pi4_does_not_vanish", pi4),
    Misprint("cross-term", "Sec. 4.1", "A term in both fields is missing; df, a derivative at zero, does not see it.",
             r"f_{\kappa,\nu} = f - \{\ldots\} \chi",
             r"f_{\kappa,\nu} = f - \{\ldots\} \chi - \frac{\alpha m_y \kappa \nu \chi}{1 + \chi}",
             "free energy of l1 at κ = -ν = 0.5, m_y = σ_y = 1, η = 0.3, against the minimum on 20 samples",
             _HERE + "the_free_energy_has_a_term_in_both_fields", cross_term),
    Misprint("q-norm", "Sec. 4.1", "A sum over components of the norm of the whole vector: the sum is too much.",
             r"Q = \frac{1}{M} \sum_{i=1}^N E[||\hat{x}||_2^2]", r"Q = \frac{1}{M} E[||\hat{x}||_2^2]",
             "l1 at η = 0.8, one sample", _HERE + "q_is_the_norm_over_m", q_norm),
    Misprint("aic-bias", "Sec. 2.1", "With log-likelihoods per sample the bias is the dimension over M.",
             r"b = \dim \theta", r"b = \frac{\dim \theta}{M}", "5 free coefficients, M = 50: 4000 samples",
             _HERE + "the_bias_of_aic_is_the_dimension_over_m", aic_bias),
    Misprint("same-region", "Sec. 6", "Fig. pre_error has m_y = 0.5, Fig. GDF m_y = 0: not the same region.",
             r"m_y = 0", r"m_y = 0.5", "the best δ of l1", _HERE + "figure_3_needs_a_mean", same_region),
    Misprint("s3-order", "Sec. 5.4",
             "The order of the thresholds is lost on S3 because the printed maximiser is none, not because of RS.",
             r"x^* = \frac{h}{\hat{Q}} \; \mbox{for} \; h > a\lambda\hat{Q}",
             r"x^* = 0 \; \mbox{for} \; h \leq \lambda\sqrt{(a+1)\eta\hat{Q}}, \; \mbox{then} \; "
             r"\frac{h}{\hat{Q}}",
             "objective at Q̂ = 0.05 < η/(a+1), η = λ = 1, a = 5, h = 0.5",
             _HERE + "the_printed_scad_maximiser_fails_below_eta_over_a_plus_1", s3_order),
]  # fmt: skip
