"""Simulations do not depend on chunks and cores, report what did not converge, and agree with theory."""

from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

from sparsegdf import L1, SCAD, ElasticNet, belief_propagation, solve_rs
from sparsegdf.ensembles.ensemble import Ensemble
from sparsegdf.ensembles.iid import IID
from sparsegdf.paper.experiments.by_penalty import by_penalty
from sparsegdf.paper.experiments.l0_search import l0_samples
from sparsegdf.paper.experiments.l0_summaries import extrapolate, fixed_eta, fixed_size
from sparsegdf.paper.experiments.l0_tables import df_table
from sparsegdf.paper.experiments.simulation import Simulation, simulate, solvers_of
from sparsegdf.paper.experiments.summaries import agreement_table, median_error, summarise
from sparsegdf.paper.tables import read_table, write_table
from sparsegdf.solvers.direct import stationary_path

BP = {
    "design": {"kind": "ar1", "c": 0.5},
    "M": 20,
    "N": 40,
    "penalty": {"kind": "scad", "a": 5, "lam": 1},
    "etas": [2.0, 1.4, 0.9],
    "seed": 1,
    "mean": 0.0,
    "variance": 1.0,
}
L0 = {"N": 20, "alpha": 0.5, "max_size": 4, "restarts": 0, "variance": 1.0, "seed": 1}


def bp_samples(first, last, **arguments):
    solvers = solvers_of("bp", tol=1e-10, max_steps=20_000)
    return simulate(solvers, Simulation.of(**arguments), range(first, last + 1))


def run(function, arguments, folder, chunk, cores, total=50):
    bounds = [(first, min(first + chunk, total) - 1) for first in range(0, total, chunk)]
    with ProcessPoolExecutor(cores) as pool:
        jobs = [pool.submit(function, first=first, last=last, **arguments) for first, last in bounds]
        for (first, last), job in zip(bounds, jobs, strict=True):
            write_table(job.result(), folder / f"{first:03d}-{last:03d}.parquet")
    whole = folder / "whole.parquet"
    chunks = [read_table(file) for file in sorted(folder.glob("*-*.parquet"))]
    write_table(pd.concat(chunks, ignore_index=True), whole)
    return whole.read_bytes()


@pytest.mark.parametrize("function, arguments", [(bp_samples, BP), (l0_samples, L0)], ids=["bp", "l0"])
def test_chunks_and_cores_do_not_matter(function, arguments, tmp_path):
    results = set()
    for chunk, cores in ((1, 2), (7, 1), (50, 1), (50, 2)):
        folder = tmp_path / f"{chunk}-{cores}"
        folder.mkdir()
        results.add(run(function, arguments, folder, chunk, cores))
    assert len(results) == 1


def test_every_penalty_sees_the_same_data():
    other = BP | {"penalty": {"kind": "elastic_net", "eta2": 0.1}, "etas": [1.1]}
    first, second = bp_samples(first=3, last=5, **BP), bp_samples(first=3, last=5, **other)
    np.testing.assert_array_equal(first.groupby("sample").noise.first(), second.groupby("sample").noise.first())


def test_another_seed_is_other_data():
    a, b = bp_samples(first=0, last=0, **BP), bp_samples(first=0, last=0, **(BP | {"seed": 2}))
    assert (a.noise != b.noise).all()


def test_samples_that_did_not_converge_are_counted_and_left_out():
    rows = bp_samples(first=0, last=9, **(BP | {"penalty": {"kind": "l1"}}))
    assert rows.converged.all() and (rows.kkt <= 1e-9).all()
    rows.loc[(rows["sample"] < 4) & (rows.eta == 0.9), ["converged", "covariance"]] = [False, 1e9]
    summary = summarise([rows]).set_index("eta")
    assert summary.loc[0.9, "converged"] == 6 and summary.loc[0.9, "fraction_converged"] == 0.6
    assert summary.loc[0.9, "samples"] == 10 and summary.loc[2.0, "fraction_converged"] == 1
    assert abs(summary.loc[0.9, "gdf"]) < 2


