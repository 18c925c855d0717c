"""The blocks of config/*.yaml, each on its own: what it may say. How they belong together is in model.py."""

import re
from dataclasses import fields
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from sparsegdf.ensembles.registry import DESIGNS, make_design
from sparsegdf.paper.config.messages import unknown
from sparsegdf.penalties.registry import PENALTIES, make_penalty


class Model(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)


Positive = Annotated[float, Field(gt=0)]
Delta = Annotated[float, Field(gt=0, le=1)]
Eta = Annotated[float, Field(ge=0)]
Count = Annotated[int, Field(ge=1)]


def _check_name(name: str):
    if not re.fullmatch("[A-Za-z0-9]+(_[A-Za-z0-9]+)*", name):  # it becomes a part of file names, joined by __
        raise ValueError(f"{name!r} is not a name (allowed: letters and digits, with single _ between them)")
    return name


Name = Annotated[str, AfterValidator(_check_name)]


def _check_block(block, what, known):
    """A block {kind, parameters}: a known kind, and exactly the parameters that it has."""
    kind = block.get("kind")
    if kind not in known:
        raise ValueError(f"kind = {kind!r}: " + unknown(what, kind, known))
    wanted = [field.name for field in fields(known[kind])]
    for key in block:
        if key != "kind" and key not in wanted:
            raise ValueError(f"{key} = {block[key]!r}: " + unknown("key", key, ["kind", *wanted]))
    for key in wanted:
        if key not in block:
            raise ValueError(f"{key} is missing (a {kind} {what} has: {', '.join(wanted)})")


def _check_penalty(block: dict):
    _check_block(block, "penalty", PENALTIES)
    make_penalty(**block)
    return block


def _check_design(block: dict):
    _check_block(block, "design", DESIGNS)
    make_design(**block)
    return block


PenaltyBlock = Annotated[dict[str, Any], AfterValidator(_check_penalty)]
DesignBlock = Annotated[dict[str, Any], AfterValidator(_check_design)]


class DeltaGrid(Model):
    """Evenly spaced values of delta, ascending."""

    first: Delta
    last: Delta
    count: Count

    @model_validator(mode="after")
    def _ascending(self):
        if not (self.first < self.last or (self.first == self.last and self.count == 1)):
            raise ValueError(f"first = {self.first:g} must lie below last = {self.last:g}")
        return self

    def values(self):
        return np.linspace(self.first, self.last, self.count)


class Panel(Model):
    penalty: str
    eta: Eta


class Figure1(Model):
    alpha: Positive
    mean: float
    variance: Positive
    z_max: Positive
    panels: Annotated[list[Panel], Field(min_length=4, max_length=4)]


class Figure2(Model):
    alpha: Positive
    mean: float
    variance: Positive
    deltas: DeltaGrid
    penalties: Annotated[list[str], Field(min_length=1)]


class Figure3(Figure2):
    zoom: Delta


class EtaGrid(Model):
    """Evenly spaced values of eta, descending: from sparse to dense."""

    first: Eta
    last: Eta
    count: Count

    @model_validator(mode="after")
    def _descending(self):
        if not (self.first > self.last or (self.first == self.last and self.count == 1)):
            raise ValueError(f"first = {self.first:g} must lie above last = {self.last:g}")
        return self

    def values(self):
        return np.linspace(self.first, self.last, self.count)


class Simulation(Model):
    M: Count
    etas: EtaGrid


# bp: belief propagation alone; direct: stationary_path alone; both: where the first fails, the second.
Solver = Literal["bp", "direct", "both"]


class BPFigure(Model):
    """Fixed points on `samples` samples of a design, for each penalty named in `simulations`."""

    design: str
    solver: Solver
    N: Count
    mean: float
    variance: Positive
    samples: Annotated[int, Field(ge=2)]
    panels: Annotated[list[str], Field(min_length=1)]
    simulations: Annotated[dict[str, Simulation], Field(min_length=1)]


class Figure4(BPFigure):
    panels: Annotated[list[str], Field(min_length=1, max_length=4)]


class Claims(Model):
    """Simulations that only the claims need: the same penalties on each of these designs."""

    designs: Annotated[list[str], Field(min_length=1)]
    solver: Solver
    N: Count
    mean: float
    variance: Positive
    samples: Annotated[int, Field(ge=2)]
    simulations: Annotated[dict[str, Simulation], Field(min_length=1)]


