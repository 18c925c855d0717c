# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # A penalty of your own, in ten lines
#
# All that the package wants to know of a penalty is its scalar estimator x\*(h; Q̂) = argmin of Q̂x²/2 − hx + r(x; η)
# as a list of linear pieces. Take BerHu (Owen, 2007), which the package does not have: ℓ₁ up to L and a parabola
# beyond, r′(x) = η max(1, x/L) for x > 0. Setting Q̂x + r′(x) = h, x\* is zero up to h = η, then (h − η)/Q̂, and
# from h = η + Q̂L on h/(Q̂ + η/L):

# %%
from dataclasses import dataclass

import numpy as np

from sparsegdf.ensembles.ensemble import Ensemble
from sparsegdf.ensembles.iid import IID
from sparsegdf.paper.experiments.simulation import rows
from sparsegdf.paper.experiments.summaries import summarise
from sparsegdf.paper.figures import style
from sparsegdf.paper.figures.points import draw_points
from sparsegdf.penalties.base import Penalty, Segments
from sparsegdf.penalties.l1 import L1
from sparsegdf.penalties.mcp import MCP
from sparsegdf.selection.select import select
from sparsegdf.solvers.direct import stationary_path
from sparsegdf.theory.replica_symmetric import rs_curve
from sparsegdf.theory.s1_branch import rs_stable_range

# %matplotlib inline


# %%
@dataclass(frozen=True)
class BerHu(Penalty):
    L: float

    def value(self, x, eta):
        return eta * np.where(np.abs(x) <= self.L, np.abs(x), (np.square(x) + self.L**2) / (2 * self.L))

    def derivative(self, x, eta):
        return eta * np.maximum(1, np.abs(x) / self.L)

    def segments(self, Q_hat, eta):
        return Segments.of((eta, 1 / Q_hat, -eta / Q_hat), (eta + Q_hat * self.L, 1 / (Q_hat + eta / self.L), 0))

    def eta_at(self, threshold, Q_hat):
        return threshold


# %% [markdown]
# Its GDF curve. Strong shrinkage of what is not zero makes df < δ, as for the elastic net; as L grows, ℓ₁ and df = δ
# come back. `select`, both solvers and the figures take it as they take any other. For the command line and the
# configuration to know it by a name, the class goes into a file of its own in `penalties/`: "Add a penalty" in
# `docs/architecture.md`.

# %% alt="GDF of BerHu with two values of L against delta, below the line of l1."
figure = style.new_figure(3.4, 2.6)
ax, deltas = figure.subplots(), np.linspace(0.01, 1, 100)
colours = {L1(): style.BLUE, BerHu(1): style.GREEN, BerHu(0.3): style.ORANGE}
for penalty, colour in colours.items():
    style.draw_rs_line(ax, rs_curve(penalty, alpha=0.5, deltas=deltas), "df", color=colour, label=repr(penalty))
ax.set(xlim=(0, 1), ylim=(0, 1.03), xlabel=r"$\delta$", ylabel=r"$\mathrm{df}$")
ax.legend()
assert np.allclose(rs_curve(BerHu(1e6), alpha=0.5, deltas=[0.2, 0.5]).df, [0.2, 0.5])
figure

# %% [markdown]
# # One with a jump
#
# ℓ₁ shrinks large coefficients as much as small ones; MCP lets go of them altogether and pays with an unstable RS
# solution. Something in between: let the slope of r taper from η down to a floor sη and stay there,
#
# > r′(x) = η max(1 − x/a, s)  for x > 0
#
# so that s = 1 is ℓ₁ and s = 0 is MCP (with λ = 1). By Q̂x + r′(x) = h the pieces are
#
# - zero up to h = η
# - x = (h − η)/(Q̂ − η/a) while x < a(1 − s), that is up to h = a(1 − s)Q̂ + sη
# - x = (h − sη)/Q̂ beyond
#
# if Q̂ > η/a. If not, the middle piece bends the wrong way: x\* jumps from zero to the last piece where both have
# the same value, at h = sη + (1 − s)√(aηQ̂).


