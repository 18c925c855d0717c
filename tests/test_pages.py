"""What the pages in docs/ say of files, columns, figures, claims and costs is what is there."""

import os
import re
import shutil
import sys
import tomllib
from fnmatch import fnmatch

import pandas as pd
import pytest
import yaml
from conftest import ROOT, Project
from documents import DOCUMENTS, inline, prose, run

from sparsegdf.paper.columns import columns_of
from sparsegdf.paper.figures.registry import FIGURES, TABLES

sys.path.insert(0, str(ROOT / "workflow"))
import generated_docs

import rulegraph

# --- the rule graph ------------------------------------------------------------------------------------------------


def test_the_rule_graph_can_be_drawn_anew(tmp_path, monkeypatch):
    """All but Graphviz, in whose place a script hands back what it is given."""
    project = Project(tmp_path / "project")
    shutil.copytree(ROOT / "notebooks", project.folder / "notebooks")
    dot = tmp_path / "bin/dot"
    dot.parent.mkdir()
    dot.write_text("#!/bin/sh\ncat\n")
    dot.chmod(0o755)
    monkeypatch.setenv("PATH", str(dot.parent), prepend=os.pathsep)
    done = run([sys.executable, "workflow/rulegraph.py", "graph.svg"], project.folder)
    assert done.returncode == 0, done.stderr
    drawn = (project.folder / "graph.svg").read_text()
    assert "bp_samples -> summary;" in drawn and 'figure [fillcolor="#cfe3f3"];' in drawn


def test_without_graphviz_the_message_says_what_is_missing(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SystemExit, match="needs the program dot of Graphviz"):
        rulegraph.main(tmp_path / "graph.svg")


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


# --- figures -------------------------------------------------------------------------------------------------------


def test_what_pages_say_of_the_code_is_what_it_says():
    """To mend it: make docs."""
    for name in generated_docs.DOCUMENTS:
        text = (ROOT / name).read_text(encoding="utf-8")
        assert generated_docs.rendered(text) == text, name


def test_every_figure_and_table_is_on_both_pages():
    """A row in docs/pipeline.md, and a heading in docs/figures.md, by its file."""
    rows = re.findall(r"^\| `((?:figure|table)\w+)`", (ROOT / "docs/pipeline.md").read_text(encoding="utf-8"), re.M)
    headings = re.findall(r"^## (\w+)$", (ROOT / "docs/figures.md").read_text(encoding="utf-8"), re.M)
    assert len(rows) > 15 and rows == [*FIGURES, *TABLES]
    assert sorted(headings) == sorted([*FIGURES, *(table.file for table in TABLES.values())])


# --- names ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("file", DOCUMENTS, ids=lambda file: file.name)
def test_files_that_a_document_names_exist(file):
    """From the top of the project, from the package, or beside the document."""
    for word in inline(prose(file)):
        if re.fullmatch(r"[\w./-]+\.(py|smk|yaml|sh|csv|md)", word) and not re.search("mine|figure11_name", word):
            places = [ROOT / word, ROOT / "src/sparsegdf" / word, *ROOT.glob(f"src/sparsegdf/**/{word}")]
            places += [*ROOT.glob(f"reference/{word}"), *ROOT.glob(f"profiles/*/{word}")]
            assert any(place.exists() for place in places), f"{file.name}: there is no {word}"


def test_claims_and_misprints_that_a_page_names_exist():
    from sparsegdf.paper.claims import l0, simulation, theory
    from sparsegdf.paper.misprints import MISPRINTS

    ids = [item.id for item in (*theory.CLAIMS, *simulation.CLAIMS, *l0.CLAIMS, *MISPRINTS)]
    for page in ("docs/claims.md", "docs/figures.md", "README.md"):
        named = {word for word in inline(prose(ROOT / page)) if re.fullmatch(r"[a-zA-Z0-9]+(-[\w*]+)+", word)}
        assert named and all(any(fnmatch(known, word) for known in ids) for word in named), (page, named)


# --- costs ---------------------------------------------------------------------------------------------------------


def test_the_costs_quoted_are_those_of_the_reference():
    """After `make reference` the numbers in README.md and docs/scale.md have to follow."""
    minutes = pd.read_csv(ROOT / "reference/costs.csv").set_index("rule").core_minutes
    readme, scale = ((ROOT / file).read_text(encoding="utf-8") for file in ("README.md", "docs/scale.md"))
    assert f"takes {minutes.sum() / 60:.1f} core-hours (`reference/costs.csv`" in readme
    assert f"takes {minutes.sum():.0f} core-minutes (`reference/costs.csv`)" in scale
    quoted = {"planted": "figure 10", "l0_samples": "the ℓ₀ search", "table_bp_region": "the stability of BP"}
    for rule, words in quoted.items():
        assert f"{words} {minutes[rule]:.0f}" in scale, rule


# --- licence and citation ------------------------------------------------------------------------------------------


def test_licence_and_citation_agree_with_the_package():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert (ROOT / "LICENSE").read_text().startswith(f"{project['license']} License\n")
    assert citation["license"] == project["license"] and citation["version"] == project["version"]
    # Required by the Citation File Format 1.2.0, of the file and of a reference.
    assert citation["cff-version"] == "1.2.0" and {"authors", "message", "title"} <= set(citation)
    (paper,) = citation["references"]
    assert {"authors", "title", "type"} <= set(paper) and "Sakata" in str(paper["authors"])
