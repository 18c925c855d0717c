"""Table (ours): the effective fraction of non-zeros on correlated predictors, of belief propagation and corrected."""

from typing import Annotated

import pandas as pd
from pydantic import Field

from sparsegdf.paper.config.blocks import Count
from sparsegdf.paper.config.messages import unknown
from sparsegdf.paper.experiments.corrected_summaries import with_corrected
from sparsegdf.paper.figures.base import Readable, Table

CAPTION = (
    "GDF minus the effective fraction of non-zeros with the variances of BP (delta_eff: product of means, "
    "delta_eff_sum: mean of products), with the cavity variances, which is Stein's divergence (stein), and with "
    "those averaged over rows of known covariance at fixed support (corrected; corrected_samples of the samples have "
    "a stable root)."
)
GAPS = [f"gap_{name}{end}" for name in ("delta_eff", "delta_eff_sum", "stein", "corrected") for end in ("", "_se")]
COLUMNS = ["eta", "delta", "delta_se", "gdf", "gdf_se", *GAPS]
COLUMNS += ["corrected", "corrected_se", "corrected_samples", "samples"]
SHOWN = ["run", "penalty", "delta", "gdf", *GAPS, "corrected_samples"]


class TableEffectiveFraction(Table):
    """The first `samples` samples of each penalty of these runs, whose covariance is known."""

    shows = "ours: GDF less the effective fraction of BP, and less the corrected one"
    made_of = "the simulations of figures 5 and 6, 50 samples for the correction"

    runs: Annotated[list[str], Field(min_length=1)]
    samples: Count

    def check(self, config):
        for name in self.runs:
            if name not in config.runs:
                raise ValueError(f"{self.name}.runs = {name!r}: {unknown('run', name, config.runs)}")

    def inputs(self, config):
        return {
            "summaries": [f"summaries/{run}" for run in self.runs],
            "corrected": [f"corrected/{run}" for run in self.runs],
        }

    def evidence(self, config):
        """What claims need to know of its tables, by path."""
        return {
            f"corrected/{run}": [
                {
                    "kind": "corrected",
                    "block": config.runs[run].block,
                    "penalty_name": penalty,
                    "samples": self.samples,
                }
                for penalty in config.runs[run].simulations
            ]
            for run in self.runs
        }

    def compute(self, tables, uses):
        runs = zip(self.runs, tables["summaries"], tables["corrected"], strict=True)
        parts = [with_corrected(summary, corrected).assign(run=run) for run, summary, corrected in runs]
        table = pd.concat(parts, ignore_index=True)[["run", "penalty", *COLUMNS]]
        return Readable(table, CAPTION, columns=SHOWN)
