"""The pipeline on a real SLURM, by both profiles: the bytes of a local run, whatever is lost on the way.

`make test-cluster` runs this with the tiny run, `make test` does not: it wants root on Debian, and minutes.
`make test-cluster-quick` is one test: the quick run, all of it, once here and once on SLURM.
"""

import hashlib
import os
import shutil
import signal
import time

import pytest
from conftest import Project

import local_slurm

# Jobs last seconds here, not minutes: look more often than the profiles do.
SLURM = ("--profile", "profiles/slurm", "--slurm-init-seconds-before-status-checks", "2")
GENERIC = ("--profile", "profiles/cluster-generic", "--seconds-between-status-checks", "2")
PATIENCE = 1800  # s, for a machine with other work; a test takes one or two minutes

# What SLURM computes, and all that is made of it. Theory alone, as in the other tables, is left to `make test`.
TARGETS = (
    *(
        f"figure{number}"
        for number in ("4_bp_vs_rs", "5_example1", "6_example2", "7_l0_exhaustive", "8_l0_beyond_rs")
    ),
    *("figure9_finite_size", "figure10_selection", "table_bp_convergence", "table_bp_direct", "table_bp_l0"),
    *(
        "table_bp_region",
        "table_l0",
        "table_selection",
        "figure11_predictors",
        "table_effective_fraction",
        "table_gaps",
    ),
)
SUBMITTED = ("fixed_points", "iterated", "l0_samples", "bp_l0", "bp_region", "planted", "limit_points")
SUBMITTED += ("corrected_fraction", "predictor_points", "l0_predictors")


@pytest.fixture
def cluster():
    with local_slurm.lock():
        local_slurm.start()
        yield local_slurm
        local_slurm.stop()


class Run(Project):
    """A copy of the project without results, and the Snakemake that runs in it."""

    process = None

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

    def running_job(self, *nodes, **step):
        """Wait until a job runs, and give its number."""
        jobs = self.wait_for(lambda: set(local_slurm.running(*nodes, **step)) & set(local_slurm.squeue()))
        return min(jobs, key=int)

    def interrupt(self):
        """Ctrl-C: Snakemake ends, and no job stays in the queue."""
        self.process.send_signal(signal.SIGINT)
        text, _ = self.process.communicate(timeout=PATIENCE)
        assert self.process.returncode != 0, text
        deadline = time.monotonic() + 60
        while local_slurm.squeue():
            assert time.monotonic() < deadline, f"Ctrl-C left jobs in the queue:\n{text}"
            time.sleep(0.2)


@pytest.fixture
def run(cluster, finished, tmp_path):
    run = Run(tmp_path / "project")
    shutil.copytree(finished.folder / "src", run.folder / "src", dirs_exist_ok=True)  # with what Numba has compiled
    yield run
    if run.process:
        run.process.kill()  # it still runs if the test failed; its jobs end with the cluster


def digests(folder, name="tiny"):
    files = (file for part in (f"results/{name}", f"{name}_figures") for file in (folder / part).rglob("*"))
    kept = (file for file in files if file.is_file() and not {"logs", "benchmarks"} & set(file.parts))
    return {str(file.relative_to(folder)): hashlib.sha256(file.read_bytes()).hexdigest() for file in kept}


def assert_same_bytes(run, finished, at_least):
    """Each file that the cluster made is the one that this machine alone makes."""
    made, expected = digests(run.folder), digests(finished.folder)
    assert len(made) >= at_least
    assert made == {path: expected[path] for path in made}


def test_slurm_gives_the_bytes_of_a_local_run(cluster, run, finished):
    commented = "# default-resources:\n#   slurm_account: myaccount\n#   slurm_partition: mypartition\n"
    run.edit("profiles/slurm/config.yaml", commented, "default-resources:\n  slurm_partition: main\n")
    run.begin(*SLURM, *TARGETS)
    run.end()
    jobs = [line.split() for line in cluster.squeue("--states=all", form="%T %N %k")]
    assert {state for state, _, _ in jobs} == {"COMPLETED"} and {node for _, node, _ in jobs} == {"n1", "n2"}
    submitted = {comment.split("_wildcards_")[0] for _, _, comment in jobs}  # the other rules ran beside Snakemake
    assert submitted == {f"rule_{name}" for name in SUBMITTED}
    assert_same_bytes(run, finished, at_least=125)


