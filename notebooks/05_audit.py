# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # How many parameters does it use? An audit of ten estimators
#
# A table of regression results has a line "degrees of freedom", and for anything but least squares it is usually the
# number of non-zeros, or missing. `sparsegdf.audit` measures the number itself, df = Σ Cov(yᵢ, ŷᵢ)/σ², for anything
# with `fit` and `predict`: y is perturbed, and the part of the perturbation that the fit follows is counted. Here it
# looks at ten common estimators on the diabetes data of scikit-learn, 442 patients with 10 measurements, and then at
# pure noise, where every parameter is wasted.

# %%
import warnings

import numpy as np
import pandas as pd
from sklearn.datasets import load_diabetes
from sklearn.ensemble import RandomForestRegressor
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_selection import SelectKBest, f_regression
from sklearn.linear_model import (
    Lasso,
    LassoCV,
    LassoLarsIC,
    LinearRegression,
    OrthogonalMatchingPursuit,
    Ridge,
)
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeRegressor

from sparsegdf.paper.figures import style
from sparsegdf.selection.audit import audit
from sparsegdf.selection.regressor import SparseRegressor

# %matplotlib inline

warnings.filterwarnings("ignore", category=ConvergenceWarning)
X, y = load_diabetes(return_X_y=True)
M, N = X.shape
print(f"M = {M} rows, N = {N} predictors")

# %% [markdown]
# ## Ten estimators, and ours
# The lasso has one parameter per non-zero, a theorem. Everything that *searches* pays more than the count: orthogonal
# matching pursuit picks 4 of 10 columns and uses twice as many parameters, and a tree with 6 leaves, whose count
# would be 6, uses about 40. Everything that *shrinks* without selecting (ridge, neighbours, forests) has no count at
# all. The last column is the share of perturbations on the way to which the fit jumps: where it is not zero, formulas
# that differentiate the fit do not apply.

# %% alt="Parameters used against the usual count, for ten estimators on the diabetes data."
estimators = {
    "least squares": LinearRegression(),
    "ridge": make_pipeline(StandardScaler(), Ridge(50.0)),
    "lasso": Lasso(0.5),
    "LassoLarsIC (BIC)": LassoLarsIC("bic"),
    "LassoCV": LassoCV(cv=5, alphas=30),
    "SCAD by C_p": SparseRegressor("scad", bootstrap=0, levels=40),
    "4 best by F test": make_pipeline(SelectKBest(f_regression, k=4), LinearRegression()),
    "matching pursuit, 4": OrthogonalMatchingPursuit(n_nonzero_coefs=4),
    "tree, 6 leaves": DecisionTreeRegressor(max_leaf_nodes=6, random_state=0),
    "random forest": RandomForestRegressor(20, min_samples_leaf=10, random_state=0),
    "10 neighbours": KNeighborsRegressor(10),
}


def audited(X, y, sigma2, samples):
    rows = {}
    for name, estimator in estimators.items():
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Stein's df .* may be too small")  # this is what is being measured
            found = audit(estimator, X, y, sigma2=sigma2, samples=samples)
        count = {"tree, 6 leaves": 6}.get(name, None if found.nonzeros is None else found.nonzeros + 1)
        rows[name] = {
            "count": np.nan if count is None else count,
            "parameters": len(y) * found.df,
            "se": len(y) * found.df_se,
            "cp": found.cp,
            "jumps": found.jumps,
        }
    return pd.DataFrame(rows).T


def draw(ax, table):
    """Bars: the parameters used; marks: the usual count, with the intercept."""
    place = np.arange(len(table))[::-1]
    ax.barh(place, table.parameters, xerr=table.se, color="#9ecae1", error_kw={"elinewidth": 0.8})
    ax.plot(table["count"], place, "D", color=style.ORANGE, markersize=4, label="usual count")
    ax.set_yticks(place, table.index)
    ax.set(xscale="symlog", xlabel="parameters, $M$ df", xlim=(0, 300))
    ax.legend(loc="lower right")


real = audited(X, y, None, samples=100)
print(real.to_string(float_format="{:.3g}".format))
figure = style.new_figure(7, 3.4)
draw(figure.subplots(), real)
assert abs(real.parameters["least squares"] - 11) < 4 * real.se["least squares"]
assert abs(real.parameters["lasso"] - real["count"]["lasso"]) < 4 * real.se["lasso"]
assert real.parameters["matching pursuit, 4"] > 5 + 2 * real.se["matching pursuit, 4"]
figure

# %% [markdown]
# ## C_p with the right number
# C_p = training error + 2σ²df is an estimate of the error on new y at the same X. With the usual count it favours
# what searches. The picture has both: the mark uses the count, the bar the audited number. With the count the tree
# seems as good as the 4 best columns, and matching pursuit better; with the right number the tree is far behind.

# %% alt="C_p of the estimators that have a count, with the count and with the audited number of parameters."
counted = real[real["count"].notna()]
by_count = counted.cp - 2 * (counted.parameters - counted["count"]) * 2932.7 / M
figure = style.new_figure(7, 2.8)
ax = figure.subplots()
place = np.arange(len(counted))[::-1]
ax.barh(place, counted.cp, color="#9ecae1")
ax.plot(by_count, place, "D", color=style.ORANGE, markersize=4, label="$C_p$ with the usual count")
ax.set_yticks(place, counted.index)
ax.set(xlabel="$C_p$", xlim=(2900, 3700))
ax.legend(loc="upper right")
figure

# %% [markdown]
# ## Pure noise
# 60 rows, 12 predictors, y that has nothing to do with them. Now a search has the most to find: whatever it picks is
# the best of many chances. The number of non-zeros of the lasso is still right. Methods that look at the data to
# decide *whether* to fit, such as BIC, stay near zero here, and pay where it matters, between noise and signal.

# %% alt="Parameters used against the usual count on pure noise."
rng = np.random.default_rng(3)
A, noise = rng.normal(size=(60, 12)), rng.normal(size=60)
estimators["lasso"] = Lasso(0.15)
empty = audited(A, noise, 1.0, samples=100)
print(empty.to_string(float_format="{:.3g}".format))
figure = style.new_figure(7, 3.4)
draw(figure.subplots(), empty)
assert abs(empty.parameters["lasso"] - empty["count"]["lasso"]) < 4 * empty.se["lasso"]
assert empty.parameters["matching pursuit, 4"] > 5 + 2 * empty.se["matching pursuit, 4"]
figure