# %%
@dataclass(frozen=True)
class Taper(Penalty):
    """r'(x) = eta max(1 - x/a, s) for x > 0."""

    a: float
    s: float

    def value(self, x, eta):
        x, knot = np.abs(x), self.a * (1 - self.s)
        near = np.minimum(x, knot)
        return eta * (near - near**2 / (2 * self.a) + self.s * np.maximum(x - knot, 0))

    def derivative(self, x, eta):
        return eta * np.maximum(1 - np.abs(x) / self.a, self.s)

    def segments(self, Q_hat, eta):
        a, s, smooth = self.a, self.s, Q_hat > eta / self.a
        jump = s * eta + (1 - s) * np.sqrt(a * eta * Q_hat)
        gap = np.where(smooth, Q_hat - eta / a, Q_hat)  # a piece that a regime lacks has no width: any slope will do
        near, far = np.where(smooth, eta, jump), np.where(smooth, a * (1 - s) * Q_hat + s * eta, jump)
        return Segments.of((near, 1 / gap, -eta / gap), (far, 1 / Q_hat, -s * eta / Q_hat))

    def eta_at(self, threshold, Q_hat):
        reach = (1 - self.s) * np.sqrt(self.a * Q_hat)  # s eta + reach sqrt(eta) = threshold, solved for sqrt(eta)
        root = 2 * threshold / (reach + np.sqrt(reach**2 + 4 * self.s * threshold))
        return np.where(threshold <= self.a * Q_hat, threshold, root**2)


taper, mcp = Taper(a=6.0, s=0.7), MCP(a=6.0, lam=1.0)

# %% [markdown]
# ## Is it right?
# Trust no formula: minimise Q̂x²/2 − hx + r(x) over a fine grid of x instead, in both regimes, and compare what is
# attained. The limits s = 0 and s = 1 must be MCP and ℓ₁, and `eta_at` must invert the threshold.

# %% alt="Penalty and scalar estimator of taper in the continuous and in the jumping regime, with brute force."
x = np.linspace(0, 20, 100_001)
figure = style.new_figure(7, 2.6)
left, middle, right = figure.subplots(1, 3)
for penalty, colour in ((L1(), style.BLUE), (taper, style.VERMILION), (mcp, style.SKY)):
    left.plot(x[::1000], penalty.value(x[::1000], 1.0), color=colour, label=type(penalty).__name__)
left.set(xlabel="$x$", ylabel=r"$r(x;\eta=1)$", xlim=(0, 8), ylim=(0, 6))
left.legend()
for ax, Q_hat, eta in ((middle, 0.7, 1.2), (right, 0.2, 2.0)):
    h = np.linspace(0, 4, 41)
    objective = Q_hat * x**2 / 2 - h[:, None] * x + taper.value(x, eta)
    ours, _ = taper.estimate(h, Q_hat, eta)
    excess = Q_hat * ours**2 / 2 - h * ours + taper.value(ours, eta) - objective.min(axis=1)
    assert np.abs(excess).max() < 1e-7
    assert np.allclose(taper.segments(Q_hat, taper.eta_at(h[1:], Q_hat)).start[0], h[1:])
    fine = np.linspace(0, 4, 2001)
    ax.plot(fine, taper.estimate(fine, Q_hat, eta)[0], color=style.VERMILION)
    ax.plot(h, x[objective.argmin(axis=1)], "o", color="0.3", markersize=2.5)
    ax.set(xlabel="$h$", ylabel="$x^*$", title=rf"$\hat{{Q}}={Q_hat}$, $\eta={eta}$")
    print(f"Q_hat = {Q_hat}, eta = {eta}: attained minus brute force at most {np.abs(excess).max():.0e}")
    for s, limit in ((0.0, mcp), (1.0, L1())):
        assert np.allclose(Taper(6.0, s).estimate(h, Q_hat, eta), limit.estimate(h, Q_hat, eta))
figure

# %% [markdown]
# ## Its theory, and a check of that
# The GDF curve comes for free: (a) solid where RS is stable. The dots are 40 samples with N = 600: the covariance
# of y and the fit, with standard errors, at the fixed points that `stationary_path` finds. Where every sample has
# one, they are on the curve (|z| is small). Towards the AT line samples without a fixed point become frequent; the
# average over the others (hollow) is a selection, and is off. (b) The floor moves the AT line, but late: only
# components beyond x = a(1 − s) feel it.

