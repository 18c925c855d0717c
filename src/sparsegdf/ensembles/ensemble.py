"""The samples (A, y) of a design.

The random numbers of a sample are a function of (root seed, design and its parameters, M, N, index) alone: any
chunking of the indices, any number of cores and every penalty see the same bytes.
"""

import hashlib
import json
from dataclasses import dataclass, fields

import numpy as np

from sparsegdf.checks import require_integer, require_number
from sparsegdf.ensembles.base import Design


@dataclass(frozen=True)
class Ensemble:
    """M x N matrices A of a design, and y with independent Gaussian components of this mean and variance.

    Parameters
    ----------
    design : design
        What draws A, such as IID() or Block(T=125).
    M, N : int
        The numbers of rows and columns of A.
    mean, variance : float
        Of y.
    seed : int
        The root of all random numbers; those of a sample follow from it, the design, M, N and its index alone.

    Examples
    --------
    >>> from sparsegdf import IID, Ensemble
    >>> ensemble = Ensemble(IID(), M=50, N=100, seed=1)
    >>> A, y = ensemble.sample(7)
    >>> bool((A == ensemble.sample(7)[0]).all())  # sample number 7 is always the same
    True
    """

    design: Design
    M: int
    N: int
    mean: float = 0.0
    variance: float = 1.0
    seed: int = 0

    def __post_init__(self):
        if not isinstance(self.design, Design):
            raise ValueError(f"design = {self.design!r} draws no samples (allowed: designs, e.g. IID(), Block(T=9))")
        for name in ("M", "N"):
            require_integer(name, getattr(self, name), at_least=1)
        require_number("mean", self.mean)
        require_number("variance", self.variance, at_least=0)

    def sample(self, index: int) -> tuple[np.ndarray, np.ndarray]:
        """The sample (A, y) with this index."""
        rng = np.random.default_rng(np.random.SeedSequence(entropy=self.seed, spawn_key=self._words(index)))
        A = self.design.draw(self.M, self.N, rng)
        return A, self.mean + np.sqrt(self.variance) * rng.standard_normal(self.M)

    def _words(self, index):
        """The digest of the sample's name, as 32-bit words. Parameters are floats: T = 125 and 125.0 are the same."""
        parameters = {field.name: float(getattr(self.design, field.name)) for field in fields(self.design)}
        name = [type(self.design).__name__.lower(), parameters, int(self.M), int(self.N), int(index)]
        digest = hashlib.sha256(json.dumps(name, sort_keys=True).encode()).digest()
        return tuple(int(word) for word in np.frombuffer(digest, dtype="<u4"))
