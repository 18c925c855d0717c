"""What whoever starts a run sees: the first screen, the bar, the end by Ctrl-C, and the answer to a misspelt name."""

import fcntl
import os
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import termios
import time
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest
from conftest import ROOT, Project
from snakemake.exceptions import CliException

from snakemake_logger_plugin_sparsegdf.command_line import check
from snakemake_logger_plugin_sparsegdf.time_left import TimeLeft, in_words

sys.path.insert(0, str(ROOT / "workflow"))
from expected import work
from interrupt import SENTENCE
from overview import overview

# --- a run in a terminal -------------------------------------------------------------------------------------------


class Terminal:
    """A command in a terminal of 100 columns; `text` is what it has written so far."""

    def __init__(self, command, folder, **environment):
        self.pid, self.device = pty.fork()
        if self.pid == 0:
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            os.chdir(folder)
            os.execvpe(command[0], command, os.environ | {"TERM": "xterm"} | environment)
        fcntl.ioctl(self.device, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))
        self.text = ""

    def read_until(self, pattern, seconds=240):
        """Read until the pattern has come, or to the end without one."""
        end = time.monotonic() + seconds
        while time.monotonic() < end and not (pattern and re.search(pattern, self.text)):
            if select.select([self.device], [], [], 0.2)[0]:
                try:
                    self.text += os.read(self.device, 65536).decode()
                except OSError:  # the command has ended
                    break

    def press_ctrl_c(self):
        os.write(self.device, b"\x03")

    def jobs(self, starting, seconds=20):
        """The processes that the command has started, as soon as one of them has the name `starting`."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            found = psutil.Process(self.pid).children(recursive=True)
            with suppress(psutil.NoSuchProcess):  # one has ended meanwhile
                if starting in [process.name() for process in found]:
                    return found
        raise TimeoutError(f"no {starting} in {seconds} s")

    def status(self):
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


def does_not_get(process, number):
    """Whether a process blocks or ignores this signal, or has ended."""
    try:
        lines = Path(f"/proc/{process.pid}/status").read_text().splitlines()
    except FileNotFoundError:
        return True
    masks = [int(words[1], 16) for line in lines if (words := line.split())[0] in ("SigBlk:", "SigIgn:")]
    return any(mask >> (number - 1) & 1 for mask in masks)


def test_a_run_in_a_terminal_ended_by_ctrl_c(tmp_path):
    """Theory comes first; after the first figure Ctrl-C is pressed: one sentence, and no job lives on.

    The shell of a job takes its time, so that Ctrl-C comes while a job is only starting.
    """
    project = Project(tmp_path / "project")
    (tmp_path / "slowly.sh").write_text("sleep 0.5\n")
    command = [sys.executable, "-m", "snakemake", "--cores", "2", "--configfile", "tests/tiny.yaml", "--"]
    sources = {"PYTHONPATH": str(project.folder / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    slow = {"BASH_ENV": str(tmp_path / "slowly.sh")}
    terminal = Terminal([*command, "figure4_bp_vs_rs", "figure1_single_body"], project.folder, **sources, **slow)
    terminal.read_until(r"\d  figure1_single_body  \(")
    assert "makes    figure1_single_body, figure4_bp_vs_rs" in terminal.text
    jobs = int(re.search(r"jobs     (\d+) on 2 cores", terminal.text)[1])
    assert f"| 0 of {jobs} jobs" in terminal.text
    first = re.findall(r"\d\d:\d\d:\d\d  (\w+)", terminal.text)
    assert first[0] == "single_body" and "figure1_single_body" in first[:4]
    assert "localrule" not in terminal.text and "Job stats" not in terminal.text
    running = terminal.jobs(starting="sleep")
    assert all(does_not_get(process, signal.SIGINT) for process in running)
    terminal.press_ctrl_c()
    before = len(terminal.text)
    terminal.read_until(None)
    assert terminal.status() != 0 and not psutil.wait_procs(running, timeout=20)[1]
    pieces = re.split(r"[\r\n]+", re.sub(r"\x1b\[\w|\^C", "", terminal.text[before:]))
    said = [
        piece for piece in pieces if piece.strip() and not re.search(r"\| \d+ of \d+ jobs|^\d\d:\d\d:\d\d  ", piece)
    ]
    assert said == [SENTENCE] and not pieces[-1].strip()  # the bar is gone


def test_a_run_whose_terminal_is_closed(tmp_path):
    """As by a lost connection: no job lives on, and the same command can go on, since there is no lock."""
    project = Project(tmp_path / "project")
    (tmp_path / "slowly.sh").write_text("sleep 60\n")
    command = [sys.executable, "-m", "snakemake", "--cores", "2", "--configfile", "tests/tiny.yaml", "--"]
    sources = {"PYTHONPATH": str(project.folder / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    terminal = Terminal(
        [*command, "figure1_single_body"], project.folder, **sources, BASH_ENV=str(tmp_path / "slowly.sh")
    )
    terminal.read_until(r"0 of \d+ jobs")
    running = terminal.jobs(starting="sleep")
    os.close(terminal.device)
    assert terminal.status() == 1 and not psutil.wait_procs(running, timeout=20)[1]
    assert list(project.folder.glob(".snakemake/locks/*")) == []


# --- how long it takes ---------------------------------------------------------------------------------------------


def test_time_left_by_hand():
    """Jobs 1 to 4 of 10, 10, 20 s and unknown length on two cores; the first takes twice as long as expected."""
    now = 0.0
    left = TimeLeft({1: 10, 2: 10, 3: 20, 4: None}, cores=2, clock=lambda: now)
    left.begin(1, "a"), left.begin(2, "a"), left.begin(99, "a target")
    assert left.seconds() is None and left.count() == (0, 4)
    now = 20.0
    left.end(1), left.end(99), left.begin(4, "b")
    # The second may take 20 s and is due, the third 40 s, the fourth as long as the only one that has ended, 20 s.
    assert left.count() == (1, 4) and left.seconds() == pytest.approx(max((0 + 40 + 20) / 2, 40))
    now = 30.0
    left.end(2), left.end(4), left.begin(3, "b")
    assert left.seconds() == pytest.approx(20 * (20 + 30) / 20)  # what the two took, over what was expected of them
    assert [in_words(seconds) for seconds in (0.4, 34, 720, 11520)] == ["0.4 s", "34 s", "12 min", "3.2 h"]


class Job:
    def __init__(self, number, rule, *output, run="paper", N=100, samples=50):
        self.jobid, self.rule, self.output = number, SimpleNamespace(name=rule), output
        self.log = [f"results/{run}/logs/{rule}/{number}.log"]
        self.params = {"simulation": {"N": N, "etas": [2, 1]}, "code": {}} if rule == "fixed_points" else {}
        self.wildcards = {"first": "000000", "last": f"{samples - 1:06d}"} if self.params else {}


def test_the_first_screen_goes_by_the_reference_and_by_past_jobs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "costs.csv").write_text("rule,jobs,cpu_minutes\nfixed_points,2,4\nfigure,1,1\n")
    (tmp_path / "work.csv").write_text(f"rule,jobs,work\nfixed_points,2,{2 * 50 * 2 * 100**3}\n")
    (tmp_path / "schedule.txt").write_text("target jobs CPU minutes\nall 3 50.0\npaper_figures 2 8.0\n")
    figure = ("paper_figures/figure2_gdf.png", "paper_figures/figure2_gdf.csv")
    jobs = [Job(1, "fixed_points"), Job(2, "fixed_points"), Job(3, "figure", *figure)]
    needs = {jobs[0]: [], jobs[1]: [], jobs[2]: jobs[:2]}
    how = {"run": "paper", "cores": 2, "reference": tmp_path}
    _, expected = overview(jobs, needs, **how)
    assert expected == {1: 1200, 2: 1200, 3: 600}  # the target of three jobs took 50 minutes
    (tmp_path / "schedule.txt").write_text("target jobs CPU minutes\n")
    text, expected = overview(jobs, needs, **how)
    assert expected == {1: 120, 2: 120, 3: 60}
    assert "about 3 min (5.0 CPU minutes by the reference run)" in text
    assert "makes    figure2_gdf" in text and "theory comes first" in text
    (tmp_path / "results/paper/benchmarks/fixed_points").mkdir(parents=True)
    past = tmp_path / "results/paper/benchmarks/fixed_points/1.tsv"
    past.write_text("rule\tcpu_seconds\nfixed_points\t600\n")
    text, expected = overview(jobs, needs, **how)
    assert expected == {1: 600, 2: 600, 3: 60}  # the second is like the one beside it
    assert "about 11 min (21.0 CPU minutes by past jobs and the reference run)" in text


def test_the_first_screen_of_another_run_scales_the_reference(tmp_path, monkeypatch):
    """By samples x levels x N^3, beyond the second in which a job starts."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "costs.csv").write_text("rule,jobs,cpu_minutes\nfixed_points,2,4\nfigure,1,1\n")
    (tmp_path / "work.csv").write_text(f"rule,jobs,work\nfixed_points,2,{2 * 50 * 2 * 100**3}\n")
    (tmp_path / "schedule.txt").write_text("target jobs CPU minutes\n")
    jobs = [Job(1, "fixed_points", run="mine", N=200), Job(2, "fixed_points", run="mine", samples=5)]
    jobs += [Job(3, "figure", run="mine"), Job(4, "new", run="mine")]
    how = {"run": "mine", "cores": 2, "reference": tmp_path}
    text, expected = overview(jobs, {job: [] for job in jobs}, **how)
    assert expected == pytest.approx({1: 1 + 119 * 8, 2: 1 + 119 / 10, 3: 60, 4: None})
    assert "(17.1 CPU minutes by the reference run, scaled, 1 jobs not counted)" in text


