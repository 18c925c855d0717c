"""Choosing eta on planted data: the choices against their definitions."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from sparsegdf import L1, SCAD, ElasticNet, select
from sparsegdf.ensembles.ensemble import Ensemble
from sparsegdf.ensembles.iid import IID
from sparsegdf.paper.experiments.planted import (
    choices,
    planted_rows,
    planted_sample,
)
from sparsegdf.paper.experiments.selection_tables import METHODS, RIVALS, over_designs, selection_table, verdict
from sparsegdf.selection.cross_validation import cross_validation

ENSEMBLE = Ensemble(IID(), 40, 60, seed=7)


def data(strength=4.0, N=60, index=0):
    return planted_sample(replace(ENSEMBLE, N=N), index, nonzeros=5, strength=strength)


def test_a_sample_is_signal_and_the_noise_of_its_design():
    A, noise = ENSEMBLE.sample(3)
    for strength in (2.0, 8.0):
        B, y, x0 = data(strength, index=3)
        np.testing.assert_array_equal(A, B)
        np.testing.assert_allclose(y - A @ x0, noise, atol=1e-12)
        assert np.count_nonzero(x0) == 5 and set(np.abs(x0[x0 != 0])) == {strength}
    assert not np.array_equal(np.flatnonzero(data(index=0)[2]), np.flatnonzero(data(index=1)[2]))


@pytest.mark.parametrize("penalty", [L1(), ElasticNet(0.5), SCAD(8, 1)], ids=repr)
def test_each_way_takes_what_it_says(penalty):
    """Each criterion is computed here again, only from the coefficients along the path."""
    M, sigma2, told_apart = 40, 2.5, set()
    for index in range(4):
        A, y, x0 = data(strength=8.0, index=index)
        table = choices(A, y, x0, penalty, sigma2, bootstrap=4).set_index("method")
        assert sorted(table.index) == sorted(METHODS)
        columns, target = A - A.mean(axis=0), (y - y.mean()) / np.sqrt(sigma2)
        columns /= np.linalg.norm(columns, axis=0)
        last = 0.1 * np.linalg.svd(columns, compute_uv=False)[M - 2]  # centred: rank M - 1
        thresholds = np.geomspace((1 + 1e-9) * np.abs(columns.T @ target).max(), last, 34)
        etas = penalty.eta_at(thresholds, 1.0)
        samples = 4 if isinstance(penalty, SCAD) else 0  # the others are convex
        found = select(A, y, penalty, sigma2=sigma2, etas=etas, bootstrap=samples, criterion="cv")
        x, b = found.coefficients, found.intercepts
        rss, size = np.square(y[:, None] - A @ x - b).sum(axis=0), np.count_nonzero(x, axis=0)
        p = M * found.path.df.to_numpy()
        cv = cross_validation(columns, target, penalty, etas, intercept=True)
        error = found.path.cv_se[np.argmin(cv)] / sigma2
        written_out = {
            "cp": rss + 2 * sigma2 * p,
            "cp_known": rss + 2 * p,
            "cp_stein": rss + 2 * sigma2 * (M * found.path.df_stein if samples else p),
            "cp_count": rss + 2 * sigma2 * (size + 1),  # the intercept counts
            "gcv": np.log(rss) - 2 * np.log1p(-np.minimum(p / M, 1 - 1e-9)),
            "bic": rss / sigma2 + np.log(M) * p,
            "bic_known": rss + np.log(M) * p,
            "ebic": rss / sigma2 + (np.log(M) + 2 * np.log(60)) * p,
            "ebic_known": rss + (np.log(M) + 2 * np.log(60)) * p,
            "cv": cv,
            "cv1se": np.where(cv <= cv.min() + error, np.arange(cv.size), np.inf),  # the first
            "oracle": np.square(A @ (x - x0[:, None]) + b).sum(axis=0),
        }
        for method, values in written_out.items():
            k = int(np.argmin(np.where(found.path.converged, values, np.inf)))
            assert table.eta[method] == pytest.approx(etas[k], rel=1e-12), method
            assert table.error[method] == pytest.approx(np.square(A @ (x[:, k] - x0) + b[k]).mean())
            hits = np.count_nonzero((x[:, k] != 0) & (x0 != 0))
            assert table.f1[method] == pytest.approx(2 * hits / (size[k] + 5))
            assert (table.true_positives[method], table.false_positives[method]) == (hits, size[k] - hits)
        told_apart |= set(table.index[table.eta != table.eta["cp"]])
    # For l1 the degrees of freedom are the number of non-zeros, and for a convex penalty they are Stein's.
    same = {L1(): {"cp_count", "cp_stein"}, ElasticNet(0.5): {"cp_stein"}}.get(penalty, set())
    assert told_apart == set(METHODS) - {"cp"} - same


def test_new_rows_are_like_the_rows_seen():
    """With M >> N the fit is as good on new rows as at the same A."""
    how = {
        "design": {"kind": "ar1", "c": 0.5},
        "M": 400,
        "N": 8,
        "nonzeros": 4,
        "new_rows": 4000,
        "bootstrap": 4,
        "seed": 7,
    }
    rows = planted_rows(strength=8.0, samples=10, penalties={"l1": {"kind": "l1"}}, **how)
    assert rows.error_new.mean() == pytest.approx(rows.error.mean(), rel=0.1)


def test_table_and_its_words_add_up():
    penalties = {"l1": {"kind": "l1"}, "elastic_net": {"kind": "elastic_net", "eta2": 0.5}}
    how = {
        "design": {"kind": "iid"},
        "M": 40,
        "N": 60,
        "nonzeros": 5,
        "penalties": penalties,
        "new_rows": 400,
        "bootstrap": 4,
        "seed": 7,
    }
    rows = planted_rows(strength=4.0, samples=6, **how)
    again = planted_rows(strength=4.0, samples=3, **how)
    np.testing.assert_array_equal(rows[rows["sample"] < 3].error, again.error)  # a sample depends on itself alone
    table = selection_table({("iid", 60, 4.0): rows})
    assert len(table) == 2 * len(METHODS) and (table.samples == 6).all()
    for penalty in penalties:
        part = rows[rows.penalty == penalty].pivot(index="sample", columns="method", values="error")
        summary = table[table.penalty == penalty].set_index("method")
        for other in RIVALS:
            gap = part["cp"] - part[other]
            assert summary[f"gap_{other}"]["cp"] == pytest.approx(gap.mean())
            assert summary[f"gap_{other}_se"]["cp"] == pytest.approx(gap.std() / np.sqrt(6))
        # The standard error of a ratio of means, by leaving out one sample at a time.
        left_out = [part.drop(index=i).mean() for i in part.index]
        ratios = np.array([mean["bic"] / mean["oracle"] for mean in left_out])
        assert summary.ratio["bic"] == pytest.approx(part["bic"].mean() / part["oracle"].mean())
        assert summary.ratio_se["bic"] == pytest.approx(np.sqrt(5) * ratios.std(), rel=0.1)
    text = verdict(table)
    assert "C_p with the number of non-zeros: smaller error in" in text and text.count("of 2 settings") == len(RIVALS)
    twice = pd.concat([table, table.assign(design="other", f1=table.f1 + 0.2)])
    both = over_designs(twice, ["f1"]).merge(table, on=["penalty", "method"])
    np.testing.assert_allclose(both.f1_x, both.f1_y + 0.1)
    np.testing.assert_allclose(both.f1_se_x, both.f1_se_y / np.sqrt(2))
    assert (both.samples_x == 12).all()
