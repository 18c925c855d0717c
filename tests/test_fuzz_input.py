"""Mutated input: the configuration and the data reader answer anything with a result or their documented error.

hypothesis draws the same inputs each time, and shrinks a failing one. By hand, more of them:

    SPARSEGDF_FUZZ=20000 python -m pytest tests/test_fuzz_input.py
"""

import copy
import io
import os
import time
import zipfile
from collections import Counter

import numpy as np
import pandas as pd
import pytest
import yaml
from conftest import ROOT
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sparsegdf.paper.config.model import ConfigError, load
from sparsegdf.paper.verify import compare
from sparsegdf.selection.data_files import read_predictors, read_problem

EXAMPLES = int(os.environ.get("SPARSEGDF_FUZZ", 500))
SECONDS = 5  # the most CPU time that one input may take
SETTINGS = settings(
    max_examples=EXAMPLES, derandomize=True, database=None, deadline=None, suppress_health_check=[*HealthCheck]
)


def outcome(function, *arguments, error):
    """'accepted', or 'refused' with one message of the documented type. It takes no longer than SECONDS."""
    started = time.process_time()
    try:
        function(*arguments)
        word = "accepted"
    except error as refused:
        assert str(refused).strip()
        word = "refused"
    assert time.process_time() - started < SECONDS
    return word


# --- the configuration ---------------------------------------------------------------------------------------------

PAPER = yaml.safe_load((ROOT / "config/paper.yaml").read_text())


def places(tree, path=()):
    """The path of every node below the top."""
    items = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    return [found for key, value in items for found in [(*path, key), *places(value, (*path, key))]]


PLACES = places(PAPER)
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.sampled_from(
        [10**11, -(10**11), 10**400, 2**63, 1e308, 5e-324, -0.0, float("inf"), float("nan"), 0.1, "1e11"]
    ),
    st.floats(),
    st.integers(),
    st.text(max_size=8),
    st.sampled_from([*PAPER, *PAPER["penalties"], *PAPER["designs"], "kind", "m" * 300, "../x", "a\0b", "\ud800"]),
    st.dates(),
    st.binary(max_size=4),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6) | SCALARS, inner, max_size=4),
)


def power(low, high):
    return st.floats(low, high).map(lambda exponent: 10**exponent)


CHANGES = st.tuples(
    st.sampled_from(PLACES),
    st.one_of(
        st.tuples(st.just("scale"), power(-3, 3)),
        st.tuples(st.just("scale"), power(-300, 300)),
        st.tuples(st.just("replace"), VALUES),
        st.tuples(st.just("copy"), st.sampled_from(PLACES)),
        st.tuples(st.just("add"), st.sampled_from(PLACES)),
        st.tuples(st.just("remove"), st.none()),
    ),
)


def mutated(changes):
    tree = copy.deepcopy(PAPER)
    for (*parents, last), (how, what) in changes:
        try:
            node = tree
            for part in parents:
                node = node[part]
            if how == "remove":
                del node[last]
            elif how == "replace":
                node[last] = what
            elif how == "scale":
                node[last] = type(node[last])(node[last] * what)
            elif how == "copy":
                node[last] = copy.deepcopy(at(tree, what))
            elif isinstance(node, dict):
                node["new"] = copy.deepcopy(at(tree, what))
            else:
                node.append(copy.deepcopy(at(tree, what)))
        except (KeyError, IndexError, TypeError, ValueError, OverflowError):
            continue  # an earlier change took the place away, or it does not hold a number
    return tree


def at(tree, path):
    for part in path:
        tree = tree[part]
    return tree


def plan(raw):
    """What the Snakefile asks of a configuration before the first job."""
    config = load(raw)
    for exhibit in (*config.figures.values(), *config.tables.values()):
        exhibit.inputs(config), exhibit.uses(config), exhibit.rs_limits(config)


