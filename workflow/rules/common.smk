# The validated configuration, the folders of this run, and what the other rule files share.
import os
import sys
import time
from pathlib import Path

from snakemake.exceptions import WorkflowError
from snakemake.logging import logger
from snakemake.settings.enums import Quietness

from sparsegdf.ensembles.registry import DESIGNS
from sparsegdf.paper.config.model import ConfigError, load

# The project: in a module, or with -d, neither the working directory nor workflow.basedir is its folder.
ROOT = Path(workflow.current_basedir.get_path_or_uri(secret_free=True)).resolve().parents[1]
sys.path.insert(0, str(ROOT / "workflow"))
import code_digest as digests
import plan
from endings import end_as_ctrl_c, remove_leftovers
from guards import (
    GuardError,
    over,
    require_own_run,
    require_profile,
    require_records,
    require_targets,
    require_triggers,
    require_unique_keys,
    require_work,
)
from interrupt import one_sentence, without_traceback
from overview import overview
from snakemake_internals import UnknownVersion, extend, require_known
from tracking import damaged, untracked

STARTED = time.monotonic()
# Parallelism belongs to Snakemake; jobs inherit this, whoever started it.
os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
# In a module hooks are not called, so that no plan is written.
IS_MODULE = Path(workflow.main_snakefile).resolve() not in (ROOT / "Snakefile", ROOT / "workflow/Snakefile")
os.environ[plan.READ_AGAIN] = "no" if workflow.is_main_process or IS_MODULE else "yes"

try:
    require_known()
    config = over(config, ROOT / "config/paper.yaml")
    if workflow.is_main_process:
        without_traceback()
        require_profile(sys.argv[1:], workflow.basedir)
        require_triggers(sys.argv[1:])
        require_unique_keys(workflow.configfiles)
    CONFIG = load(config)
    if workflow.is_main_process:
        require_own_run(config, ROOT / "config/paper.yaml")
        end_as_ctrl_c()  # while it is planned
except (GuardError, ConfigError, UnknownVersion) as error:
    raise WorkflowError(str(error))

RUN = CONFIG.run
RESULTS = f"results/{RUN}"
FIGURES = f"{RUN}_figures"
ENVIRONMENT = str(ROOT / "environment.yml")
os.environ |= {"SPARSEGDF_CLONE": str(ROOT)}  # for environment.yml


# Names hold no slash, so that a summary's path cannot be taken for a chunk's.
wildcard_constraints:
    figure=r"\w+",
    penalty=r"\w+",
    run=r"\w+",
    setting=r"\w+",


# Up to this N a simulation takes up to 610 MB (reference/costs.csv), at N = 3000 730. In a cluster job Snakemake itself
# counts too, twice: with a simulation of 365 MB, 910 MB were measured.
SUBMITTED_MB, UP_TO_N = 1200, 2000

if workflow.is_main_process and (strangers := untracked([RESULTS, FIGURES])):
    raise WorkflowError(
        f"{len(strangers)} files of the run '{RUN}' were not made in this working copy (first: {strangers[0]}), or "
        "its .snakemake/metadata is lost. Without that record Snakemake cannot see a change of parameters: move files of "
        f"your own elsewhere, else delete {RESULTS} and {FIGURES}, or copy .snakemake/metadata together with the results."
    )
if workflow.is_main_process and (unknown := damaged([RESULTS, FIGURES])):
    raise WorkflowError(
        f"The record in .snakemake/metadata of {len(unknown)} files of the run '{RUN}' is damaged. Without it Snakemake "
        f"cannot see a change of parameters: delete these files and run the same command again: {' '.join(unknown)}"
    )


def source(path):
    """A file of the project as a job reads it: by its path in the project's own folder, elsewhere by its whole path."""
    return path if ROOT.samefile(os.getcwd()) else str(ROOT / path)


