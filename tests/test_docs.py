"""README.md, CONTRIBUTING.md and docs/: every command and every piece of code in them runs, links lead somewhere.

Fenced blocks: python is executed, yaml is checked, text is only shown, and one without a language is shell commands,
each of which has to be accounted for below.
"""

import ast
import json
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import fields

import numpy as np
import pandas as pd
import pytest
import yaml
from conftest import ROOT, Project
from documents import DOCUMENTS, blocks, inline, prose, python_of, run

from sparsegdf.config import load
from sparsegdf.penalties import PENALTIES

# make <target>: the test that really runs what the target runs.
RUN_BY = {
    "make bench": "tests/test_benchmarks.py::test_times_and_ratios_are_positive_numbers",
    "make help": "tests/test_docs.py::test_make_knows_every_target",
    "make notebooks": "tests/test_notebooks.py::test_the_pipeline_executes_them_with_their_pictures",
    "make paper_figures": "tests/test_workflow.py::test_a_run_writes_every_bundle_and_says_so",
    "make reference": "tests/test_docs.py::test_make_reference_keeps_what_a_run_produced",
    "make report": "tests/test_report.py::test_the_pipeline_makes_the_page_and_times_every_rule",
    "make rulegraph": "tests/test_pages.py::test_the_rule_graph_can_be_drawn_anew",
    "make status": "tests/test_workflow.py::test_status_tells_fresh_from_stale_and_why",
    "make test-cluster": "tests/cluster/test_cluster.py::test_slurm_gives_the_bytes_of_a_local_run",
    "make test-cluster-quick": "tests/cluster/test_cluster.py::test_slurm_gives_the_bytes_of_a_local_quick_run",
    "make test-report": "tests/browser/test_report.py::test_every_figure_is_visible",
    "make verify": "tests/test_verify.py::test_the_command_says_so_and_its_status_too",
    "pip install .": "tests/test_environment.py::test_the_package_installs_with_its_command_and_its_template",
    "python notebooks/01_theory.py": "tests/test_notebooks.py::"
    "test_it_runs_as_a_script_in_less_than_a_minute_without_warnings_or_litter",
}
# What no test runs, and why.
NOT_RUN = {
    "make clean": "it deletes results; make -n shows what",
    "make env": "`make test` begins with it; tests/test_environment.py compares what it installed with the lock",
    "make lock": "it wants uv and a package index; tests/test_environment.py checks what it wrote",
    "make quick": "it takes minutes; its call of Snakemake is planned below",
    "make test": "it is what runs this",
    "sacctmgr show associations user=$USER format=account": "it wants a SLURM with an accounting database",
    "scancel --name=<SLURM run ID>": "it wants a live run on a SLURM; tests/cluster cancels by the number of a job",
    "scancel --user=$USER": "the same",
    "sinfo": "it lists the partitions of a cluster",
    "source .venv/bin/activate": "a script of Python's own",
}
WHAT_TO_DO = (
    "Either it is a snakemake, sparsegdf, make, pytest or linter command that the tests here know how to run, or it goes "
    "into RUN_BY (with the test that runs it) or NOT_RUN (with the reason) in tests/test_docs.py. A block that is no "
    "shell command begins with ```python, ```yaml or ```text."
)


def without_comment(line):
    return re.sub(r"(^|\s+)#.*", "", line).strip()


def commands():
    """{command: place} of every line of a shell block, and of what is a command between backticks."""
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
CALLS = [command for command in COMMANDS if command.startswith("snakemake ")]
CALLS += re.findall(r"^\.venv/bin/(snakemake .*)$", "".join(done.stdout for done in RECIPES), re.M)
SNAKEMAKE = sorted({re.sub(r"--cores \S+", "--cores 1", call.replace(" -n ", " ")) for call in CALLS})
MINE = "snakemake --cores 1 --configfile config/mine.yaml -- figure2_gdf"  # really run


def accounted_for(command, place="a document"):
    """Fails for a command that nothing below runs."""
    words = command.split()
    target = " ".join(words[:2]) if words[0] == "make" else command  # make verify RUN=quick
    if target in RUN_BY or target in NOT_RUN or words[0] in ("snakemake", "sparsegdf"):
        return
    if words[:3] == ["python", "-m", "pytest"]:
        return
    if f"$(BIN)/{command}\n" in (ROOT / "Makefile").read_text():  # a linter: `make test` runs it
        return
    raise AssertionError(f"{place}: no test runs `{command}`. {WHAT_TO_DO}")


# --- commands ------------------------------------------------------------------------------------------------------


def test_every_command_is_accounted_for():
    for command, place in COMMANDS.items():
        accounted_for(command, place)
    assert len(COMMANDS) > 20


@pytest.mark.parametrize("command", ["frobnicate --all", "make frobnicate", "python frobnicate.py", "ruff"])
def test_a_command_that_nothing_runs_is_noticed(command):
    with pytest.raises(AssertionError, match=r"no test runs .*RUN_BY"):
        accounted_for(command)


