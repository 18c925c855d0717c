"""The table on BP for l0, against counts over its single runs."""

import numpy as np
import pytest

from sparsegdf import L0, belief_propagation
from sparsegdf.ensembles.ensemble import Ensemble
from sparsegdf.ensembles.iid import IID
from sparsegdf.paper.experiments.l0_bp import l0_bp_table

PROBLEM = {"M": 40, "N": 80, "seed": 3, "mean": 0.0, "variance": 1.0}
ETAS, DAMPINGS, LIMITS, SAMPLES = [3.0, 1.5], [1.0, 0.5, 0.1], {"tol": 1e-8, "max_steps": 3000}, 12


@pytest.fixture(scope="module")
def runs():
    """Every single run by (damping, eta, sample)."""
    found = {}
    for index in range(SAMPLES):
        A, y = Ensemble(IID(), **PROBLEM).sample(index)
        for eta in ETAS:
            for damping in DAMPINGS:
                found[damping, eta, index] = belief_propagation(A, y, L0(), [eta], damping=damping, **LIMITS)
    return found


def test_each_row_counts_its_runs(runs):
    table = l0_bp_table(**PROBLEM, etas=ETAS, dampings=DAMPINGS, samples=SAMPLES, **LIMITS)
    assert list(zip(table.damping, table.eta, strict=True)) == [(d, e) for d in DAMPINGS for e in ETAS]
    for row in table.itertuples():
        those = {index: runs[row.damping, row.eta, index] for index in range(SAMPLES)}
        good = {index: run for index, run in those.items() if run.converged[0]}
        assert row.samples == SAMPLES and row.fraction_converged == len(good) / SAMPLES
        assert row.fraction_cycling == sum(run.status[0] == "cycling" for run in those.values()) / SAMPLES
        if good:
            assert row.delta == pytest.approx(np.mean([run.delta[0] for run in good.values()]))
        differ = []
        for index, run in good.items():
            larger = [runs[d, row.eta, index] for d in DAMPINGS if d > row.damping]
            first = next((other for other in larger if other.converged[0]), None)
            if first is not None:
                differ.append(((first.x != 0) != (run.x != 0)).any())
        assert row.pairs == len(differ)
        assert row.other_support == pytest.approx(np.mean(differ) if differ else np.nan, nan_ok=True)
    assert table.pairs.max() > 0 and (table.pairs < SAMPLES * table.fraction_converged).any()
    assert 0 < table.other_support.max() and (table[table.damping == 1].pairs == 0).all()
