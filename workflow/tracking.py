"""Results that Snakemake has no record of: from them it cannot tell whether their parameters have changed since."""

import os
from base64 import urlsafe_b64encode
from pathlib import Path


def untracked(folders, state=".snakemake"):
    """Parquet files and figures under `folders` that were neither finished nor begun in this working copy, sorted.

    A file that a killed run left behind is marked as begun; Snakemake makes it again by itself.
    """
    return [path for path in _files(folders) if not any(_recorded(path, Path(state) / kind) for kind in _KINDS)]


_KINDS = ("metadata", "incomplete")
_SUFFIXES = {".parquet", ".pdf", ".png", ".csv", ".json", ".md", ".tex"}


def _files(folders):
    found = (file for folder in folders for file in Path(folder).rglob("*"))
    return sorted(str(file) for file in found if file.suffix in _SUFFIXES and not file.name.startswith("."))


def _recorded(path, folder):
    """Whether Snakemake's file store has a record: its name is the path in base64, cut where a name gets too long."""
    if not folder.is_dir():
        return False
    length = os.pathconf(folder, "PC_NAME_MAX") - 1
    name = urlsafe_b64encode(path.encode()).decode()
    *parents, last = [name[i : i + length] for i in range(0, len(name), length)]
    return folder.joinpath(*("@" + parent for parent in parents), last).exists()
