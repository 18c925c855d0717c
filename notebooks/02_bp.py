# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Belief propagation on one sample: watching it converge and fail
#
# The replica theory speaks of the average over (A, y); belief propagation (BP) treats the one at hand. It sends
# each column the field h_i = Q̂_i x_i + (AᵀR)_i, lets the scalar estimator answer, x_i ← x\*(h_i; Q̂_i) with the
# variance χ_i = dx\*/dh, and corrects the residual R for what each answer owes to itself. At rest, x is a
# stationary point of ½‖y − Ax‖² + r(x; η), and df ≈ (1/M) Σ χ_i Q̂_i.
#
# A *damping* γ ≤ 1 takes x ← x + γ(x\* − x) instead; γ = 1 is the algorithm of the paper.

# %%
import numpy as np
import pandas as pd

from sparsegdf.ensembles.ar1 import AR1
from sparsegdf.ensembles.ensemble import Ensemble
from sparsegdf.ensembles.iid import IID
from sparsegdf.paper.figures import style
from sparsegdf.penalties.l0 import L0
from sparsegdf.penalties.scad import SCAD
from sparsegdf.solvers.belief_propagation import belief_propagation
from sparsegdf.solvers.best_subset import swap_search
from sparsegdf.solvers.direct import stationary_path
from sparsegdf.solvers.plain_bp import belief_propagation_reference
from sparsegdf.solvers.stability import linear_stability

# %matplotlib inline

M, N, seed = 200, 400, 1
scad = SCAD(a=5, lam=1.0)


def watch(A, y, penalty, eta, longest, damping=1.0):
    """Steps, the residual max_i |x*_i - x_i| there, and the end of plain BP from x = 0."""
    steps = np.unique(np.geomspace(1, longest, 40).round().astype(int))
    runs = [belief_propagation_reference(A, y, penalty, [eta], max_steps=t, damping=damping) for t in steps]
    taken, first = np.unique([run.steps[0] for run in runs], return_index=True)
    return taken, np.array([run.residual[0] for run in runs])[first], runs[-1]


def radius(A, point, level, damping):
    """The factor per step that linear stability predicts; NaN where there is no fixed point to speak of."""
    if not point.converged[level]:
        return np.nan
    return linear_stability(A, point.x[:, level], point.chi[:, level], point.Q_hat[:, level], damping).radius


# %% [markdown]
# ## Independent columns: it converges, as fast as predicted
# The fixed point can be found without iterating (`stationary_path`), and the Jacobian of BP there has a spectral
# radius: the factor by which the distance should shrink in a step (dashed, fitted in height only).

# %% alt="Residual of BP per step at three eta on independent columns, with the predicted slopes."
A, y = Ensemble(IID(), M, N, seed=seed).sample(0)
etas = [1.5, 1.0, 0.5]
direct = stationary_path(A, y, scad, etas)
figure = style.new_figure(7, 2.6)
ax = figure.subplots()
for level, (eta, colour) in enumerate(zip(etas, (style.SKY, style.BLUE, style.PURPLE), strict=True)):
    steps, residual, end = watch(A, y, scad, eta, 300)
    rate = radius(A, direct, level, 1.0)
    ax.semilogy(steps, residual, color=colour, label=rf"$\eta={eta}$, $\delta={end.delta[0]:.2f}$")
    ax.semilogy(steps, residual[-1] * rate ** (steps - steps[-1]), "--", color=colour, linewidth=0.8)
    gap = np.abs(end.x[:, 0] - direct.x[:, level]).max()
    assert end.converged[0] and gap < 1e-8
    print(f"eta = {eta}: {end.status[0]}, {end.steps[0]} steps, predicted rate {rate:.3f}, |x - direct| = {gap:.0e}")
ax.set(xlabel="step", ylabel=r"$\max_i|x^*_i-x_i|$", ylim=(1e-11, 30))
ax.legend()
figure

# %% [markdown]
# ## Correlated columns: it fails, and damping helps
# Neighbours now have correlation ½ (Example 1 of the paper). (a) Where the predicted radius of undamped BP comes up
# to 1, undamped BP fails (crosses); damping buys stability with speed. (b) The same at one η, step by step.

