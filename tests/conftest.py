"""A copy of the project in which the pipeline can be run, changed and broken without touching the real one."""

import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PARTS = ("Snakefile", "environment.yml", "config", "profiles", "src", "workflow", "tests/tiny.yaml")


class Project:
    """A copy of the workflow in `folder`; snakemake(...) runs there, on the copy's own sources."""

    def __init__(self, folder):
        self.folder = Path(folder)
        for part in PARTS:
            source, target = ROOT / part, self.folder / part
            target.parent.mkdir(parents=True, exist_ok=True)
            if source.is_dir():
                shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy2(source, target)

    def start(self, *words, program=("-m", "snakemake", "--cores", "2"), **environment):
        """Begin a run and return the process, with its output in one pipe."""
        environment = (
            os.environ | {"PYTHONPATH": str(self.folder / "src"), "PYTHONDONTWRITEBYTECODE": "1"} | environment
        )
        command = [sys.executable, *program, *words, "--configfile", "tests/tiny.yaml"]
        return subprocess.Popen(
            command,
            cwd=self.folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            # A shell that put us in the background has made us, and so our children, deaf to Ctrl-C.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )

    def snakemake(self, *words, check=True, **how):
        """Run to the end; `text` of the result has all that was printed."""
        process = self.start(*words, **how)
        process.text, _ = process.communicate()
        if check and process.returncode:
            raise AssertionError(f"{' '.join(words)} failed:\n{process.text}")
        return process

    def planned(self, *words):
        """The jobs of a dry run: how many of each rule, the target rules left out."""
        text = self.snakemake("-n", *words).text
        table = re.search(r"Job stats:\n.*?\n-.*?\n(.*?)\ntotal", text, re.S)
        jobs = dict(line.split() for line in table.group(1).splitlines()) if table else {}
        return {rule: int(count) for rule, count in jobs.items() if rule not in ("all", "paper_figures", "tables")}

    def edit(self, path, old, new):
        file = self.folder / path
        text = file.read_text()
        assert text.count(old) >= 1, f"{old!r} is not in {path}"
        file.write_text(text.replace(old, new, 1))


@pytest.fixture(scope="session")
def finished(tmp_path_factory):
    """A project whose tiny run is complete. Tests that change it must undo the change: use `changed`."""
    project = Project(tmp_path_factory.mktemp("project"))
    project.run = project.snakemake("all")
    return project


@pytest.fixture
def changed(finished):
    """The finished project, with every source and configuration file put back afterwards."""
    kept = {}
    for part in ("config", "src", "workflow", "tests"):
        for file in (finished.folder / part).rglob("*"):
            if file.is_file():
                kept[file] = (file.read_bytes(), file.stat().st_atime_ns, file.stat().st_mtime_ns)
    yield finished
    for file, (content, atime, mtime) in kept.items():
        file.write_bytes(content)
        os.utime(file, ns=(atime, mtime))
