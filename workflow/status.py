"""`make status`: for each figure and table, fresh or stale and why, and the CPU minutes that a rerun would take.

Minutes are those of past jobs (results/<run>/benchmarks); of a paper run that has none yet, those of its rules in
reference/costs.csv, marked ~. Words on the command line go to Snakemake, such as --configfile config/quick.yaml.
"""

import csv
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from statistics import mean

from job_costs import costs_file

from sparsegdf.paper.figures.registry import FIGURES, TABLES


def main(words):
    if {"-h", "--help"} & set(words):
        print(__doc__)
        return
    command = [sys.executable, "-m", "snakemake", "-n", "--nolock", "--cores", "1", "all", *words]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stdout + done.stderr)
    jobs = planned_jobs(done.stdout)
    maker = {path: job for job in jobs for path in job["output"]}
    spent = past_seconds(Path("results").glob("*/benchmarks/**/*.tsv"))
    usual = usual_seconds(Path("reference/costs.csv"))
    print(f"{'target':28} {'state':6} {'jobs':>5} {'CPU minutes':>13}  why")
    for target, file in targets().items():
        stale = next((job for job in jobs if any(Path(path).name == file for path in job["output"])), None)
        if stale is None:
            print(f"{target:28} fresh")
            continue
        needed = upstream(stale, maker)
        seconds = [expected_seconds(job, spent) for job in needed]
        guesses = [expected_usually(job, usual) if s is None else s for job, s in zip(needed, seconds, strict=True)]
        known = sum(s for s in guesses if s is not None) / 60
        shown = f"{known:.1f}" if known >= 1 else f"{known:.2f}"
        minutes = ("~" if guesses != seconds else "") + shown + (" + ?" if None in guesses else "")
        print(f"{target:28} stale  {len(needed):5} {minutes:>13}  {why(needed)}")


def targets():
    """The CSV file of each figure and table."""
    files = {name: f"{name}.csv" for name in FIGURES} | {name: f"{kind.file}.csv" for name, kind in TABLES.items()}
    return dict(sorted(files.items()))


def planned_jobs(text):
    """The jobs of a dry run: rule, input, output, file of costs, reason."""
    jobs = []
    for block in re.split(r"\n(?=(?:local)?rule \w+:\n)", text):
        head = re.match(r"(?:local)?rule (\w+):\n", block)
        if head:
            field = dict(re.findall(r"^    (\w+): (.*)$", block, re.M))
            files = {key: field[key].split(", ") if key in field else [] for key in ("input", "output")}
            costs = str(costs_file(field["log"])) if "log" in field else None  # None: a target that names others
            jobs.append({"rule": head[1], "costs": costs, "reason": field["reason"], **files})
    return jobs


def upstream(job, maker):
    """The job and every planned job that it waits for."""
    found, todo = [], [job]
    while todo:
        job = todo.pop()
        if job not in found:
            found.append(job)
            todo += [maker[path] for path in job["input"] if path in maker]
    return found


def why(jobs):
    """The reasons of the first causes, each with the rules it stands for."""
    own = [job for job in jobs if not job["reason"].startswith("Input files updated by another job")]
    reasons = Counter((_in_short(job["reason"]), job["rule"]) for job in own)
    return "; ".join(f"{reason} ({rule} x {n})" for (reason, rule), n in sorted(reasons.items()))


def _in_short(reason):
    """The first words of Snakemake's reason; of changed params the files of code that differ, if there are any."""
    before, _, now = reason.partition(" now: ")
    files = [dict(re.findall(r"'([^']+)': '([0-9a-f]{12})'", params)) for params in (before, now)]
    changed = sorted({path for path, _ in set(files[0].items()) ^ set(files[1].items())})
    if changed:
        return f"code has changed: {', '.join(changed)}"
    return re.split(r"[:;]", reason)[0].lower()


def past_seconds(files):
    """The rule and the CPU time of past jobs, by the file that says so."""
    spent = {}
    for file in files:
        with open(file, encoding="utf-8") as handle:
            row = next(csv.DictReader(handle, delimiter="\t"), {})
        if "cpu_seconds" in row:  # without it the file is Snakemake's own, of an older version
            spent[str(file)] = (row["rule"], float(row["cpu_seconds"]))
    return spent


def usual_seconds(costs):
    """The mean cost of a job of each rule in the reference run: CPU time, or wall time where there is no other."""
    with open(costs, encoding="utf-8") as handle:
        rows = list(csv.DictReader(handle))
    return {row["rule"]: 60 * float(row.get("cpu_minutes") or row["core_minutes"]) / int(row["jobs"]) for row in rows}


def expected_usually(job, usual):
    """The mean of the job's rule in the reference run if this is a paper run, too; else None.

    Until the next reference run costs.csv has a row for each figure and table: they had rules of their own.
    """
    if not job["costs"].startswith("results/paper/"):
        return None
    stem = Path(job["costs"]).stem
    return next((usual[name] for name in (job["rule"], stem, f"table_{stem}") if name in usual), None)


def expected_seconds(job, spent):
    """What the job took last time; else the mean of its rule beside it (other chunks); None if unknown."""
    path = job["costs"]
    if path is None:
        return 0.0
    if path in spent:
        return spent[path][1]
    beside = Path(path).parent
    near = [seconds for file, (rule, seconds) in spent.items() if rule == job["rule"] and Path(file).parent == beside]
    return mean(near) if near else None


if __name__ == "__main__":
    main(sys.argv[1:])
