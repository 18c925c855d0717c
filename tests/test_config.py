"""The typed configuration: what it accepts, and its error messages."""

import ast
import copy
import json
import re
from dataclasses import fields

import pytest
import yaml
from conftest import ROOT
from jsonschema import Draft202012Validator

from sparsegdf.ensembles.registry import DESIGNS
from sparsegdf.paper.config.blocks import Model
from sparsegdf.paper.config.model import Config, ConfigError, load
from sparsegdf.paper.config.schema import KEYS, blocks, schema
from sparsegdf.paper.config.simulation import Simulation
from sparsegdf.penalties.registry import PENALTIES


@pytest.fixture
def raw():
    return yaml.safe_load((ROOT / "config/paper.yaml").read_text())


def change(raw, path, value):
    *parents, last = path
    node = copy.deepcopy(raw)
    top = node
    for part in parents:
        node = node[part]
    node[last] = value
    return top


def test_the_paper_is_valid(raw):
    config = load(raw)
    assert config.figure2_gdf.deltas.values()[-1] == 1


def test_a_figure_takes_any_penalty_that_there_is(raw):
    raw["penalties"]["mcp_a9"] = {"kind": "mcp", "a": 9, "lam": 1}
    raw["figure2_gdf"]["penalties"].append("mcp_a9")
    assert load(raw).figure2_gdf.penalties[-1] == "mcp_a9"


@pytest.mark.parametrize(
    "path, value, message",
    [
        (("figure2_gfd",), 1, "figure2_gfd = 1: unknown key; did you mean 'figure2_gdf'?"),
        (("figure2_gdf", "alpha"), 0, "figure2_gdf.alpha = 0: input should be greater than 0"),
        (("figure2_gdf", "alpha"), "0.5", "figure2_gdf.alpha = '0.5': input should be a valid number"),
        (("figure2_gdf", "variance"), 0.0, "figure2_gdf.variance = 0.0: input should be greater than 0"),
        (("figure2_gdf", "mean"), float("nan"), "figure2_gdf.mean = nan: input should be a finite number"),
        (("figure2_gdf", "deltas", "last"), 1.5, "figure2_gdf.deltas.last = 1.5: input should be less than or equal to 1"),
        (("figure2_gdf", "deltas", "first"), 0, "figure2_gdf.deltas.first = 0: input should be greater than 0"),
        (("figure2_gdf", "deltas", "count"), 0, "figure2_gdf.deltas.count = 0"),
        (("figure2_gdf", "deltas", "first"), 1, "first = 1 must lie below last = 1"),
        (("figure2_gdf", "deltas", "frist"), 1, "figure2_gdf.deltas.frist = 1: unknown key; did you mean 'first'?"),
        (("figure2_gdf", "alpha"), 2, "figure2_gdf.deltas.last = 1: must be <= 1/alpha = 0.5"),
        (("figure2_gdf", "penalties"), [], "figure2_gdf.penalties = []"),
        (("figure2_gdf", "penalties"), ["l1", "sacd_a8"], "figure2_gdf.penalties.1 = 'sacd_a8': unknown penalty; did you mean 'scad_a8'?"),
        (("penalties", "scad_a8", "a"), 1, "SCAD a = 1 is out of range (allowed: > 1)"),
        (("penalties", "scad_a8", "lam"), 0, "SCAD lam = 0 is out of range (allowed: > 0)"),
        (("penalties", "scad_a8", "lam"), "1e-1", "SCAD lam = '1e-1' is not a number (allowed: > 0)"),
        (("figure1_single_body", "panels"), [{"penalty": "l1", "eta": 1}], "figure1_single_body.panels = "),
        (("penalties", "scad-x"), {"kind": "l1"}, "'scad-x' is not a name (allowed: letters and digits, with single _"),
        (("designs", "my__iid"), {"kind": "iid"}, "'my__iid' is not a name"),
        (("designs", "example2", "T"), "125", "block T = '125' is not a number"),
        (("designs", "example2", "T"), None, "block T = None is not a number"),
        (("figure9_finite_size", "sizes"), [{"N": N, "samples": 2} for N in (64, 64, 128)], "sizes have N = 64, 64, 128: each must differ"),
        (("figure9_finite_size", "alpha"), 0.001, "sizes: N = 250: alpha N = 0.25 must be a whole number of rows, at least 1"),
        (("figure11_predictors", "N"), 1001, "N = 1001: alpha N = 500.5 must be a whole number of rows"),
        (("figure11_predictors", "l0", "sizes", 0, "N"), 41, "l0.sizes: N = 41: alpha N = 20.5 must be a whole number"),
        (("figure2_gdf", "deltas", "count"), 1, "first = 0.005 must lie below last = 1, and be the same for count = 1 alone"),
        (("figure9_finite_size", "simulations", "l1", "count"), 1, "first = 0.85 must lie above last = 0.04, and be the same for"),
        (("figure4_bp_vs_rs", "panels"), ["scad_a5"] * 5, "figure4_bp_vs_rs.panels = "),
        (("near_at", "simulations", "scad_a8"), {"M": 1500, "etas": {"first": 1, "last": 0.5, "count": 2}}, "near_at.simulations.scad_a8: unknown setting of figure 4; did you mean 'scad_a5'?"),
        (("figure8_l0_beyond_rs", "limits"), [0.1, 0.2, 0.3, 0.4], "figure8_l0_beyond_rs.limits = "),
        (("figure8_l0_beyond_rs", "limits"), [0.1, 0.8], "figure8_l0_beyond_rs.limits = 0.8: must lie in [0.002, 0.6]"),
        (("penalties", "scad_a8", "lamda"), 1, "lamda = 1: unknown key; did you mean 'lam'?"),
        (("penalties", "new"), {"kind": "scda"}, "unknown penalty; did you mean 'scad'?"),
        (("penalties", "new"), {"kind": "scad", "a": 3}, "lam is missing"),
        (("figure1_single_body", "panels", 0, "eta"), -2, "figure1_single_body.panels.0.eta = -2: input should be greater than or equal to 0"),
        (("run",), "../elsewhere", "run = '../elsewhere'"),
        (("seed",), 1.5, "seed = 1.5"),
        (("figure1_single_body",), None, "figure1_single_body = None"),
    ],
)  # fmt: skip
def test_problems_are_named(raw, path, value, message):
    with pytest.raises(ConfigError) as caught:
        load(change(raw, path, value))
    assert message in str(caught.value)


