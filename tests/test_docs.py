"""README.md, CONTRIBUTING.md and docs/: their commands and code run, and their links are valid.

Fenced blocks: Python is executed, a configuration in YAML is loaded, a diff is applied (test_new_figure.py), text is only
shown. A block without a language has shell commands: those of Snakemake are planned, those of sparsegdf are run, and those
of make are run with -n.
"""

import json
import re
import shlex
import shutil
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
import yaml
from conftest import ROOT, Project
from documents import DOCUMENTS, blocks, inline, prose, run

from sparsegdf.ensembles.base import Design
from sparsegdf.ensembles.registry import DESIGNS
from sparsegdf.paper.config.model import load
from sparsegdf.penalties.base import Penalty
from sparsegdf.penalties.registry import PENALTIES


def without_comment(line):
    return re.sub(r"(^|\s+)#.*", "", line).strip()


def commands():
    """{command: place} of every line of a shell block and of every command between backticks."""
    found = {}
    for block in blocks("", "sh", "bash", "shell", "console"):
        lines = block.text.replace("\\\n", " ").splitlines()
        for line in filter(None, map(without_comment, lines)):
            found.setdefault(" ".join(line.split()), block.place)
    for file in DOCUMENTS:
        for code in inline(prose(file)):
            if re.match(r"(make|snakemake|sparsegdf|pip|python|sacctmgr|scancel) |sinfo$", code):
                found.setdefault(without_comment(code), str(file.relative_to(ROOT)))
    return found


COMMANDS = commands()
MAKE = [command for command in COMMANDS if command.startswith("make ")]
SPARSEGDF = [command for command in COMMANDS if command.startswith("sparsegdf ")]
NEW_PENALTY = [command for command in SPARSEGDF if "capped_l1" in command]  # run where there is one
# Recipes of make are commands too. All that a dry run cannot tell apart is the same.
RECIPES = [
    subprocess.run(["make", "-n", "-o", "env", *words], cwd=ROOT, capture_output=True, text=True)
    for words in ([command.split()[1] for command in MAKE], *(c.split()[1:] for c in MAKE if "=" in c))
]
CALLS = [command for command in COMMANDS if command.startswith("snakemake ") and "figure12" not in command]
CALLS += re.findall(r"^\.venv/bin/(snakemake .*)$", "".join(done.stdout for done in RECIPES), re.M)
SNAKEMAKE = sorted({re.sub(r"--cores \S+", "--cores 1", call.replace(" -n ", " ")) for call in CALLS})
MINE = "snakemake --cores 1 --configfile config/mine.yaml -- figure2_gdf"  # really run


# --- commands ------------------------------------------------------------------------------------------------------


def test_make_knows_every_target():
    assert not any(done.returncode for done in RECIPES), RECIPES


