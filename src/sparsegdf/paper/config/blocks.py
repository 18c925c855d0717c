"""The types used in the blocks of config/*.yaml, and the blocks that more than one figure or table needs.

The block of a figure or table is its class in paper/figures. model.py combines the blocks.
"""

import re
from abc import abstractmethod
from dataclasses import fields
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

import numpy as np
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from sparsegdf.ensembles.registry import DESIGNS, make_design
from sparsegdf.paper.config.messages import shown, unknown
from sparsegdf.paper.config.simulation import Simulation
from sparsegdf.penalties.registry import PENALTIES, make_penalty
from sparsegdf.registry import block_of


class Model(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)


# Upper limits are far beyond any use: a mistyped number is refused before it fills the memory or the queue.
Number = Annotated[float, Field(ge=-1e9, le=1e9)]
Positive = Annotated[float, Field(gt=0, le=1e9)]
Delta = Annotated[float, Field(gt=0, le=1)]
Eta = Annotated[float, Field(ge=0, le=1e9)]
Count = Annotated[int, Field(ge=1, le=1_000_000)]
Dimension = Annotated[int, Field(ge=1, le=20_000)]  # rows or columns of A
Samples = Annotated[int, Field(ge=2, le=1_000_000)]  # a single one has no standard error
Damping = Annotated[float, Field(gt=0, le=1)]  # the weight of the new value

MOST_CHUNKS = 10_000  # jobs of one simulation
LONGEST_NAME = 60  # names become parts of file names, joined by __


def _check_name(name: str):
    if not re.fullmatch("[A-Za-z0-9]+(_[A-Za-z0-9]+)*", name) or len(name) > LONGEST_NAME:
        allowed = f"letters and digits, with single _ between them, up to {LONGEST_NAME} in all"
        raise ValueError(f"{shown(name)} is not a name (allowed: {allowed})")
    return name


