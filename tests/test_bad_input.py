"""Input that is wrong in an unusual way: one message within five seconds of CPU time, and no traceback."""

import resource
import zipfile

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import Project

from sparsegdf.paper.config.model import ConfigError, load
from sparsegdf.selection.command_line import main

SECONDS = 5


class Own(Project):
    """A project with a user's configuration file."""

    configuration = "config/own.yaml"


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    return Own(tmp_path_factory.mktemp("own"))


def laughs(levels):
    """Each anchor repeats the one before nine times: 9^levels entries in a file of a few lines."""
    lines = [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, levels)]
    return "\n".join(["a0: &a0 [lol, lol]", *lines])


def blocks_of_laughs(levels):
    """The same with mappings, which Snakemake would follow one by one."""
    lines = [f"a{i}: &a{i} {{ {', '.join(f'b{j}: *a{i - 1}' for j in range(9))} }}" for i in range(1, levels)]
    return "\n".join(["a0: &a0 { b: lol, c: lol }", *lines])


@pytest.mark.parametrize(
    "text, message",
    [
        ("seed: 1\nfigure2_gdf: { alpha: 0.6 }\nseed: 2", "own.yaml, line 4: the key 'seed' is already in line 2"),
        ("figure2_gdf: { alpha: 0.6, mean: 0, alpha: 0.5 }", "own.yaml, line 2: the key 'alpha' is already in line 2"),
        (laughs(10), "the configuration has more than 100000 entries"),
        (blocks_of_laughs(10), "own.yaml: the configuration has more than 100000 entries"),
        ("a: &a { b: { c: *a } }", "the configuration has a block that contains itself (*a in line 2)"),
        ("\n".join(f"{i * ' '}a:" for i in range(1000)), "the configuration has blocks nested more than 50 deep"),
        ("seed: 2026-99-99", "own.yaml cannot be read: month must be in 1..12"),
        ("figure5_example1: { N: 100000000000 }", "figure5_example1.N = 100000000000: input should be less than"),
        ("figure5_example1: { samples: 1000000, chunk: 1 }", "samples = 1000000, chunk = 1: 1000000 jobs (allowed: up to 10000)"),
        ("figure2_gdf: { deltas: { count: 100000000000 } }", "count = 100000000000: input should be less than"),
        (f"run: {'m' * 300}", "should have at most 60 characters"),
        (f"penalties: {{ {'p' * 300}: {{ kind: l1 }} }}", "with single _ between them, up to 60 in all"),
        ("figure10_selection: { strengths: [2, 2.0000001] }", "strengths 2.0 and 2.0000001 would share the files of strength 2"),
        ("figure10_selection: { strengths: [2, 1.0e-7] }", "strengths.1 = 1e-07: allowed are numbers that print without"),
    ],
    ids=["keys twice", "keys twice in a line", "laughs", "blocks of laughs", "itself", "depth", "a day", "N", "samples", "count", "run", "name", "strengths", "exponent"],
)  # fmt: skip
def test_a_bad_configuration(project, text, message):
    own = text if text.startswith("run:") else f"run: mine\n{text}"
    (project.folder / project.configuration).write_text(own)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = project.snakemake("-n", "figure2_gdf", check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert done.returncode != 0 and message in done.text
    assert "Traceback" not in done.text and "Job stats" not in done.text and len(done.text) < 1500
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < SECONDS


def test_make_status_refuses_it_too(project):
    (project.folder / project.configuration).write_text(f"run: mine\n{blocks_of_laughs(10)}")
    done = project.snakemake(program=("workflow/status.py",), check=False)
    assert done.returncode != 0 and "Traceback" not in done.text
    assert "own.yaml: the configuration has more than 100000 entries" in done.text


def test_a_configuration_without_end():
    endless = {}
    endless["run"] = endless
    with pytest.raises(ConfigError, match="more than 100000 entries"):
        load(endless)


def npz_of_zeros(file, size):
    """An npz file of some MB that unpacks to `size` bytes."""
    with (
        zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed,
        packed.open("A.npy", "w", force_zip64=True) as array,
    ):
        header = {"descr": "<f8", "fortran_order": False, "shape": (size // 8,)}
        np.lib.format.write_array_header_1_0(array, header)
        for _ in range(size // 100_000_000):
            array.write(bytes(100_000_000))


def npz_that_lies(file, size):
    """Its array says it is `size` bytes long and has eight."""
    with zipfile.ZipFile(file, "w") as packed, packed.open("A.npy", "w") as array:
        header = {"descr": "<f8", "fortran_order": False, "shape": (size // 8,)}
        np.lib.format.write_array_header_1_0(array, header)
        array.write(bytes(8))


def parquet_of_zeros(file, size):
    zeros = pa.table({"A": np.zeros(12_500_000), "y": np.zeros(12_500_000)})
    with pq.ParquetWriter(file, zeros.schema, compression="zstd") as writer:
        for _ in range(size // 200_000_000):
            writer.write_table(zeros)


@pytest.mark.parametrize(
    "name, write, size, message",
    [
        ("data.npz", npz_of_zeros, 2_400_000_000, "data.npz cannot be read: it unpacks to 2.4 GB (allowed: up to 2 GB)"),
        ("data.npz", npz_that_lies, 8 * 10**13, "data.npz cannot be read: "),
        ("data.parquet", parquet_of_zeros, 2_400_000_000, "data.parquet cannot be read: it unpacks to 2.4 GB"),
    ],
)  # fmt: skip
def test_a_small_file_that_unpacks_to_gigabytes(tmp_path, monkeypatch, capsys, name, write, size, message):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / name, size)
    before = resource.getrusage(resource.RUSAGE_SELF)
    assert main(["select", name, "--target", "y", "--penalty", "l1"]) == 2
    after = resource.getrusage(resource.RUSAGE_SELF)
    assert message in capsys.readouterr().err
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < SECONDS
