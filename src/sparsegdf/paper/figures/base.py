"""What a figure or a table is: its block of the configuration, what it is made of, and how it is drawn or computed.

Each file beside this one that has a subclass of Figure or Table holds one of them, and is all there is to register:
registry.py finds it, under the name of the file. The rules read these classes whenever something is planned, so what
takes long to import (Matplotlib, SciPy, Numba) is imported by the functions that use it.
"""

from abc import abstractmethod
from typing import ClassVar, NamedTuple

import pandas as pd

from sparsegdf.paper.config.blocks import Model


class Drawing(NamedTuple):
    """The picture (a Matplotlib figure), the numbers in it, what it says, and how many samples were drawn, if any."""

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

    `shows` and `made_of` are its row in docs/pipeline.md; `columns` says of the columns of its CSV file what differs
    from COLUMNS of paper/columns.py.
    """

    name: ClassVar[str]
    shows: ClassVar[str]
    made_of: ClassVar[str]
    columns: ClassVar[dict] = {}

    @classmethod
    def __pydantic_init_subclass__(cls, **how):
        cls.name = cls.__module__.rpartition(".")[2]

    def inputs(self, config):
        """The tables that it reads, {name: path below results/<run> without suffix, or a list of such paths}."""
        return {}

    def penalty_names(self):
        """The penalties that it makes from their blocks."""
        return []

    def design_names(self):
        """The designs that it makes from their blocks."""
        return []

    def uses(self, config):
        """What it takes from other blocks of the configuration, as builtins: nothing else of them reaches it."""
        return {
            "penalties": {name: config.penalties[name] for name in self.penalty_names()},
            "designs": {name: config.designs[name] for name in self.design_names()},
        }

    def check(self, config):
        """Raise ValueError if the block does not fit the rest of the configuration."""


class Figure(Exhibit):
    """A figure, four files <run>_figures/<name>.{pdf,png,csv,json}."""

    @abstractmethod
    def draw(self, tables, uses) -> Drawing:
        """The figure from its tables, as `inputs` names them, and from what it `uses`."""

    def settings(self, uses):
        """What the sidecar says of the configuration."""
        return {"block": self.model_dump(), "penalties": uses["penalties"]}


class Table(Exhibit):
    """A table, three files <run>_figures/<file>.{csv,md,tex}; `file` is its name unless it says otherwise."""

    file: ClassVar[str]

    @classmethod
    def __pydantic_init_subclass__(cls, **how):
        super().__pydantic_init_subclass__(**how)
        if "file" not in vars(cls):
            cls.file = cls.name

    @abstractmethod
    def compute(self, tables, uses) -> Readable:
        """The table from the tables that it reads, as `inputs` names them, and from what it `uses`."""