def require_chunks(samples, chunk, of):
    """Raise ValueError if the samples are too many jobs. The message names the block or run `of`."""
    if samples > MOST_CHUNKS * chunk:
        jobs = -(-samples // chunk)
        raise ValueError(f"{of}: samples = {samples}, chunk = {chunk}: {jobs} jobs (allowed: up to {MOST_CHUNKS})")


def require_rows(alpha, N, of):
    """M = alpha N, or ValueError if that is not a whole number of rows. The message names what has this N."""
    M = alpha * N
    if abs(M - round(M)) > 1e-9 or round(M) < 1:
        raise ValueError(f"{of}N = {N}: alpha N = {M:g} must be a whole number of rows, at least 1")
    return round(M)


Name = Annotated[str, AfterValidator(_check_name)]


def _check_block(block, what, known):
    """Raise ValueError unless a block {kind, parameters} has a known kind and exactly its parameters."""
    kind = block.get("kind")
    if not isinstance(kind, str) or kind not in known:
        raise ValueError(f"kind = {shown(kind)}: " + unknown(what, kind, known))
    wanted = [field.name for field in fields(known[kind])]
    for key in block:
        if key != "kind" and key not in wanted:
            raise ValueError(f"{key} = {shown(block[key])}: " + unknown("key", key, ["kind", *wanted]))
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


def require_columns(design, N, of):
    """Raise ValueError if N columns are too few for the design. The message names the block or run `of`."""
    try:
        design.require_columns(N)
    except ValueError as error:
        raise ValueError(f"the design {block_of(design)} of {of} (N = {N}): {error}") from None


PenaltyBlock = Annotated[dict[str, Any], AfterValidator(_check_penalty)]
DesignBlock = Annotated[dict[str, Any], AfterValidator(_check_design)]


class DeltaGrid(Model):
    """Evenly spaced values of delta, ascending."""

    first: Delta
    last: Delta
    count: Count

    @model_validator(mode="after")
    def _ascending(self):
        if not (self.first < self.last if self.count > 1 else self.first == self.last):
            raise ValueError(
                f"first = {self.first:g} must lie below last = {self.last:g}, and be the same for count = 1 alone"
            )
        return self

    def values(self):
        return np.linspace(self.first, self.last, self.count)


class EtaGrid(Model):
    """Evenly spaced values of eta, descending: from sparse to dense."""

    first: Eta
    last: Eta
    count: Count

    @model_validator(mode="after")
    def _descending(self):
        if not (self.first > self.last if self.count > 1 else self.first == self.last):
            raise ValueError(
                f"first = {self.first:g} must lie above last = {self.last:g}, and be the same for count = 1 alone"
            )
        return self

    def values(self):
        return np.linspace(self.first, self.last, self.count)


class SimulationBlock(Model):
    """The number of rows of A and the grid of eta for one penalty. It may have `samples` and `chunk` of its own."""

    M: Dimension
    etas: EtaGrid
    samples: Samples | None = None
    chunk: Count | None = None


# direct: stationary_path, and belief propagation where it finds no fixed point; bp: belief propagation alone.
Solver = Literal["direct", "bp"]


class Run(NamedTuple):
    """A set of fixed points: a simulation for each penalty, on the same samples of the design of this name.

    `block` is the name of the block of the configuration that needs it; `samples` and `chunk` (samples per job) are
    by penalty. On the first `iterated` samples it is also observed how belief propagation converges.
    """

    block: str
    design_name: str
    solver: str
    iterated: int
    samples: dict[str, int]
    chunk: dict[str, int]
    simulations: dict[str, Simulation]


class Simulated(Model):
    """A block that needs fixed points, `chunk` samples per job."""

    solver: Solver
    chunk: Count
    mean: Number
    variance: Positive

    @abstractmethod
    def fixed_points(self, config) -> dict[str, Run]:
        """The sets of fixed points that it needs, by name."""

    def run(self, config, *, block, design_name, design, N, samples, simulations, iterated=0):
        """The set of fixed points on a design block at N columns; `simulations` are SimulationBlocks by penalty."""
        for name, own in simulations.items():
            require_chunks(own.samples or samples, own.chunk or self.chunk, of=f"{block}, {name}")
        shared = {"design": design, "N": N, "mean": self.mean, "variance": self.variance, "seed": config.seed}
        return Run(
            block,
            design_name,
            self.solver,
            iterated,
            samples={name: own.samples or samples for name, own in simulations.items()},
            chunk={name: own.chunk or self.chunk for name, own in simulations.items()},
            simulations={
                name: Simulation.of(
                    penalty=config.penalties[name], M=own.M, etas=own.etas.values().tolist(), **shared
                )
                for name, own in simulations.items()
            },
        )


class SameSize(Simulated):
    """A block whose simulations all have the same N. BP is iterated on the first `iterated` samples."""

    N: Dimension
    samples: Samples
    iterated: Annotated[int, Field(ge=0, le=1_000_000)]
    simulations: Annotated[dict[str, SimulationBlock], Field(min_length=1)]

    def run_on(self, design, config, block):
        """The set of fixed points on the design of this name."""
        return self.run(
            config,
            block=block,
            design_name=design,
            design=config.designs[design],
            N=self.N,
            samples=self.samples,
            simulations=self.simulations,
            iterated=self.iterated,
        )


class Claims(SameSize):
    """Simulations that only the claims need: the same penalties on each of these designs."""

    block: ClassVar[str] = "claims"

    designs: Annotated[list[str], Field(min_length=1)]

    def fixed_points(self, config):
        return {f"{self.block}_{design}": self.run_on(design, config, block=self.block) for design in self.designs}


class NearAT(Claims):
    """The settings of figure 4 at an N at which nearly all samples have a fixed point up to near the AT line."""

    block: ClassVar[str] = "near_at"


class BP(Model):
    tol: Positive
    max_steps: Count
    chunk: Count


class L0Run(Model):
    """One system size of the l0 search; restarts = 0 is exact, otherwise swap search. `chunk` samples per job."""

    N: Dimension
    max_size: Count
    samples: Samples
    chunk: Count
    restarts: Annotated[int, Field(ge=0, le=1_000_000)]


class L0Search(Model):
    alpha: Positive
    variance: Positive
    etas: EtaGrid
    runs: Annotated[dict[Name, L0Run], Field(min_length=1)]

    @model_validator(mode="after")
    def _sizes_fit(self):
        for name, run in self.runs.items():
            require_chunks(run.samples, run.chunk, of=f"runs.{name}")
            most = min(require_rows(self.alpha, run.N, of=f"runs.{name}."), run.N)
            if run.max_size > most:
                raise ValueError(f"runs.{name}.max_size = {run.max_size}: must be <= min(M, N) = {most}")
        return self
