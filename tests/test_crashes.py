"""Real faults: killed jobs and runs, a full disk, damaged results, odd folders. Nothing is lost or half-written."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pyarrow.parquet as pq
import pytest
from conftest import Project, digests, wait_for_job

TARGET = "figure4_bp_vs_rs"  # 8 chunks of fixed points, 8 of iterated BP, their summary, theory, the figure
# A part of it: the chunks and the summary.
SUMMARY = "results/tiny/summaries/figure4_bp_vs_rs.parquet"
FEW = SUMMARY.replace("figure4_bp_vs_rs", "near_at_iid")  # 4 other chunks of fixed points, and their summary
TWO = (FEW, SUMMARY.replace("figure4_bp_vs_rs", "figure6_example2"))  # 4 more
CHUNK = "results/tiny/fixed_points/figure4_bp_vs_rs/scad_a5/000000-000002.parquet"


@pytest.fixture
def project(tmp_path):
    return Project(tmp_path / "project")


def assert_whole(project):
    """Every file under a final name can be read; temporary files are hidden."""
    from sparsegdf.paper.tables import read_table

    for file in (project.folder / "results").rglob("*.parquet"):
        if not file.name.startswith("."):
            read_table(file)


def assert_same_as(project, finished, *summaries):
    """The figure, or these summaries, and the results behind are byte for byte those of an undisturbed run."""
    parts = [Path(summary).with_suffix("").relative_to("results/tiny/summaries") for summary in summaries] or [TARGET]
    for part in map(str, parts):
        folders = [
            "results/tiny/fixed_points",
            "results/tiny/summaries",
            *([] if summaries else ["tiny_figures"]),
        ]
        for folder in folders:
            mine, theirs = (
                {
                    name: digest
                    for name, digest in digests(place.folder / folder).items()
                    if part in name and "/." not in name
                }
                for place in (project, finished)
            )
            assert mine and mine == theirs


def test_kill_9_of_a_job(project, finished):
    process = project.start(FEW)
    wait_for_job(process).kill()
    text, _ = process.communicate()
    assert process.returncode != 0
    assert "Fix the cause and run the same command again" in text
    assert_whole(project)
    assert project.planned(FEW) == {"fixed_points": 1, "summary": 1}  # the others went on, and are kept
    project.snakemake(FEW)
    assert_same_as(project, finished, FEW)


def test_kill_9_of_snakemake_then_resume(project, finished):
    process = project.start(*TWO)
    wait_for_job(process, ".summary.py")
    for child in psutil.Process(process.pid).children(recursive=True):
        child.kill()
    process.kill()
    process.communicate()
    assert_whole(project)
    locked = project.snakemake(*TWO, check=False)
    assert locked.returncode != 0 and "--unlock" in locked.text
    project.snakemake("--unlock")
    assert project.planned(*TWO).get("fixed_points", 0) <= 4  # what was finished is not done again
    project.snakemake(*TWO)
    assert_same_as(project, finished, *TWO)


def test_ctrl_c_then_resume(project, finished):
    process = project.start(*TWO)
    wait_for_job(process, ".summary.py")
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=120)
    assert process.returncode != 0
    assert_whole(project)
    assert project.planned(*TWO).get("fixed_points", 0) <= 4  # what was finished is not done again
    project.snakemake(*TWO)  # no --unlock: an orderly end leaves no lock
    assert_same_as(project, finished, *TWO)


LONG = "results/tiny/fixed_points/figure4_bp_vs_rs/scad_a5/000000-009999.parquet"


def long_job(project):
    """Begin a run of one job that takes minutes, and wait until it computes."""
    project.edit("tests/tiny.yaml", "  chunk: 3\n  iterated: 3", "  chunk: 10000\n  iterated: 3")
    process = project.start(LONG)
    log = project.folder / LONG.replace("/fixed_points/", "/logs/fixed_points/").replace("parquet", "log")
    while not (log.exists() and "sample 5 " in log.read_text()):
        assert process.poll() is None, process.communicate()[0]
        time.sleep(0.05)
    return process


def temporary_files(project):
    """What nobody needs after the end of a run."""
    found = [file for folder in ("results", "tiny_figures") for file in (project.folder / folder).rglob(".*")]
    state = project.folder / ".snakemake"
    return [*found, *state.glob("scripts/*"), *state.glob("tmp.*"), *state.glob(".*")]


def test_sigterm_ends_a_run_as_ctrl_c_does(project):
    process = long_job(project)
    below = psutil.Process(process.pid).children(recursive=True)
    process.terminate()
    text, _ = process.communicate(timeout=120)
    assert process.returncode != 0 and "Traceback" not in text
    assert below and not any(child.is_running() for child in below)
    assert not (project.folder / LONG).exists() and temporary_files(project) == []
    assert project.planned(LONG) == {"fixed_points": 1}
    assert list(project.folder.glob(".snakemake/locks/*")) == []


# Snakemake starts a job in a thread of its own, which takes its time here.
SLOW_START = """
import pathlib, subprocess, threading, time
start = subprocess.Popen.__init__
def slowly(*words, **how):
    if threading.current_thread() is not threading.main_thread() and pathlib.Path("slow").exists():
        pathlib.Path("starting").touch()
        time.sleep(3)
    start(*words, **how)