def test_a_later_solver_fills_in_the_levels_without_a_fixed_point():
    simulation, asked = Simulation.of(**BP), []

    def first(A, y, penalty, etas):
        """Without the last level of two samples."""
        found = belief_propagation(A, y, penalty, etas)
        found.converged[2] &= len(asked) not in (1, 4)
        found.status[2] = "converged" if found.converged[2] else "cycling"
        asked.append("first")
        return found

    def second(A, y, penalty, etas):
        """Without the last level of one of them; its err_train, kkt and steps tell it from the first."""
        found = belief_propagation(A, y, penalty, etas)
        found.converged[2], found.steps[:] = "second" not in asked, -1
        asked.append("second")
        return found

    rows = simulate({"one": first, "two": second}, simulation, range(4))
    assert asked == ["first", "first", "second", "first", "first", "second"]
    last = rows[rows.eta == 0.9].reset_index()
    assert list(last.converged) == [True, True, True, False] and list(last.solver) == ["one", "two", "one", "one"]
    assert list(last.steps < 0) == [False, True, False, False] and last.status[3] == "cycling"
    assert (rows.solver[rows.eta != 0.9] == "one").all() and (rows.steps[rows.eta != 0.9] > 0).all()
    plain = bp_samples(0, 3, **BP)
    columns = ["sample", "eta", "delta", "covariance", "kkt", "damping"]
    pd.testing.assert_frame_equal(rows[columns], plain[columns])


def test_the_direct_solver_comes_first_and_bp_where_it_fails():
    """On SCAD below the end of its fixed points: direct rows, and rows of BP only where the direct solver has none."""
    scad = BP | {"M": 100, "N": 200, "penalty": {"kind": "scad", "a": 5, "lam": 1}, "etas": [1.0, 0.5, 0.3, 0.2, 0.1]}
    how = {"tol": 1e-10, "max_steps": 5000}
    simulation, samples = Simulation.of(**scad), range(6)
    rows = simulate(solvers_of("direct", **how), simulation, samples)
    direct = simulate({"direct": stationary_path}, simulation, samples)
    bp = simulate(solvers_of("bp", **how), simulation, samples)
    assert (bp.solver == "bp").all() and not direct.converged.all() and direct.converged.sum() > 6
    assert (rows.converged == direct.converged | bp.converged).all()
    assert (rows.solver == np.where(direct.converged | ~bp.converged, "direct", "bp")).all()
    verified = rows[rows.converged]
    assert (verified.residual < 1e-10).all() and (verified.kkt <= 1e-9).all()


def test_convergence_is_that_of_the_iterated_samples():
    iterated = pd.DataFrame(
        {"eta": 4 * [0.5, 0.2], "converged": 4 * [True, False], "steps": [10, 100, 20, 100, 30, 100, 40, 100],
         "kkt_bp": 4 * [1e-11, 1e-3], "direct": [*6 * [True], False, True], "same": [True, False, *6 * [False]],
         "x_gap": [1e-9, *7 * [np.nan]], "chi_gap": 0.0, "Q_hat_gap": 0.0}
    )  # fmt: skip
    rows = bp_samples(0, 1, **(BP | {"etas": [0.5, 0.2]}))
    table = summarise([rows], [iterated.iloc[:4], iterated.iloc[4:]]).set_index("eta")
    good, bad = table.loc[0.5], table.loc[0.2]
    assert (good.samples, good.iterated, good.bp, good.direct, good.both, good.other_state) == (2, 4, 4, 3, 3, 2)
    assert good.fraction_bp == good.fraction_bp_high == 1 and good.fraction_bp_low == pytest.approx(0.025 ** (1 / 4))
    assert (good.steps_median, good.steps_95, good.x_gap, good.kkt_bp) == (25, 38.5, 1e-9, 1e-11)
    assert (bad.bp, bad.both, bad.fraction_bp, bad.steps_median) == (0, 0, 0, 100) and np.isnan(bad.kkt_bp)
    alone = summarise([rows])
    assert (alone.iterated == 0).all() and alone[["fraction_bp", "steps_median", "x_gap"]].isna().all(axis=None)
    row = agreement_table({"run": table.reset_index().assign(penalty="l1")}).iloc[0]
    assert (row.samples, row.levels, row.bp, row.direct, row.both, row.other_state) == (4, 8, 4, 7, 3, 2)


def test_the_table_of_a_run_is_taken_apart_by_penalty():
    parts = by_penalty(pd.DataFrame({"penalty": ["scad", "l1", "l1"], "eta": [1.0, 2.0, 1.0]}))
    assert list(parts) == ["scad", "l1"] and parts["l1"].equals(pd.DataFrame({"eta": [2.0, 1.0]}))


