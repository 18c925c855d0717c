"""Run calls of Snakemake, given as JSON [[word, ...], ...], in child processes, so that it is imported only once.

Prints [[status, text], ...]. Two calls run at a time, in the current folder.
"""

import json
import multiprocessing
import os
import sys
import tempfile

from snakemake.cli import main


def call(words):
    """The exit status of one call, and its whole output."""
    with tempfile.TemporaryFile("w+", encoding="utf-8") as output:
        for stream in (1, 2):
            os.dup2(output.fileno(), stream)
        sys.argv = ["snakemake", *words]  # the Snakefile looks at it
        try:
            main(words)
            status = 0
        except SystemExit as end:
            status = end.code
        sys.stdout.flush()
        sys.stderr.flush()
        output.seek(0)
        return status, output.read()


if __name__ == "__main__":
    with multiprocessing.get_context("fork").Pool(2, maxtasksperchild=1) as pool:
        print(json.dumps(pool.map(call, json.loads(sys.argv[1]), chunksize=1)))