def code_digest(script, *used, files=(), whole=()):
    """What workflow/scripts/<script> does, with all that it imports: a change of that, and of nothing else, reruns its rule.

    `used` are the penalty and design blocks whose files it reaches by their kind, not by an import; `files` are further
    scripts. Of the files `whole` a comment counts, too.
    """
    kinds = [f"{'ensembles' if part['kind'] in DESIGNS else 'penalties'}/{part['kind']}" for part in used]
    scripts = [f"workflow/scripts/{script}", *files, *(f"src/sparsegdf/{kind}.py" for kind in sorted(set(kinds)))]
    return digests.code_digest(scripts, "src/sparsegdf", whole, project=ROOT)


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


def labels(exhibit):
    """What the page of `snakemake --report` says of a figure or table in its list. Settings are in its caption."""
    return {"name": exhibit.name, "shows" if RUN == "paper" else "shows at the scale of the paper": exhibit.shows}


# Theory takes seconds: its figures are drawn at once, and the others as soon as they can be.
PICTURES_FIRST = 10

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
    """The penalty, the first and the last sample of each chunk of a run."""
    run = CONFIG.runs[wildcards.figure]
    return [(name, *bounds) for name, samples in run.samples.items() for bounds in chunks(samples, run.chunk[name])]


def iterated_chunks(wildcards):
    """The same of the chunks of iterated belief propagation."""
    run, size = CONFIG.runs[wildcards.figure], CONFIG.bp.chunk
    return [(name, *bounds) for name, n in run.samples.items() for bounds in chunks(min(run.iterated, n), size)]


def l0_chunks(wildcards):
    run = CONFIG.l0_search.runs[wildcards.run]
    return chunks(run.samples, run.chunk)


def chunk_files(folder, chunks):
    return [f"{RESULTS}/{folder}/{first:06d}-{last:06d}.parquet" for first, last in chunks]


def simulation_files(folder, wildcards, chunks):
    """These chunks of a run below results/<run>/<folder>."""
    return [file for name, *bounds in chunks for file in chunk_files(f"{folder}/{wildcards.figure}/{name}", [bounds])]


def solver(wildcards):
    return CONFIG.runs[wildcards.figure].solver


# The parameters of belief propagation in a simulation.
BP = {"tol": CONFIG.bp.tol, "max_steps": CONFIG.bp.max_steps}


def simulation(wildcards):
    """What one sample of a simulation depends on: not the number of samples, nor any other penalty."""
    return CONFIG.runs[wildcards.figure].simulations[wildcards.penalty].as_params()


def simulations(wildcards):
    """The same for every penalty of a run."""
    return {name: each.as_params() for name, each in CONFIG.runs[wildcards.figure].simulations.items()}


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


def say(text, **more):
    """A message to whoever runs this, on a terminal too, where Snakemake's own are not shown; `--quiet` silences it."""
    logger.info(text, extra={"shown": True, "quietness": Quietness.PROGRESS} | more)


onstart:
    plan.write(workflow.dag.jobs)  # jobs compare themselves with it
    remove_leftovers([RESULTS, FIGURES], local=workflow.local_exec)
    cores = workflow.cores if workflow.local_exec else workflow.nodes
    todo = list(workflow.dag.needrun_jobs())
    how = {"run": RUN, "cores": cores, "reference": ROOT / "reference"}
    text, expected = overview(todo, workflow.dag.dependencies, **how)
    say(text, expected=expected, cores=cores)
    if workflow.local_exec:
        one_sentence(logger)
    extend(workflow, logger)
    end_as_ctrl_c()  # Snakemake would wait for running jobs


onsuccess:
    minutes, seconds = divmod(time.monotonic() - STARTED, 60)
    written = [path for path in FIGURE_FILES + TABLE_FILES + NOTEBOOK_FILES if os.path.exists(path)]
    shown = [f"  {path}" for path in written if path.endswith((".png", ".md", ".html"))]
    title = f"Figures, tables and notebooks of the run '{RUN}' ({minutes:.0f} min {seconds:.0f} s):"
    say("\n".join([title, *shown]))


onerror:
    say("The run stopped on an error; finished results are kept. Fix the cause and run the same command again.")
