"""A figure is a bundle: PDF, PNG, the plotted numbers as CSV, and a JSON sidecar with its caption and provenance.

No file has a time stamp, so the same inputs and commit give the same bytes.
"""

import hashlib
import importlib.metadata
import json
import platform
import subprocess
from pathlib import Path

from sparsegdf.paper.figures.base import Drawing
from sparsegdf.paper.tables import atomic, write_text

_PACKAGES = ("sparsegdf", "numpy", "scipy", "pandas", "pyarrow", "matplotlib", "numba")


def save(drawing: Drawing, outputs, *, run, config, inputs):
    """Write the bundle to outputs[pdf, png, csv, json]; runs other than "paper" are named on the picture."""
    if run == "quick":
        drawing.figure.text(
            0.5, 0.5, f"PREVIEW ({run})", color="0.5", alpha=0.25, fontsize=34, rotation=25, ha="center", va="center"
        )
    elif run != "paper":
        drawing.figure.text(0.995, 0.005, f"run: {run}", color="0.5", fontsize=6, ha="right", va="bottom")
    for kind, metadata in (("pdf", {"CreationDate": None, "ModDate": None}), ("png", {"Software": None})):
        with atomic(outputs[kind]) as temporary:
            drawing.figure.savefig(temporary, format=kind, metadata=metadata, dpi=300)
    write_text(drawing.plotted.to_csv(index=False, lineterminator="\n"), outputs["csv"])
    sidecar = {
        "figure": Path(outputs["png"]).stem,
        "caption": drawing.caption,
        "run": run,
        "config": config,
        "samples": drawing.samples,
        "inputs": {str(path): hashlib.sha256(Path(path).read_bytes()).hexdigest() for path in inputs},
        "commit": commit(),
        "versions": {"python": platform.python_version()} | {p: importlib.metadata.version(p) for p in _PACKAGES},
    }
    write_text(json.dumps(sidecar, indent=2, sort_keys=True) + "\n", outputs["json"])


def commit(folder=Path(__file__).parent):
    """The commit of the checkout around `folder`, "-dirty" if tracked files differ from it, "unknown" without one.

    The folder is that of the code, because a run may be anywhere.
    """
    try:
        dirty = _git(folder, "status", "--porcelain", "--untracked-files=no")
        return _git(folder, "rev-parse", "HEAD") + ("-dirty" if dirty else "")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def _git(folder, *words):
    return subprocess.run(["git", "-C", folder, *words], capture_output=True, text=True, check=True).stdout.strip()