def test_a_missing_key_and_two_problems_at_once(raw):
    del raw["seed"]
    raw["figure2_gdf"]["alpha"] = -1
    with pytest.raises(ConfigError) as caught:
        load(raw)
    assert "seed is missing" in str(caught.value) and "figure2_gdf.alpha = -1" in str(caught.value)


def test_a_simulation_is_what_its_params_say(raw):
    """The params of a rule, which a chunk also records, give back the same simulation."""
    config = load(raw)
    simulations = [s for run in config.runs.values() for s in run.simulations.values()]
    assert len(simulations) > 60
    for simulation in simulations:
        params = simulation.as_params()
        assert Simulation.of(**json.loads(json.dumps(params))) == simulation
    block = config.runs["size250_example2"].simulations["scad_a5"]
    assert block.as_params() | {"etas": []} == {
        "design": {"kind": "block", "T": 31},
        "penalty": {"kind": "scad", "a": 5, "lam": 1},
        "M": 125,
        "N": 250,
        "mean": 0,
        "variance": 1,
        "seed": 20180621,
        "etas": [],
    }
    assert len(block.etas) == 8 and (block.etas[0], block.etas[-1]) == (2.2, 0.35)


def test_every_key_is_read():
    """As an attribute, or as an argument of the function that its block is handed to."""
    read = set()
    for file in [
        *(ROOT / "src/sparsegdf/paper").rglob("*.py"),
        *(ROOT / "workflow").rglob("*.py"),
        *(ROOT / "workflow").rglob("*.smk"),
    ]:
        text = file.read_text(encoding="utf-8")
        read |= set(re.findall(r"\.(\w+)", text))
        if file.suffix == ".py":
            read |= {node.arg for node in ast.walk(ast.parse(text)) if isinstance(node, ast.arg)}
    blocks = Model.__subclasses__()
    for block in blocks:
        blocks += block.__subclasses__()
    keys = {f"{block.__name__}.{key}": key for block in blocks if block is not Config for key in block.model_fields}
    assert len(keys) > 100 and [name for name, key in keys.items() if key not in read] == []


# --- the schema for editors ----------------------------------------------------------------------------------------


def described(part):
    """Every key of a schema with what it says of it, however deep."""
    if isinstance(part, dict):
        yield from part.get("properties", {}).items()
    for inside in part.values() if isinstance(part, dict) else part if isinstance(part, list) else ():
        yield from described(inside)


def test_the_schema_describes_every_key():
    keys = list(described(schema()))
    assert len(keys) > 130 and [key for key, part in keys if key != "kind" and not part.get("description")] == []
    in_use = {key for model in blocks().values() for key in model.model_fields}
    in_use |= {field.name for kind in (*PENALTIES.values(), *DESIGNS.values()) for field in fields(kind)}
    assert {name.rpartition(".")[2] for name in KEYS} <= in_use


def test_the_schema_takes_our_files_and_refuses_what_the_model_refuses():
    validator = Draft202012Validator(schema())
    for name in ("config/paper.yaml", "config/quick.yaml", "tests/tiny.yaml"):
        assert list(validator.iter_errors(yaml.safe_load((ROOT / name).read_text()))) == []
    for wrong in (
        {"figure2_gdf": {"alhpa": 0.5}},
        {"figure2_gdf": {"alpha": -1}},
        {"figure4_bp_vs_rs": {"solver": "newton"}},
        {"penalties": {"mine": {"kind": "scad", "b": 1}}},
        {"designs": {"mine": {"kind": "scad"}}},
        {"run": "My Run"},
    ):
        assert not validator.is_valid(wrong), wrong
