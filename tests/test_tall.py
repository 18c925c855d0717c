"""Fewer rows with the same distances: fits, errors and df of tall data."""

import numpy as np
import pandas as pd
import pytest
from problems import planted

from sparsegdf import select
from sparsegdf.selection import tall
from sparsegdf.selection.tall import with_few_rows


@pytest.mark.parametrize("block", [7, 50, 50_000])
def test_distances_are_kept(monkeypatch, block):
    monkeypatch.setattr(tall, "_BLOCK", block)
    A, y = planted(M=90, N=5)
    few, target = with_few_rows(A, y)
    assert few.shape == (6, 5) and target.shape == (6,)
    for x in np.random.default_rng(0).normal(size=(5, 5)):
        assert np.linalg.norm(target - few @ x) == pytest.approx(np.linalg.norm(y - A @ x), rel=1e-12)


def test_data_that_are_not_tall_stay_as_they_are():
    A, y = planted(M=24, N=5)
    assert with_few_rows(A, y)[0] is A


@pytest.mark.parametrize("penalty", ["l1", "elastic_net", "scad", "l0"])
@pytest.mark.parametrize("criterion", ["cp", "cv"])
def test_select_is_the_same_on_all_rows(monkeypatch, penalty, criterion):
    A, y = planted(M=60, N=8)
    few = select(A, y, penalty, criterion=criterion, bootstrap=0)
    monkeypatch.setattr(tall, "_TALL", 10**9)
    whole = select(A, y, penalty, criterion=criterion, bootstrap=0)
    assert len(few.problem.few[1]) == 9 and len(whole.problem.few[1]) == 60
    columns = ["eta", "nonzeros", "df", "err_train", "cp", "bic", "gcv", "jumps"] + ["cv", "cv_se"] * (
        criterion == "cv"
    )
    etas = np.isin(few.path.eta.round(9), whole.path.eta.round(9))
    pd.testing.assert_frame_equal(few.path[etas][columns].reset_index(drop=True), whole.path[columns], rtol=1e-6)
    np.testing.assert_allclose(few.coef, whole.coef, rtol=1e-6)


def test_the_bootstrap_on_few_rows_has_the_df_of_all(monkeypatch):
    A, y = planted(M=60, N=8)
    etas = [3.0, 1.0, 0.3]
    few = select(A, y, "mcp", 1.0, etas, bootstrap=300)
    monkeypatch.setattr(tall, "_TALL", 10**9)
    whole = select(A, y, "mcp", 1.0, etas, bootstrap=300, seed=1)
    z = (few.path.df - whole.path.df) / np.hypot(few.path.df_se, whole.path.df_se)
    assert np.abs(z).max() < 4 and (60 * few.path.df_se < 0.5).all()
