"""Tables on disk: the same bytes, nothing half-written, damage detected."""

import os
import signal
import subprocess
import sys
import time

import pandas as pd
import pytest

from sparsegdf.tables import DamagedTable, atomic, read_table, write_table

FRAME = pd.DataFrame({"eta": [0.1, 0.2], "converged": [True, False], "branch": ["S1", "S2"]})


def test_round_trip_and_same_bytes(tmp_path):
    write_table(FRAME, tmp_path / "a.parquet")
    write_table(FRAME, tmp_path / "b.parquet")
    pd.testing.assert_frame_equal(read_table(tmp_path / "a.parquet"), FRAME)
    assert (tmp_path / "a.parquet").read_bytes() == (tmp_path / "b.parquet").read_bytes()


def test_truncation_is_detected(tmp_path):
    path = tmp_path / "a.parquet"
    write_table(pd.DataFrame({"x": [float(i) ** 0.5 for i in range(5000)]}), path)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(DamagedTable, match=r"a\.parquet is damaged.*--forcerun"):
        read_table(path)


def test_any_flipped_bit_is_detected_or_changes_nothing(tmp_path):
    """Each byte of a small file in turn, footer and all: a wrong number is never read back."""
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
        "import sys, time\nfrom sparsegdf.tables import atomic\n"
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
