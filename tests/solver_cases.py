"""Samples, designs and penalties that the tests of both solvers use."""

import numpy as np
import pytest

from sparsegdf import L1, MCP, SCAD, ElasticNet, Ensemble
from sparsegdf.ensembles.registry import make_design

DESIGNS = {"iid": {}, "ar1": {"c": 0.5}, "block": {"T": 30}}
PENALTIES = {"l1": L1(), "elastic_net": ElasticNet(0.1), "scad": SCAD(5, 1), "scad8": SCAD(8, 1), "mcp": MCP(12, 1)}
each_design = pytest.mark.parametrize("design", DESIGNS)
each_penalty = pytest.mark.parametrize("penalty", PENALTIES.values(), ids=PENALTIES)


def sample(design, index=0, M=120, N=240, lowest=0.25, levels=8):
    """A sample and a grid of eta that reaches from delta near 0 to about one half (at lowest = 1/4)."""
    A, y = Ensemble(make_design(design, **DESIGNS[design]), M, N, seed=11).sample(index)
    return A, y, np.abs(A.T @ y).max() * np.geomspace(0.95, lowest, levels)
