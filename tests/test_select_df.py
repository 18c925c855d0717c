"""The degrees of freedom that select reports: Stein's, the bootstrap's, and the warning where they differ."""

import re
import warnings
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from problems import orthonormal, planted, real
from scipy.integrate import quad

from sparsegdf import L0, L1, MCP, SCAD, ElasticNet, select
from sparsegdf.estimators.bootstrap import bootstrap_coefficients
from sparsegdf.selection.fits import fit_path, tangent


def exact_df(penalty, mu, eta, M):
    """(1/M) sum_i E[z x*(mu_i + z)] for orthonormal columns, by quadrature between the kinks."""
    total = 0.0
    kinks = [s * k for k in penalty.segments(1.0, eta).start for s in (-1, 1)]
    for m, count in zip(*np.unique(mu, return_counts=True), strict=True):
        edges = np.unique(np.clip([-9.0, *(k - m for k in kinks), 9.0], -9, 9))
        f = lambda z, m=m: z * float(penalty.estimate(m + z, 1.0, eta)[0]) * np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi)
        total += count * sum(quad(f, a, b)[0] for a, b in pairwise(edges))
    return total / M


@pytest.mark.parametrize(
    "penalty, etas, jumps",
    [(L0(), [4.0, 2.0], True), (SCAD(3, 1), [3.0, 2.5], True), (SCAD(8, 1), [2.0, 1.0], False), (MCP(6, 1), [2.0, 1.0], False), (L1(), [2.0, 1.0], False)],
    ids=repr,
)  # fmt: skip
def test_bootstrap_df_is_the_exact_one_and_stein_falls_short_of_it_by_the_jumps(penalty, etas, jumps):
    M, mu = 24, np.repeat([0.0, 2.0, 5.0], [6, 3, 3])
    A, y = orthonormal(M, 12, mu)
    fit = lambda y: fit_path(A, y, penalty, np.array(etas)).x
    stein = np.array(
        [
            fit_path(A, A @ mu + z, penalty, np.array(etas)).stein
            for z in np.random.default_rng(5).normal(size=(150, M))
        ]
    )
    for k, (eta, found) in enumerate(zip(etas, bootstrap_coefficients(fit, A, A @ mu, 150)[0], strict=True)):
        exact = exact_df(penalty, mu, eta, M)
        assert abs(found.value - exact) < 4 * found.se and found.se < 0.05
        short = (exact - stein[:, k].mean()) / (stein[:, k].std() / np.sqrt(150) + 1e-4)
        assert short > 8 if jumps else abs(short) < 4
    flags = fit_path(A, y, penalty, np.array(etas)).jumps
    assert (flags == jumps).all()


def test_a_nearly_collinear_pair_makes_scad_jump_where_orthonormal_columns_do_not():
    rng = np.random.default_rng(2)
    A, y = orthonormal(40, 6, np.array([4.0, 3, 0, 0, 0, 0]))
    etas = np.array([1.5, 1.0, 0.5, 0.2, 0.1])
    assert not fit_path(A, y, SCAD(8, 1), etas).jumps.any()
    twin = A[:, 0] + 0.2 * rng.normal(size=40) / np.sqrt(40)
    A = np.c_[A, twin / np.linalg.norm(twin)]
    assert fit_path(A, y, SCAD(8, 1), etas).jumps.any()
    assert not fit_path(A, y, L1(), etas).jumps.any()


def test_select_by_the_bootstrap():
    A, y = planted(M=40, N=6)
    plain = select(A, y, L1(), etas=[4.0, 2.0, 1.0], sigma2=1.0)
    found = select(A, y, L1(), etas=[4.0, 2.0, 1.0], sigma2=1.0, bootstrap=150)
    path = found.path
    np.testing.assert_array_equal(path.df_stein, plain.path.df)
    np.testing.assert_allclose(path.cp, path.err_train + 2 * path.df)
    assert (np.abs(path.df - path.df_stein) < 5 * path.df_se + 1.5 / 40).all()  # Stein's is that of one y
    assert "150 samples" in repr(found) and "+-" in repr(found)
    # in the units given, too: y in units of sigma is the same problem at eta / sigma
    raw, unit = (
        select(A, y / s, L1(), etas=[40.0 / s, 20.0 / s], sigma2=4.0 / s**2, standardise=False, intercept=False,
               bootstrap=20) for s in (1.0, 2.0)
    )  # fmt: skip
    np.testing.assert_allclose(raw.path.df, unit.path.df, rtol=1e-9)
    assert (raw.path.df_se > 0).all()


