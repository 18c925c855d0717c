"""Designs have the stated covariance, and a sample depends only on its name."""

import numpy as np
import pytest

from sparsegdf.ensembles.ar1 import AR1
from sparsegdf.ensembles.block import Block
from sparsegdf.ensembles.ensemble import Ensemble
from sparsegdf.ensembles.iid import IID
from sparsegdf.ensembles.ill_conditioned import IllConditioned
from sparsegdf.ensembles.registry import DESIGNS, make_design
from sparsegdf.ensembles.row_orthogonal import RowOrthogonal

CASES = [
    ("iid", {}),
    ("ar1", {"c": 0.5}),
    ("block", {"T": 12}),
    ("row_orthogonal", {}),
    ("ill_conditioned", {"condition": 10}),
]
IDS = [name for name, _ in CASES]


def correlations(A):
    """Mean of A_i . A_{i+k} / (|A_i| |A_{i+k}|), to be compared with several standard errors 1/sqrt(M)."""
    A = A / np.linalg.norm(A, axis=0)
    return A.T @ A


def test_iid_entries_are_independent_with_variance_one_over_m():
    A = IID().draw(400, 300, np.random.default_rng(0))
    assert A.shape == (400, 300)
    assert abs(A.mean()) < 5 / np.sqrt(A.size * 400)
    assert A.var() * 400 == pytest.approx(1, abs=5 * np.sqrt(2 / A.size))
    C = correlations(A)
    assert abs(np.diag(C, 1).mean()) < 5 / np.sqrt(400 * 299)


@pytest.mark.parametrize("c", [0.5, -0.7, 0.0])
def test_ar1_correlation_decays_as_a_power_of_c(c):
    C = correlations(AR1(c).draw(4000, 60, np.random.default_rng(1)))
    distance = np.abs(np.subtract.outer(np.arange(60), np.arange(60)))
    assert np.abs(C - c**distance).max() < 5 / np.sqrt(4000)
    np.testing.assert_array_equal(AR1(c).covariance([3, 7, 4]), c ** distance[np.ix_([3, 7, 4], [3, 7, 4])])