# %% alt="Spectral radius against delta for three dampings; residual per step at one eta for the same dampings."
A, y = Ensemble(AR1(c=0.5), M, N, seed=seed).sample(0)
etas = np.linspace(2.0, 0.4, 17)
direct = stationary_path(A, y, scad, etas)
plain = belief_propagation(A, y, scad, etas, damping=1.0, max_steps=5000)
figure = style.new_figure(7, 2.9)
left, right = figure.subplots(1, 2)
for damping, colour in ((1.0, style.VERMILION), (0.5, style.BLUE), (0.2, style.GREEN)):
    radii = np.array([radius(A, direct, level, damping) for level in range(etas.size)])
    left.plot(direct.delta, radii, color=colour, label=rf"$\gamma={damping:g}$")
    if damping == 1.0:
        left.plot(direct.delta[plain.converged], radii[plain.converged], "o", color=colour)
        left.plot(direct.delta[~plain.converged], radii[~plain.converged], "x", color=colour)
        ended = radii[plain.converged].max(), radii[~plain.converged].min()
        print(f"undamped BP: converges up to a radius of {ended[0]:.4f}, fails from {ended[1]:.4f} on")
    steps, residual, end = watch(A, y, scad, 0.7, 800, damping)
    right.semilogy(steps, residual, color=colour, label=rf"$\gamma={damping:g}$: {end.status[0]}")
left.axhline(1, **style.GUIDE)
left.set(xlabel=r"$\delta$", ylabel="spectral radius")
right.set(xlabel="step", ylabel=r"$\max_i|x^*_i-x_i|$", ylim=(1e-11, 1e9), title=r"$\eta=0.7$")
left.legend()
right.legend(loc="upper right")
for ax, letter in ((left, "a"), (right, "b")):
    style.panel_letter(ax, letter)
figure

# %% [markdown]
# `belief_propagation` adapts its damping to the sample by default; beside it the direct solver. They agree until
# the last level, where a concave penalty has several stationary points. The direct solver follows the path to one
# at which the variances χ_i have no solution, so no fixed point of BP; BP takes thousands of steps and rests at
# another.

# %%
etas = [1.6, 1.2, 0.8, 0.4, 0.2, 0.1]
adapted, direct = belief_propagation(A, y, scad, etas), stationary_path(A, y, scad, etas)
table = {"eta": etas, "delta": adapted.delta, "df estimate": adapted.delta_eff_sum, "BP": adapted.status}
table |= {"steps": adapted.steps, "residual": adapted.residual, "kkt": adapted.kkt, "direct": direct.status}
table["|x - direct|"] = np.abs(adapted.x - direct.x).max(axis=0)
print(pd.DataFrame(table).to_string(index=False, float_format="{:.3g}".format))

# %% [markdown]
# ## ℓ₀: where it ends depends on how one gets there
# Under ℓ₀ the estimator jumps. (a) Undamped BP runs away even on independent columns; damped, it comes to rest
# here. (b) But where depends on the damping, and none is the best: a search by swaps finds a lower ½‖y − Ax‖² + ηK.
# A converged run is *a* stationary point, not *the* solution.

# %% alt="Residual per step for l0 at four dampings; objective against non-zeros where they end."
A, y = Ensemble(IID(), M, N, seed=seed).sample(0)
eta, sizes = 2.0, np.arange(21)
figure = style.new_figure(7, 2.9)
left, right = figure.subplots(1, 2)
best = swap_search(A, y, 20, restarts=20, rng=0).rss / 2 + eta * sizes
right.plot(sizes, best, "-", color="0.5", label="search by swaps")
for damping, colour in ((1.0, style.VERMILION), (0.5, style.BLUE), (0.1, style.GREEN), (0.05, style.PURPLE)):
    steps, residual, end = watch(A, y, L0(), eta, 1000, damping)
    left.loglog(steps, residual, color=colour, label=rf"$\gamma={damping:g}$: {end.status[0]}")
    if end.converged[0]:
        K = np.count_nonzero(end.x)
        value = np.square(y - A @ end.x[:, 0]).sum() / 2 + eta * K
        right.plot(K, value, "o", color=colour, label=rf"$\gamma={damping:g}$")
        print(f"damping {damping:g}: {K} non-zeros, objective {value:.3f}, kkt {end.kkt[0]:.0e}")
        assert value > best.min()
print(f"by swaps: {best.argmin()} non-zeros, objective {best.min():.3f}")
left.set(xlabel="step", ylabel=r"$\max_i|x^*_i-x_i|$", ylim=(1e-11, 1e9))
right.set(xlabel="non-zeros $K$", ylabel=r"$\frac{1}{2}\|y-Ax\|^2+\eta K$")
left.legend(loc="lower left")
right.legend()
for ax, letter in ((left, "a"), (right, "b")):
    style.panel_letter(ax, letter)
figure
