"""What the documents say about columns, costs, the licence and the version is true."""

import re
import sys
import tomllib

import pandas as pd
import pytest
import yaml
from conftest import ROOT

from sparsegdf.paper.columns import columns_of
from sparsegdf.paper.misprints import MISPRINTS

sys.path.insert(0, str(ROOT / "workflow"))
import generated_docs

# --- results -------------------------------------------------------------------------------------------------------


def documented_files():
    """{pattern of a path below results/<run>: columns} of docs/results.md."""
    found = {}
    for part in re.split(r"^## ", (ROOT / "docs/results.md").read_text(encoding="utf-8"), flags=re.M)[1:]:
        columns = re.findall(r"^\| `([\w.]+)` \| .+ \| .+ \|$", part, re.M)
        for pattern in re.findall(r"^`(\S+\.parquet)`$", part, re.M):
            found[pattern] = columns
    return found


def as_regex(pattern):
    return re.sub(r"<\w+>", r"[^/]+", re.sub(r"<(first|last)>", r"\\d{6}", pattern)) + r"\Z"


def test_every_column_of_every_file_is_documented_and_no_other(finished):
    folder = finished.folder / "results/tiny"
    seen, documented = {}, documented_files()
    for file in folder.rglob("*.parquet"):
        path = str(file.relative_to(folder))
        kinds = [pattern for pattern in documented if re.match(as_regex(pattern), path)]
        assert len(kinds) == 1, f"docs/results.md has {len(kinds)} headings for {path}"
        table = pd.read_parquet(file)
        if len(table) or not path.startswith("direct/"):
            assert list(table) == documented[kinds[0]], f"docs/results.md, {kinds[0]}: the columns of {path}"
        else:
            assert list(table) == ["sample", "eta"]
        seen.setdefault(kinds[0], path)
    assert set(seen) == set(documented), "docs/results.md has a kind of file that a run does not make"


def test_every_column_of_every_figure_and_table_is_described(finished):
    for file in [
        *(finished.folder / "tiny_figures").glob("figure*.csv"),
        *(finished.folder / "tiny_figures").glob("table*.csv"),
    ]:
        for name, column in columns_of(file.stem, pd.read_csv(file)).items():
            assert column.meaning and column.unit, f"{file.name}: {name} is not in paper/columns.py"


# --- figures and tables --------------------------------------------------------------------------------------------


def test_what_pages_say_of_the_code_is_what_it_says(monkeypatch):
    """If this fails, run make docs."""
    monkeypatch.chdir(ROOT)
    for name, text in generated_docs.documents().items():
        assert (ROOT / name).read_text(encoding="utf-8") == text, f"{name}: make docs"


def test_the_page_of_figures_names_functions_and_misprints_that_exist():
    page, folder = (ROOT / "docs/figures.md").read_text(encoding="utf-8"), ROOT / "src/sparsegdf/paper/experiments"
    functions = [pair for pair in re.findall(r"`(\w+)\.(\w+)`", page) if (folder / f"{pair[0]}.py").exists()]
    for module, name in functions:
        assert f"def {name}(" in (folder / f"{module}.py").read_text(encoding="utf-8"), f"{module}.{name}"
    quoted = re.findall(r"\(((?:`[a-z0-9-]+`(?:, )?)+)\)", page)
    ids = {id for text in quoted for id in re.findall(r"[a-z0-9-]+", text)}
    assert functions and ids
    assert ids <= {misprint.id for misprint in MISPRINTS}


def test_which_criterion_has_the_numbers_of_figure_10(monkeypatch):
    """If this fails, run benchmarks/choosing.py, and read docs/choosing.md and "Does it choose well?" in own_data.md."""
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    from choosing import page

    table = pd.read_csv(ROOT / "reference/figure10_selection.csv")
    text = (ROOT / "docs/choosing.md").read_text(encoding="utf-8")
    assert page(text, table) == text
    first = table[(table.penalty == "l1") & (table.N == 50) & (table.method == "gcv")]
    assert f"| `gcv` | {first.ratio.mean():.3f}(" in text and f"| `gcv` | {first.f1.mean():.3f}(" in text
    own = (ROOT / "docs/own_data.md").read_text(encoding="utf-8")
    for penalty, column in {"l1": 1, "elastic_net_strong": 2, "scad_a8": 3}.items():
        mine = table[(table.method == "cp") & (table.penalty == penalty)]
        better, worse = (int((sign * mine.gap_cv > 2 * mine.gap_cv_se).sum()) for sign in (-1, 1))
        (row,) = re.findall(r"^\| cross-validation \|.*$", own, re.M)
        words = [f"smaller in {better} of 18"] * (better > 0) + [f"larger in {worse}"] * (worse > 0)
        assert all(word in row.split("|")[column + 1] for word in words)


# --- costs ---------------------------------------------------------------------------------------------------------


def test_the_costs_quoted_are_those_of_the_reference():
    """After `make reference` the numbers in README.md, docs/scale.md and docs/artifact.md must be updated."""
    minutes = pd.read_csv(ROOT / "reference/costs.csv").set_index("rule").cpu_minutes
    lines = (ROOT / "reference/schedule.txt").read_text(encoding="utf-8").splitlines()[1:]
    targets = {line.split()[0]: float(line.split()[2]) for line in lines}
    assert targets["all"] == pytest.approx(minutes.sum(), abs=1)
    readme, scale = ((ROOT / file).read_text(encoding="utf-8") for file in ("README.md", "docs/scale.md"))
    assert f"takes {targets['paper_figures']:.0f} core-minutes" in readme
    for target in ("paper_figures", "beyond", "all"):
        assert f"| `{target}` | {targets[target]:.0f} |" in scale
    artifact = (ROOT / "docs/artifact.md").read_text(encoding="utf-8")
    for line in (line.split() for line in lines if line.split()[0] in ("paper_figures", "all")):
        # target, jobs, CPU minutes, longest job "s", then "min" on 1, 2, 16 and 64 cores
        assert f"| `make {line[0]}` | {float(line[2]):.0f} | {line[7]} min | {line[9]} min |" in artifact
    for rule in ("iterated", "fixed_points", "planted", "l0_samples", "bp_region"):
        assert f"`{rule}` {minutes[rule]:.0f}" in scale, rule


# --- licence and citation ------------------------------------------------------------------------------------------


def test_licence_and_citation_agree_with_the_package():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert (ROOT / "LICENSE").read_text().startswith(f"{project['license']} License\n")
    assert citation["license"] == project["license"]
    last_release = re.search(r"^## (\S+) \((\S+)\)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.M)
    assert last_release.groups() == (citation["version"], str(citation["date-released"]))
