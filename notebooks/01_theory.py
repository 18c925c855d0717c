# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # The replica-symmetric theory, by playing with it
#
# We fit y (M numbers, here pure noise of variance 1) with N = M/α columns by minimising ½‖y − Ax‖² + r(x; η), for a
# random A. How many degrees of freedom does the fit use? The replica-symmetric (RS) answer is **df = χ/(1 + χ)**,
# whatever r is. As everywhere here df and δ = (number of non-zeros)/M are fractions of M.
#
# The theory replaces N coupled components by a single one in a Gaussian field h of variance χ̂:
#
# > x\*(h; Q̂) = argmin over x of Q̂x²/2 − hx + r(x; η)
#
# and asks that χ, Q, χ̂, Q̂ be consistent:
#
# > αχ = E[dx\*/dh],  αQ = E[x\*²],  Q̂ = 1/(1 + χ),  χ̂ = (Q + 1)/(1 + χ)²

# %%
import numpy as np
import pandas as pd
from matplotlib.colors import ListedColormap

from sparsegdf.paper.figures import style
from sparsegdf.penalties.elastic_net import ElasticNet
from sparsegdf.penalties.l0 import L0
from sparsegdf.penalties.l1 import L1
from sparsegdf.penalties.mcp import MCP
from sparsegdf.penalties.registry import PENALTIES
from sparsegdf.penalties.scad import SCAD
from sparsegdf.theory.replica_symmetric import rs_curve, solve_rs
from sparsegdf.theory.s1_branch import rs_stable_range

# %matplotlib inline

alpha = 0.5

# %% [markdown]
# ## One component in a random field
# Three penalties with the same share of non-zeros, δ = 0.1: the same area of the density of h (grey) lies beyond
# their thresholds. Then df = Q̂ E[dx\*/dh]/α is the mean *slope* of x\* in units of 1/Q̂. For ℓ₁ that slope is 1/Q̂
# beyond the threshold, so df = δ. SCAD is steeper where it lets go of its bias, and the jump of ℓ₀ counts as an
# infinite slope.

# %% alt="The scalar estimator of l1, SCAD and l0 over the density of the field h."
three = {r"$\ell_1$": L1(), "SCAD, $a=3.7$": SCAD(a=3.7, lam=1.0), r"$\ell_0$": L0()}
figure = style.new_figure(7, 2.4)
for ax, (name, penalty) in zip(figure.subplots(1, 3, sharey=True), three.items(), strict=True):
    point = solve_rs(penalty, alpha=alpha, delta=0.1)
    s = np.sqrt(point.chi_hat)
    h = np.linspace(-4 * s, 4 * s, 2001)
    x, _ = penalty.estimate(h, point.Q_hat, point.eta)
    ax.fill_between(h, 2 * np.exp(-(h**2) / (2 * s**2)), color="0.88", linewidth=0)
    ax.plot(h, h / point.Q_hat, **style.GUIDE)
    x[:-1][np.abs(np.diff(x)) > 0.2] = np.nan  # no line where it jumps
    ax.plot(h, x, color=style.VERMILION)
    ax.set(xlabel="$h$", ylim=(-4.5, 4.5), title=f"{name}:  df = {point.df:.3f}")
    print(f"{penalty!r:22} eta = {point.eta:.4f}  df = {point.df:.6f}  residual {point.residual:.0e}")
figure.axes[0].set_ylabel(r"$x^*(h;\hat{Q})$")
figure

# %% [markdown]
# ## Solving it by hand
# Four numbers that determine each other can be iterated. (E[dx\*/dh] = E[zx\*]/√χ̂ by parts, which takes care of
# the jump.) `solve_rs` finds the same point by bracketing roots; what is left below is the error of our grid of z.


# %% alt="Distance of the iterated df from that of solve_rs, falling to the error of the grid."
def iterate(penalty, eta, steps):
    z = np.linspace(-9, 9, 20_001)
    weight = np.exp(-(z**2) / 2) / np.exp(-(z**2) / 2).sum()
    chi, Q = 0.0, 0.0
    for _ in range(steps):
        Q_hat, s = 1 / (1 + chi), np.sqrt(Q + 1) / (1 + chi)
        x, _ = penalty.estimate(s * z, Q_hat, eta)
        chi, Q = weight @ (z * x) / s / alpha, weight @ x**2 / alpha
        yield chi / (1 + chi)


figure = style.new_figure(7, 2.4)
ax = figure.subplots()
for delta, colour in ((0.1, style.SKY), (0.5, style.BLUE), (0.8, style.PURPLE)):
    exact = solve_rs(SCAD(a=8, lam=1.0), alpha=alpha, delta=delta)
    df = np.array(list(iterate(SCAD(a=8, lam=1.0), exact.eta, 50)))
    assert abs(df[-1] - exact.df) < 1e-7
    ax.semilogy(np.arange(1, 51), np.abs(df - exact.df), "o-", markersize=2, color=colour, label=rf"$\delta={delta}$")
