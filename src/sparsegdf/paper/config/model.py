"""The configuration as one typed model: how its blocks belong together, checked before anything runs."""

from dataclasses import asdict
from functools import cached_property
from typing import Annotated, NamedTuple

from pydantic import Field, ValidationError, model_validator

from sparsegdf.ensembles.registry import make_design
from sparsegdf.paper.config.blocks import (
    BP,
    BPFigure,
    Claims,
    DesignBlock,
    Figure1,
    Figure2,
    Figure3,
    Figure4,
    Figure7,
    Figure8,
    Figure9,
    Figure10,
    L0Search,
    Model,
    Name,
    PenaltyBlock,
    Simulation,
    TableBPDirect,
    TableBPL0,
    TableBPRegion,
    TableThresholds,
)
from sparsegdf.paper.config.messages import describe, unknown


class ConfigError(Exception):
    """What is wrong with the configuration, one line per problem."""


class Run(NamedTuple):
    """What the rules need to know of a set of fixed points, whichever block asked for it."""

    design: dict
    solver: str
    N: int
    mean: float
    variance: float
    samples: int
    simulations: dict[str, Simulation]


_WITH_DESIGNS = ("claims", "figure9_finite_size", "figure10_selection")


class Config(Model):
    run: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]
    seed: Annotated[int, Field(ge=0)]
    penalties: Annotated[dict[Name, PenaltyBlock], Field(min_length=1)]
    designs: Annotated[dict[Name, DesignBlock], Field(min_length=1)]
    bp: BP
    figure1_single_body: Figure1
    figure2_gdf: Figure2
    figure3_prediction_error: Figure3
    figure4_bp_vs_rs: Figure4
    figure5_example1: BPFigure
    figure6_example2: BPFigure
    table_bp_l0: TableBPL0
    l0_search: L0Search
    figure7_l0_exhaustive: Figure7
    figure8_l0_beyond_rs: Figure8
    table_thresholds: TableThresholds
    claims: Claims
    figure9_finite_size: Figure9
    figure10_selection: Figure10
    table_bp_direct: TableBPDirect
    table_bp_region: TableBPRegion

    @property
    def bp_figures(self) -> dict[str, BPFigure]:
        return {name: block for name, block in self if isinstance(block, BPFigure)}

    @cached_property
    def runs(self) -> dict[str, Run]:
        """Every set of fixed points by name: figures, claims_<design>, size<N>_<design>."""
        shared = ("solver", "N", "mean", "variance", "samples", "simulations")

        def run(block, design):
            return Run(self.designs[design], **{name: getattr(block, name) for name in shared})

        found = {name: run(block, block.design) for name, block in self.bp_figures.items()}
        found |= {f"claims_{design}": run(self.claims, design) for design in self.claims.designs}
        figure = self.figure9_finite_size
        for size in figure.sizes:
            M = round(figure.alpha * size.N)
            simulations = {name: Simulation(M=M, etas=etas) for name, etas in figure.simulations.items()}
            for name in figure.designs:
                design = self._resized(name, size.N, figure.block_N)
                found[f"size{size.N}_{name}"] = Run(
                    design, figure.solver, size.N, figure.mean, figure.variance, size.samples, simulations
                )
        return found

    @cached_property
    def planted(self) -> dict[str, dict]:
        """Every setting of figure 10 by name: its design block, N and strength, and what the design is called."""
        figure = self.figure10_selection
        return {
            f"n{N}_{name}_s{f'{strength:g}'.replace('.', 'p')}": {
                "called": name, "design": self._resized(name, N, figure.block_N), "N": N, "strength": strength
            }
            for N in figure.sizes
            for name in figure.designs
            for strength in figure.strengths
        }  # fmt: skip

    def _resized(self, name, N, block_N):
        """The design block of this name at N columns; what it has at block_N is kept as far as it can be."""
        design = make_design(**self.designs[name]).resized(N, of=block_N)
        return {"kind": self.designs[name]["kind"]} | asdict(design)

    @model_validator(mode="after")
    def _penalties_are_known(self):
        for path, name in _references(self.model_dump(), "penalty", "penalties"):
            if name not in self.penalties:
                raise ValueError(f"{path} = {name!r}: " + unknown("penalty", name, self.penalties))
        for figure in (*self.bp_figures, "claims", "figure9_finite_size"):
            for name in getattr(self, figure).simulations:
                if name not in self.penalties:
                    raise ValueError(f"{figure}.simulations.{name}: " + unknown("penalty", name, self.penalties))
        for name in self.figure10_selection.penalties:
            if self.penalties[name]["kind"] == "l0":
                raise ValueError(f"figure10_selection.penalties = {name!r}: l0 has no path (allowed: any other)")
        for figure, block in self.bp_figures.items():
            for name in block.panels:
                if name not in block.simulations:
                    known = unknown("simulation", name, block.simulations)
                    raise ValueError(f"{figure}.panels = {name!r}: {known}")
        return self

    @model_validator(mode="after")
    def _l0_runs_are_known(self):
        for figure in ("figure7_l0_exhaustive", "figure8_l0_beyond_rs"):
            for name in getattr(self, figure).runs:
                if name not in self.l0_search.runs:
                    raise ValueError(f"{figure}.runs = {name!r}: " + unknown("run", name, self.l0_search.runs))
        return self

    @model_validator(mode="after")
    def _designs_fit(self):
        """Each design named, and its parameters possible at that N: what the design itself says."""
        named = {f"{figure}.design": [block.design] for figure, block in self.bp_figures.items()}
        named |= {f"{block}.designs": getattr(self, block).designs for block in _WITH_DESIGNS}
        for path, designs in named.items():
            for design in designs:
                if design not in self.designs:
                    raise ValueError(f"{path} = {design!r}: {unknown('design', design, self.designs)}")
        for name in self.table_bp_direct.runs:
            if name not in self.runs:
                raise ValueError(f"table_bp_direct.runs = {name!r}: {unknown('run', name, self.runs)}")
        needed = {name: (run.design, run.N) for name, run in self.runs.items()}
        needed |= {f"figure10_selection, {name}": (cell["design"], cell["N"]) for name, cell in self.planted.items()}
        for name, (design, N) in needed.items():
            try:
                make_design(**design).require_columns(N)
            except ValueError as error:
                raise ValueError(f"the design {design} of {name} (N = {N}): {error}") from None
        return self

    @model_validator(mode="after")
    def _deltas_are_reachable(self):
        for name in ("figure2_gdf", "figure3_prediction_error"):
            block = getattr(self, name)
            if block.deltas.last > 1 / block.alpha:
                limit = f"must be <= 1/alpha = {1 / block.alpha:g} (no more non-zeros than columns)"
                raise ValueError(f"{name}.deltas.last = {block.deltas.last:g}: {limit}")
        top = min(1, 1 / self.l0_search.alpha)
        for name in ("figure7_l0_exhaustive", "figure8_l0_beyond_rs"):
            last = getattr(self, name).deltas.last
            if last >= top:
                raise ValueError(
                    f"{name}.deltas.last = {last:g}: must be < {top:g} (the best subset of all is not a choice)"
                )
        figure = self.figure8_l0_beyond_rs
        for limit in figure.limits:
            if not figure.deltas.first <= limit <= figure.deltas.last:
                within = f"[{figure.deltas.first:g}, {figure.deltas.last:g}], the deltas of its theory"
                raise ValueError(f"figure8_l0_beyond_rs.limits = {limit:g}: must lie in {within}")
        return self


def _references(tree, single, several, path=""):
    """(path, name) of every name that stands under the key `single` or in a list under `several`."""
    items = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, value in items:
        here = f"{path}.{key}" if path else str(key)
        if key == single and isinstance(value, str):
            yield here, value
        elif key == several and isinstance(value, list):
            yield from ((f"{here}.{i}", name) for i, name in enumerate(value))
        else:
            yield from _references(value, single, several, here)


def load(raw: dict) -> Config:
    """The validated configuration, or a ConfigError with one readable line per problem."""
    try:
        return Config.model_validate(raw)
    except ValidationError as error:
        lines = [describe(problem, Config) for problem in error.errors()]
        raise ConfigError("the configuration is not valid\n  " + "\n  ".join(lines)) from None