def test_every_block_has_a_known_language_and_no_command_hides_in_text():
    for file in DOCUMENTS:
        fences = re.findall(r"^\s*(?:```|~~~)", file.read_text(encoding="utf-8"), re.M)
        read = [block for block in blocks() if block.file == file]
        assert len(fences) == 2 * len(read), (
            f"{file.name} has a fence that is indented, or not of the form ```language"
        )
    for block in blocks():
        assert block.language in ("", "sh", "python", "yaml", "text"), f"{block.place}: {WHAT_TO_DO}"
        if block.language in ("text", "yaml"):
            hidden = re.search(r"(^|#\s*|\s\s)\$? ?(make|snakemake|sparsegdf|pip|git) [a-z-]", block.text, re.M)
            assert not hidden, f"{block.place}: {hidden[0].strip()!r} looks like a command. {WHAT_TO_DO}"


def test_the_lists_above_have_no_command_that_is_gone():
    targets = re.findall(r"^([a-z_-]+):", (ROOT / "Makefile").read_text(), re.M)
    assert set(NOT_RUN) | set(RUN_BY) <= set(COMMANDS) | {f"make {target}" for target in targets}


@pytest.mark.parametrize("command", RUN_BY)
def test_the_named_test_is_there(command):
    file, name = RUN_BY[command].split("::")
    functions = [node.name for node in ast.parse((ROOT / file).read_text()).body if isinstance(node, ast.FunctionDef)]
    assert name in functions


def test_make_knows_every_target():
    assert not any(done.returncode for done in RECIPES), RECIPES
    listed = subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for command in MAKE:
        assert re.search(rf"^{command.split()[1]} ", listed, re.M), command


def test_pytest_gets_files_that_exist():
    for command in COMMANDS:
        if command.startswith("python -m pytest"):
            assert all((ROOT / word).exists() for word in command.split()[3:] if not word.startswith("-"))


