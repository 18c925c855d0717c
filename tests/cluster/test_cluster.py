"""The pipeline on a real SLURM, by both profiles: the bytes of a local run, whatever is lost on the way.

`make test-cluster` runs this with the tiny run, `make test` does not: it wants root on Debian, and minutes. A job costs
five seconds of CPU time, whatever it computes, so there are few of them, and one run meets many faults.
`make test-cluster-quick` is one test: the quick run, all of it, once here and once on SLURM.
"""

import hashlib
import os
import shutil
import signal
import time

import psutil
import pytest
from conftest import Project

import local_slurm

# Jobs last seconds here, not minutes: look more often than the profiles do.
SLURM = ("--profile", "profiles/slurm", "--slurm-init-seconds-before-status-checks", "2")
GENERIC = ("--profile", "profiles/cluster-generic", "--seconds-between-status-checks", "2")
PATIENCE = 1800  # s, for a machine with other work; a test takes one to three minutes

# A job or two of the rules that are submitted (bp_region would need too many others), and local ones made of them.
CHUNKS = [
    f"results/tiny/fixed_points/figure4_bp_vs_rs/{penalty}/{chunk}.parquet"
    for penalty in ("scad_a5", "scad_a8_lam08", "scad_a6_lam09")
    for chunk in ("000000-000002", "000003-000005")
]
TARGETS = [
    "table_bp_l0",
    "results/tiny/summaries/figure4_bp_vs_rs.parquet",
    "results/tiny/l0/n10/000000-000002.parquet",
    "results/tiny/planted/n30_iid_s4.parquet",
    "results/tiny/theory/limits/figure11_predictors_row_orthogonal.parquet",
    "results/tiny/corrected/figure5_example1.parquet",
    "results/tiny/predictors/iid.parquet",
    "results/tiny/predictors/l0/iid.parquet",
]
SUBMITTED = {"fixed_points", "iterated", "l0_samples", "bp_l0", "planted", "limit_points"}
SUBMITTED |= {"corrected_fraction", "predictor_points", "l0_predictors"}


@pytest.fixture
def cluster():
    with local_slurm.lock():
        local_slurm.start()
        yield local_slurm
        local_slurm.stop()


@pytest.fixture(scope="module")
def here(tmp_path_factory):
    """The same files, made on this machine alone."""
    project = Project(tmp_path_factory.mktemp("here"))
    project.snakemake(*TARGETS, *CHUNKS)
    return project


class Run(Project):
    """A copy of the project without results, and the Snakemake that runs in it."""

    process, before = None, ()

    def begin(self, *words):
        path = f"{self.folder / 'bin'}:{os.environ['PATH']}"
        self.process = self.start(*words, program=("-m", "snakemake"), PATH=path)

    def replace(self, program, script):
        """A shell script in place of a program of SLURM, for this Snakemake; in it {program} is the real one."""
        file = self.folder / "bin" / program
        file.parent.mkdir(exist_ok=True)
        file.write_text("#!/bin/sh\n" + script.format(**{program: shutil.which(program)}, folder=self.folder))
        file.chmod(0o755)

    def end(self, seconds=PATIENCE):
        text, _ = self.process.communicate(timeout=seconds)
        assert self.process.returncode == 0, text
        return text

    def wait_for(self, seen):
        """Wait until seen() is something, and give it."""
        end = time.monotonic() + PATIENCE
        while not (found := seen()):
            assert self.process.poll() is None, self.process.communicate()[0]
            assert time.monotonic() < end, "waited in vain"
            time.sleep(0.1)
        return found

    def jobs(self, form="%T"):
        """The jobs of this Snakemake by number, in the given format of squeue."""
        lines = (line.partition(" ") for line in local_slurm.squeue("--states=all", form=f"%i {form}"))
        return {number: text.strip() for number, _, text in lines if number not in self.before}

    def freeze_job(self, node, but=()):
        """Wait until a job computes on this node, stop it there, and give its number."""

        def computes():
            numbers = set(local_slurm.running(node)) & set(self.jobs()) - set(but)
            return [number for number in numbers if b".fixed_points.py" in local_slurm.commands(number)]

        number = self.wait_for(computes)[0]
        local_slurm.freeze(number)
        return number

    def made(self):
        return [path for path in CHUNKS if (self.folder / path).exists()]

    def interrupt(self, number=signal.SIGINT):
        """Ctrl-C, or another signal: Snakemake ends, and no job or lock stays. Returns what it said."""
        self.process.send_signal(number)
        text, _ = self.process.communicate(timeout=PATIENCE)
        assert self.process.returncode != 0, text
        assert list(self.folder.glob(".snakemake/locks/*")) == []
        deadline = time.monotonic() + 60
        while local_slurm.squeue():
            assert time.monotonic() < deadline, f"jobs are left in the queue:\n{text}"
            time.sleep(0.2)
        self.before = local_slurm.squeue("--states=all")
        return text


