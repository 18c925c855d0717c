"""`make schedule`: what each target of a finished run cost, and how long it would take on more cores.

The costs are the CPU times that the jobs left in results/<run>/benchmarks. The time on n cores is that of n workers
who take the jobs as they become ready, in the order of the graph; Snakemake takes START seconds to start each one.
"""

import argparse
import heapq
from pathlib import Path

from expected import past_seconds
from job_costs import costs_file
from status import plan

TARGETS = ("paper_figures", "beyond", "claims", "all")
CORES = (1, 2, 16, 64)
START = 0.3


def main(configfile):
    spent = past_seconds(Path("results").glob("*/benchmarks/**/*.tsv"))
    print(
        f"{'target':14} {'jobs':>5} {'CPU minutes':>12} {'longest job':>12}" + "".join(f"{n:>8} cores" for n in CORES)
    )
    for target in TARGETS:
        dag = plan(configfile, target)
        jobs = [job for job in dag.jobs if job.log]
        if missing := [job.log[0] for job in jobs if costs_file(job.log[0]) not in spent]:
            print(f"{target:14} {len(jobs):5} {len(missing)} of them have not run yet (first: {missing[0]})")
            continue
        seconds = {job: spent[costs_file(job.log[0])][1] for job in jobs}
        needs = {job: [other for other in dag.dependencies[job] if other.log] for job in jobs}
        times = "".join(f"{makespan(seconds, needs, n) / 60:10.1f} min" for n in CORES)
        total, longest = sum(seconds.values()) / 60, max(seconds.values())
        print(f"{target:14} {len(seconds):5} {total:12.1f} {longest:10.0f} s{times}")


def makespan(seconds, needs, cores):
    """The time until the last job ends, if `cores` workers take jobs that are ready, in the order of `seconds`.

    `seconds` has the length of each job and `needs` the jobs that it waits for.
    """
    order = {job: place for place, job in enumerate(seconds)}
    waits, then = {job: len(others) for job, others in needs.items()}, {job: [] for job in seconds}
    for job, others in needs.items():
        for other in others:
            then[other].append(job)
    ready = [order[job] for job, count in waits.items() if not count]
    heapq.heapify(ready)
    jobs, running, now = list(seconds), [], 0.0
    while ready or running:
        while ready and len(running) < cores:
            place = heapq.heappop(ready)
            heapq.heappush(running, (now + START + seconds[jobs[place]], place))
        now, place = heapq.heappop(running)
        for job in then[jobs[place]]:
            waits[job] -= 1
            if not waits[job]:
                heapq.heappush(ready, order[job])
    return now


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--configfile", type=Path, help="the configuration of the run; config/paper.yaml without it")
    main(parser.parse_args().configfile)