def test_mutated_configurations():
    seen = Counter()

    @SETTINGS
    @given(st.lists(CHANGES, min_size=1, max_size=3))
    def check(changes):
        seen[outcome(plan, mutated(changes), error=ConfigError)] += 1

    check()
    assert min(seen["accepted"], seen["refused"]) > EXAMPLES / 20, seen


# --- the data reader -----------------------------------------------------------------------------------------------

FRAME = pd.DataFrame(
    {"y": [1.5, -2.0, 0.25, 3.0, 7.0], "a": [1, 2, 3, 5, 4], "b": [0.1, 0.5, -1e-3, 1e10, 2.0], "c": [1, 0, 1, 1, 0]}
)


def saved(suffix):
    """The bytes of a good file."""
    buffer = io.BytesIO()
    if suffix == ".parquet":
        FRAME.to_parquet(buffer)
    elif suffix == ".npz":
        np.savez_compressed(buffer, y=FRAME["y"], A=FRAME[["a", "b"]], c=FRAME["c"])
    else:
        buffer.write(FRAME.to_csv(index=False, sep="\t" if suffix == ".tsv" else ",").encode())
    return buffer.getvalue()


PIECES = st.one_of(
    st.binary(max_size=6),
    st.sampled_from(
        [b",", b"\n", b'"', b";", b"\t", b"\r", b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b"nan", b"inf", b"1e999"]
    ),
    st.sampled_from(
        [b"-", b"1,5", b"0x1F", b"True", b"y", b"," * 300, b"9" * 400, b"\n\n\n", "é".encode("latin-1"), b"NA"]
    ),
    st.sampled_from([b"?", b"#"]),
    st.integers(0, 2**32 - 1).map(lambda number: number.to_bytes(4, "little")),
)
EDITS = st.lists(
    st.tuples(st.floats(0, 1), st.sampled_from(["insert", "overwrite", "delete", "cut", "repeat"]), PIECES),
    min_size=1,
    max_size=4,
)


def edited(content, edits):
    for where, how, piece in edits:
        place = int(where * len(content))
        if how == "cut":
            content = content[:place]
        elif how == "repeat":
            content += content[place:]
        else:
            end = place if how == "insert" else place + len(piece)
            content = content[:place] + (b"" if how == "delete" else piece) + content[end:]
    return content


def repacked(content, edits):
    """The same for the arrays inside an npz file, so that the checksums of the archive hold."""
    packed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(packed, "w") as new:
        for name in old.namelist():
            new.writestr(name, edited(old.read(name), edits))
    return packed.getvalue()


@pytest.mark.parametrize(
    "suffix, change",
    [(".csv", edited), (".tsv", edited), (".parquet", edited), (".npz", edited), (".npz", repacked)],
    ids=["csv", "tsv", "parquet", "npz", "npz-arrays"],
)
def test_mutated_data_files(suffix, change, tmp_path):
    seen, content, file = Counter(), saved(suffix), tmp_path / f"data{suffix}"

    @SETTINGS
    @given(EDITS, st.sampled_from([None, "rows", "columns"]))
    def check(edits, drop_missing):
        file.write_bytes(change(content, edits))
        seen[outcome(lambda: read_problem(file, "y", drop_missing=drop_missing), error=ValueError)] += 1
        seen[outcome(read_predictors, file, error=ValueError)] += 1

    check()
    assert seen["refused"] > EXAMPLES / 20, seen


def test_mutated_reference_files(tmp_path):
    """`verify` has a verdict on every file."""
    words, content = Counter(), (ROOT / "reference/table_bp_l0.csv").read_bytes()
    file = tmp_path / "table_bp_l0.csv"

    @SETTINGS
    @given(EDITS, st.booleans())
    def check(edits, same_scale):
        file.write_bytes(edited(content, edits))
        started = time.process_time()
        words[compare(ROOT / "reference/table_bp_l0.csv", file, same_scale=same_scale).word] += 1
        assert time.process_time() - started < SECONDS

    check()
    assert min(words["damaged"], words["changed"]) > EXAMPLES / 20, words
