"""A figure or a table: its block of the configuration, its inputs, and how it is drawn or computed.

Each of the other files in this folder that defines a subclass of Figure or Table holds one figure or table.
registry.py finds it under the name of the file; no other step is needed. These classes are read whenever a
run is planned, so packages that take long to import (Matplotlib, SciPy, Numba) are imported inside functions.
"""

from abc import abstractmethod
from typing import ClassVar, NamedTuple

import pandas as pd

from sparsegdf.paper.config.blocks import Model


class Drawing(NamedTuple):
    """A Matplotlib figure, the plotted numbers, the caption, and the number of samples, if any."""

    figure: object
    plotted: pd.DataFrame
    caption: str
    samples: int | dict | None = None


class Readable(NamedTuple):
    """A table for readers. Its Markdown and LaTeX forms have only `columns`; those in `math` hold LaTeX formulas."""

    frame: pd.DataFrame
    caption: str
    columns: list | None = None
    math: tuple = ()


class Exhibit(Model):
    """A figure or a table. Its fields are its block of the configuration; without fields it has no block.

    `target` is the target that makes it: paper_figures for what the paper shows, claims for what judges it, beyond
    for the rest. `shows` and `made_of` are its row in docs/pipeline.md. `columns` overrides COLUMNS of
    paper/columns.py for its CSV file.
    """

    name: ClassVar[str]
    target: ClassVar[str] = "beyond"
    shows: ClassVar[str]
    made_of: ClassVar[str]
    columns: ClassVar[dict] = {}

    @classmethod
    def __pydantic_init_subclass__(cls, **how):
        cls.name = cls.__module__.rpartition(".")[2]

    def inputs(self, config):
        """What it reads: {name: path below results/<run> without suffix, or a list of such paths}.

        A path that ends in .json is that of a file beside the figures.
        """
        return {}

    def penalty_names(self):
        """The names of the penalties that it uses."""
        return []

    def design_names(self):
        """The names of the designs that it uses."""
        return []

    def uses(self, config):
        """The parts of other blocks of the configuration that it needs, as builtins. It depends on no other parts."""
        return {
            "penalties": {name: config.penalties[name] for name in self.penalty_names()},
            "designs": {name: config.designs[name] for name in self.design_names()},
        }

    def rs_limits(self, config):
        """The RS theory of designs that it needs: {name: arguments of limit_points}, made as theory/limits/<name>."""
        return {}

    def check(self, config):
        """Raise ValueError if the block does not fit the rest of the configuration."""


class Figure(Exhibit):
    """A figure: four files <run>_figures/<name>.{pdf,png,csv,json}."""

    @abstractmethod
    def draw(self, tables, uses) -> Drawing:
        """Draw the figure from its tables, named as in `inputs`, and from what it `uses`."""

    def settings(self, uses):
        """The part of the configuration that is written to the sidecar."""
        return {"block": self.model_dump(), "penalties": uses["penalties"]}


class Table(Exhibit):
    """A table: three files <run>_figures/<file>.{csv,md,tex}; `file` is by default its name."""

    file: ClassVar[str]

    @classmethod
    def __pydantic_init_subclass__(cls, **how):
        super().__pydantic_init_subclass__(**how)
        if "file" not in vars(cls):
            cls.file = cls.name

    @abstractmethod
    def compute(self, tables, uses) -> Readable:
        """Compute the table from the tables that it reads, named as in `inputs`, and from what it `uses`."""
