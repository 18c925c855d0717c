# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Your own data: diabetes with its interactions
#
# 442 patients, the progress of the disease after a year, and 10 measurements (from scikit-learn, nothing is
# downloaded). With all products of two measurements and the squares (but that of sex, which has two values) there
# are 64 predictors, many of them correlated. Which matter, and how many parameters does it cost to choose them?

# %%
import subprocess
import sys
import tempfile
import warnings
from itertools import combinations

import numpy as np
import pandas as pd
from sklearn.datasets import load_diabetes
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import KFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from sparsegdf.paper.figures import style
from sparsegdf.penalties.l1 import L1
from sparsegdf.penalties.mcp import MCP
from sparsegdf.penalties.registry import PENALTIES
from sparsegdf.penalties.scad import SCAD
from sparsegdf.selection import command_line as cli
from sparsegdf.selection.regressor import SparseRegressor
from sparsegdf.selection.select import select

# %matplotlib inline


def expand(X):
    """The columns of X, their products, and the squares of those with more than two values."""
    products = {f"{i}*{j}": X[i] * X[j] for i, j in combinations(X, 2)}
    return X.assign(**products, **{f"{i}^2": X[i] ** 2 for i in X if X[i].nunique() > 2})


scale = StandardScaler().set_output(transform="pandas")
X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
A = expand(scale.fit_transform(X))
M, N = A.shape
print(f"M = {M} rows, N = {N} predictors, largest correlation {np.abs(A.corr() - np.eye(N)).max(axis=None):.3f}")
assert (M, N) == (442, 64)

# %% [markdown]
# ## The path, its degrees of freedom, and C_p
# `select` standardises, estimates σ², fits the path of η and takes the model with the smallest C_p = err_train +
# 2σ²df. For ℓ₁ df is Stein's divergence of the fit. Under concave penalties the fit may jump as y moves, and `select`
# uses a bootstrap. Here `bootstrap=0` asks for Stein's df all the same, to see what goes wrong: `select` warns. SCAD
# has the a = 3.7 of its authors, MCP a = 3.

# %% alt="Parameters M df against the number of non-zeros, and C_p against it, for three penalties."
penalties = {"l1": L1(), "scad": SCAD(a=3.7, lam=1.0), "mcp": MCP(a=3, lam=1.0)}
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    found = {kind: select(A, y, penalty, bootstrap=0) for kind, penalty in penalties.items()}
for warning in caught:
    print(f"Warning: {warning.message}\n")
table = pd.concat({kind: selection.path.iloc[[selection.chosen]] for kind, selection in found.items()}).droplevel(1)
table = table.assign(parameters=M * table.df)
columns = ["eta", "nonzeros", "parameters", "cp", "kkt", "converged", "jumps"]
print(table[columns].to_string(float_format="{:.4g}".format))

figure = style.new_figure(7, 2.9)
left, right = figure.subplots(1, 2)
for kind, selection in found.items():
    path = selection.path[selection.path.converged]
    look = {"color": PENALTIES[kind].colour, "label": PENALTIES[kind].label}
    left.plot(path.nonzeros, M * path.df, **look)
    right.plot(path.nonzeros, path.cp, **look)
    right.plot(selection.best.nonzeros, selection.best.cp, "o", color=PENALTIES[kind].colour)
left.plot([0, N], [1, N + 1], **style.GUIDE)
left.set(xlabel="non-zeros", ylabel=r"parameters $M\,\mathrm{df}$ (Stein)")
right.set(xlabel="non-zeros", ylabel="$C_p$", ylim=(2800, 3500))
left.legend()
figure

# %% [markdown]
# ## Stein or bootstrap?
# A concave fit jumps as y moves: a predictor enters with a finite coefficient, or changes places with a correlated
# one. Stein's divergence does not see that. The bootstrap measures the covariance of y and fit whole, over samples
# drawn around the fit that Stein's df chooses. For a fair comparison Stein's divergence is averaged over such
# samples too (squares): on one y (dashed) it is unbiased at best. For ℓ₁, which is continuous, the averages agree;
# for MCP they do not.

