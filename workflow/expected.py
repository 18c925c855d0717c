"""What jobs cost in the past, and so what they may be expected to cost."""

import csv
from contextlib import suppress
from statistics import mean

from job_costs import costs_file

START = 1.0  # CPU seconds of a job that computes nothing
# A missing or damaged file costs a better estimate, never the run.
UNREADABLE = (OSError, ValueError, TypeError, LookupError, ZeroDivisionError, csv.Error)


def past_seconds(files):
    """The rule and the CPU time of past jobs, by the file that says so."""
    spent = {}
    for file in files:
        with suppress(*UNREADABLE), open(file, encoding="utf-8") as handle:
            row = next(csv.DictReader(handle, delimiter="\t"), {})
            spent[file] = (row["rule"], float(row["cpu_seconds"]))
    return spent


def reference_jobs(folder):
    """The mean CPU time and the mean work of a job of each rule in the reference run."""
    works = _per_job(folder / "work.csv", "work")
    return {
        rule: (60 * minutes, works.get(rule))
        for rule, minutes in _per_job(folder / "costs.csv", "cpu_minutes").items()
    }


def _per_job(file, column):
    with suppress(*UNREADABLE), open(file, encoding="utf-8") as handle:
        return {row["rule"]: float(row[column]) / int(row["jobs"]) for row in csv.DictReader(handle)}
    return {}


def reference_minutes(schedule):
    """The CPU minutes of each target of the reference run, by its number of jobs (`make schedule` > the file)."""
    with suppress(*UNREADABLE):
        rows = [line.split() for line in schedule.read_text(encoding="utf-8").splitlines()[1:]]
        return {int(row[1]): float(row[2]) for row in rows}
    return {}


def scaled_seconds(job, reference):
    """The mean of the job's rule in the reference run, what is beyond the start in proportion to the job's work."""
    seconds, usual = reference.get(job.rule.name, (None, None))
    size = work(job)
    return seconds if None in (seconds, usual, size) else START + max(seconds - START, 0) * size / usual


def work(job):
    """Samples x levels of eta x N^3, by the job's params: about what it computes. None for a job without samples.

    N^3 is the cost of a path of fits. The search of l0 costs more as N grows, and less with fewer non-zeros.
    """
    # A figure or table only shows what its block describes.
    params = {key: value for key, value in job.params.items() if key not in ("code", "block", "uses")}
    if "last" in job.wildcards.keys():
        params |= {key: int(job.wildcards[key]) for key in ("first", "last")}
    samples = _samples(params) or next(filter(None, map(_samples, params.values())), None)
    return _work(params, samples) or None


def _samples(part):
    """The number of samples that a block of params says, None if it says none."""
    if not isinstance(part, dict):
        return None
    return part["last"] - part["first"] + 1 if "last" in part and "first" in part else part.get("samples")


def _work(part, samples):
    if isinstance(part, (list, tuple)):
        return sum(_work(each, samples) for each in part)
    if not isinstance(part, dict):
        return 0
    samples = _samples(part) or samples
    if "N" in part and samples:
        return samples * _levels(part) * part["N"] ** 3
    return sum(_work(each, samples) for each in part.values())


def _levels(part):
    """How many levels of eta a block has, those of its penalties added up; 1 if it has none."""
    grids = [part, *(block for block in part.get("penalties", {}).values() if isinstance(block, dict))]
    return sum(len(grid.get("etas", ())) for grid in grids) or 1


def expected_seconds(job, spent):
    """What the job took last time; else the mean of its rule beside it (other chunks); None if unknown."""
    file = costs_file(job.log[0])
    if file in spent:
        return spent[file][1]
    beside = {other: cost for other, cost in spent.items() if other.parent == file.parent}
    near = [seconds for rule, seconds in beside.values() if rule == job.rule.name]
    return mean(near) if near else None