def test_summary_of_known_rows():
    rng = np.random.default_rng(0)
    n = 400
    rows = pd.DataFrame({"sample": range(n), "eta": 1.0, "delta": 0.3, "covariance": 0.4 + rng.normal(0, 0.1, n)})
    rows = rows.assign(noise=1 + rng.normal(0, 0.1, n), err_train=0.5, chi=0.5 + rng.normal(0, 0.02, n), Q_hat=0.7)
    rows = rows.assign(
        delta_eff_sum=0.36, stein=0.38, converged=True, status="converged", residual=1e-11, kkt=1e-12, solver="bp"
    )
    row = summarise([rows]).iloc[0]
    assert row.delta_eff == pytest.approx(rows.chi.mean() * 0.7, rel=1e-12)
    assert row.gdf_plain == pytest.approx(rows.covariance.mean(), rel=1e-12)
    assert row.gap_stein == pytest.approx(row.gdf - 0.38, abs=1e-12)
    assert row.gdf_se == pytest.approx(0.1 / np.sqrt(n), rel=0.15)
    assert abs(row.gap_delta_eff - (0.4 - 0.35)) < 4 * row.gap_delta_eff_se
    assert (row.stationary, row.gdf_stationary, row.gdf_stationary_se) == (n, row.gdf, row.gdf_se)


def test_a_stationary_point_without_variances_is_averaged_beside_the_fixed_points():
    """Three samples: a fixed point, a stationary point without variances, and a run that cycles."""
    rows = bp_samples(0, 2, **(BP | {"penalty": {"kind": "l1"}, "etas": [1.2]}))
    rows["delta"], rows["covariance"] = [0.2, 0.4, 0.9], [0.3, 0.5, 0.9]
    rows["converged"], rows["status"] = [True, False, False], ["converged", "no_fixed_point", "cycling"]
    rows.loc[1:, ["chi", "Q_hat", "delta_eff_sum", "stein"]] = np.nan
    row = summarise([rows]).iloc[0]
    assert (row.samples, row.converged, row.stationary) == (3, 1, 2)
    assert (row.delta, row.delta_stationary) == (0.2, pytest.approx(0.3))
    assert row.gdf_stationary == pytest.approx(0.4), "three samples and less have no control variate"


@pytest.mark.parametrize("n", [25, 50, 100])
def test_the_error_of_a_median_is_that_of_many_repetitions(n):
    """An exponential variable has density 1/2 at its median, so that the error is 1/sqrt(n) for large n."""
    values = np.random.default_rng(n).exponential(size=(4000, n))
    mean = np.mean([median_error(sample) for sample in values])
    assert mean == pytest.approx(np.median(values, axis=1).std(), rel=0.1)
    assert mean == pytest.approx(1 / np.sqrt(n), rel=0.1)


def test_a_median_of_few_values_has_no_error():
    assert np.isnan(median_error(np.arange(7))) and np.isnan(median_error([]))
    z = norm.isf(0.5**8)  # all of 8 values lie on one side of the median with twice this probability
    assert median_error(np.arange(8)) == pytest.approx(7 / (2 * z))
    assert median_error(np.full(50, 21)) == 0


@pytest.mark.parametrize("penalty", [L1(), ElasticNet(eta2=0.1), SCAD(a=8, lam=1.0)], ids=repr)
def test_bp_agrees_with_rs_at_large_N(penalty):
    """delta, chi and Q_hat of BP on iid samples against the RS saddle point at the same eta."""
    M, N, deltas = 500, 1000, (0.2, 0.5)
    saddles = [solve_rs(penalty, alpha=M / N, delta=delta) for delta in deltas]
    measured = []
    for index in range(12):
        A, y = Ensemble(IID(), M, N, seed=7).sample(index)
        found = belief_propagation(A, y, penalty, [saddle.eta for saddle in saddles])
        assert found.converged.all()
        measured.append([found.delta, found.chi.sum(axis=0) / M, found.Q_hat.mean(axis=0), found.delta_eff_sum])
    mean, se = np.mean(measured, axis=0), np.std(measured, axis=0, ddof=1) / np.sqrt(len(measured))
    expected = np.array([[getattr(s, name) for s in saddles] for name in ("delta", "chi", "Q_hat", "df")])
    assert (np.abs(mean - expected) < 4.5 * se + 2 / N).all()
    assert (se < 0.05 * expected).all()


