"""A simulation: exactly the parameters that the fixed points of one sample depend on."""

from dataclasses import asdict, dataclass

from sparsegdf.ensembles.ensemble import Ensemble
from sparsegdf.ensembles.registry import make_design
from sparsegdf.penalties.base import Penalty
from sparsegdf.penalties.registry import make_penalty
from sparsegdf.registry import block_of


@dataclass(frozen=True)
class Simulation:
    """An ensemble, a penalty and a grid of eta, from sparse to dense."""

    ensemble: Ensemble
    penalty: Penalty
    etas: tuple[float, ...]

    @classmethod
    def of(cls, *, design, penalty, etas, **ensemble):
        """Build a simulation from builtins: the blocks {kind, parameters} of a design and a penalty, and numbers."""
        return cls(Ensemble(make_design(**design), **ensemble), make_penalty(**penalty), tuple(etas))

    def as_params(self):
        """The arguments of `of` as builtins. They are the params of a rule and are recorded in each chunk."""
        ensemble = {name: value for name, value in asdict(self.ensemble).items() if name != "design"}
        blocks = {"design": block_of(self.ensemble.design), "penalty": block_of(self.penalty)}
        return blocks | ensemble | {"etas": list(self.etas)}