def test_make_reference_keeps_what_a_run_produced(tmp_path):
    """Run the recipe itself; only `record`, schedule.py, work.py and choosing.py are replaced by scripts."""
    for part in ("Makefile", "README.md", "docs/claims.md", "docs/coverage.md", "workflow/readme_numbers.py"):
        (tmp_path / part).parent.mkdir(exist_ok=True)
        shutil.copy2(ROOT / part, tmp_path / part)
    figures = tmp_path / "paper_figures"
    figures.mkdir()
    for name in ("figure.png", "figure.pdf", "figure.json", "table.tex", "table.md", "report.html"):
        (figures / name).write_text(name)
    document = json.loads((ROOT / "reference/claims.json").read_text(encoding="utf-8"))
    for claim in document["claims"]:
        claim["statistic"]["measured"] = "so much"
    document["claims"].pop()
    (figures / "claims.json").write_text(json.dumps(document))
    (tmp_path / "bin").mkdir()
    for program, does in {
        "snakemake": "mkdir -p results/paper && for f in costs manifest; do echo $@ > results/paper/$f.csv; done",
        "python": f'case $1 in */schedule.py | */work.py | */choosing.py) echo $1 ;; *) {shlex.quote(sys.executable)} "$@" ;; esac',
    }.items():
        (tmp_path / "bin" / program).write_text(f"#!/bin/sh\n{does}\n")
        (tmp_path / "bin" / program).chmod(0o755)
    done = run(["make", "-o", "env", "BIN=bin", "reference"], tmp_path, PYTHONPATH=str(ROOT / "src"))
    assert done.returncode == 0, done.stderr
    kept = {file.name for file in (tmp_path / "reference").iterdir()}
    expected = {file.name for file in figures.iterdir()} - {"report.html"}
    assert kept == expected | {"costs.csv", "manifest.csv", "schedule.txt", "work.csv"}
    assert (tmp_path / "reference/schedule.txt").read_text() == "workflow/schedule.py\n"
    assert (tmp_path / "reference/work.csv").read_text() == "workflow/work.py\n"
    assert (tmp_path / "reference/costs.csv").read_text() == "--cores 1 --forcerun record -- record\n"
    assert "| so much |" in (tmp_path / "docs/claims.md").read_text(encoding="utf-8")
    assert f"\n{len(document['claims'])} claims: " in (tmp_path / "README.md").read_text(encoding="utf-8")
    assert "| `l1-df` ✓" in (tmp_path / "docs/coverage.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def fresh(tmp_path_factory):
    """A project in which nothing has run, with the configurations from the documents."""
    project = Project(tmp_path_factory.mktemp("documents"))
    for block in blocks("yaml"):
        if match := re.match(r"# (config/\w+\.yaml)\n", block.text):
            (project.folder / match[1]).write_text(block.text, encoding="utf-8")
    return project


@pytest.fixture(scope="module")
def planned(fresh):
    """Every call of Snakemake as a dry run on the tiny configuration: {call: [status, text]}."""

    def dry(call):
        words = shlex.split(call)[1:]
        if "--unlock" not in words:
            words = ["-n", *words]
        if "--configfile" in words:
            words.insert(words.index("--configfile") + 2, "tests/tiny.yaml")
        else:
            words = ["--configfile", "tests/tiny.yaml", *words]
        return words

    calls = [call for call in SNAKEMAKE if call != MINE]
    done = run([sys.executable, ROOT / "tests/plans.py", json.dumps([dry(call) for call in calls])], fresh.folder)
    assert done.returncode == 0, done.stderr
    return dict(zip(calls, json.loads(done.stdout), strict=True))


@pytest.mark.parametrize("call", [call for call in SNAKEMAKE if call != MINE])
def test_snakemake_can_plan_it(planned, call):
    status, text = planned[call]
    assert status == 0, text
    if "--unlock" not in call:
        assert "Job stats" in text


def test_a_configuration_of_one_s_own_makes_its_own_figures(fresh):
    """The example of docs/pipeline.md, at its scale."""
    assert MINE in SNAKEMAKE
    before = {file for file in fresh.folder.rglob("*")}
    done = run([sys.executable, "-m", *MINE.split()], fresh.folder)
    assert done.returncode == 0, done.stdout + done.stderr
    new = {str(file.relative_to(fresh.folder)) for file in set(fresh.folder.rglob("*")) - before if file.is_file()}
    kept = {path for path in new if not path.startswith((".snakemake/", "results/mine/"))}
    assert kept == {f"mine_figures/figure2_gdf.{kind}" for kind in ("pdf", "png", "csv", "json")}
    mine = yaml.safe_load((fresh.folder / "config/mine.yaml").read_text())["figure2_gdf"]
    drawn = yaml.safe_load((fresh.folder / "mine_figures/figure2_gdf.json").read_text())["config"]["block"]
    assert mine == {key: drawn[key] for key in mine}


def sparsegdf(command, folder, sources=ROOT / "src"):
    """Run the command in a folder that has a data.csv; returns what it printed."""
    rng = np.random.default_rng(0)
    data = pd.DataFrame(rng.normal(size=(40, 5)), columns=["a", "b", "c", "w", "age"]).assign(w=rng.uniform(1, 2, 40))
    data.assign(y=2 * data.a - data.c + rng.normal(size=40)).to_csv(folder / "data.csv", index=False)
    (folder / "factors.csv").write_text("predictor,weight\nc,2\n")
    words = [sys.executable, "-m", "sparsegdf.selection.command_line", *shlex.split(command)[1:]]
    done = run(words, folder, PYTHONPATH=str(sources))
    assert done.returncode == 0 and done.stdout, done.stderr
    return done.stdout


@pytest.mark.parametrize("command", [command for command in SPARSEGDF if command not in NEW_PENALTY])
def test_the_command_sparsegdf_runs(command, tmp_path):
    sparsegdf(command, tmp_path)


# --- python and yaml -----------------------------------------------------------------------------------------------


# A Python block that begins like this is a complete new file; the other blocks of a document are one script.
NEW_FILE = re.compile(r"# src/sparsegdf/(penalties|ensembles)/(\w+)\.py\n")


@pytest.fixture(scope="module")
def extended(tmp_path_factory):
    """A project with the new files from the documents, and nothing else from them."""
    project = Project(tmp_path_factory.mktemp("extended"))
    for block in blocks("python"):
        if match := NEW_FILE.match(block.text):
            file = project.folder / f"src/sparsegdf/{match[1]}/{match[2]}.py"
            assert not file.exists()
            file.write_text(block.text, encoding="utf-8")
    return project


def script_of(file):
    return "\n".join(b.text for b in blocks("python") if b.file == file and not NEW_FILE.match(b.text))


@pytest.mark.parametrize("file", [file for file in DOCUMENTS if script_of(file)], ids=lambda file: file.name)
def test_python_runs(file, tmp_path, extended, request):
    """The blocks of a document one after the other, as one script; any warning is an error."""
    script = script_of(file)
    if '"results/paper/' in script:
        (tmp_path / "results").symlink_to(request.getfixturevalue("finished").folder / "results")
        script = script.replace('"results/paper/', '"results/tiny/')  # a table knows of which run it is
    done = run([sys.executable, "-W", "error", "-c", script], tmp_path, PYTHONPATH=str(extended.folder / "src"))
    assert done.returncode == 0, done.stderr


def merged(base, change):
    return base | {
        key: merged(base[key], value) if isinstance(value, dict) and isinstance(base.get(key), dict) else value
        for key, value in change.items()
    }


@pytest.fixture
def new_classes(monkeypatch):
    """The penalties and designs from the documents, registered while a test runs: {name of the file: class}."""
    found = {}
    for block in blocks("python"):
        if match := NEW_FILE.match(block.text):
            names, base = {"__name__": "new"}, {"penalties": Penalty, "ensembles": Design}[match[1]]
            exec(block.text, names)
            (found[match[2]],) = [
                thing for thing in names.values() if isinstance(thing, type) and thing.__module__ == "new"
            ]
            assert issubclass(found[match[2]], base)
            monkeypatch.setitem({"penalties": PENALTIES, "ensembles": DESIGNS}[match[1]], match[2], found[match[2]])
    return found


CONFIGURATIONS = [block for block in blocks("yaml") if re.match(r"# config/\w+\.yaml\n", block.text)]


@pytest.mark.parametrize("block", CONFIGURATIONS, ids=lambda block: block.place)
def test_yaml_is_a_valid_configuration(block, new_classes):
    content = yaml.safe_load(block.text)
    paper = yaml.safe_load((ROOT / "config/paper.yaml").read_text())
    assert load(merged(paper, content)).run == content["run"] != "paper"


def configured(project, name, target):
    """Run a target at the scale of tests/tiny.yaml with the configuration of this name in the documents."""
    (text,) = [block.text for block in blocks("yaml") if block.text.startswith(f"# config/{name}.yaml\n")]
    (project.folder / f"config/{name}.yaml").write_text(text, encoding="utf-8")
    words = ["--cores", "2", "--configfile", "tests/tiny.yaml", f"config/{name}.yaml", "--", target]
    done = run([sys.executable, "-m", "snakemake", *words], project.folder)
    assert done.returncode == 0, done.stdout + done.stderr
    return pd.read_csv(project.folder / f"{name}_figures/{target}.csv")


def test_a_penalty_is_added_as_the_page_says(tmp_path, new_classes, extended):
    """One file gives a penalty with a global maximiser that the command line knows and figure 2 draws."""
    penalty, rng, grid = new_classes["capped_l1"](gamma=2.0), np.random.default_rng(1), np.linspace(-60, 60, 120_001)
    for _ in range(60):
        Q_hat, eta, h = rng.uniform(0.1, 1), rng.uniform(0.02, 2), rng.uniform(-5, 5)
        x = np.append(grid, penalty.estimate(h, Q_hat, eta)[0])
        reached = -Q_hat * x**2 / 2 + h * x - penalty.value(x, eta)
        assert reached[-1] >= reached.max() - 1e-12
        assert penalty.eta_at(penalty.segments(Q_hat, eta).start[0], Q_hat) == pytest.approx(eta)

    sources = extended.folder / "src"
    (command,) = NEW_PENALTY
    assert "CappedL1(gamma=3.0)" in sparsegdf(command, tmp_path, sources)
    assert "CappedL1(gamma=2.0)" in sparsegdf(command.replace("--gamma 3", ""), tmp_path, sources)
    assert "of capped_l1, > 0: the penalty is flat" in sparsegdf("sparsegdf theory --help", tmp_path, sources)
    sparsegdf("sparsegdf theory --penalty capped_l1 --alpha 0.5 --delta 0.2", tmp_path, sources)
    plotted = configured(extended, "capped", "figure2_gdf")
    assert set(plotted.penalty) == {"l1", "capped"} and plotted.converged.all()


def test_a_design_is_added_as_the_page_says(new_classes, extended):
    """One file gives a design with columns of length 1 and the stated correlation that figure 5 simulates."""
    A = new_classes["equicorrelated"](rho=0.3).draw(20_000, 5, np.random.default_rng(0))
    assert A.T @ A == pytest.approx(np.where(np.eye(5), 1, 0.3), abs=0.03)
    plotted = configured(extended, "common", "figure5_example1")
    drawn = json.loads((extended.folder / "common_figures/figure5_example1.json").read_text())
    assert drawn["config"]["block"]["design"] == "common" and plotted.gdf.notna().any()


# --- numbers of the reference run ----------------------------------------------------------------------------------


def test_pages_have_the_verdicts_of_the_reference():
    """README.md, docs/claims.md and docs/coverage.md are made from reference/claims.json, and follow it."""
    sys.path.insert(0, str(ROOT / "workflow"))
    from readme_numbers import DOCUMENTS as pages
    from readme_numbers import rendered

    recorded = (ROOT / "reference/claims.json").read_text(encoding="utf-8")
    turned = json.loads(recorded.replace('"contradicted"', '"reproduced"').replace("-0.0262", "-0.0999"))
    for page in pages:
        text = (ROOT / page).read_text(encoding="utf-8")
        assert rendered(text, json.loads(recorded)) == text, f"{page}: run workflow/readme_numbers.py"
        assert rendered(text, turned) != text, page


# --- links ---------------------------------------------------------------------------------------------------------


def anchors(file):
    """The anchors that GitHub gives to the headings of a document."""
    headings = re.findall(r"^#+ (.*)$", prose(file), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("file", DOCUMENTS, ids=lambda file: file.name)
def test_links_lead_somewhere(file):
    for target in re.findall(r"\]\(([^)\s]+)\)", prose(file)):
        if target.startswith("https://"):
            continue
        path, _, anchor = target.partition("#")
        aim = (file.parent / path).resolve() if path else file
        assert aim.exists() and aim.is_relative_to(ROOT), f"{file.name}: {target} does not exist"
        assert not anchor or anchor in anchors(aim), f"{file.name}: {target} is no heading there"