def test_l0_at_fixed_size_and_fixed_eta():
    rows = l0_samples(first=0, last=199, **L0)
    sizes = fixed_size(rows, M=10, variance=1.0)
    assert sizes.df.iloc[0] == 0 and (np.diff(sizes.df) > 0).all()
    assert (sizes.df_se[1:] < 0.5 * sizes.df_plain_se[1:]).all()
    assert (np.abs(sizes.df - sizes.df_plain) <= 4 * sizes.df_plain_se).all()
    etas = fixed_eta(rows, [50.0, 1.5, 0.01], M=10, N=20, variance=1.0)
    assert etas.df.iloc[0] == 0 and etas.delta.iloc[0] == 0
    assert etas.truncated.iloc[0] == 0 and etas.truncated.iloc[2] == 1
    chosen = [group.K.iloc[np.argmin((group.norm2 - group.explained) / 2 + 1.5 * group.K)]
              for _, group in rows.groupby("sample")]  # fmt: skip
    assert len(set(chosen)) > 2 and etas.delta.iloc[1] == pytest.approx(np.mean(chosen) / 10)
    taken = rows.set_index(["sample", "K"]).explained.loc[list(enumerate(chosen))].to_numpy() / 10
    plain_se = taken.std(ddof=1) / np.sqrt(200)
    assert etas.df_se.iloc[1] < plain_se and abs(etas.df.iloc[1] - taken.mean()) < 3 * plain_se
    assert etas.df.iloc[1] > etas.delta.iloc[1] + 5 * plain_se  # the choice of a subset costs more than its size


def test_l0_of_orthogonal_columns_is_hard_thresholding():
    """The best K columns are those of the K largest z_i = A_i^T y, and eta takes all with z_i^2 > 2 eta."""
    rng, M, variance, etas = np.random.default_rng(3), 8, 2.5, [4.0, 0.7]
    z2 = -np.sort(-variance * rng.normal(size=(50, M)) ** 2, axis=1)
    explained = np.column_stack([np.zeros(50), np.cumsum(z2, axis=1)])
    rows = pd.DataFrame(
        {"sample": np.repeat(np.arange(50), 7), "K": np.tile(np.arange(7), 50), "explained": explained[:, :7].ravel(),
         "norm2": np.repeat(z2.sum(axis=1), 7)}
    )  # fmt: skip
    sizes = fixed_size(rows, M=M, variance=variance)
    np.testing.assert_allclose(sizes.df, (explained / explained[:, -1:]).mean(axis=0)[:7])
    np.testing.assert_allclose(sizes.df_plain, explained.mean(axis=0)[:7] / (M * variance))
    np.testing.assert_allclose(sizes.delta, np.arange(7) / M)
    found = fixed_eta(rows, etas, M=M, N=M, variance=variance)
    for k, eta in enumerate(etas):
        taken = np.minimum((z2 > 2 * eta).sum(axis=1), 6)
        value, noise = explained[np.arange(50), taken] / (M * variance), z2.sum(axis=1) / (M * variance)
        at_one = np.linalg.lstsq(np.column_stack([np.ones(50), noise - 1]), value, rcond=None)[0][0]
        assert found.eta[k] == eta and found.delta[k] == pytest.approx(taken.mean() / M)
        assert found.df[k] == pytest.approx(at_one) and found.samples[k] == 50
        assert found.delta_se[k] == pytest.approx(taken.std(ddof=1) / M / np.sqrt(50))
        assert found.truncated[k] == (taken == 6).mean()


def test_l0_with_fewer_columns_than_rows():
    """alpha = 2: the largest subset has all N columns, where there is nothing to choose."""
    rows = l0_samples(first=0, last=9, **(L0 | {"N": 6, "alpha": 2.0, "max_size": 6}))
    etas = fixed_eta(rows, [0.0], M=12, N=6, variance=1.0)
    assert etas.delta.item() == 0.5 and etas.truncated.item() == 0
    sizes = fixed_size(rows, M=12, variance=1.0).assign(N=6, exact=True)
    table = df_table(sizes, alpha=2.0, variance=1.0)
    assert list(table.K) == [1, 2, 3, 4, 5] and (table.df < table.bound + 4 * table.df_se).all()


def test_extrapolation_recovers_a_planted_limit():
    N = np.array([10, 20, 40, 80])
    for form, shape in (("1/N", 1 / N), ("ln N/N", np.log(N) / N)):
        points = pd.DataFrame({"N": N, "df": 0.7 - 0.9 * shape, "df_se": [0.01, 0.02, 0.005, 0.01]})
        fit = extrapolate(points).set_index("form").loc[form]
        assert fit.limit == pytest.approx(0.7, abs=1e-12) and fit.chi2 == pytest.approx(0, abs=1e-20)
        assert 0.003 < fit.limit_se < 0.03 and fit.dof == 2
