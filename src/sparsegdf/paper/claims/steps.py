"""Median numbers of steps of belief propagation, their ratios and the errors of these."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from sparsegdf.paper.claims.outcomes import larger
from sparsegdf.paper.claims.verdict import Undecided

WHOLE = 0.29  # the rounding error of a whole number, 1/sqrt(12): medians of steps are no sharper


class Steps(NamedTuple):
    """A median number of steps, or a ratio of such medians, with its standard error relative to it."""

    median: float
    relative: float

    @classmethod
    def of(cls, row):
        return cls(row.steps_median, np.hypot(row.steps_median_se, WHOLE) / row.steps_median)

    @classmethod
    def at(cls, delta, table):
        """Interpolated in delta; the error is that of the level, or between those of two."""
        table = table.sort_values("delta")
        columns = ("steps_median", "steps_median_se")
        return cls.of(pd.Series({name: np.interp(delta, table.delta, table[name]) for name in columns}))

    def over(self, other):
        return Steps(self.median / other.median, np.hypot(self.relative, other.relative))

    def __str__(self):
        digits = 0 if self.median > 20 else 2
        return f"{self.median:.{digits}f}({self.median * self.relative:.{digits}f})"


def all_exceed(ratios, least=1.0):
    """Whether every one of these Steps exceeds `least` by more than noise: in logarithms, as errors are relative."""
    if not all(np.isfinite([*ratio]).all() for ratio in ratios.values()):
        raise Undecided("BP was iterated on too few samples for an error of the median")
    logs = [np.log(ratio.median / least) for ratio in ratios.values()]
    errors = [ratio.relative for ratio in ratios.values()]
    smallest = min(ratios.values(), key=lambda ratio: ratio.median)
    outcome, error = larger(logs, errors, "log of the ratio"), smallest.median * smallest.relative
    return outcome._replace(tolerance=f"> {least:g}, {outcome.tolerance}", value=smallest.median, error=error)