def test_make_reference_keeps_what_a_run_produced(tmp_path):
    """The recipe itself; only the rule `record`, which tests/test_report.py runs, is played by a script."""
    for part in ("Makefile", "README.md", "workflow/readme_numbers.py"):
        (tmp_path / part).parent.mkdir(exist_ok=True)
        shutil.copy2(ROOT / part, tmp_path / part)
    figures = tmp_path / "paper_figures"
    figures.mkdir()
    for name in ("figure.png", "figure.pdf", "figure.json", "table.tex", "table.md", "report.html"):
        (figures / name).write_text(name)
    claims = pd.read_csv(ROOT / "reference/claims.csv", dtype=str)
    claims.assign(measured="so much").to_csv(figures / "claims.csv", index=False)
    (tmp_path / "bin").mkdir()
    for program, does in {
        "snakemake": "mkdir -p results/paper && for f in costs manifest; do echo $@ > results/paper/$f.csv; done",
        "python": f'{shlex.quote(sys.executable)} "$@"',
    }.items():
        (tmp_path / "bin" / program).write_text(f"#!/bin/sh\n{does}\n")
        (tmp_path / "bin" / program).chmod(0o755)
    done = run(["make", "-o", "env", "BIN=bin", "reference"], tmp_path, PYTHONPATH=str(ROOT / "src"))
    assert done.returncode == 0, done.stderr
    kept = {file.name for file in (tmp_path / "reference").iterdir()}
    expected = {file.name for file in figures.iterdir()} - {"report.html"}
    assert kept == expected | {"costs.csv", "manifest.csv"}
    assert (tmp_path / "reference/costs.csv").read_text() == "--cores 1 --forcerun record -- record\n"
    assert "| so much |" in (tmp_path / "README.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def fresh(tmp_path_factory):
    """A project in which nothing has run, with the configurations that the documents propose."""
    project = Project(tmp_path_factory.mktemp("documents"))
    for block in blocks("yaml"):
        if match := re.match(r"# (config/\w+\.yaml)\n", block.text):
            file = project.folder / match[1]
            if not file.exists():  # two documents may have one of the same name
                file.write_text(block.text, encoding="utf-8")
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
    """The example of the README, at its scale."""
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
    data = pd.DataFrame(rng.normal(size=(40, 5)), columns=list("abcde"))
    data.assign(y=2 * data.a - data.c + rng.normal(size=40)).to_csv(folder / "data.csv", index=False)
    words = [sys.executable, "-m", "sparsegdf.cli", *shlex.split(command)[1:]]
    done = run(words, folder, PYTHONPATH=str(sources))
    assert done.returncode == 0 and done.stdout, done.stderr
    return done.stdout


@pytest.mark.parametrize("command", [command for command in SPARSEGDF if command not in NEW_PENALTY])
def test_the_command_sparsegdf_runs(command, tmp_path):
    sparsegdf(command, tmp_path)


# --- python and yaml -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("file", [file for file in DOCUMENTS if python_of(file)], ids=lambda file: file.name)
def test_python_runs(file, tmp_path, request):
    """The blocks of a document one after the other, as one script; any warning is an error."""
    script = python_of(file)
    if '"results/paper/' in script:
        (tmp_path / "results").symlink_to(request.getfixturevalue("finished").folder / "results")
        script = script.replace('"results/paper/', '"results/tiny/')  # a table knows of which run it is
    done = run([sys.executable, "-W", "error", "-c", script], tmp_path, PYTHONPATH=str(ROOT / "src"))
    assert done.returncode == 0, done.stderr


def merged(base, change):
    return base | {
        key: merged(base[key], value) if isinstance(value, dict) and isinstance(base.get(key), dict) else value
        for key, value in change.items()
    }


def new_penalty():
    """The class that docs/architecture.md adds to PENALTIES."""
    return next(block for block in blocks("python") if block.file.name == "architecture.md")


@pytest.fixture
def known_penalties():
    """PENALTIES as before once the test is over."""
    kept = dict(PENALTIES)
    yield
    PENALTIES.clear()
    PENALTIES.update(kept)


@pytest.mark.parametrize("block", blocks("yaml"), ids=lambda block: block.place)
def test_yaml_is_a_valid_configuration_or_part_of_a_profile(block, known_penalties):
    content = yaml.safe_load(block.text)
    if re.match(r"# config/\w+\.yaml\n", block.text):
        if "kind: capped_l1" in block.text:
            exec(new_penalty().text, {})
        paper = yaml.safe_load((ROOT / "config/paper.yaml").read_text())
        assert load(merged(paper, content)).run == content["run"] != "paper"
    else:  # lines of a profile that a user is told to uncomment
        profile = (ROOT / "profiles/slurm/config.yaml").read_text()
        uncommented = yaml.safe_load(re.sub(r"^# ?(?=default-resources|  slurm_)", "", profile, flags=re.M))
        assert content.items() <= uncommented.items(), (
            f"{block.place} begins with '# config/<name>.yaml', or is in it"
        )


def test_a_penalty_is_added_as_the_page_says(tmp_path, known_penalties):
    """The class of docs/architecture.md: a global maximiser, known to the command line, and drawn by figure 2."""
    page, names = new_penalty(), {}
    exec(page.text, names)
    penalty, rng, grid = names["CappedL1"](gamma=2.0), np.random.default_rng(1), np.linspace(-60, 60, 120_001)
    for _ in range(60):
        Q_hat, eta, h = rng.uniform(0.1, 1), rng.uniform(0.02, 2), rng.uniform(-5, 5)
        x = np.append(grid, penalty.estimate(h, Q_hat, eta)[0])
        reached = -Q_hat * x**2 / 2 + h * x - penalty.value(x, eta)
        assert reached[-1] >= reached.max() - 1e-12
        assert penalty.eta_at(penalty.segments(Q_hat, eta).start[0], Q_hat) == pytest.approx(eta)

    project = Project(tmp_path / "project")
    code = page.text[page.text.index("@dataclass") :]
    module = project.folder / "src/sparsegdf/penalties.py"
    module.write_text(module.read_text() + "\n\n" + code)
    assert "gamma" not in {
        field.name for known in {*PENALTIES.values()} - {names["CappedL1"]} for field in fields(known)
    }
    (command,) = NEW_PENALTY
    assert "CappedL1(gamma=3.0)" in sparsegdf(command, tmp_path, module.parents[1])
    assert "CappedL1(gamma=2.0)" in sparsegdf(command.replace("--gamma 3", ""), tmp_path, module.parents[1])
    assert "of capped_l1, > 0: the penalty is flat" in sparsegdf(
        "sparsegdf theory --help", tmp_path, module.parents[1]
    )
    sparsegdf("sparsegdf theory --penalty capped_l1 --alpha 0.5 --delta 0.2", tmp_path, module.parents[1])
    config = next(block.text for block in blocks("yaml") if block.file == page.file)
    (project.folder / "config/mine.yaml").write_text(config)
    words = ["--cores", "2", "--configfile", "tests/tiny.yaml", "config/mine.yaml", "--", "figure2_gdf"]
    done = run([sys.executable, "-m", "snakemake", *words], project.folder)
    assert done.returncode == 0, done.stdout + done.stderr
    plotted = pd.read_csv(project.folder / "mine_figures/figure2_gdf.csv")
    assert set(plotted.penalty) == {"l1", "capped"} and plotted.converged.all()


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


def test_no_document_names_a_path_of_a_machine():
    for file in [*DOCUMENTS, ROOT / "docs/rulegraph.svg", ROOT / "CITATION.cff"]:
        assert not re.search(r"(?<![\w.])/(home|root|tmp|work|Users)/", file.read_text(encoding="utf-8")), file