def test_block_correlation_is_one_half_within_a_block_and_zero_elsewhere():
    T, N = 9, 40
    C = correlations(Block(T).draw(4000, N, np.random.default_rng(2)))
    label = np.minimum(np.arange(N) // T, 3)
    same = (label[:, None] == label) & (label < 3)[:, None]
    expected = np.where(np.eye(N) == 1, 1, np.where(same, 0.5, 0))
    assert np.abs(C - expected).max() < 5 / np.sqrt(4000)
    np.testing.assert_array_equal(Block(T).covariance(range(N)), expected)


@pytest.mark.parametrize("shape", [(30, 50), (50, 30)])
def test_rotationally_invariant_designs_have_their_spectrum(shape):
    M, N = shape
    A = RowOrthogonal().draw(M, N, np.random.default_rng(4))
    gram = A @ A.T * M / N if M < N else A.T @ A
    np.testing.assert_allclose(gram, np.eye(30), atol=1e-12)
    A = IllConditioned(10.0).draw(M, N, np.random.default_rng(5))
    values = np.linalg.svd(A, compute_uv=False)
    assert A.shape == shape and np.sum(A**2) == pytest.approx(N)
    np.testing.assert_allclose(values[:-1] / values[1:], 10 ** (1 / 29), rtol=1e-10)


@pytest.mark.parametrize("design", [RowOrthogonal(), IllConditioned(10.0)])
def test_rotationally_invariant_designs_have_no_preferred_direction(design):
    """Each entry of A has mean 0 and mean square 1/M, also the first ones, whose sign a QR routine may fix."""
    A = np.stack([design.draw(4, 6, np.random.default_rng(seed)) for seed in range(4000)])
    assert np.abs(A.mean(axis=0)).max() < 5 * np.sqrt(1 / 4 / 4000)
    np.testing.assert_allclose((A**2).mean(axis=0), 1 / 4, atol=5 * np.sqrt(3) / 4 / np.sqrt(4000))


@pytest.mark.parametrize("design", [AR1(0.5), Block(10)])
def test_examples_have_unit_columns(design):
    A = design.draw(30, 50, np.random.default_rng(3))
    np.testing.assert_allclose(np.linalg.norm(A, axis=0), 1, rtol=1e-14)


@pytest.mark.parametrize("T", [0, -1, 2.5, 33, 34])
def test_block_rejects_t_outside_its_bound(T):
    with pytest.raises(ValueError, match="block T"):
        Block(T).draw(20, 100, np.random.default_rng(0))  # (N-1)/3 = 33 is already too large


def test_block_accepts_the_largest_t():
    assert Block(32).draw(20, 100, np.random.default_rng(0)).shape == (20, 100)


@pytest.mark.parametrize("c", [1, -1, 1.5, np.nan, "x"])
def test_ar1_rejects_c_that_is_no_correlation(c):
    with pytest.raises(ValueError, match=rf"ar1 c = {c!r} is .*\(allowed: (-1 < c < 1|finite)\)"):
        AR1(c)


@pytest.mark.parametrize(("name", "value"), [("M", 0), ("N", 2.5), ("mean", np.inf), ("variance", -1.0)])
def test_an_ensemble_names_what_it_cannot_draw(name, value):
    with pytest.raises(ValueError, match=rf"{name} = {value} is .*\(allowed: "):
        Ensemble(IID(), **{"M": 5, "N": 10, name: value})
    with pytest.raises(ValueError, match=r"design = Groups\(.* draws no samples \(allowed: designs"):
        Ensemble(Block(fraction=0.3), 5, 10)


@pytest.mark.parametrize(("design", "params"), CASES, ids=IDS)
def test_a_sample_is_a_function_of_its_name(design, params):
    one = Ensemble(make_design(design, **params), 30, 50, seed=1).sample(4)
    for again in range(2):  # whatever else was drawn in between
        Ensemble(make_design(design, **params), 30, 50, seed=1).sample(again)
        A, y = Ensemble(make_design(design, **params), 30, 50, seed=1).sample(4)
        assert A.tobytes() == one[0].tobytes() and y.tobytes() == one[1].tobytes()


def test_every_part_of_the_name_matters():
    def first(**change):
        name = {"design": AR1(0.5), "M": 30, "N": 50, "index": 4, "seed": 1} | change
        index = name.pop("index")
        return Ensemble(**name).sample(index)[1][0]

    changes = [{}, {"seed": 2}, {"index": 5}, {"N": 51}, {"M": 31}, {"design": AR1(0.4)}, {"design": IID()}]
    assert len({first(**change) for change in changes}) == len(changes)


def test_the_spelling_of_a_number_does_not_matter():
    A, y = Ensemble(Block(T=12), 30, 50, seed=1).sample(0)
    B, z = Ensemble(Block(T=12.0), 30, 50, seed=1).sample(0)
    assert A.tobytes() == B.tobytes() and y.tobytes() == z.tobytes()


def test_mean_and_variance_move_y_alone():
    A, y = Ensemble(IID(), 30, 50, seed=1).sample(0)
    B, z = Ensemble(IID(), 30, 50, seed=1, mean=2.0, variance=9.0).sample(0)
    assert A.tobytes() == B.tobytes()
    np.testing.assert_allclose(z, 2 + 3 * y)


def test_samples_are_independent_standard_normal():
    y = np.concatenate([Ensemble(IID(), 100, 3, seed=7).sample(index)[1] for index in range(200)])
    assert abs(y.mean()) < 5 / np.sqrt(y.size)
    assert y.var() == pytest.approx(1, abs=5 * np.sqrt(2 / y.size))


def test_bad_requests_are_named():
    with pytest.raises(ValueError, match="kind = 'toeplitz'.*" + ", ".join(DESIGNS)):
        make_design("toeplitz")
    with pytest.raises(ValueError, match="variance"):
        Ensemble(IID(), 10, 20, variance=-1)


def test_a_block_design_keeps_its_share_of_the_columns():
    assert Block(125).resized(250, of=1000) == Block(31) and AR1(0.5).resized(250, of=1000) == AR1(0.5)
