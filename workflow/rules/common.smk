# The validated configuration, the folders of this run, and what the other rule files share.
import os
import sys
import time

from snakemake.exceptions import WorkflowError
from snakemake.logging import logger

from sparsegdf.ensembles.registry import DESIGNS
from sparsegdf.paper.config.model import ConfigError, load

sys.path.insert(0, os.path.join(workflow.basedir, "workflow"))
import code_digest as digests
import plan
from cancel_all import cancel_all
from guards import GuardError, require_own_run, require_profile, require_triggers
from slurm_patience import be_patient
from tracking import damaged, untracked

STARTED = time.monotonic()
# Parallelism belongs to Snakemake; jobs inherit this, whoever started it.
os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")

try:
    if workflow.is_main_process:
        require_profile(sys.argv[1:], workflow.basedir)
        require_triggers(sys.argv[1:])
        require_own_run(config, "config/paper.yaml")
    CONFIG = load(config)
except (GuardError, ConfigError) as error:
    raise WorkflowError(str(error))

RUN = CONFIG.run
RESULTS = f"results/{RUN}"
FIGURES = f"{RUN}_figures"
ENVIRONMENT = os.path.join(workflow.basedir, "environment.yml")


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
        "its .snakemake/metadata is lost. Without that record Snakemake cannot see a change of parameters: delete "
        f"{RESULTS} and {FIGURES}, or copy .snakemake/metadata together with the results."
    )
if workflow.is_main_process and (unknown := damaged([RESULTS, FIGURES])):
    raise WorkflowError(
        f"The record in .snakemake/metadata of {len(unknown)} files of the run '{RUN}' is damaged. Without it Snakemake "
        f"cannot see a change of parameters: delete these files and run the same command again: {' '.join(unknown)}"
    )


def code_digest(script, *used, files=(), whole=()):
    """What workflow/scripts/<script> does, with all that it imports: a change of that, and of nothing else, reruns its rule.

    `used` are the penalty and design blocks whose files it reaches by their kind, not by an import; `files` are further
    scripts. Of the files `whole` a comment counts, too.
    """
    kinds = [f"{'ensembles' if part['kind'] in DESIGNS else 'penalties'}/{part['kind']}" for part in used]
    scripts = [f"workflow/scripts/{script}", *files, *(f"src/sparsegdf/{kind}.py" for kind in sorted(set(kinds)))]
    return digests.code_digest(scripts, "src/sparsegdf", whole)


def simulation_code(script):
    """The code of a script that runs one simulation, as a function of its wildcards."""
    return lambda w: code_digest(script, simulation(w)["penalty"], simulation(w)["design"])


def notebook_code(wildcards):
    """The text of a notebook is shown, so that its comments count."""
    notebook = f"notebooks/{wildcards.notebook}.py"
    return code_digest("execute_notebook.py", files=[notebook], whole=[notebook])


def exhibit_code(script, exhibit):
    """The code of a script that makes a figure or a table: its own module counts, those of the others do not."""
    blocks = [CONFIG.penalties[name] for name in exhibit.penalty_names()]
    blocks += [CONFIG.designs[name] for name in exhibit.design_names()]
    return code_digest(script, *blocks, files=[f"src/sparsegdf/paper/figures/{exhibit.name}.py"])


def tables_below_results(exhibit):
    """The files that a figure or table reads, one or a list of them by each name; a JSON file stands beside the tables."""

    def file(path):
        return f"{FIGURES}/{path}" if path.endswith(".json") else f"{RESULTS}/{path}.parquet"

    return {
        name: file(paths) if isinstance(paths, str) else [file(path) for path in paths]
        for name, paths in exhibit.inputs(CONFIG).items()
    }


def figure_files(name):
    """The files of one figure, by kind."""
    return {kind: f"{FIGURES}/{name}.{kind}" for kind in ("pdf", "png", "csv", "json")}


def table_files(file):
    """The files of one table, by kind."""
    return {kind: f"{FIGURES}/{file}.{kind}" for kind in ("csv", "md", "tex")}


# Tables by their files, and what each figure and table consists of, by its name.
TABLES = {table.file: table for table in CONFIG.tables.values()}
TARGETS = {name: list(figure_files(name).values()) for name in CONFIG.figures}
TARGETS |= {table.name: list(table_files(file).values()) for file, table in TABLES.items()}
FIGURE_FILES = [file for name in CONFIG.figures for file in TARGETS[name]]
TABLE_FILES = [file for name in CONFIG.tables for file in TARGETS[name]]


def files_of(target):
    """The files of the figures and tables that belong to this target."""
    exhibits = (CONFIG.figures | CONFIG.tables).values()
    return [file for exhibit in exhibits if exhibit.target == target for file in TARGETS[exhibit.name]]


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
    """First and last sample of each chunk: fixed boundaries, so that more samples only add chunks."""
    return [(first, min(first + size, samples) - 1) for first in range(0, samples, size)]


def simulation_chunks(wildcards):
    run = CONFIG.runs[wildcards.figure]
    return chunks(run.samples[wildcards.penalty], run.chunk[wildcards.penalty])


def iterated_chunks(wildcards):
    run = CONFIG.runs[wildcards.figure]
    return chunks(min(run.iterated, run.samples[wildcards.penalty]), CONFIG.bp.chunk)


def l0_chunks(wildcards):
    run = CONFIG.l0_search.runs[wildcards.run]
    return chunks(run.samples, run.chunk)


def chunk_files(folder, chunks):
    return [f"{RESULTS}/{folder}/{first:06d}-{last:06d}.parquet" for first, last in chunks]


def simulation_files(folder, wildcards, chunks):
    """These chunks of a simulation below results/<run>/<folder>."""
    return chunk_files(f"{folder}/{wildcards.figure}/{wildcards.penalty}", chunks)


def solver(wildcards):
    return CONFIG.runs[wildcards.figure].solver


# The parameters of belief propagation in a simulation.
BP = {"tol": CONFIG.bp.tol, "max_steps": CONFIG.bp.max_steps}


def simulation(wildcards):
    """What one sample of a simulation depends on: not the number of samples, nor any other penalty."""
    return CONFIG.runs[wildcards.figure].simulations[wildcards.penalty].as_params()


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


onstart:
    plan.write(workflow.dag.jobs)  # jobs compare themselves with it
    if not workflow.local_exec:
        cancel_all(workflow.scheduler._executor)
    if type(workflow.scheduler._executor).__module__ == "snakemake_executor_plugin_slurm":
        be_patient(workflow.scheduler._executor, logger)
    # Snakemake 9 limits the jobs that it starts per second, and to keep the limit looks for jobs to start once a second for
    # every job that has ended so far: after 200 of them a third of a core, more and more. On one machine the end of a job
    # is when to look, and there are as many jobs as cores.
    if workflow.local_exec:
        workflow.scheduler.job_rate_limiter = None


onsuccess:
    minutes, seconds = divmod(time.monotonic() - STARTED, 60)
    written = [path for path in FIGURE_FILES + TABLE_FILES + NOTEBOOK_FILES if os.path.exists(path)]
    shown = [path for path in written if path.endswith((".png", ".md", ".html"))]
    print(f"Figures, tables and notebooks of the run '{RUN}' ({minutes:.0f} min {seconds:.0f} s):")
    print("\n".join(f"  {path}" for path in shown))


onerror:
    print("The run stopped on an error; finished results are kept. Fix the cause and run the same command again.")