def test_bootstrap_does_not_depend_on_the_number_of_processes(capfd):
    A, y = planted(M=30, N=5)
    arguments = (A, y, SCAD(8, 1), 1.0, [3.0, 1.0])
    one = select(*arguments, bootstrap=12, seed=3)
    two = select(*arguments, bootstrap=12, seed=3, jobs=2, progress=True)
    pd.testing.assert_frame_equal(one.path, two.path)
    assert "bootstrap: 100%" in (shown := capfd.readouterr().err) and " 12/12 " in shown
    assert not one.path.df.equals(select(*arguments, bootstrap=12, seed=4).path.df)


def test_the_warning_is_what_the_bootstrap_says():
    """Where 400 samples of the bootstrap are conclusive, ten samples agree with them in 9 of 10 cases.

    Under a convex penalty there is no warning.
    """
    told, right = [], []
    for seed in range(6):
        A, y = orthonormal(40, 10, np.repeat([0.0, 3.0, 8.0], [6, 2, 2]), seed)
        for penalty, etas in ((SCAD(8, 1), [2.0, 0.5]), (SCAD(8, 1), [0.2, 0.1]), (SCAD(2, 1), [6.0, 4.0])):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                select(A, y, penalty, etas=etas, sigma2=1.0, intercept=False, bootstrap=0)
            path = select(A, y, penalty, etas=etas, sigma2=1.0, intercept=False, bootstrap=400).path
            k = int((path.err_train + 2 * path.df_stein).argmin())
            z = (path.df - path.df_stein - 0.05 * path.df_stein)[k] / path.df_se[k]
            if abs(z) > 4:
                told.append(bool(caught))
                right.append(told[-1] == (z > 0))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for penalty in (L1(), ElasticNet(0.1)):
                select(A, y, penalty, etas=[2.0, 1.0], sigma2=1.0, intercept=False)
    assert told.count(True) > 3 and told.count(False) > 3 and np.mean(right) > 0.85


def test_uscrime_has_a_warning_with_the_number_of_the_bootstrap():
    A, y = real("uscrime")
    with pytest.warns(UserWarning, match="may be too small.*bootstrap of 200") as caught:
        found = select(A, y, SCAD(8, 1), bootstrap=0)
    stein, value, se = map(
        float, re.findall(r"is (\S+) parameters, .* give (\S+) \+- (\S+);", str(caught[0].message))[0]
    )
    best = select(A, y, SCAD(8, 1), etas=found.path.eta[: found.chosen + 1], bootstrap=200).path.iloc[-1]
    assert stein == pytest.approx(47 * best.df_stein, abs=0.01)
    assert abs(value - 47 * best.df) < 4 * np.hypot(se, 47 * best.df_se)
    assert best.df - best.df_stein > max(0.05 * best.df_stein, 2 * best.df_se)
    assert found.best.jumps  # because of columns that are about to enter, not of its 8 columns alone


@pytest.mark.parametrize("penalty", [L1(), ElasticNet(0.3), SCAD(6, 1)], ids=repr)
def test_the_tangent_is_how_the_fit_moves(penalty):
    """J z by differences of the fit itself."""
    rng = np.random.default_rng(4)
    A, y = rng.normal(size=(30, 8)) / np.sqrt(30), 3 * rng.normal(size=30)
    etas, step = np.array([2.0, 1.0]), 1e-5
    x = fit_path(A, y, penalty, etas).x[:, -1]
    move = tangent(A, y, x, penalty, 1.0)
    for _ in range(3):
        z = rng.normal(size=30)
        up, down = (A @ fit_path(A, y + s * step * z, penalty, etas).x[:, -1] for s in (1, -1))
        np.testing.assert_allclose(move(z), (up - down) / (2 * step), atol=1e-7)
    assert not isinstance(penalty, SCAD) or (np.abs(x)[(x != 0)] > 1).any()  # on the parabola, which bends


def test_a_coordinate_that_has_just_entered_is_on_its_piece():
    """h = 1 = eta to rounding, though x > 0."""
    A, y, x = np.eye(3, 2), np.array([1 + 2**-52, 3.0, 0.0]), np.array([2**-53, 2.0])
    assert tangent(A, y, x, L1(), 1.0)(np.array([1.0, 2.0, 5.0])).tolist() == [1.0, 2.0, 0.0]