# %% alt="Stein's and the bootstrap's number of parameters along the path for l1 and MCP."
figure = style.new_figure(7, 3.1)
measured, rng = {}, np.random.default_rng(2)
for ax, kind in zip(figure.subplots(1, 2, sharey=True), ("l1", "mcp"), strict=True):
    grid = {"sigma2": found[kind].sigma2, "etas": found[kind].path.eta[10:70:2]}
    measured[kind] = select(A, y, penalties[kind], bootstrap=100, seed=1, **grid)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Stein's df .* may be too small")  # this is what is being measured
        centre = select(A, y, penalties[kind], bootstrap=0, **grid).predict(A)
        drawn = [centre + np.sqrt(grid["sigma2"]) * rng.normal(size=M) for _ in range(30)]
        stein = M * np.array([select(A, z, penalties[kind], bootstrap=0, **grid).path.df for z in drawn])
    path, best, colour = measured[kind].path, measured[kind].best, PENALTIES[kind].colour
    mean, se = stein.mean(axis=0), stein.std(axis=0, ddof=1) / np.sqrt(len(stein))
    dots = {"markersize": 2.5, "elinewidth": 0.8}
    ax.plot(path.eta, M * path.df_stein, "--", color="0.6", linewidth=0.8, label="Stein, this $y$")
    ax.errorbar(path.eta, mean, se, fmt="s", color="0.4", label="Stein, mean", **dots)
    ax.errorbar(path.eta, M * path.df, M * path.df_se, fmt="o", color=colour, label="bootstrap", **dots)
    ax.set(xscale="log", xlabel=r"$\eta$", title=PENALTIES[kind].label, ylim=(0, 60))
    ax.invert_xaxis()
    ax.legend(loc="upper left")
    z = ((M * path.df - mean) / np.hypot(M * path.df_se, se))[path.nonzeros > 0]
    print(f"{kind}: bootstrap - Stein, in s.e.: median {z.median():+.1f}, from {z.min():+.1f} to {z.max():+.1f}")
    then = path.iloc[(path.eta - found[kind].best.eta).abs().argmin()]
    for how, row in (("Stein's df", then), ("the bootstrap", best)):
        spent = f"{M * row.df:.1f} +- {M * row.df_se:.1f} parameters (Stein {M * row.df_stein:.1f})"
        print(f"  by {how:13}: eta = {row.eta:.2f}, {row.nonzeros:.0f} non-zeros, {spent}, C_p = {row.cp:.0f}")
figure.axes[0].set_ylabel(r"parameters $M\,\mathrm{df}$")
assert best.df - best.df_stein > 3 * best.df_se  # MCP at the level it chooses
figure

# %% [markdown]
# ## The chosen model
# By Stein's df MCP had a C_p far below that of ℓ₁. Measured whole, its 8 non-zeros cost 18 to 20
# parameters, and little of the advantage is left: it is sparser, hardly better. The minimum of ℓ₁ is flat, so
# that with another estimate of df the choice moves far, and C_p hardly. Below, MCP with the bootstrap's df;
# coefficients are per standard deviation of the measurements.

# %% alt="C_p, df and coefficients of MCP along the path."
print(measured["mcp"])
print("\n" + measured["mcp"].why())
axes = measured["mcp"].plot()

# %% [markdown]
# ## Does it predict?
# The same as a scikit-learn estimator, with everything (scaling, products, choice of η) inside the
# cross-validation. On the right the difference to least squares on the 10 measurements, paired fold by fold. All 64
# predictors at once seem to do harm (by two standard errors), and selection undoes it; a gain over the 10 plain
# measurements cannot be told from zero, nor the penalties from each other.

# %%
models = {"least squares, 10 predictors": make_pipeline(scale, LinearRegression())}
models["least squares, 64"] = make_pipeline(scale, FunctionTransformer(expand), LinearRegression())
for kind, penalty in penalties.items():
    models[f"{kind}, 64"] = make_pipeline(scale, FunctionTransformer(expand), SparseRegressor(penalty=penalty))
folds = KFold(10, shuffle=True, random_state=0)
score = {name: cross_val_score(model, X, y, cv=folds) for name, model in models.items()}
first = score["least squares, 10 predictors"]
for name, r2 in score.items():
    gain = r2 - first
    print(f"{name:30} R2 = {r2.mean():.3f} +- {r2.std(ddof=1) / 10**0.5:.3f}", end="")
    print(f"   {gain.mean():+.3f} +- {gain.std(ddof=1) / 10**0.5:.3f}")

# %% [markdown]
# ## From a shell
# `sparsegdf select diabetes.csv --target progression --penalty mcp --a 3` does it without Python. It also writes
# the path, the coefficients along it and a picture into the current folder, or into that of `--output`.

# %%
words = "select diabetes.csv --target progression --penalty mcp --a 3".split()
with tempfile.TemporaryDirectory() as folder:
    A.assign(progression=y).to_csv(f"{folder}/diabetes.csv", index=False)
    command = [sys.executable, "-m", cli.__name__, *words]  # the same as the shell's sparsegdf, wherever that is
    done = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
print("\n".join(done.stdout.splitlines()[-14:]))
assert f"{select(A, y, penalties['mcp']).best.nonzeros:.0f} non-zeros" in done.stdout
