"""Example 2 of the paper: three blocks of correlated columns."""

from dataclasses import dataclass

import numpy as np

from sparsegdf.checks import require_number
from sparsegdf.ensembles.base import Design, unit_columns
from sparsegdf.ensembles.limits import Groups


@dataclass(frozen=True)
class Block(Design):
    """Three blocks of T columns and N - 3T independent columns, all Gaussian and scaled to length 1.

    The columns of block k are Z_k + eps_i, where Z_k is a Gaussian vector drawn once per block. Two columns
    of a block have correlation 1/2. `Block(fraction=f)` is the limit N -> infinity at fixed f = 3T/N, for the theory
    alone: what solve_rs takes as predictors.

    Examples
    --------
    >>> from sparsegdf import Block, Ensemble
    >>> A, y = Ensemble(Block(T=2), M=4000, N=10).sample(0)
    >>> (A.T @ A)[0, :4].round(1)  # columns 0 and 1 are a block
    array([1. , 0.5, 0. , 0. ])
    >>> Block(T=125).at(1000) == Block(fraction=0.375)
    True
    """

    T: int

    label = "Example 2"

    def __new__(cls, T: int | None = None, *, fraction: float | None = None):
        """The design; or its limit, which has no T.

        Sigma is (I + 1 1^T)/2 in a block of T columns. Its one large eigenvalue, (1 + T)/2, pins the sum of x over
        the block; in all other directions Sigma is 1/2.
        """
        if fraction is None:
            return super().__new__(cls)
        if T is not None:
            raise ValueError(f"block T = {T!r} and fraction = {fraction!r} are both given (allowed: one of them)")
        fraction = require_number("block fraction", fraction, at_least=0, at_most=1)
        return Groups(((1 - fraction, 1.0), (fraction, 0.5)))

    def __post_init__(self):
        T = require_number("block T", self.T)
        if T != int(T) or T < 1:
            raise ValueError(f"block T = {self.T!r} is out of range (allowed: an integer >= 1)")

    def require_columns(self, N):
        if not self.T < (N - 1) / 3:
            raise ValueError(
                f"block T = {self.T!r} is out of range (allowed: an integer, 1 <= T < (N-1)/3 = {(N - 1) / 3:g})"
            )

    def resized(self, N, of):
        """The same design at N columns: T/N is kept, with T rounded down."""
        return Block(self.T * N // of)

    def at(self, N):
        self.require_columns(N)
        return Block(fraction=3 * self.T / N)

    def limit(self, alpha):
        raise ValueError(f"block T = {self.T} has no limit itself (allowed: Block(T).at(N), Block(fraction=3T/N))")

    def covariance(self, columns):
        block = np.minimum(np.asarray(columns) // int(self.T), 3)  # 3: in none
        same = np.equal.outer(block, block) & (block < 3)
        return np.where(same, 0.5, 0.0) + np.diag(np.where(block < 3, 0.5, 1.0))

    def draw(self, M, N, rng):
        self.require_columns(N)
        Z = rng.standard_normal((M, 3))
        A = rng.standard_normal((M, N))
        A[:, : 3 * int(self.T)] += np.repeat(Z, int(self.T), axis=1)
        return unit_columns(A)
