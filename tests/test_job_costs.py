"""What a job writes of its own cost: the CPU time of itself and its children, to the end."""

import csv
import subprocess
import sys
import time

import pandas as pd
import pytest
from conftest import ROOT, Project, wait_for_job


def costs(project, name):
    with open(project.folder / f"results/tiny/benchmarks/{name}.tsv", encoding="utf-8") as file:
        (row,) = csv.DictReader(file, delimiter="\t")
    return row


def test_waiting_is_not_cost(tmp_path):
    """A job is stopped for four seconds, as on a busy machine: they are in its wall time, not in its CPU time."""
    project = Project(tmp_path / "project")
    process, log = project.start("table_thresholds"), project.folder / "results/tiny/logs/tables/table_thresholds.log"
    job = wait_for_job(process, ".table.py")
    while not log.exists():
        time.sleep(0.01)
    job.suspend()
    time.sleep(4)
    job.resume()
    text, _ = process.communicate()
    assert process.returncode == 0, text
    cost = costs(project, "tables/table_thresholds")
    assert cost["rule"] == "table" and float(cost["cpu_seconds"]) > 0.2
    assert float(cost["wall_seconds"]) - float(cost["cpu_seconds"]) > 3
    assert 50 < float(cost["memory_mb"]) < 2000


def test_children_and_the_last_moment_count(tmp_path):
    script = (
        "import sys, subprocess, time\n"
        f"sys.path.insert(0, {str(ROOT / 'workflow')!r})\n"
        "import job_costs\n"
        "burn = 'import time\\nwhile time.process_time() < 0.6: pass'\n"
        "job_costs.leave_at_exit('rule', 'results/tiny/logs/a/b.log', sys.argv[1:])\n"
        "subprocess.run([sys.executable, '-c', burn], check=True)\n"
        "exec(burn)\n"
    )
    for outputs in (["missing"], []):
        subprocess.run([sys.executable, "-c", script, *outputs], cwd=tmp_path, check=True)
        file = tmp_path / "results/tiny/benchmarks/a/b.tsv"
        assert file.exists() == (not outputs)  # a job that has failed leaves nothing
    row = pd.read_csv(file, sep="\t").iloc[0]
    assert 1.2 <= row.cpu_seconds < 3 and row.memory_mb > 5


def test_a_schedule_keeps_the_order_of_jobs_and_the_number_of_cores():
    """Four jobs of 10, 10, 5 and 5 s, the last after the first two: by hand."""
    command = (
        "from schedule import START, makespan\n"
        "seconds, needs = dict(a=10, b=10, c=5, d=5), dict(a=[], b=[], c=[], d=['a', 'b'])\n"
        "print([round(makespan(seconds, needs, n) - k * START, 9) for n, k in ((1, 4), (2, 2), (3, 2), (9, 2))])"
    )
    found = subprocess.run([sys.executable, "-c", command], cwd=ROOT / "workflow", capture_output=True, text=True)
    assert found.stdout.strip() == "[30.0, 15.0, 15.0, 15.0]", found.stderr


def test_the_schedule_of_a_finished_run(finished):
    done = finished.snakemake(program=("workflow/schedule.py",))
    rows = {line.split()[0]: line.split() for line in done.text.splitlines()[1:]}
    assert set(rows) == {"paper_figures", "beyond", "claims", "all"}
    jobs, minutes, _, on_one = (float(word) for word in rows["all"][1:6] if word != "s")
    assert jobs == sum(finished.planned("all", "--forceall").values())
    assert on_one == pytest.approx(minutes + jobs * 0.3 / 60, abs=0.11)
    assert float(rows["paper_figures"][2]) + float(rows["beyond"][2]) >= 0.8 * minutes
