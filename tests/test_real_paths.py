"""Paths of SCAD and MCP on real data, against skglm."""

import numpy as np
import pytest
from problems import real
from skglm.datafits import Quadratic
from skglm.penalties import SCAD as SkglmSCAD
from skglm.penalties import MCPenalty
from skglm.solvers import AndersonCD
from sklearn.datasets import load_diabetes

from sparsegdf import ClassicMCP, ClassicSCAD
from sparsegdf.selection.fits import eta_grid, fit_path


@pytest.mark.parametrize("penalty, peer", [(ClassicSCAD(3.7), SkglmSCAD), (ClassicMCP(3.0), MCPenalty)], ids=repr)
@pytest.mark.parametrize("name", ["diabetes", "uscrime"])
def test_skglm_stays_where_the_path_is(name, penalty, peer):
    """A concave problem has many stationary points: started at ours, skglm finds no lower objective."""
    A, y = load_diabetes(return_X_y=True) if name == "diabetes" else map(np.asarray, real(name))
    A, y = A - A.mean(axis=0), (y - y.mean()) / y.std()
    A = A / np.linalg.norm(A, axis=0)
    etas = eta_grid(A, y, penalty, 0.3)
    fits = fit_path(A, y, penalty, etas)
    X, z, datafit = np.asfortranarray(A * np.sqrt(len(y))), y * np.sqrt(len(y)), Quadratic()  # its loss is over M
    datafit.initialize(X, z)
    for k in range(5, 100, 12):
        ours, eta = fits.x[:, k], float(etas[k])
        solver = AndersonCD(tol=1e-12, fit_intercept=False, max_iter=50)
        theirs = solver.solve(X, z, datafit, peer(eta, penalty.a), w_init=ours.copy(), Xw_init=X @ ours)[0]
        np.testing.assert_allclose(theirs, ours, rtol=0, atol=1e-8)
    assert len(set(np.count_nonzero(fits.x[:, 5::12], axis=0))) >= 4