# %% alt="GDF of taper against delta with simulated points, between l1 and MCP; the AT line against the floor s."
alpha, M, N = 0.5, 300, 600
etas, tables = [2.0, 1.6, 1.2, 0.9, 0.7, 0.5, 0.35, 0.2], []
for index in range(40):
    A, y = Ensemble(IID(), M, N, seed=4).sample(index)
    tables.append(rows(A, y, stationary_path(A, y, taper, etas), mean=0.0, variance=1.0).assign(solver="direct"))
summary = summarise(tables)
theory = rs_curve(taper, alpha=alpha, deltas=summary.delta)
summary["RS"], summary["RS_stable"] = theory.df, theory.rs_stable
summary["z"] = (summary.gdf - summary.RS) / summary.gdf_se
columns = ["eta", "delta", "gdf", "gdf_se", "RS", "z", "RS_stable", "converged", "samples", "kkt_max"]
print(summary[columns].to_string(index=False, float_format="{:.3g}".format))
assert (summary.z[summary.converged == 40].abs() < 4).all()
print(f"AT line: delta = {rs_stable_range(taper, alpha=alpha)[1]:.4f}, largest residual {theory.residual.max():.0e}")

figure = style.new_figure(7, 2.9)
left, right = figure.subplots(1, 2)
deltas = np.linspace(0.005, 1, 200)
for penalty, colour in ((L1(), style.BLUE), (taper, style.VERMILION), (mcp, style.SKY)):
    curve = rs_curve(penalty, alpha=alpha, deltas=deltas)
    style.draw_rs_line(left, curve, "df", color=colour, label=type(penalty).__name__)
draw_points(left, summary, "gdf", color=style.VERMILION)
left.set(xlim=(0, 1), ylim=(0, 1.03), xlabel=r"$\delta$", ylabel=r"$\mathrm{df}$")
left.legend(loc="lower right")
floors = np.linspace(0, 1, 11)
for a, colour in ((4.0, style.ORANGE), (8.0, style.PURPLE)):
    curves = [rs_curve(Taper(a, s), alpha=alpha, deltas=deltas) for s in floors]
    right.plot(floors, [c.delta[c.rs_stable].max() for c in curves], "o-", color=colour, label=f"$a={a:g}$")
right.set(xlabel="floor $s$", ylabel=r"$\delta$ at the AT line", ylim=(0, 1.03))
right.legend(loc="lower right")
for ax, letter in ((left, "a"), (right, "b")):
    style.panel_letter(ax, letter)
figure

# %% [markdown]
# ## Selecting with it
# `select` takes it as it is. Ten data sets with 8 true coefficients, of five standard errors each, among 40,
# beside its two relatives. The squared error (in squared standard errors) is that of the coefficients, which only a
# simulation knows. By it ten data sets do not tell the penalties apart, but ℓ₁ takes more non-zeros to get there.
# Under a penalty that is not convex the fit may jump as y changes, and df comes from a bootstrap.

# %%
rng, results = np.random.default_rng(0), {penalty: [] for penalty in (L1(), taper, mcp)}
truth = np.where(np.arange(40) < 8, 5 / np.sqrt(120), 0.0)
for _ in range(10):
    A = rng.normal(size=(120, 40))
    y = A @ truth + rng.normal(size=120)
    for penalty, found in results.items():
        chosen = select(A, y, penalty, sigma2=1.0)
        error = 120 * np.square(chosen.coef - truth).sum()
        found.append((np.count_nonzero(chosen.coef), 120 * chosen.best.df, error))
for penalty, found in results.items():
    means, errors = np.mean(found, axis=0), np.std(found, axis=0, ddof=1) / np.sqrt(10)
    three = zip(("non-zeros", "parameters", "squared error"), means, errors, strict=True)
    text = ", ".join(f"{name} {mean:.2f} +- {error:.2f}" for name, mean, error in three)
    print(f"{penalty!r:20} {text}")
gain = np.array(results[L1()])[:, 2] - np.array(results[taper])[:, 2]
print(f"error of L1 - error of Taper, paired: {gain.mean():.2f} +- {gain.std(ddof=1) / np.sqrt(10):.2f}")