subprocess.Popen.__init__ = slowly
"""


def test_a_job_that_only_starts_when_the_run_is_ended(project):
    """It is ended as those that run already. The shell of the job would take a minute."""
    (project.folder / "src/sitecustomize.py").write_text(SLOW_START)
    (project.folder / "slow").touch()
    (project.folder / "slowly.sh").write_text("sleep 60\n")
    process = project.start(CHUNK, BASH_ENV=str(project.folder / "slowly.sh"))
    while not (project.folder / "starting").exists():
        assert process.poll() is None, process.communicate()[0]
        time.sleep(0.02)
    begun = time.monotonic()
    process.terminate()
    process.communicate(timeout=120)
    assert process.returncode != 0 and time.monotonic() - begun < 30


def test_no_temporary_file_is_left_after_kill_9_and_a_resume(project):
    process = long_job(project)
    for child in psutil.Process(process.pid).children(recursive=True):
        child.kill()
    process.kill()
    process.communicate()
    script = (
        "import os, sys; from sparsegdf.paper.tables import atomic\nwith atomic(sys.argv[1]): os.kill(os.getpid(), 9)"
    )
    for name in (
        CHUNK,
        "tiny_figures/figure1_single_body.csv",
        ".snakemake/plan.json",
    ):  # killed while it was written
        subprocess.run([sys.executable, "-c", script, name], cwd=project.folder)
    assert {file.parent.name for file in temporary_files(project)} == {
        "scad_a5",
        "tiny_figures",
        "scripts",
        ".snakemake",
    }
    project.edit("tests/tiny.yaml", "  chunk: 10000\n  iterated: 3", "  chunk: 3\n  iterated: 3")
    project.snakemake("--unlock")
    project.snakemake(CHUNK)
    assert temporary_files(project) == []


def test_temporary_files_of_a_run_that_goes_on_stay(project):
    process = long_job(project)
    project.snakemake("results/tiny/theory/single_body.parquet")
    assert [file.name for file in temporary_files(project) if file.name.endswith("fixed_points.py")]
    process.terminate()
    process.communicate()


@pytest.mark.parametrize("mask, mode", [(0o027, 0o640), (0o002, 0o664)])
def test_the_umask_is_respected(project, mask, mode):
    before = os.umask(mask)
    try:
        project.snakemake("figure1_single_body", CHUNK)
    finally:
        os.umask(before)
    files = [file for part in ("results", "tiny_figures") for file in (project.folder / part).rglob("*.*")]
    files = [file for file in files if file.is_file()] + [project.folder / ".snakemake/plan.json"]
    assert {file.suffix for file in files} >= {".parquet", ".log", ".tsv", ".pdf", ".png", ".csv", ".json"}
    assert {file.stat().st_mode & 0o777 for file in files} == {mode}


# Python runs this first: a script of a job fails as long as there is a file `sick`, as on a sick node.
SICK = "import os, sys; os.path.exists('sick') and '.snakemake/scripts' in str(sys.orig_argv) and os._exit(1)"


def test_a_retry_waits(project):
    target = "results/tiny/theory/single_body.parquet"
    (project.folder / "src/sitecustomize.py").write_text(SICK)
    (project.folder / "sick").touch()
    process = project.start("--retries", "1", target)
    lines, failed = [], None
    for line in process.stdout:
        lines.append(line)
        if f"Attempt 2 of {target} begins in 10 s" in line:
            failed = time.monotonic()
            (project.folder / "sick").unlink()
    assert process.wait() == 0, "".join(lines)
    assert time.monotonic() - failed > 10


@pytest.fixture
def small_disk(tmp_path):
    """A tmpfs that a run fills up; grown by remounting."""
    folder = tmp_path / "disk"
    folder.mkdir()
    if os.geteuid() != 0:
        pytest.skip("mounting a disk small enough to fill needs root: run this file as root (CI does)")
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1200k", "tmpfs", str(folder)], check=True)
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def remount(folder, options):
    subprocess.run(["mount", "-o", f"remount,{options}", str(folder)], check=True)


def test_full_disk_then_resume(project, finished, small_disk):
    (project.folder / "results").symlink_to(small_disk)
    filler = small_disk / "filler"
    filler.write_bytes(b"x" * 1_190_000)
    done = project.snakemake(FEW, check=False)
    assert done.returncode != 0 and "No space left on device" in done.text
    filler.unlink()
    assert_whole(project)
    remount(small_disk, "size=50m")
    project.snakemake(FEW)
    assert_same_as(project, finished, FEW)


def test_read_only_results_then_resume(project, finished, small_disk):
    (project.folder / "results").symlink_to(small_disk)
    remount(small_disk, "ro")
    done = project.snakemake(FEW, check=False)
    assert done.returncode != 0 and "Read-only file system" in done.text
    assert_whole(project)
    remount(small_disk, "rw,size=50m")
    project.snakemake(FEW)
    assert_same_as(project, finished, FEW)


def test_damaged_parquet_is_named_never_plotted_and_recomputed_on_request(finished, tmp_path):
    """A name in the footer: every number is still there, in a column that was not written. test_tables.py has the rest."""
    project = Project(tmp_path / "project")
    for folder in ("results", "tiny_figures", ".snakemake/metadata"):
        shutil.copytree(finished.folder / folder, project.folder / folder)
    chunk = project.folder / CHUNK
    content = chunk.read_bytes()
    place = content.index(b"covariance")
    chunk.write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
    done = project.snakemake(TARGET, check=False)
    assert done.returncode != 0
    assert f"{CHUNK} is damaged" in done.text and f"delete {CHUNK} and run the same command again" in done.text
    assert not (project.folder / SUMMARY).exists()  # the old one went when its job began
    chunk.unlink()
    for file in (project.folder / "tiny_figures").glob(f"{TARGET}.*"):
        file.unlink()
    project.snakemake(TARGET)
    assert_same_as(project, finished)


def test_a_deleted_chunk_is_made_again_only_when_it_is_needed(changed):
    """A summary that is already there stays valid."""
    chunk = changed.folder / CHUNK
    content, times = chunk.read_bytes(), chunk.stat()
    chunk.unlink()
    try:
        assert changed.planned(TARGET) == {}
    finally:
        chunk.write_bytes(content)
        os.utime(chunk, ns=(times.st_atime_ns, times.st_mtime_ns))


def rewritten(chunk, change):
    """Write the chunk again, as its job does, after change(rows, made_with)."""
    from sparsegdf.paper.tables import IDENTITY, read_table, write_table

    made_with = json.loads(pq.read_schema(chunk).metadata[IDENTITY])["made_with"]
    rows = read_table(chunk)
    write_table(change(rows, made_with), chunk, made_with)


def as_of_another_seed(rows, made_with):
    made_with["simulation"]["seed"] = 1
    return rows


def with_a_nan(rows, made_with):
    assert rows.converged[1]
    rows.loc[1, "covariance"] = float("nan")
    return rows


@pytest.mark.parametrize(
    "fault, message",
    [
        (
            lambda chunk: shutil.copy(chunk.with_name("000003-000005.parquet"), chunk),
            "000000-000002.parquet is a copy of results/tiny/fixed_points/figure4_bp_vs_rs/scad_a5/000003-000005.parquet",
        ),
        (
            lambda chunk: rewritten(chunk, as_of_another_seed),
            "000000-000002.parquet was made with other parameters (seed = 1, wanted 20180621)",
        ),
        (
            lambda chunk: rewritten(chunk, lambda rows, made_with: rows.assign(sample=rows["sample"] + 3)),
            "a chunk has samples 3 to 5 in 9 rows; wanted are samples 0 to 2",
        ),
        (lambda chunk: rewritten(chunk, with_a_nan), "covariance is nan at sample = 0, eta = "),
    ],
    ids=["a copy of another", "of another seed", "of other samples", "NaN in a converged row"],
)
def test_a_wrong_chunk_is_never_averaged(finished, tmp_path, fault, message):
    project = Project(tmp_path / "project")
    for folder in ("results", "tiny_figures", ".snakemake/metadata"):
        shutil.copytree(finished.folder / folder, project.folder / folder)
    chunk = project.folder / CHUNK
    fault(chunk)
    os.utime(chunk)
    done = project.snakemake(TARGET, check=False)
    assert done.returncode != 0 and message in done.text
    assert not (project.folder / SUMMARY).exists()  # the old one went when its job began


def test_code_changed_while_a_job_runs(project, finished):
    """The result of a job is kept only if the code is that of the plan when the job begins and when it ends."""
    name = CHUNK.replace("000002", "000599")
    project.edit("tests/tiny.yaml", "  chunk: 3\n  iterated: 3", "  chunk: 600\n  iterated: 3")
    process, log = (
        project.start(name),
        project.folder / name.replace("/fixed_points/", "/logs/fixed_points/").replace("parquet", "log"),
    )
    while not (log.exists() and "sample 5 " in log.read_text()):
        assert process.poll() is None, process.communicate()[0]
        time.sleep(0.05)
    module = project.folder / "src/sparsegdf/solvers/belief_propagation.py"
    kept = module.read_text()
    module.write_text(kept + "\nCHANGED = True\n")
    text, _ = process.communicate()
    assert "sample 599 (600 of 600)" in log.read_text()  # it came to its end
    assert (
        process.returncode != 0
        and "src/sparsegdf/solvers/belief_propagation.py was changed after the run was started" in text
    )
    assert not (project.folder / name).exists()

    module.write_text(kept)
    process = project.start(CHUNK)
    wait_for_job(process)  # it has not yet imported the module
    module.write_text(kept + "\nCHANGED = True\n")
    text, _ = process.communicate()
    assert (
        process.returncode != 0
        and "src/sparsegdf/solvers/belief_propagation.py was changed after the run was started" in text
    )
    assert not (project.folder / CHUNK).exists()
    module.write_text(kept)
    project.snakemake(CHUNK)
    assert (project.folder / CHUNK).read_bytes() == (finished.folder / CHUNK).read_bytes()


# A scheduler whose queue moves when there is a file `go`.
QUEUE = """\
#!/bin/sh
(while [ ! -e go ]; do sleep 0.1; done; exec sh "$1") >queue.log 2>&1 &
echo $!
"""


@pytest.mark.parametrize(
    "path, old, new",
    [
        ("config/paper.yaml", "seed: 20180621", "seed: 1"),
        ("src/sparsegdf/solvers/belief_propagation.py", "import numpy as np", "import numpy as np\n\nCHANGED = True"),
    ],
    ids=["configuration", "code"],
)
def test_what_is_changed_under_a_waiting_cluster_job_then_put_back(project, finished, path, old, new):
    """The job reads configuration and code again on its node. It must not return results of another seed."""
    submit = project.folder / "submit.sh"
    submit.write_text(QUEUE)
    submit.chmod(0o755)
    cluster = ("--executor", "cluster-generic", "--cluster-generic-submit-cmd", str(submit), "--jobs", "1")
    cluster += ("--seconds-between-status-checks", "1")
    process = project.start(CHUNK, *cluster, program=("-m", "snakemake"))
    log = project.folder / "queue.log"
    while not log.exists():
        assert process.poll() is None, process.communicate()[0]
        time.sleep(0.1)
    file = project.folder / path
    kept = file.read_text()
    project.edit(path, old, new)
    (project.folder / "go").touch()
    end = time.monotonic() + 120
    while "output: results/tiny/fixed_points" not in log.read_text() and time.monotonic() < end:  # it is planned
        time.sleep(0.05)
    file.write_text(kept)
    text, _ = process.communicate()
    assert process.returncode != 0 and not (project.folder / CHUNK).exists(), text
    assert f"{CHUNK} was planned with other parameters" in text
    project.snakemake(CHUNK)
    assert (project.folder / CHUNK).read_bytes() == (finished.folder / CHUNK).read_bytes()


def test_a_package_installed_elsewhere_is_not_used(project):
    """The digest is that of src/ here; another installed copy of the package may be different."""
    other = project.folder / "elsewhere"
    shutil.copytree(project.folder / "src", other)
    target = "results/tiny/theory/single_body.parquet"
    done = project.snakemake(target, check=False, PYTHONPATH=str(other))
    assert done.returncode != 0 and "not from src/ here" in done.text and not (project.folder / target).exists()


def test_two_runs_at_once(project, finished):
    first = project.start(*TWO)
    wait_for_job(first)
    second = project.snakemake(*TWO, check=False)
    first.communicate()
    assert second.returncode != 0 and "lock" in second.text.lower()
    assert first.returncode == 0
    assert_same_as(project, finished, *TWO)


def test_corrupt_configuration_file(project):
    (project.folder / "tests/tiny.yaml").write_text("run: [tiny\nfigure2_gdf: }")
    done = project.snakemake("-n", "all", check=False)
    assert done.returncode != 0 and "not valid JSON or YAML" in done.text and "Traceback" not in done.text