@pytest.mark.quick
def test_slurm_gives_the_bytes_of_a_local_quick_run(cluster, tmp_path):
    class Quick(Run):
        configuration = "config/quick.yaml"

    here, there = Quick(tmp_path / "here"), Quick(tmp_path / "there")
    here.snakemake("paper_figures")
    there.snakemake(*SLURM, "paper_figures", program=("-m", "snakemake"))
    jobs = [line.split() for line in cluster.squeue("--states=all", form="%T %N %k")]
    assert {state for state, _, _ in jobs} == {"COMPLETED"} and {node for _, node, _ in jobs} == {"n1", "n2"}
    assert {comment.split("_wildcards_")[0] for _, _, comment in jobs} == {f"rule_{name}" for name in SUBMITTED}
    made = digests(there.folder, "quick")
    assert len(made) > 200
    assert made == digests(here.folder, "quick")


def test_a_dead_node_costs_only_its_jobs(cluster, run, finished):
    run.begin(*SLURM, "figure4_bp_vs_rs")
    lost = run.running_job("n2", step="0")
    cluster.kill_node("n2")
    assert f"SLURM-job '{lost}' failed due to a node failure" in run.end()
    assert cluster.squeue(f"--jobs={lost}", "--states=all", form="%T %N") == ["NODE_FAIL n2"]
    assert_same_bytes(run, finished, at_least=17)


@pytest.mark.parametrize("profile", [SLURM, GENERIC], ids=["slurm", "cluster-generic"])
def test_ctrl_c_then_resume_then_a_cancelled_job(cluster, run, finished, profile):
    run.begin(*profile, "figure7_l0_exhaustive", "table_bp_l0")
    run.running_job()
    run.interrupt()
    before = set(cluster.squeue("--states=all"))

    run.begin(*profile, "figure7_l0_exhaustive", "table_bp_l0")
    lost = run.running_job()
    cluster.scancel(lost)
    run.end()
    jobs = {line.split()[0]: line.split()[1:] for line in cluster.squeue("--states=all", form="%i %T %m %l")}
    jobs = {number: rest for number, rest in jobs.items() if number not in before}
    state, memory, limit = jobs.pop(lost)
    assert (state, memory) == ("CANCELLED", "1200M")
    again = jobs.pop(max(jobs, key=int))
    assert again == ["COMPLETED", "2400M", {"30:00": "1:00:00", "1:00:00": "2:00:00"}[limit]]
    assert all(rest[:2] == ["COMPLETED", "1200M"] for rest in jobs.values())
    assert_same_bytes(run, finished, at_least=18)


@pytest.mark.parametrize("profile", [SLURM, GENERIC], ids=["slurm", "cluster-generic"])
@pytest.mark.parametrize("slow", ["squeue", "sbatch"])
def test_ctrl_c_while_slurm_takes_its_time(cluster, run, profile, slow):
    """While squeue runs, Snakemake's own list of jobs is empty; while sbatch runs, a job is not on it yet."""
    pause = "touch {folder}/waits; sleep 5"
    run.replace("sbatch", '{sbatch} --begin=now+1hour "$@"\n' + (pause if slow == "sbatch" else ""))  # no job ends
    run.replace("squeue", (pause if slow == "squeue" else "") + '\n{squeue} "$@"')
    run.begin(*profile, "figure7_l0_exhaustive", "table_bp_l0")
    run.wait_for((run.folder / "waits").exists)
    run.interrupt()


@pytest.mark.parametrize("profile", [SLURM, GENERIC], ids=["slurm", "cluster-generic"])
def test_a_controller_that_is_away_for_a_while(cluster, run, finished, profile):
    """With the plugin a job that is about to start its step (srun) then fails, and is submitted again."""
    run.begin(*profile, "figure4_bp_vs_rs")
    run.running_job(step="0" if profile is SLURM else "*")
    cluster.away(45)
    text = run.end(600)
    if profile is SLURM:
        assert "SLURM does not answer" in text
    states = set(cluster.squeue("--states=all", form="%T"))
    assert states - ({"FAILED"} if profile is SLURM else set()) == {"COMPLETED"}
    assert_same_bytes(run, finished, at_least=17)


# Fails while there is no file `works`.
SBATCH = """\
[ -e works ] && exec {sbatch} "$@"
echo "sbatch: error: Batch job submission failed: Unable to contact slurm controller (connect failure)" >&2
exit 1
"""


@pytest.mark.parametrize("profile", [SLURM, GENERIC], ids=["slurm", "cluster-generic"])
def test_sbatch_that_fails_for_half_a_minute_costs_no_attempt(cluster, run, finished, profile):
    run.replace("sbatch", SBATCH)
    run.begin(*profile, "figure4_bp_vs_rs")
    time.sleep(30)
    (run.folder / "works").touch()
    assert "again in" in run.end()
    # A job that had been tried before would ask for more memory.
    jobs = cluster.squeue("--states=all", form="%T %m")
    assert len(jobs) == 16 and set(jobs) == {"COMPLETED 1200M"}
    assert_same_bytes(run, finished, at_least=17)
