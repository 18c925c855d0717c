"""Claims about Figs. GDF and pre_error (section 6): thresholds, minima, crossings."""

from functools import cache

import numpy as np
from scipy.optimize import brentq

from sparsegdf.ensembles.ensemble import Ensemble
from sparsegdf.ensembles.iid import IID
from sparsegdf.paper.claims.curves import ALPHA, DOMAIN, EN, PENALTIES, SCAD8
from sparsegdf.paper.claims.outcomes import Outcome, number, positive
from sparsegdf.paper.claims.verdict import Claim, within
from sparsegdf.penalties.elastic_net import ElasticNet
from sparsegdf.penalties.l0 import L0
from sparsegdf.penalties.l1 import L1
from sparsegdf.solvers.direct import stationary_points
from sparsegdf.theory.prediction_error import crossings, lowest
from sparsegdf.theory.replica_symmetric import rs_curve
from sparsegdf.theory.s1_branch import rs_stable_range, s1_end

_CUT = "digits cut off instead of rounded"
_ETA2 = "η₂ = 0.5 in place of the caption's 0.1"
_DELTA12 = "with the crossings that follow from the caption, δ₁ = 0.005 and δ₂ = 0.027"


def at_before_end(_):
    at, end = rs_stable_range(SCAD8, alpha=ALPHA)[1], s1_end(SCAD8, alpha=ALPHA)
    return Outcome(at < end, f"{at:.5f} < {end:.5f}", "order", effect="the sign", value=end - at)


def cut(value, quoted):
    """Whether the value gives the quoted digits when it is truncated instead of rounded."""
    digits = 10 ** len(quoted.partition(".")[2])
    return Outcome(
        np.floor(value * digits) / digits == float(quoted),
        f"{value:.6g}",
        "digits cut off",
        effect="the last quoted digit",
        value=value,
    )


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
    measured = f"in {held.mean():.0%} of ({low:.3f}, {high:.3f})"
    return Outcome(bool(held.all()), measured, "100 %", effect="the order", value=held.mean())


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
    return Outcome(bool(fits), measured, "one value", effect="the last quoted digit", value=np.ptp(candidates))


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
    effect = "any m_y up to 0.5, that of Fig. pre_error"
    return Outcome(0.5 in held, shown + lost, "m_y = 0.5", effect=effect, value=held[-1] if held else None)


def identifies(_):
    """Whether a model with non-zeros is best on standardised data, for each convex or stable penalty."""
    best = {name: best_delta(PENALTIES[name], 0.0) for name in ("l1", "elastic net", "SCAD")}
    shown = ", ".join(f"{name}: δ = {delta:g}" for name, delta in best.items())
    least = min(best.values())
    return Outcome(least > 0, f"best at m_y = 0: {shown}", "δ > 0", effect="an empty model", value=least)


def identifies_empty(_):
    inside = {name: is_inside(PENALTIES[name], 0.0) for name in ("l1", "elastic net", "SCAD")}
    shown = "the best model, δ = 0, is stable" if all(inside.values()) else f"unstable: {inside}"
    return Outcome(all(inside.values()), shown, "inside", effect="any that is unstable")


def supports(_):
    """The share of columns that l1, elastic net and SCAD have in common at the same number of non-zeros."""
    A, y = Ensemble(IID(), 200, 400, mean=0.5, seed=20180621).sample(0)
    etas = np.linspace(2.0, 0.5, 60)
    paths = [stationary_points(A, y, penalty, etas) for penalty in (L1(), EN, SCAD8)]
    chosen = [{np.count_nonzero(x): set(np.flatnonzero(x)) for x in path.T} for path in paths]
    size = max(set.intersection(*map(set, chosen)))
    sets = [by_size[size] for by_size in chosen]
    common = len(set.intersection(*sets)) / size
    measured = f"at |S| = {size} all three have {common:.0%} of the columns in common"
    return Outcome(common < 1, measured, "< 100 %", effect="one column", value=common)


CLAIMS = within(DOMAIN, [
    Claim("l0-s1-end", "Sec. 6, Fig. GDF", "S1 of l0 ends at this δ.", "0.248", "theory.s1_end(L0)",
          lambda _: number(s1_end(L0(), alpha=ALPHA), "0.248"),
          domain="α = 0.5"),
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
    Claim("supports", "Sec. 6", "The supports differ between penalties at the same δ.", "different supports",
          "one sample with M = 200, N = 400: the largest common number of non-zeros on a grid of 60 levels", supports,
          domain="l1, elastic net η₂ = 0.1, SCAD a = 8; m_y = 0.5"),
])  # fmt: skip
