"""The notebooks run from top to bottom, and the pipeline turns them into offline pages or reports what is wrong."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys

import pytest
from conftest import ROOT, Project

# A number that the notebook must print; its own assertions check the rest.
NOTEBOOKS = {
    "01_theory": "SCAD(a=8, lam=1.0)            0.866928",  # the AT line of figure 2
    "02_bp": "eta = 0.5: converged",
    "03_own_data": "M = 442 rows, N = 64 predictors",
    "04_new_penalty": "AT line: delta = 0.6306",
    "05_audit": "M = 442 rows, N = 10 predictors",
}
SMALL = """\
# %% [markdown]
# # Small & <simple>
# %% alt="a line"
from sparsegdf.paper.figures import style
# %matplotlib inline
print("before")
figure = style.new_figure(2, 1)
figure.subplots().plot([0, 1])
figure
"""


def made(project, name):
    return [project.folder / f"tiny_figures/notebooks/{name}.{kind}" for kind in ("ipynb", "html")]


def html(name):
    return f"tiny_figures/notebooks/{name}.html"


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A project with two executed notebooks, one of them very small."""
    project = Project(tmp_path_factory.mktemp("notebooks"))
    (project.folder / "notebooks").mkdir()
    shutil.copy(ROOT / "notebooks/01_theory.py", project.folder / "notebooks")
    (project.folder / "notebooks/small.py").write_text(SMALL)
    project.run = project.snakemake("notebooks")
    return project


def test_every_notebook_is_tested():
    assert sorted(NOTEBOOKS) == sorted(file.stem for file in (ROOT / "notebooks").glob("*.py"))


@pytest.mark.parametrize("name, fact", NOTEBOOKS.items())
def test_it_runs_as_a_script_in_less_than_a_minute_without_warnings_or_litter(name, fact, tmp_path):
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src"), "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-W", "error", ROOT / f"notebooks/{name}.py"]
    before = os.times()
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    after = os.times()
    assert done.returncode == 0 and not done.stderr, done.stderr
    assert fact in done.stdout
    # CPU time, since wall time depends on what else the machine does.
    assert after.children_user + after.children_system - before.children_user - before.children_system < 60
    assert not list(tmp_path.iterdir())


def test_the_pipeline_executes_them_with_their_pictures(project):
    for name, least in (("01_theory", 4), ("small", 1)):
        ipynb, page = made(project, name)
        assert html(name) in project.run.text
        cells = [cell for cell in json.loads(ipynb.read_text())["cells"] if cell["cell_type"] == "code"]
        outputs = [output for cell in cells for output in cell["outputs"]]
        assert all(cell["execution_count"] for cell in cells)
        assert not [
            output for output in outputs if output["output_type"] == "error" or output.get("name") == "stderr"
        ]
        assert sum("image/png" in output.get("data", {}) for output in outputs) >= least
        assert page.read_text().count('src="data:image/png;base64,') >= least


def test_the_page_asks_nobody_for_anything(project):
    for name in ("01_theory", "small"):
        page = re.sub(r"base64,[\w+/=]+", "", made(project, name)[1].read_text())
        assert "://" not in page and "<script" not in page and "@import" not in page
        assert not re.search(r"""(src|href)\s*=\s*["']?(?!["']?data:)""", page.split("<body>")[0])
        assert "default-src 'none'" in page
    assert "<title>Small &amp; &lt;simple&gt;</title>" in page and 'alt="a line"' in page


def test_running_twice_gives_the_same_bytes(project):
    digests = [hashlib.sha256(file.read_bytes()).hexdigest() for file in made(project, "small")]
    project.snakemake("--force", html("small"))
    assert digests == [hashlib.sha256(file.read_bytes()).hexdigest() for file in made(project, "small")]
    for file in made(project, "small"):
        assert str(project.folder) not in file.read_text()


@pytest.mark.parametrize(
    "path, expected",
    [
        ("src/sparsegdf/theory/replica_symmetric.py", {"notebook": 1}),
        ("src/sparsegdf/solvers/belief_propagation.py", {}),
        ("notebooks/small.py", {"notebook": 1}),
    ],
)
def test_a_change_reruns_the_notebooks_that_it_reaches(project, path, expected):
    file = project.folder / path
    kept, times = file.read_text(), file.stat()
    file.write_text(kept + "\nCHANGED = True\n")
    try:
        assert project.planned("notebooks") == expected
    finally:
        file.write_text(kept)
        os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))


def test_a_failing_cell_fails_the_run_and_is_named(project):
    broken = project.folder / "notebooks/broken.py"
    broken.write_text('# %%\nprint("so far so good")\n\n# %%\nraise ValueError("no such branch")\n')
    try:
        done = project.snakemake(html("broken"), check=False)
    finally:
        broken.unlink()
    log = (project.folder / "results/tiny/logs/notebooks/broken.log").read_text()
    assert done.returncode != 0
    for text in (done.text, log):
        assert "notebooks/broken.py: " in text and "ValueError: no such branch" in text
    assert "\x1b" not in log and not any(file.exists() for file in made(project, "broken"))
