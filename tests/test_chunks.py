"""Chunks of samples that must not be averaged."""

import numpy as np
import pandas as pd
import pytest

from sparsegdf.paper.experiments.chunks import require_finite, require_samples
from sparsegdf.paper.experiments.summaries import AVERAGED, summarise

ETAS = [0.3, 0.2]
ROWS = pd.DataFrame([{"sample": sample, "eta": eta} for sample in (3, 4, 5) for eta in ETAS])


def test_the_samples_of_the_name_pass_in_any_order():
    require_samples(ROWS, 3, 5, eta=ETAS)
    require_samples(ROWS.sample(frac=1, random_state=0), 3, 5, eta=ETAS)


@pytest.mark.parametrize(
    "rows, range_",
    [
        (ROWS, (0, 2)),
        (ROWS, (3, 6)),
        (ROWS.iloc[:-1], (3, 5)),
        (ROWS.iloc[:0], (3, 5)),
        (pd.concat([ROWS, ROWS.iloc[:1]]), (3, 5)),
        (ROWS.assign(sample=3), (3, 5)),
        (ROWS.assign(eta=0.3), (3, 5)),
    ],
    ids=["another chunk", "too few samples", "a row missing", "empty", "a row twice", "one sample", "one level"],
)
def test_other_samples_are_refused(rows, range_):
    with pytest.raises(ValueError, match=f"wanted are samples {range_[0]} to {range_[1]}, each at 2 values of eta"):
        require_samples(rows, *range_, eta=ETAS)


@pytest.mark.parametrize("column", AVERAGED)
def test_a_converged_row_that_is_not_finite_is_an_error(column):
    rng = np.random.default_rng(0)
    rows = ROWS.assign(**{name: rng.normal(size=6) for name in AVERAGED})
    rows = rows.assign(converged=True, status="converged", solver="bp", kkt=0.0, residual=0.0)
    assert summarise([rows]).loc[:, :"iterated"].notna().all(axis=None)
    rows.loc[3, column] = np.nan
    with pytest.raises(ValueError, match=f"{column} is nan at sample = 4, eta = 0.2"):
        summarise([rows])
    rows.loc[3, "converged"] = False  # then nothing is known of it, and nothing is averaged
    assert summarise([rows]).set_index("eta").loc[0.2, "converged"] == 2


def test_the_first_value_that_is_not_finite_is_named():
    table = pd.DataFrame({"sample": [0, 0], "K": [0, 1], "explained": [0.0, np.inf]})
    require_finite(table.iloc[:1], ["explained"])
    with pytest.raises(ValueError, match="explained is inf at sample = 0, K = 1; 1 of 2 rows"):
        require_finite(table, ["explained"])
