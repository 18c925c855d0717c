"""The configuration as one typed model. It checks that the blocks fit together before anything runs."""

from functools import cached_property
from typing import Annotated

from pydantic import Field, ValidationError, create_model, model_validator

from sparsegdf.ensembles.registry import make_design
from sparsegdf.paper.config.blocks import (
    BP,
    LONGEST_NAME,
    Claims,
    DesignBlock,
    L0Search,
    Model,
    Name,
    NearAT,
    PenaltyBlock,
    Run,
    Simulated,
    require_columns,
)
from sparsegdf.paper.config.messages import describe, unknown
from sparsegdf.paper.figures.bp_figure import BPFigure
from sparsegdf.paper.figures.registry import FIGURES, TABLES
from sparsegdf.registry import block_of


class ConfigError(Exception):
    """The configuration is not valid; the message has one line per problem."""


class _Shared(Model):
    """The configuration without the blocks of single figures and tables, which are added by their modules."""

    run: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$", max_length=LONGEST_NAME)]
    seed: Annotated[int, Field(ge=0, le=2**63 - 1)]
    penalties: Annotated[dict[Name, PenaltyBlock], Field(min_length=1)]
    designs: Annotated[dict[Name, DesignBlock], Field(min_length=1)]
    bp: BP
    l0_search: L0Search
    claims: Claims
    near_at: NearAT

    @cached_property
    def figures(self):
        """Every figure by name."""
        return self._of(FIGURES)

    @cached_property
    def tables(self):
        """Every table by name."""
        return self._of(TABLES)

    def _of(self, kinds):
        return {name: getattr(self, name) if kind.model_fields else kind() for name, kind in kinds.items()}

    @cached_property
    def runs(self) -> dict[str, Run]:
        """Every set of fixed points by name: figures, claims_<design>, near_at_<design>, size<N>_<design>."""
        found = {}
        for _, block in self:
            if isinstance(block, Simulated):
                found |= block.fixed_points(self)
        return found

    @property
    def bp_figures(self) -> list[str]:
        """The name of every BPFigure, which is that of its run."""
        return [name for name, figure in self.figures.items() if isinstance(figure, BPFigure)]

    @property
    def bp_simulations(self) -> list[tuple[str, str]]:
        """Figure and penalty of every simulation that a BPFigure shows."""
        return [(figure, penalty) for figure in self.bp_figures for penalty in self.runs[figure].simulations]

    def resized(self, name, N, of):
        """The design block of this name, meant for `of` columns, at N columns (see Design.resized)."""
        return block_of(make_design(**self.designs[name]).resized(N, of))

    @model_validator(mode="after")
    def _names_are_known(self):
        for what, known, several in (("penalty", self.penalties, "penalties"), ("design", self.designs, "designs")):
            for path, name in _references(self.model_dump(), what, several):
                if name not in known:
                    raise ValueError(f"{path} = {name!r}: {unknown(what, name, known)}")
        for block_name, block in self:
            for name in block.simulations if isinstance(block, Simulated) else ():
                if name not in self.penalties:
                    raise ValueError(f"{block_name}.simulations.{name}: {unknown('penalty', name, self.penalties)}")
        return self

    @model_validator(mode="after")
    def _designs_fit(self):
        for name, run in self.runs.items():
            for simulation in run.simulations.values():
                require_columns(simulation.ensemble.design, simulation.ensemble.N, of=name)
        return self

    @model_validator(mode="after")
    def _figures_and_tables_fit(self):
        for exhibit in (*self.figures.values(), *self.tables.values()):
            exhibit.check(self)
        return self


Config = create_model(
    "Config", __base__=_Shared, **{name: kind for name, kind in (FIGURES | TABLES).items() if kind.model_fields}
)


def _references(tree, single, several, path=""):
    """(path, name) of every name under the key `single` or in a list under the key `several`."""
    items = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, value in items:
        here = f"{path}.{key}" if path else str(key)
        if key == single and isinstance(value, str):
            yield here, value
        elif key == several and isinstance(value, list):
            yield from ((f"{here}.{i}", name) for i, name in enumerate(value))
        else:
            yield from _references(value, single, several, here)


MOST_ENTRIES = 100_000


def _require_finite(raw):
    """Raise ConfigError if anchors (&, *) make a short file large or endless."""
    todo, seen = [raw], 0
    while todo:
        seen += 1
        if seen > MOST_ENTRIES:
            raise ConfigError(
                f"the configuration has more than {MOST_ENTRIES} entries (allowed: up to that); "
                "do anchors (&, *) in its file repeat each other?"
            )
        part = todo.pop()
        todo += part.values() if isinstance(part, dict) else part if isinstance(part, (list, tuple)) else ()


def load(raw: dict) -> Config:
    """Return the validated configuration, or raise ConfigError with one line per problem."""
    _require_finite(raw)
    try:
        return Config.model_validate(raw)
    except ValidationError as error:
        lines = [describe(problem, Config) for problem in error.errors()]
        raise ConfigError("the configuration is not valid\n  " + "\n  ".join(lines)) from None
