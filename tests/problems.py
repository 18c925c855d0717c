"""Problems (A, y) for the tests of selection."""

import numpy as np
import pandas as pd
from conftest import ROOT
from sklearn.linear_model import lars_path


def planted(M=60, N=8, seed=1, sigma=1.0, strength=0.7):
    """y = 3 + A x0 + noise with three true predictors, columns of unequal scale and mean."""
    rng = np.random.default_rng(seed)
    A = 5 + rng.normal(size=(M, N)) * np.linspace(1, 20, N)
    x0 = np.zeros(N)
    x0[:3] = strength * np.array([1, -1, 1.5]) / np.linspace(1, 20, N)[:3]
    return A, 3 + A @ x0 + sigma * rng.normal(size=M)


def real(name):
    table = pd.read_csv(ROOT / f"tests/data/{name}.csv")
    return table.drop(columns="y"), table.y


def orthonormal(M, N, mu, seed=0):
    """Orthonormal columns and y with A^T y = mu + noise."""
    rng = np.random.default_rng(seed)
    A, _ = np.linalg.qr(rng.normal(size=(M, N)))
    return A, A @ mu + rng.normal(size=M)


def lars_knots(A, y):
    """(err_train, number of non-zeros) at each knot of the lasso with columns of norm 1 and an intercept.

    Between knots the size is constant and err_train falls with eta, so a criterion that grows with both is smallest at
    a knot: just before a column enters, or when one leaves.
    """
    A, y = np.asarray(A, float), np.asarray(y, float)
    centred, target = A - A.mean(axis=0), y - y.mean()
    X = centred / np.linalg.norm(centred, axis=0)
    _, _, knots = lars_path(X, target, method="lasso", alpha_min=0)
    size = (np.abs(knots) > 1e-10 * np.abs(knots).max(axis=1, keepdims=True)).sum(axis=0)
    return np.square(target[:, None] - X @ knots).mean(axis=0), size
