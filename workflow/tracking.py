"""Results that Snakemake has no record of, so that it cannot tell whether their parameters have changed."""

import json
import os
from base64 import urlsafe_b64encode
from pathlib import Path


def untracked(folders, state=".snakemake"):
    """Results of all kinds under `folders` that were neither finished nor begun in this working copy, sorted.

    A file that a killed run left behind is marked as begun; Snakemake makes it again by itself.
    """
    return [path for path in _files(folders) if not any(_record(path, Path(state) / kind) for kind in _KINDS)]


def damaged(folders, state=".snakemake"):
    """Those whose record is there and cannot be read, sorted: Snakemake takes it for none, and the file for fresh."""
    metadata, begun = Path(state) / "metadata", Path(state) / "incomplete"
    return [
        path
        for path in _files(folders)
        if (record := _record(path, metadata)) and not _readable(record) and not _record(path, begun)
    ]


_KINDS = ("metadata", "incomplete")
_SUFFIXES = {".parquet", ".pdf", ".png", ".csv", ".json", ".md", ".tex", ".html", ".ipynb", ".txt"}


def _files(folders):
    found = (file for folder in folders for file in Path(folder).rglob("[!.]*") if file.name != "README.md")
    # Jupyter keeps copies of notebooks in a hidden folder beside them.
    return sorted(str(file) for file in found if file.suffix in _SUFFIXES and "/." not in str(file))


def _record(path, folder):
    """The file in Snakemake's store, if any: its name is the path in base64, cut where a name gets too long."""
    if not folder.is_dir():
        return None
    length = os.pathconf(folder, "PC_NAME_MAX") - 1
    name = urlsafe_b64encode(path.encode()).decode()
    *parents, last = [name[i : i + length] for i in range(0, len(name), length)]
    file = folder.joinpath(*("@" + parent for parent in parents), last)
    return file if file.exists() else None


def _readable(record):
    """Whether it is a whole JSON object with the parameters of the job."""
    try:
        return isinstance(json.loads(record.read_bytes())["params"], list)
    except (OSError, ValueError, TypeError, KeyError):
        return False
