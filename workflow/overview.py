"""The first screen of a run: what it makes, how long that may take, where to look meanwhile."""

import textwrap
from pathlib import Path

from expected import expected_seconds, past_seconds, reference_jobs, reference_minutes, scaled_seconds
from schedule import makespan

from snakemake_logger_plugin_sparsegdf.time_left import in_words
from sparsegdf.paper.figures.registry import FIGURES, TABLES

WIDTH = 100


def overview(jobs, dependencies, *, run, cores, reference):
    """The text, and the expected seconds of each job that has to run, by its number (None where they are not known).

    `jobs` have to run, `dependencies` is what each waits for, `reference` the folder of the reference run.
    """
    work = [job for job in jobs if job.log]
    cores = max(1, min(cores, len(work)))  # a cluster may take any number
    past, usual = past_seconds(Path("results").glob("*/benchmarks/**/*.tsv")), reference_jobs(reference)
    before = {job: expected_seconds(job, past) for job in work}
    expected = {job: scaled_seconds(job, usual) if seconds is None else seconds for job, seconds in before.items()}
    # What single jobs cost is known less well than what a whole target of the paper does.
    whole = reference_minutes(reference / "schedule.txt").get(len(work))
    if run == "paper" and whole and not any(before.values()) and None not in expected.values():
        factor = 60 * whole / sum(expected.values())
        expected = {job: factor * seconds for job, seconds in expected.items()}
    known_by = [
        "past jobs" if any(before.values()) else "",
        f"the reference run{', scaled' * (run != 'paper')}" if None in before.values() else "",
    ]
    needs = {job: [other for other in dependencies[job] if other in expected] for job in work}
    names = made(work)
    soon = any(FIGURES[name].made_of == "RS theory" for name in names if name in FIGURES)
    lines = {
        "makes": ", ".join(names) or "data alone",
        "jobs": f"{len(work)} on {cores} core{'s' * (cores > 1)}",
        "time": _time(expected, needs, cores, " and ".join(filter(None, known_by))),
        "look at": f"{run}_figures/{' (theory comes first)' * soon}, and results/{run}/logs/ for the jobs",
        "stop": "Ctrl-C at any time; the same command goes on from there",
    }
    indent = max(map(len, lines)) + 4
    shown = [
        textwrap.fill(text, WIDTH, initial_indent=f"  {name}".ljust(indent), subsequent_indent=" " * indent)
        for name, text in lines.items()
    ]
    return "\n".join([f"sparsegdf, run '{run}'", *shown, ""]), {job.jobid: expected[job] for job in work}


def made(jobs):
    """The names of the figures and tables that these jobs make, in the order of the paper."""
    files = {Path(path).stem for job in jobs for path in job.output}
    return [name for name in FIGURES if name in files] + [name for name, kind in TABLES.items() if kind.file in files]


def _time(expected, needs, cores, known_by):
    """About how long the run takes, by what is known of its jobs."""
    unknown = sum(seconds is None for seconds in expected.values())
    if 2 * unknown > len(expected):
        return "known when the first jobs have ended"
    cpu = sum(seconds or 0 for seconds in expected.values()) / 60
    more = f", {unknown} jobs not counted" * (unknown > 0)
    return f"about {_length(expected, needs, cores)} ({cpu:.1f} CPU minutes by {known_by}{more})"


def _length(seconds, needs, cores):
    return in_words(makespan({job: each or 0 for job, each in seconds.items()}, needs, cores))