@pytest.fixture
def run(cluster, here, tmp_path):
    run = Run(tmp_path / "project")
    shutil.copytree(here.folder / "src", run.folder / "src", dirs_exist_ok=True)  # with what Numba has compiled
    yield run
    if run.process:
        run.process.kill()  # it still runs if the test failed; its jobs end with the cluster


def digests(folder, name="tiny"):
    files = (file for part in (f"results/{name}", f"{name}_figures") for file in (folder / part).rglob("*"))
    kept = (file for file in files if file.is_file() and not {"logs", "benchmarks"} & set(file.parts))
    return {str(file.relative_to(folder)): hashlib.sha256(file.read_bytes()).hexdigest() for file in kept}


def assert_same_bytes(run, here, at_least):
    """Each file that the cluster made is the one that this machine alone makes."""
    made, expected = digests(run.folder), digests(here.folder)
    assert len(made) >= at_least
    assert made == {path: expected[path] for path in made}


def test_slurm_gives_the_bytes_of_a_local_run(cluster, run, here):
    commented = "# default-resources:\n#   slurm_account: myaccount\n#   slurm_partition: mypartition\n"
    run.edit("profiles/slurm/config.yaml", commented, "default-resources:\n  slurm_partition: main\n")
    run.begin(*SLURM, *TARGETS)
    run.end()
    jobs = [text.split() for text in run.jobs("%T %N %k").values()]
    assert {state for state, _, _ in jobs} == {"COMPLETED"} and {node for _, node, _ in jobs} == {"n1", "n2"}
    submitted = {comment.split("_wildcards_")[0] for _, _, comment in jobs}  # the other rules ran beside Snakemake
    assert submitted == {f"rule_{name}" for name in SUBMITTED}
    assert_same_bytes(run, here, at_least=14)


@pytest.mark.quick
def test_slurm_gives_the_bytes_of_a_local_quick_run(cluster, tmp_path):
    class Quick(Run):
        configuration = "config/quick.yaml"

    here, there = Quick(tmp_path / "here"), Quick(tmp_path / "there")
    here.snakemake("paper_figures")
    there.snakemake(*SLURM, "paper_figures", program=("-m", "snakemake"))
    jobs = [line.split() for line in cluster.squeue("--states=all", form="%T %N %k")]
    assert {state for state, _, _ in jobs} == {"COMPLETED"} and {node for _, node, _ in jobs} == {"n1", "n2"}
    submitted = {comment.split("_wildcards_")[0].removeprefix("rule_") for _, _, comment in jobs}
    assert {"fixed_points", "iterated", "l0_samples"} <= submitted <= SUBMITTED | {"bp_region"}
    made = digests(there.folder, "quick")
    assert len(made) > 90
    assert made == digests(here.folder, "quick")


def begin_without_controller(cluster, run, program, *words):
    """The controller is away for half a minute, or until this program of SLURM has failed for want of it."""
    run.replace(program, f"{{{program}}}" + ' "$@" || {{ touch {folder}/failed; exit 1; }}')
    with cluster.away(30):
        run.begin(*words)
        run.wait_for((run.folder / "failed").exists)


