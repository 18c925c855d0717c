"""Compiling is announced on a terminal, once, and not when the code is on disk."""

import os
import subprocess
import sys
from textwrap import dedent

SCRIPT = dedent("""
    import numpy as np
    from sparsegdf import L1, belief_propagation
    for _ in range(2):
        belief_propagation(np.eye(3), np.ones(3), L1(), [0.5])
""")


def on_a_terminal(cache):
    """What a new process with this cache of compiled code writes to a terminal as its stderr."""
    ours, theirs = os.openpty()
    environment = os.environ | {"NUMBA_CACHE_DIR": str(cache)}
    subprocess.run([sys.executable, "-c", SCRIPT], env=environment, stderr=theirs, check=True)
    os.close(theirs)
    try:
        return os.read(ours, 10_000).decode()
    except OSError:  # nothing was written
        return ""
    finally:
        os.close(ours)


def test_compiling_is_announced_once(tmp_path):
    assert on_a_terminal(tmp_path).count("compiling") == 1
    assert on_a_terminal(tmp_path) == ""


def test_it_is_not_announced_in_a_file(tmp_path):
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=True)
    assert done.stderr == ""
