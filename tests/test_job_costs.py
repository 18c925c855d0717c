"""What a job writes of its own cost: the CPU time of itself and its children, to the end."""

import csv
import subprocess
import sys
import time

import pandas as pd
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
