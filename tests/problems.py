"""Problems (A, y) for the tests of selection."""

import numpy as np
import pandas as pd
from conftest import ROOT


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
