"""The tables that a figure or a table reads."""

import json
from pathlib import Path

from sparsegdf.paper.tables import read_table


def read_inputs(inputs):
    """{name: table, or list of tables} of the inputs of a job, as its figure or table names them."""
    return {
        name: _read(files) if isinstance(files, str) else [_read(file) for file in files]
        for name, files in inputs.items()
    }


def _read(file):
    """A table, or the content of a JSON file."""
    return json.loads(Path(file).read_text(encoding="utf-8")) if file.endswith(".json") else read_table(file)
