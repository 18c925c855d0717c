"""What jobs cost in the past, and so what they may be expected to cost."""

import csv
from pathlib import Path
from statistics import mean

from job_costs import costs_file


def past_seconds(files):
    """The rule and the CPU time of past jobs, by the file that says so."""
    spent = {}
    for file in files:
        with open(file, encoding="utf-8") as handle:
            row = next(csv.DictReader(handle, delimiter="\t"), {})
        if "cpu_seconds" in row:  # without it the file is Snakemake's own, of an older version
            spent[file] = (row["rule"], float(row["cpu_seconds"]))
    return spent


def usual_seconds(costs):
    """The mean CPU time of a job of each rule in the reference run."""
    with open(costs, encoding="utf-8") as handle:
        return {row["rule"]: 60 * float(row["cpu_minutes"]) / int(row["jobs"]) for row in csv.DictReader(handle)}


def reference_minutes(schedule):
    """The CPU minutes of each target of the reference run, by its number of jobs (`make schedule` > the file)."""
    rows = [line.split() for line in schedule.read_text(encoding="utf-8").splitlines()[1:]]
    return {int(row[1]): float(row[2]) for row in rows}


def expected_usually(job, usual):
    """The mean of the job's rule in the reference run if this is a paper run, too; else None."""
    return usual.get(job.rule.name) if Path(job.log[0]).is_relative_to("results/paper") else None


def expected_seconds(job, spent):
    """What the job took last time; else the mean of its rule beside it (other chunks); None if unknown."""
    file = costs_file(job.log[0])
    if file in spent:
        return spent[file][1]
    beside = {other: cost for other, cost in spent.items() if other.parent == file.parent}
    near = [seconds for rule, seconds in beside.values() if rule == job.rule.name]
    return mean(near) if near else None
