"""A small table of data, and the files that it can be in."""

import numpy as np
import pandas as pd


def table(M=40):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(M, 5)), columns=list("abcde"))
    frame["y"] = 1 + 2 * frame.a - frame.c + rng.normal(size=M)
    return frame


def write(frame, file):
    writers = {
        ".csv": lambda: frame.to_csv(file, index=False),
        ".tsv": lambda: frame.to_csv(file, index=False, sep="\t"),
        ".parquet": lambda: frame.to_parquet(file),
        ".npz": lambda: np.savez(file, **{name: frame[name].to_numpy() for name in frame}),
    }
    writers[file.suffix]()
    return str(file)
