"""Tables on disk: the same bytes, nothing half-written, damage detected."""

import os
import shutil
import signal
import subprocess
import sys
import time

import pandas as pd
import pytest

from sparsegdf.paper import tables
from sparsegdf.paper.tables import DamagedTable, atomic, read_table, write_table

FRAME = pd.DataFrame({"eta": [0.1, 0.2], "converged": [True, False], "branch": ["S1", "S2"]})


def test_round_trip_and_same_bytes(tmp_path):
    first, second = tmp_path / "a/results/x.parquet", tmp_path / "b/results/x.parquet"
    for path in (first, second):
        write_table(FRAME, path, {"seed": 1})
    pd.testing.assert_frame_equal(read_table(first), FRAME)
    assert first.read_bytes() == second.read_bytes()


def test_a_table_under_another_name_is_refused(tmp_path, monkeypatch):
    first, second = tmp_path / "here/results/bp/l1/0-2.parquet", tmp_path / "here/results/bp/l1/3-5.parquet"
    write_table(FRAME, first)
    shutil.copy(first, second)
    with pytest.raises(DamagedTable, match=r"3-5\.parquet is a copy of results/bp/l1/0-2\.parquet.*delete "):
        read_table(second)
    (tmp_path / "here").rename(tmp_path / "there")  # a name begins at the folder results
    monkeypatch.chdir(tmp_path / "there")
    pd.testing.assert_frame_equal(read_table("results/bp/l1/0-2.parquet"), FRAME)


def test_a_table_made_with_other_parameters_is_refused(tmp_path):
    path = tmp_path / "a.parquet"
    made_with = {"simulation": {"seed": 1, "etas": [0.1, 0.2]}, "first": 0}
    write_table(FRAME, path, made_with)
    pd.testing.assert_frame_equal(read_table(path, made_with), FRAME)
    pd.testing.assert_frame_equal(read_table(path), FRAME)
    with pytest.raises(DamagedTable, match=r"other parameters \(seed = 1, wanted 2; first = 0, wanted 3\).*delete "):
        read_table(path, {"simulation": {"seed": 2, "etas": [0.1, 0.2]}, "first": 3})


def test_a_check_that_fails_keeps_the_name_from_a_file(tmp_path, monkeypatch):
    def refuse():
        raise RuntimeError("not what was planned")

    monkeypatch.setattr(tables, "_checks", [])
    tables.before_each_file(refuse)
    with pytest.raises(RuntimeError, match="not what was planned"):
        write_table(FRAME, tmp_path / "a.parquet")
    assert list(tmp_path.iterdir()) == []


def test_truncation_is_detected(tmp_path):
    path = tmp_path / "a.parquet"
    write_table(pd.DataFrame({"x": [float(i) ** 0.5 for i in range(5000)]}), path)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(DamagedTable, match=r"a\.parquet is damaged.*delete "):
        read_table(path)


def test_any_flipped_bit_is_detected_or_changes_nothing(tmp_path):
    """Change each byte of a small file, including the footer: a wrong number is never read back."""
    path = tmp_path / "a.parquet"
    write_table(FRAME, path)
    whole = path.read_bytes()
    detected = 0
    for place in range(len(whole)):
        flipped = bytearray(whole)
        flipped[place] ^= 1 << place % 8
        path.write_bytes(bytes(flipped))
        try:
            pd.testing.assert_frame_equal(read_table(path), FRAME)
        except DamagedTable:
            detected += 1
    assert detected > 0.5 * len(whole)  # the rest is what the reader does not use


def test_a_failure_leaves_the_old_file_and_no_other(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("old")
    with pytest.raises(RuntimeError), atomic(path) as temporary:
        temporary.write_text("half")
        raise RuntimeError
    assert path.read_text() == "old" and list(tmp_path.iterdir()) == [path]


def test_kill_in_the_middle_of_writing(tmp_path):
    """kill -9 between the first byte and the end: the final name never appears."""
    script = (
        "import sys, time\nfrom sparsegdf.paper.tables import atomic\n"
        "with atomic(sys.argv[1]) as t:\n"
        "    f = open(t, 'w'); f.write('half'); f.flush(); print('writing', flush=True); time.sleep(60)\n"
    )
    path = tmp_path / "a.parquet"
    process = subprocess.Popen([sys.executable, "-c", script, str(path)], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "writing\n"
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    time.sleep(0.1)
    assert not path.exists()