class Size(Model):
    N: Count
    samples: Annotated[int, Field(ge=2)]


class Figure9(Model):
    """The same fixed points at several N; of each grid the last `shown` levels are drawn.

    A block design keeps its T/N, T rounded down: its T is that of N = `block_N`.
    """

    designs: Annotated[list[str], Field(min_length=1)]
    block_N: Count
    solver: Solver
    alpha: Positive
    mean: float
    variance: Positive
    sizes: Annotated[list[Size], Field(min_length=3)]
    shown: Count
    simulations: Annotated[dict[str, EtaGrid], Field(min_length=1)]

    @model_validator(mode="after")
    def _sizes_differ(self):
        N = [size.N for size in self.sizes]
        if len(set(N)) < len(N):
            raise ValueError(f"sizes have N = {', '.join(map(str, N))}: each must differ from the others")
        if round(self.alpha * min(N)) < 1:
            raise ValueError(f"alpha = {self.alpha:g}: alpha N must be at least one row at N = {min(N)}")
        return self


class Figure10(Model):
    """Planted data: every design, N and strength; a block design keeps its T/N, as in figure 9."""

    designs: Annotated[list[str], Field(min_length=1)]
    block_N: Count
    M: Count
    sizes: Annotated[list[Count], Field(min_length=1)]
    nonzeros: Count
    strengths: Annotated[list[Positive], Field(min_length=1)]
    samples: Annotated[int, Field(ge=2)]
    new_rows: Count
    penalties: Annotated[list[str], Field(min_length=1)]

    @model_validator(mode="after")
    def _samples_are_possible(self):
        if self.nonzeros > min(self.sizes):
            raise ValueError(f"nonzeros = {self.nonzeros}: must be <= the smallest N, {min(self.sizes)}")
        if self.new_rows == self.M:
            raise ValueError(
                f"new_rows = {self.new_rows}: must not be M, by which a sample is named: not new, but the same"
            )
        return self


class BP(Model):
    tol: Positive
    max_steps: Count
    chunk: Count


class TableBPL0(Model):
    """Belief propagation for l0 with each of these weights on the new value."""

    M: Count
    N: Count
    mean: float
    variance: Positive
    samples: Annotated[int, Field(ge=2)]
    etas: EtaGrid
    dampings: Annotated[list[Annotated[float, Field(gt=0, le=1)]], Field(min_length=1)]
    max_steps: Count


class L0Run(Model):
    """One system size of the l0 search; restarts = 0 is exact, otherwise swap search."""

    N: Count
    max_size: Count
    samples: Annotated[int, Field(ge=2)]
    restarts: Annotated[int, Field(ge=0)]


class L0Search(Model):
    alpha: Positive
    variance: Positive
    chunk: Count
    etas: EtaGrid
    runs: Annotated[dict[Name, L0Run], Field(min_length=1)]

    @model_validator(mode="after")
    def _sizes_fit(self):
        for name, run in self.runs.items():
            M = self.alpha * run.N
            if abs(M - round(M)) > 1e-9 or round(M) < 1:
                raise ValueError(
                    f"runs.{name}.N = {run.N}: alpha N = {M:g} must be a whole number of rows, at least 1"
                )
            if run.max_size > min(M, run.N):
                raise ValueError(
                    f"runs.{name}.max_size = {run.max_size}: must be <= min(M, N) = {min(round(M), run.N)}"
                )
        return self


class TableBPDirect(Model):
    """Both solvers on the first `samples` samples of each penalty of these runs; `tol` is that of BP here."""

    runs: Annotated[list[str], Field(min_length=1)]
    samples: Count
    tol: Positive


class TableBPRegion(Model):
    """Linear stability on the first `samples` samples, at every `every`-th level of eta, with these dampings."""

    samples: Annotated[int, Field(ge=2)]
    every: Count
    dampings: Annotated[list[Annotated[float, Field(gt=0, le=1)]], Field(min_length=1)]


class Figure7(Model):
    runs: Annotated[list[str], Field(min_length=1)]
    deltas: DeltaGrid


class Figure8(Figure7):
    limits: Annotated[list[Delta], Field(max_length=3)]


class Setting(Model):
    penalty: str
    alpha: Positive


class TableThresholds(Model):
    mean: float
    variance: Positive
    settings: Annotated[list[Setting], Field(min_length=1)]