def test_a_run_outlasts_everything_that_happens_on_a_cluster(cluster, run, here):
    """One after the other: no controller, a drained node, SIGTERM, then a resume with a job that hits its time limit,
    a cancelled job, a held one, a minute without a controller, a dead node and a changed configuration.
    """
    cluster.drain("n1")
    begin_without_controller(cluster, run, "sinfo", *SLURM, *CHUNKS)  # the plugin asks it before it calls sbatch
    slow = run.freeze_job("n2")
    assert set(run.jobs("%m").values()) == {"1200M"}  # a job that had been tried before would ask for more
    assert "n1" not in run.jobs("%T %N")[slow]
    assert "Trying again in 5 s" in run.interrupt(signal.SIGTERM)

    run.begin(*SLURM, *CHUNKS)
    slow = run.freeze_job("n2")
    cluster.limit(slow, 1)
    lost = run.freeze_job("n2", but=[slow])
    cluster.scancel(lost)
    held = run.wait_for(lambda: [number for number, state in run.jobs().items() if state == "PENDING"])[0]
    cluster.hold(held)
    assert not any("n1" in text for text in run.jobs("%N").values())  # it is still drained
    cluster.drain("n1", False)
    on_dead_node = run.freeze_job("n1")
    with cluster.away(60):
        cluster.kill_node("n1")
    others = len(CHUNKS) - 1
    run.wait_for(lambda: len(run.made()) == others)  # all but the one that is held
    states = run.jobs("%T %m %l")
    assert states[slow] == "TIMEOUT 1200M 1:00" and states[lost].startswith("CANCELLED 1200M")
    assert states[on_dead_node].startswith("NODE_FAIL 1200M") and states[held].startswith("PENDING")

    config, seed = run.folder / "config/paper.yaml", "seed: 20180621"
    run.edit("config/paper.yaml", seed, "seed: 1")
    cluster.release(held)
    run.wait_for(lambda: run.jobs()[held] == "FAILED")
    config.write_text(config.read_text().replace("seed: 1 ", f"{seed} "))
    text = run.end()
    assert "SLURM does not answer" in text
    assert "was planned with other parameters or inputs than this job has" in text
    again = [state for number, state in run.jobs("%T %m").items() if state == "COMPLETED 2400M"]
    assert len(again) >= 4  # those four, and whatever was about to start its step when the controller went
    assert_same_bytes(run, here, at_least=len(CHUNKS))


def test_the_generic_profile_outlasts_the_controller_and_a_lost_job(cluster, run, here):
    begin_without_controller(cluster, run, "sbatch", *GENERIC, *CHUNKS[:4])
    slow, lost = run.freeze_job("n1"), run.freeze_job("n2")
    cluster.scancel(lost)
    with cluster.away(60):
        pass
    cluster.scancel(slow)
    assert "trying again in 5 s" in run.end()
    states = run.jobs("%T %m")
    assert states.pop(slow) == states.pop(lost) == "CANCELLED 1200M"
    assert sorted(states.values()) == 2 * ["COMPLETED 1200M"] + 2 * ["COMPLETED 2400M"]
    assert_same_bytes(run, here, at_least=4)


@pytest.mark.parametrize("profile", [SLURM, GENERIC], ids=["slurm", "cluster-generic"])
@pytest.mark.parametrize(
    "slow, number", [("squeue", signal.SIGTERM), ("sbatch", signal.SIGINT), ("scancel", signal.SIGHUP)]
)
def test_ctrl_c_while_slurm_takes_its_time(cluster, run, profile, slow, number):
    """While squeue runs, Snakemake's own list of jobs is empty; while sbatch runs, a job is not on it yet.

    While scancel runs the terminal, closed by now, sends its second SIGHUP: to Snakemake and to scancel.
    """
    pause = f"touch {{folder}}/waits; sleep {1 if slow == 'scancel' else 5}"  # cluster-generic ends scancel after 2 s
    run.replace("sbatch", '{sbatch} --begin=now+1hour "$@"\n' + (pause if slow == "sbatch" else ""))  # no job ends
    for program in ("squeue", "scancel"):
        run.replace(program, (pause if slow == program else "") + f'\n{{{program}}} "$@"')
    run.begin(*profile, *CHUNKS[:2])
    if slow == "scancel":
        run.wait_for(lambda: len(run.jobs()) == 2)
        run.process.send_signal(number)
    run.wait_for((run.folder / "waits").exists)
    if slow == "scancel":
        for process in psutil.Process(run.process.pid).children(recursive=True):
            process.send_signal(number)
    run.interrupt(number)


def test_what_sbatch_refuses_for_ever_is_not_waited_for(cluster, run):
    run.begin(CHUNKS[0], *SLURM, "--retries", "0", "--default-resources", "slurm_partition=nowhere")
    text, _ = run.process.communicate(timeout=PATIENCE)
    assert run.process.returncode != 0 and "nvalid partition" in text and "Trying again" not in text