@pytest.mark.parametrize(
    "content", [b"", b"rule\tcpu_seconds\nfixed_points", b"rule\tcpu_seconds\na\tx\n", b"\xff\x00"]
)
def test_damaged_costs_do_not_stop_a_run(tmp_path, monkeypatch, content):
    """The first screen says less, and nothing fails."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "results/paper/benchmarks/fixed_points").mkdir(parents=True)
    jobs = [Job(1, "fixed_points")]
    how = {"run": "paper", "cores": 2, "reference": tmp_path}
    for files in ((), ("results/paper/benchmarks/fixed_points/1.tsv", "costs.csv", "work.csv", "schedule.txt")):
        for file in files:
            (tmp_path / file).write_bytes(content)
        text, expected = overview(jobs, {jobs[0]: []}, **how)
        assert expected == {1: None} and "known when the first jobs have ended" in text


def test_the_work_of_a_job_by_hand():
    """What the params of the rules look like: samples beside, above or within a block, and grids of several penalties."""

    def work_of(wildcards=(), **params):
        return work(SimpleNamespace(params=params, wildcards=dict(wildcards)))

    grids = {"l1": {"etas": [2, 1, 0.5]}, "scad": {"etas": [2]}}
    assert work_of(problem={"N": 10, "samples": 7, "penalties": grids}) == 7 * 4 * 10**3
    assert work_of(simulation={"N": 10, "etas": [1, 2]}, samples=7) == 7 * 2 * 10**3
    assert work_of(simulations=[{"N": 10, "etas": [1]}, {"N": 20, "etas": [1]}], region={"samples": 3}) == 3 * 9000
    assert work_of(problems=[{"N": 10, "first": 0, "last": 99}, {"N": 20, "first": 5, "last": 5}]) == 108000
    assert work_of({"first": "000010", "last": "000019"}, run={"N": 10}) == 10**4
    assert work_of(block={"N": 10, "samples": 7}) is None and work_of(simulation={"N": 10}) is None


# --- misspelt names ------------------------------------------------------------------------------------------------


def test_a_misspelt_target_is_answered_with_the_nearest(tmp_path):
    done = Project(tmp_path / "project").snakemake("-n", "figre2_gdf", check=False)
    assert done.returncode != 0 and "unknown target; did you mean 'figure2_gdf'?" in done.text


def test_a_misspelt_configuration_is_answered_with_the_nearest(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "config").mkdir()
    (tmp_path / "config/quick.yaml").write_text("run: quick")
    check(["--cores", "2", "--configfile", "config/quick.yaml", "--", "figure2_gdf"])
    with pytest.raises(CliException, match=r"no configuration config/qick.yaml. Did you mean config/quick.yaml\?"):
        check(["--configfile", "config/qick.yaml", "--", "all"])
    with pytest.raises(CliException, match=r"no configuration figure2_gdf. If it is a target, put -- before it"):
        check(["--configfile", "config/quick.yaml", "figure2_gdf"])


def make(folder, *words, **how):
    return subprocess.run(["make", *words], cwd=folder, capture_output=True, text=True, **how)


def test_make_answers_a_misspelt_target_or_run_with_the_nearest():
    assert "There is no target paper_figure. Did you mean paper_figures?" in make(ROOT, "paper_figure").stdout
    typo = make(ROOT, "-n", "status", "RUN=qick")
    assert typo.returncode != 0 and "RUN=qick: there is no config/qick.yaml. Did you mean quick?" in typo.stderr
    assert "Known runs: paper quick" in typo.stderr


def test_make_clean_asks_and_takes_a_run(tmp_path):
    shutil.copy2(ROOT / "Makefile", tmp_path)
    files = ["results/README.md", "paper_figures/README.md", "paper_figures/a.png", ".snakemake/metadata/a"]
    files += ["results/quick/logs/a", "quick_figures/a.png"]
    (tmp_path / "config").mkdir()
    (tmp_path / "config/other.yaml").touch()
    for name in files:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()

    def left():
        return [name for name in files if (tmp_path / name).exists()]

    for answer in ("n\n", ""):
        assert "Nothing was deleted" in make(tmp_path, "clean", input=answer).stdout and left() == files
    make(tmp_path, "clean", "RUN=quick", input="y\n")
    assert left() == files[:4] and not list(tmp_path.rglob("*quick*"))
    for run, hint in (("othr", True), ("other", False)):  # it has not run
        text = make(tmp_path, "clean", f"RUN={run}").stdout
        assert "nothing to delete" in text and ("Did you mean other?" in text) == hint
    make(tmp_path, "clean", input="y\n")
    assert left() == files[:2]