ax.set(xlabel="step", ylabel=r"$|\mathrm{df}_t-\mathrm{df}|$", title="SCAD, $a=8$, $\\lambda=1$")
ax.legend()
figure

# %% [markdown]
# ## The curve, and where to stop believing it
# df against δ: solid where the RS solution is stable, dashed beyond the AT line, where it is not (for ℓ₀ nowhere: a
# jump makes it unstable). Below the diagonal a fit is cheaper than its non-zeros suggest, above it dearer.

# %% alt="GDF and its excess over delta for five penalties."
five = {
    "l1": L1(), "elastic_net": ElasticNet(eta2=0.5), "scad": SCAD(a=8, lam=1.0), "mcp": MCP(a=8, lam=1.0), "l0": L0(),
}  # fmt: skip
figure = style.new_figure(7, 2.9)
left, right = figure.subplots(1, 2)
rows = []
for kind, penalty in five.items():
    curve = rs_curve(penalty, alpha=alpha, deltas=np.linspace(0.005, 1, 200))
    curve["excess"] = curve.df - curve.delta
    style.draw_rs_line(left, curve, "df", color=PENALTIES[kind].colour, label=PENALTIES[kind].label)
    style.draw_rs_line(right, curve[curve.branch == "S1"], "excess", color=PENALTIES[kind].colour)
    stable = rs_stable_range(penalty, alpha=alpha)
    rows.append({"penalty": repr(penalty), "stable up to delta": stable[1] if stable else np.nan})
    rows[-1] |= {"largest residual": curve.residual.max(), "all converged": bool(curve.converged.all())}
left.set(xlim=(0, 1), ylim=(0, 1.03), xlabel=r"$\delta$", ylabel=r"$\mathrm{df}$")
right.set(xlim=(0, 1), xlabel=r"$\delta$", ylabel=r"$\mathrm{df}-\delta$")
left.legend(loc="lower right")
print(pd.DataFrame(rows).to_string(index=False))
figure

# %% [markdown]
# ## A phase diagram that the paper does not draw, and what df is for
# (a) How concave may SCAD be? White is where RS is stable. To the right x\* is still continuous, but too steep; to
# the left η is so large that x\* jumps. S1 is the solution that is connected to large η; where it ends, df = 1.
#
# (b) With df, err_pre = err_train + 2σ²df is known, and a penalty can be judged by its minimum (dots; colours as
# above). Here y has mean m_y = 0.8 beside its noise. For ℓ₀ the empty model is best: RS makes err_pre linear in df.

# %% alt="Phase diagram of SCAD over delta and a; prediction error against delta with its minima."
deltas, concavities = np.linspace(0.002, 1, 120), np.linspace(1.5, 10, 45)
phase = np.zeros((concavities.size, deltas.size))
for k, a in enumerate(concavities):
    curve = rs_curve(SCAD(a=a, lam=1.0), alpha=alpha, deltas=deltas)
    phase[k] = np.select([curve.branch != "S1", curve["at"] == np.inf, ~curve.rs_stable], [3, 2, 1], 0)
print(f"the smallest a with a stable delta: {concavities[(phase == 0).any(axis=1)][0]:.2f}")
figure = style.new_figure(7, 2.9)
left, right = figure.subplots(1, 2)
left.pcolormesh(deltas, concavities, phase, cmap=ListedColormap(["white", "#b7d5ea", "#f6d9c4", "0.8"]))
for at, text in (((0.4, 7.5), "RS stable"), ((0.13, 2.2), "$x^*$ jumps"), ((0.7, 2.2), "S1 has ended")):
    left.text(*at, text, ha="center")
left.annotate("unstable", (0.87, 7.2), (0.62, 8.7), arrowprops={"arrowstyle": "-", "linewidth": 0.6})
left.set(xlabel=r"$\delta$", ylabel="SCAD $a$", xlim=(0, 1))
for kind, penalty in five.items():
    curve = rs_curve(penalty, alpha=alpha, deltas=np.linspace(0.001, 1, 250), mean=0.8)
    curve = curve[curve.branch == "S1"]
    style.draw_rs_line(right, curve, "err_pre", color=PENALTIES[kind].colour, label=PENALTIES[kind].label)
    best = curve.loc[curve.err_pre.idxmin()]
    right.plot(best.delta, best.err_pre, "o", color=PENALTIES[kind].colour)
    print(f"{penalty!r:22} smallest err_pre {best.err_pre:.4f} at delta = {best.delta:.3f}, stable: {best.rs_stable}")
right.set(xlim=(0, 1), xlabel=r"$\delta$", ylabel=r"$\mathrm{err}_\mathrm{pre}$")
for ax, letter in ((left, "a"), (right, "b")):
    style.panel_letter(ax, letter)
figure
