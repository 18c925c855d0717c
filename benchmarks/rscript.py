"""Fits by packages of R, with R's own CPU time."""

import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np

# `fit` is the code of a peer: it sees A, y and the numbers `given`, and its last value is the result.
SCRIPT = """
library({package})
arguments <- commandArgs(TRUE)
A <- matrix(scan(file.path(arguments[1], "A.csv"), quiet = TRUE), nrow = {rows}, byrow = TRUE)
y <- scan(file.path(arguments[1], "y.csv"), quiet = TRUE)
given <- scan(file.path(arguments[1], "given.csv"), quiet = TRUE)
fit <- function() {{
{fit}
}}
for (i in seq_len({repeat})) {{
  used <- system.time(result <- fit())
  cat(used["user.self"] + used["sys.self"], "")
}}
cat("\\n", as.character(packageVersion("{package}")), "\\n", format(result, digits = 17), "\\n")
"""


def rscript(package, fit, A, y, given=(), repeat=1):
    """(CPU seconds of each of `repeat` fits, the result as an array, the version of the package)."""
    if shutil.which("Rscript") is None:
        raise FileNotFoundError("Rscript is not there; Debian has r-cran-leaps, r-cran-glmnet, r-cran-mass")
    with tempfile.TemporaryDirectory() as folder:
        for name, values in (("A", A), ("y", y), ("given", given)):
            np.savetxt(Path(folder, f"{name}.csv"), values, fmt="%.17g")
        file = Path(folder, "fit.R")
        file.write_text(SCRIPT.format(package=package, fit=fit, rows=len(y), repeat=repeat))
        run = subprocess.run(["Rscript", str(file), folder], capture_output=True, text=True, check=False)
    if run.returncode:
        raise RuntimeError(run.stderr.strip())
    used, (version,), result = (line.split() for line in run.stdout.splitlines()[-3:])
    return np.array(used, float), np.array(result, float), version
