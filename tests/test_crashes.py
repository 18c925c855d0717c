"""Faults, for real: killed jobs and runs, a full disk, damaged results, odd folders. Nothing lost, nothing half-written."""

import os
import shutil
import signal
import subprocess
import time

import psutil
import pytest
from conftest import Project
from test_workflow import digests

TARGET = "figure4_bp_vs_rs"  # 8 chunks of belief propagation, 4 summaries, theory, the figure


@pytest.fixture
def project(tmp_path):
    return Project(tmp_path / "project")


def jobs_of(process, script):
    """The processes below `process` that run this script."""
    try:
        below = psutil.Process(process.pid).children(recursive=True)
        return [child for child in below if any(script in word for word in child.cmdline())]
    except psutil.NoSuchProcess:
        return []


def wait_for_job(process, script="bp_samples.py", seconds=120):
    """A job of this script, as soon as there is one."""
    for _ in range(seconds * 20):
        if found := jobs_of(process, script):
            return found[0]
        time.sleep(0.05)
    raise AssertionError(f"no job {script} was seen")


def assert_whole(project):
    """Every file under a final name can be read; temporary files are hidden."""
    from sparsegdf.tables import read_table

    for file in (project.folder / "results").rglob("*.parquet"):
        if not file.name.startswith("."):
            read_table(file)


def assert_same_as(project, finished):
    """The figure and the results behind it are byte for byte those of an undisturbed run."""
    for folder, part in (("tiny_figures", TARGET), ("results/tiny", f"bp/{TARGET}")):
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
    process = project.start(TARGET)
    wait_for_job(process).kill()
    text, _ = process.communicate()
    assert process.returncode != 0
    assert "give the same command again" in text
    assert_whole(project)
    assert project.planned(TARGET)["bp_samples"] == 1  # the others went on, and are kept
    project.snakemake(TARGET)
    assert_same_as(project, finished)


def test_kill_9_of_snakemake_then_resume(project, finished):
    process = project.start(TARGET)
    wait_for_job(process, ".summary.py")
    for child in psutil.Process(process.pid).children(recursive=True):
        child.kill()
    process.kill()
    process.communicate()
    assert_whole(project)
    locked = project.snakemake(TARGET, check=False)
    assert locked.returncode != 0 and "--unlock" in locked.text
    project.snakemake("--unlock")
    kept = project.planned(TARGET)
    assert kept.get("bp_samples", 0) < 8  # what was finished is not done again
    project.snakemake(TARGET)
    assert_same_as(project, finished)


def test_ctrl_c_then_resume(project, finished):
    process = project.start(TARGET)
    wait_for_job(process, ".summary.py")
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=120)
    assert process.returncode != 0
    assert_whole(project)
    assert project.planned(TARGET).get("bp_samples", 0) < 8  # what was finished is not done again
    project.snakemake(TARGET)  # no --unlock: an orderly end leaves no lock
    assert_same_as(project, finished)


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
    done = project.snakemake(TARGET, check=False)
    assert done.returncode != 0 and "No space left on device" in done.text
    filler.unlink()
    assert_whole(project)
    remount(small_disk, "size=50m")
    project.snakemake(TARGET)
    assert_same_as(project, finished)


def test_read_only_results_then_resume(project, finished, small_disk):
    (project.folder / "results").symlink_to(small_disk)
    remount(small_disk, "ro")
    done = project.snakemake(TARGET, check=False)
    assert done.returncode != 0 and "Read-only file system" in done.text
    assert_whole(project)
    remount(small_disk, "rw,size=50m")
    project.snakemake(TARGET)
    assert_same_as(project, finished)


def flipped(content, place):
    return content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :]


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: content[:3000],
        lambda content: flipped(content, 40),
        # A name in the footer: every number is still there, in a column that was not written.
        lambda content: flipped(content, content.index(b"covariance")),
    ],
    ids=["truncated", "bit flipped in the data", "bit flipped in the footer"],
)
def test_damaged_parquet_is_named_never_plotted_and_recomputed_on_request(finished, tmp_path, damage):
    project = Project(tmp_path / "project")
    for folder in ("results", "tiny_figures", ".snakemake/metadata"):
        shutil.copytree(finished.folder / folder, project.folder / folder)
    chunk = project.folder / "results/tiny/bp/figure4_bp_vs_rs/scad_a5/000000-000002.parquet"
    chunk.write_bytes(damage(chunk.read_bytes()))
    done = project.snakemake(TARGET, check=False)
    assert done.returncode != 0
    assert f"{chunk.relative_to(project.folder)} is damaged" in done.text and "--forcerun" in done.text
    project.snakemake(TARGET, "--forcerun", str(chunk.relative_to(project.folder)))
    assert_same_as(project, finished)


def test_two_runs_at_once(project, finished):
    first = project.start(TARGET)
    wait_for_job(first)
    second = project.snakemake(TARGET, check=False)
    first.communicate()
    assert second.returncode != 0 and "lock" in second.text.lower()
    assert first.returncode == 0
    assert_same_as(project, finished)


def test_corrupt_configuration_file(project):
    (project.folder / "tests/tiny.yaml").write_text("run: [tiny\nfigure2_gdf: }")
    done = project.snakemake("-n", "all", check=False)
    assert done.returncode != 0 and "not valid JSON or YAML" in done.text and "Traceback" not in done.text


def test_a_folder_with_spaces_and_umlauts(finished, tmp_path):
    project = Project(tmp_path / "ein Ordner für λ und δ")
    project.snakemake(TARGET)
    assert_same_as(project, finished)


def test_other_cores_and_blas_threads(project, finished):
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), str(2 * os.cpu_count()))
    project.snakemake(TARGET, program=("-m", "snakemake", "--cores", "1"), **threads)
    assert_same_as(project, finished)
