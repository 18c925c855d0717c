"""A copy of the project in which the pipeline can be run, changed and broken without touching the real one."""

import fcntl
import hashlib
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import psutil
import pytest
import yaml

from sparsegdf.paper.figures.registry import TABLES

NAMES = {kind.file: name for name, kind in TABLES.items()}  # of a table, by its file; a figure's file has its name
ROOT = Path(__file__).resolve().parents[1]
PARTS = (
    "Snakefile",
    "environment.yml",
    "config",
    "profiles",
    "src",
    "workflow",
    "tests/tiny.yaml",
    "reference/claims.json",
    "reference/costs.csv",
    "reference/schedule.txt",
    "reference/work.csv",
)


def heed_ctrl_c():
    """A shell that starts us in the background makes us, and so our children, ignore Ctrl-C: in a child, undo that."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class Project:
    """A copy of the workflow in `folder`; snakemake(...) runs there, on the copy's own sources."""

    configuration = "tests/tiny.yaml"

    def __init__(self, folder, of=ROOT, parts=PARTS):
        self.folder = Path(folder)
        for part in parts:
            source, target = of / part, self.folder / part
            target.parent.mkdir(parents=True, exist_ok=True)
            if source.is_dir():
                shutil.copytree(source, target, ignore=shutil.ignore_patterns("*.pyc"))
            else:
                shutil.copy2(source, target)

    def start(self, *words, program=("-m", "snakemake", "--cores", "2"), **environment):
        """Begin a run and return the process, with its output in one pipe."""
        environment = (
            os.environ | {"PYTHONPATH": str(self.folder / "src"), "PYTHONDONTWRITEBYTECODE": "1"} | environment
        )
        command = [sys.executable, *program, *words, "--configfile", self.configuration]
        return subprocess.Popen(
            command,
            cwd=self.folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            preexec_fn=heed_ctrl_c,
        )

    def snakemake(self, *words, check=True, **how):
        """Run to the end; `text` of the result has the whole output."""
        process = self.start(*words, **how)
        process.text, _ = process.communicate()
        if check and process.returncode:
            raise AssertionError(f"{' '.join(words)} failed:\n{process.text}")
        return process

    def planned(self, *words):
        """The number of jobs per rule in a dry run, without targets; a figure or table counts under its own name."""
        jobs = Counter()
        for block in re.split(r"\n(?=(?:local)?rule \w+:\n)", self.snakemake("-n", *words).text)[1:]:
            rule = re.match(r"(?:local)?rule (\w+):\n", block)[1]
            fields = dict(re.findall(r"^    (\w+): (.*)$", block, re.M))
            if rule in ("figure", "table"):
                file = Path(fields["output"].split(", ")[0]).stem
                rule = NAMES.get(file, file)
            jobs[rule] += "output" in fields
        return {rule: count for rule, count in jobs.items() if count}

    def edit(self, path, old, new):
        file = self.folder / path
        text = file.read_text()
        assert text.count(old) >= 1, f"{old!r} is not in {path}"
        file.write_text(text.replace(old, new, 1))


def pytest_collection_modifyitems(items):
    """The files that run the pipeline come first: they take longest, and what it compiles is compiled for the others."""
    first = ("test_crashes", "test_reruns", "test_workflow")
    items.sort(key=lambda item: (item.path.stem not in first, item.path.stem))


def keep_compiled(folder):
    """Put what a copy of the project has compiled into the project itself, so that nothing is compiled again."""
    for file in (folder / "src").rglob("*.nb[ic]"):
        place = ROOT / file.relative_to(folder)
        if not place.exists():
            place.parent.mkdir(exist_ok=True)
            whole = place.with_name(f"{place.name}.{os.getpid()}")
            shutil.copy2(file, whole)
            whole.replace(place)


def digests(folder):
    """The digest of each file below a folder, but for logs and costs, which differ from run to run."""
    files = [file for file in sorted(folder.rglob("*")) if file.is_file()]
    kept = [file for file in files if not {"logs", "benchmarks"} & set(file.parts)]
    return {str(file.relative_to(folder)): hashlib.sha256(file.read_bytes()).hexdigest() for file in kept}


def jobs_of(process, script):
    """The processes below `process` that run this script."""
    try:
        below = psutil.Process(process.pid).children(recursive=True)
        return [child for child in below if any(script in word for word in child.cmdline())]
    except psutil.NoSuchProcess:
        return []


def wait_for_job(process, script="fixed_points.py", seconds=120):
    """A job of this script, as soon as there is one."""
    for _ in range(seconds * 20):
        if found := jobs_of(process, script):
            return found[0]
        time.sleep(0.05)
    raise AssertionError(f"no job {script} was seen")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder, which is the current one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="session")
def finished(tmp_path_factory, worker_id):
    """A project whose tiny run is complete. Tests that change it must undo the change: use `changed`.

    The first worker of pytest-xdist that needs it runs it; each worker has its own copy, with Snakemake's metadata.
    """
    base = tmp_path_factory.getbasetemp()
    made = (base if worker_id == "master" else base.parent) / "finished"
    with open(made.with_suffix(".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        printed = made.with_suffix(".txt")
        if not printed.exists():
            printed.write_text(Project(made).snakemake("all").text)
            keep_compiled(made)
    project = Project(tmp_path_factory.mktemp("project"), of=made, parts=os.listdir(made))
    project.printed = printed.read_text()
    return project


@pytest.fixture
def changed(finished):
    """The finished project, with every source and configuration file restored afterwards."""
    kept = {}
    for part in ("config", "src", "workflow", "tests"):
        for file in (finished.folder / part).rglob("*"):
            if file.is_file():
                kept[file] = (file.read_bytes(), file.stat().st_atime_ns, file.stat().st_mtime_ns)
    yield finished
    for file, (content, atime, mtime) in kept.items():
        file.write_bytes(content)
        os.utime(file, ns=(atime, mtime))


@pytest.fixture(scope="session")
def report_folder(tmp_path_factory):
    """The reference run, and what three jobs of two rules cost."""
    folder = tmp_path_factory.mktemp("report")
    shutil.copytree(ROOT / "reference", folder / "figures")
    for name, rule, seconds in (
        ("fixed_points/l1/0-49", "fixed_points", 70),
        ("fixed_points/l1/50-99", "fixed_points", 110),
        ("figure2_gdf", "figure2_gdf", 1.5),
    ):
        file = folder / f"benchmarks/{name}.tsv"
        file.parent.mkdir(parents=True, exist_ok=True)
        row = {"rule": rule, "cpu_seconds": seconds, "wall_seconds": 3 * seconds, "memory_mb": 300 + seconds}
        file.write_text("\t".join(row) + "\n" + "\t".join(map(str, row.values())) + "\n")
    return folder


def report_page(folder):
    """The page of `report_folder`, or of a copy of it."""
    from sparsegdf.paper.report import page

    config = yaml.safe_load((ROOT / "config/paper.yaml").read_text())
    return page(folder / "figures", run="paper", config=config, benchmarks=folder / "benchmarks")
