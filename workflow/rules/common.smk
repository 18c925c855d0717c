# The validated configuration, the folders of this run, and what the other rule files share.
import os
import sys
import time

from snakemake.exceptions import WorkflowError
from snakemake.io import regex_from_filepattern

from sparsegdf.config import ConfigError, load

sys.path.insert(0, os.path.join(workflow.basedir, "workflow"))
from import_closure import import_closure
from profile_guard import ProfileError, require_profile
from tracking import untracked

STARTED = time.monotonic()
# Parallelism belongs to Snakemake; jobs inherit this, whoever started it.
os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")

try:
    require_profile(sys.argv[1:], workflow.basedir)
    CONFIG = load(config)
except (ProfileError, ConfigError) as error:
    raise WorkflowError(str(error))

RUN = CONFIG.run
RESULTS = f"results/{RUN}"
FIGURES = f"{RUN}_figures"
ENVIRONMENT = os.path.join(workflow.basedir, "environment.yml")
FIGURE_FILES, TABLE_FILES = [], []


# Names hold no slash, so that a summary's path cannot be taken for a chunk's.
wildcard_constraints:
    figure=r"\w+",
    penalty=r"\w+",
    run=r"\w+",
    setting=r"\w+",


# A simulation takes 365 MB at most, but in a cluster job Snakemake itself counts too, twice: 910 MB were measured.
SUBMITTED_MB = 1200

if workflow.is_main_process and (strangers := untracked([RESULTS, FIGURES])):
    raise WorkflowError(
        f"{len(strangers)} files of the run '{RUN}' were not made in this working copy (first: {strangers[0]}), or "
        "its .snakemake/metadata is lost. Without that record a change of parameters would go unnoticed: delete "
        f"{RESULTS} and {FIGURES}, or bring .snakemake/metadata along with the results."
    )


def sources(script, folder="workflow/scripts"):
    """The modules that <folder>/<script> imports: a change in one of them, and only that, reruns its rule."""
    return import_closure(f"{folder}/{script}", "src/sparsegdf")


def bundle(name):
    """The files of one figure, by kind; the figure joins the target paper_figures."""
    files = {kind: f"{FIGURES}/{name}.{kind}" for kind in ("pdf", "png", "csv", "json")}
    FIGURE_FILES.extend(files.values())
    return files


def readable(name):
    """The files of one table, by kind; the table joins the targets tables and paper_figures."""
    files = {kind: f"{FIGURES}/{name}.{kind}" for kind in ("csv", "md", "tex")}
    TABLE_FILES.extend(files.values())
    return files


def grow(first):
    """A resource of which a retry asks for twice, then three times as much: the job may have died for want of it."""
    return lambda wildcards, attempt: first * attempt


def block(name):
    """One block of the configuration as plain builtins: what a rule may depend on."""
    return getattr(CONFIG, name).model_dump()


def penalties(names):
    """The penalty blocks of these names."""
    return {name: CONFIG.penalties[name] for name in names}


def chunks(samples, size):
    """Names of the chunks: fixed boundaries, so that more samples only add chunks."""
    return [f"{first:06d}-{min(first + size, samples) - 1:06d}" for first in range(0, samples, size)]


def chunk_files(solver, wildcards, names=None):
    """The chunks of a simulation by one solver: all of them, or those of these names."""
    names = names or chunks(CONFIG.runs[wildcards.figure].samples, CONFIG.bp.chunk)
    return [f"{RESULTS}/{solver}/{wildcards.figure}/{wildcards.penalty}/{name}.parquet" for name in names]


def simulation(wildcards):
    """What one sample of a simulation depends on: not the number of samples, nor any other penalty."""
    return simulation_of(wildcards.figure, wildcards.penalty)


def simulation_of(figure, penalty):
    run = CONFIG.runs[figure]
    return {
        "design": run.design,
        "M": run.simulations[penalty].M,
        "N": run.N,
        "penalty": CONFIG.penalties[penalty],
        "etas": run.simulations[penalty].etas.values().tolist(),
        "mean": run.mean,
        "variance": run.variance,
        "seed": CONFIG.seed,
    }


def l0_run(wildcards):
    """What one sample of an l0 run depends on."""
    run = CONFIG.l0_search.runs[wildcards.run]
    return {
        "N": run.N,
        "max_size": run.max_size,
        "restarts": run.restarts,
        "alpha": CONFIG.l0_search.alpha,
        "variance": CONFIG.l0_search.variance,
        "seed": CONFIG.seed,
    }


def summaries(figure):
    """The summary of each simulation of a figure."""
    return {name: f"{RESULTS}/summaries/{figure}/{name}.parquet" for name in CONFIG.runs[figure].simulations}


PLANTED = {name: f"{RESULTS}/planted/{name}.parquet" for name in CONFIG.planted}


def benchmark_patterns(wildcards):
    """For each rule, which benchmark files are of its jobs."""
    timed = [rule for rule in workflow.rules if rule.benchmark]
    return {rule.name: regex_from_filepattern(str(rule.benchmark)) for rule in timed}


# Snakemake 9 limits the jobs that it starts per second, and to keep the limit looks for jobs to start once a second for every
# job that has ended so far: after 200 of them a third of a core, more and more. On one machine the end of a job is when to
# look, and there are as many jobs as cores.
onstart:
    if workflow.local_exec:
        workflow.scheduler.job_rate_limiter = None


onsuccess:
    minutes, seconds = divmod(time.monotonic() - STARTED, 60)
    written = [path for path in FIGURE_FILES + TABLE_FILES + NOTEBOOK_FILES if os.path.exists(path)]
    shown = [path for path in written if path.endswith((".png", ".md", ".html"))]
    print(f"Figures, tables and notebooks of the run '{RUN}' ({minutes:.0f} min {seconds:.0f} s):")
    print("\n".join(f"  {path}" for path in shown))


onerror:
    print("The run stopped on an error; what was finished is kept. Mend the cause and give the same command again.")
