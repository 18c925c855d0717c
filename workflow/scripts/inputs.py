"""The tables that a figure or a table reads."""

from sparsegdf.paper.tables import read_table


def read_inputs(inputs):
    """{name: table, or list of tables} of the inputs of a job, as its figure or table names them."""
    return {
        name: read_table(files) if isinstance(files, str) else [read_table(file) for file in files]
        for name, files in inputs.items()
    }
