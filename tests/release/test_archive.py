"""The zip of `make archive`: whole, as it says itself, and of use where it is unpacked.

`make test-release` runs this in .venv-docs, which has the packages for it.
"""

import hashlib
import json
import os
import subprocess
import sys
import zipfile
from importlib.resources import files

import pytest
from conftest import PARTS, Project
from rocrate.rocrate import ROCrate
from rocrate_validator import services
from rocrate_validator.models import Severity, ValidationSettings

# A figure with chunks, summaries and a theory curve, in seconds.
TARGET = "figure4_bp_vs_rs"
SCRIPT = f"""
import sys
from pathlib import Path
sys.path.insert(0, "workflow")
import archive
archive.main(Path("tests/tiny.yaml"), {TARGET!r})
"""
METADATA = "ro-crate-metadata.json"


class Crate(Project):
    """A project under git with a finished figure."""

    def __init__(self, folder):
        super().__init__(folder, parts=(*PARTS, "CITATION.cff", "LICENSE", "Makefile", "requirements.lock"))
        (folder / ".gitignore").write_text("results\ntiny_figures\n.snakemake\nbuild\n__pycache__\n")
        self.git("init", "-q")
        self.commit()
        self.snakemake(TARGET)

    def git(self, *words):
        who = ["-c", "user.name=a", "-c", "user.email=a@b.invalid"]
        subprocess.run(["git", *who, *words], cwd=self.folder, check=True, capture_output=True)

    def commit(self):
        self.git("add", "-A")
        self.git("commit", "-qm", "all")

    def archive(self):
        environment = os.environ | {"PYTHONPATH": str(self.folder / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
        return subprocess.run(
            [sys.executable, "-c", SCRIPT], cwd=self.folder, env=environment, capture_output=True, text=True
        )

    @property
    def zip(self):
        (file,) = (self.folder / "build").glob("sparsegdf-*-tiny.zip")
        return file


@pytest.fixture(scope="module")
def crate(tmp_path_factory):
    crate = Crate(tmp_path_factory.mktemp("crate"))
    done = crate.archive()
    assert done.returncode == 0, done.stderr
    return crate


@pytest.fixture(scope="module")
def unpacked(crate, tmp_path_factory):
    folder = tmp_path_factory.mktemp("unpacked")
    with zipfile.ZipFile(crate.zip) as archive:
        assert archive.testzip() is None
        archive.extractall(folder)
    return folder


@pytest.fixture(scope="module")
def graph(unpacked):
    return {entity["@id"]: entity for entity in json.loads((unpacked / METADATA).read_text())["@graph"]}


def ids(value):
    return [entry["@id"] for entry in (value if isinstance(value, list) else [value])]


def kinds(entity):
    return entity["@type"] if isinstance(entity["@type"], list) else [entity["@type"]]


def test_every_file_is_listed_with_its_size_and_digest_and_no_other(unpacked, graph):
    listed = {name: entity for name, entity in graph.items() if "File" in kinds(entity)}
    there = {str(file.relative_to(unpacked)) for file in unpacked.rglob("*") if file.is_file()}
    assert set(listed) == there - {METADATA} == set(ids(graph["./"]["hasPart"]))
    for name, entity in listed.items():
        content = (unpacked / name).read_bytes()
        assert entity["sha256"] == hashlib.sha256(content).hexdigest()
        assert int(entity["contentSize"]) == len(content)


def test_it_has_the_code_at_the_commit_and_the_run_without_its_chunks(unpacked, crate):
    tracked = subprocess.run(["git", "ls-files"], cwd=crate.folder, capture_output=True, text=True, check=True)
    assert all((unpacked / name).is_file() for name in tracked.stdout.splitlines())
    assert len(list((unpacked / "tiny_figures").glob(f"{TARGET}.*"))) == 4
    assert list((unpacked / "results/tiny/summaries").rglob("*.parquet"))
    assert not list(unpacked.rglob("0*-0*.parquet")) and list(crate.folder.rglob("0*-0*.parquet"))


def test_a_figure_can_be_followed_back_to_the_settings(graph, crate):
    """Every file that a job reads is made by a job; the digest of a chunk is that of the file that was read."""
    jobs = [entity for name, entity in graph.items() if name.startswith("#job-")]
    maker = {made: job for job in jobs for made in ids(job["result"])}
    todo, seen = [f"tiny_figures/{TARGET}.png"], set()
    while todo:
        job = maker[todo.pop()]
        assert "SoftwareSourceCode" in graph[job["instrument"]["@id"]]["@type"]
        settings = {name for name in ids(job["object"]) if name in ("config/paper.yaml", "tests/tiny.yaml")}
        assert len(settings) == 2
        todo += [name for name in ids(job["object"]) if name not in settings | seen]
        seen |= set(todo)
    chunks = [name for name in seen if name.startswith("#results/tiny/fixed_points/")]
    assert len(chunks) >= 4 and {job["name"] for job in jobs} >= {"fixed_points", "summary", "figure"}
    for name in chunks:
        assert graph[name]["sha256"] == hashlib.sha256((crate.folder / name[1:]).read_bytes()).hexdigest()


def test_it_is_a_workflow_run_crate(unpacked):
    """By the validator of the profile, all that it requires; without the network, so with a copy of the context."""
    file = unpacked / METADATA
    kept = file.read_text()
    context = json.loads((files("rocrate") / "data/ro-crate.jsonld").read_text())["@context"]
    context["ComputationalWorkflow"] = "https://bioschemas.org/ComputationalWorkflow"  # as in RO-Crate 1.1
    file.write_text(json.dumps(json.loads(kept) | {"@context": context}))
    how = {"rocrate_uri": str(unpacked), "requirement_severity": Severity.REQUIRED, "offline": True}
    try:
        for profile in ("process-run-crate", "workflow-ro-crate", "workflow-run-crate"):
            result = services.validate(ValidationSettings(profile_identifier=profile, **how))
            assert not result.has_issues(), [issue.message for issue in result.get_issues()]
    finally:
        file.write_text(kept)


def test_rocrate_reads_it(unpacked):
    crate = ROCrate(unpacked)
    assert crate.mainEntity.id == "workflow/Snakefile" and len(crate.data_entities) > 100
    assert crate.license["name"] == "MIT License"


def test_the_same_run_gives_the_same_bytes(crate):
    before = crate.zip.read_bytes()
    assert crate.archive().returncode == 0 and crate.zip.read_bytes() == before


def test_the_command_of_make_verify_passes_where_it_is_unpacked(unpacked):
    """Against itself as the reference; `make verify` is this command after `make env`."""
    (unpacked / "reference").mkdir(exist_ok=True)
    for file in (unpacked / "tiny_figures").iterdir():
        (unpacked / "reference" / file.name).write_bytes(file.read_bytes())
    environment = os.environ | {"PYTHONPATH": str(unpacked / "src")}
    done = subprocess.run(
        [sys.executable, "workflow/verify.py", "tiny"], cwd=unpacked, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0 and "1 identical" in done.stdout, done.stdout + done.stderr


def test_what_is_not_committed_or_not_made_by_this_code_is_refused(crate):
    penalty = crate.folder / "src/sparsegdf/penalties/scad.py"
    kept = penalty.read_text()
    penalty.write_text(kept + "\nCHANGED = True\n")
    try:
        done = crate.archive()
        assert done.returncode == 1 and "src/sparsegdf/penalties/scad.py" in done.stderr
        crate.commit()
        done = crate.archive()
        assert done.returncode == 1 and "The run is not finished" in done.stderr
    finally:
        crate.git("reset", "-q", "--hard", "HEAD" if penalty.read_text() == kept else "HEAD~")
