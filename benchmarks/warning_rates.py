"""How often the warning of `select` that Stein's df may be too small is right: hits and false alarms.

python benchmarks/warning_rates.py [FOLDER] [--jobs N]

The truth is the bootstrap with 200 samples: its df at the chosen level is larger than Stein's by more than 5 % and by
more than two standard errors. Data: scikit-learn's diabetes, those of statsmodels if it is installed, every CSV file
in FOLDER (the target is its column y), and planted samples. Penalties that are not convex only, since the others have
no warning. Each group of data has its counts, beside those of the column `jumps`, which needs no fits.
"""

import argparse
import os
import warnings
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}

import numpy as np
import pandas as pd
from sklearn.datasets import load_diabetes

from sparsegdf.ensembles.ar1 import AR1
from sparsegdf.ensembles.ensemble import Ensemble
from sparsegdf.ensembles.iid import IID
from sparsegdf.paper.experiments.planted import planted_sample
from sparsegdf.penalties.mcp import MCP
from sparsegdf.penalties.scad import SCAD
from sparsegdf.selection.select import select

PENALTIES = (SCAD(8, 1), SCAD(3.7, 1), MCP(8, 1), MCP(3, 1))
STATSMODELS = {"longley": "TOTEMP", "statecrime": "murder", "scotland": "YES", "cpunish": "EXECUTIONS",
               "copper": "WORLDCONSUMPTION", "ccard": "AVGEXP", "macrodata": "realcons"}  # fmt: skip
SAMPLES = 200


def problems(folder):
    """(group, name, A, y, sigma2), sigma2 None where it is not known."""
    yield "real", "diabetes", *load_diabetes(return_X_y=True), None
    try:
        from statsmodels import datasets
    except ImportError:
        print("statsmodels is not installed: its data are left out")
    else:
        for name, target in STATSMODELS.items():
            table = getattr(datasets, name).load_pandas().data.drop(columns=["year", "quarter"], errors="ignore")
            yield "real", name, *_split(table.rename(columns={target: "y"})), None
    for file in sorted(Path(folder).glob("*.csv")) if folder else ():
        A, y = _split(pd.read_csv(file))
        yield "real" if A.shape[1] < A.shape[0] else "real, N > M", file.stem, A, y, None
    for design in (IID(), AR1(0.8)):
        for N in (50, 200):
            for strength in (2.0, 4.0, 8.0):
                A, y, _ = planted_sample(Ensemble(design, 100, N, seed=1), 0, nonzeros=10, strength=strength)
                yield f"planted, N = {N}", f"{design.label} {strength:g}", A, y, 1.0


def _split(table):
    table = table.select_dtypes("number").dropna()
    table = table.loc[:, table.nunique() > 1]
    return table.drop(columns="y").to_numpy(float), table["y"].to_numpy(float)


def one(problem, penalty):
    group, name, A, y, sigma2 = problem
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = select(A, y, penalty, sigma2=sigma2, bootstrap=0)
    etas = found.path.eta[: found.chosen + 1]
    try:
        whole = select(A, y, penalty, sigma2=found.sigma2, etas=etas, bootstrap=SAMPLES, seed=1).path.iloc[-1]
    except ValueError:  # no level has a fit in every sample
        whole = found.best.reindex(["df", "df_se"])
    warned = any("may be too small" in str(warning.message) for warning in caught)
    M, N = A.shape
    return {"group": group, "data": name, "M": M, "N": N, "penalty": repr(penalty), "stein": M * found.best.df,
            "bootstrap": M * whole.df if "df_stein" in whole else np.nan, "se": M * whole.df_se,
            "warned": warned, "jumps": bool(found.best.jumps)}  # fmt: skip


def rates(rows):
    """Counts per group, of the cases whose bootstrap has a fit in every sample."""
    rows = rows.dropna(subset="bootstrap")
    gap = rows.bootstrap - rows.stein
    rows = rows.assign(true=(gap > 0.05 * rows.stein) & (gap > 2 * rows.se))
    table = []
    for group, part in [*rows.groupby("group", sort=False), ("all", rows)]:
        row = {"group": group, "cases": len(part), "too small": part.true.sum()}
        for rule in ("warned", "jumps"):
            row |= {
                f"{rule}: hits": (part[rule] & part.true).sum(),
                f"{rule}: false": (part[rule] & ~part.true).sum(),
            }
        table.append(row)
    return pd.DataFrame(table)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", help="of CSV files with a target y")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    tasks = [(problem, penalty) for problem in problems(options.folder) for penalty in PENALTIES]
    with ProcessPoolExecutor(options.jobs) as pool:
        rows = pd.DataFrame(pool.map(one, *zip(*tasks, strict=True)))
    print(rows.to_string(index=False, float_format="{:.2f}".format))
    print(rates(rows).to_string(index=False))
