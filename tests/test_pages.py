"""What the pages in docs/ say of modules, rules, columns, figures and samples is what is there."""

import importlib
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
from documents import inline, prose, run

import sparsegdf
from sparsegdf.config import load

sys.path.insert(0, str(ROOT / "workflow"))
import rulegraph

RULES = "\n".join(file.read_text(encoding="utf-8") for file in sorted((ROOT / "workflow/rules").glob("*.smk")))

# --- architecture --------------------------------------------------------------------------------------------------


def section(file, title):
    return re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", file.read_text(encoding="utf-8"), re.M | re.S)[1]


def test_every_module_is_listed_once_and_no_other():
    listed = re.findall(r"^\| `(\S+)` \|", section(ROOT / "docs/architecture.md", "Modules"), re.M)
    package = ROOT / "src/sparsegdf"
    there = [str(file.relative_to(package)) for file in package.rglob("*.py")]
    assert sorted(listed) == sorted(there), "docs/architecture.md, Modules: one row per module"


def test_the_rule_graph_is_that_of_the_workflow(tmp_path):
    words = ["--configfile", "tests/tiny.yaml", "--rulegraph", "dot", "--", *rulegraph.TARGETS]
    project = Project(tmp_path / "project")
    shutil.copytree(ROOT / "notebooks", project.folder / "notebooks")
    done = run([sys.executable, "-m", "snakemake", "--cores", "1", *words], project.folder)
    assert done.returncode == 0, done.stderr
    drawn = rulegraph.drawn_graph((ROOT / "docs/rulegraph.svg").read_text(encoding="utf-8"))
    assert drawn == rulegraph.graph(done.stdout), "the rules have changed: make rulegraph"


def test_the_page_on_clusters_names_the_rules_that_are_submitted():
    local = re.search(r"^localrules:\n(.*?)\n\n", (ROOT / "Snakefile").read_text(), re.M | re.S)[1]
    submitted = set(re.findall(r"^rule (\w+):", RULES, re.M)) - set(re.findall(r"\w+", local))
    first = prose(ROOT / "docs/cluster.md").split("\n\n")[1]
    assert set(inline(first)) == submitted


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
    assert "bp_samples -> summary;" in drawn and 'figure2_gdf [fillcolor="#cfe3f3"];' in drawn


def test_the_name_of_a_chunk_is_one_of_the_paper_run():
    config = yaml.safe_load((ROOT / "config/paper.yaml").read_text())
    first, last = re.search(r"/(\d{6})-(\d{6})\.parquet", (ROOT / "docs/architecture.md").read_text()).groups()
    assert (int(first), int(last)) == (0, config["bp"]["chunk"] - 1)


def test_without_graphviz_the_message_says_what_is_missing(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SystemExit, match="needs the program dot of Graphviz"):
        rulegraph.main(tmp_path / "graph.svg")


# --- results -------------------------------------------------------------------------------------------------------


def documented_files():
    """{pattern of a path below results/<run>: columns} of docs/results.md."""
    found = {}
    for part in re.split(r"^## ", (ROOT / "docs/results.md").read_text(encoding="utf-8"), flags=re.M)[1:]:
        columns = re.findall(r"^\| `(\w+)` \| .+ \| .+ \|$", part, re.M)
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


def test_a_column_that_is_not_documented_would_be_noticed():
    documented = documented_files()
    assert len(documented) == 13 and all(columns for columns in documented.values())
    assert "gap_stein_se" in documented["summaries/<simulation>/<penalty>.parquet"]
    assert re.match(as_regex("l0/<run>/<first>-<last>.parquet"), "l0/n10/000000-000002.parquet")
    assert not re.match(as_regex("l0/<run>/<first>-<last>.parquet"), "l0/n10_sizes.parquet")


# --- figures -------------------------------------------------------------------------------------------------------


def test_every_figure_and_table_has_a_heading_of_its_own():
    targets = re.findall(r'\*\*(?:bundle|readable)\("(\w+)"\)', RULES)
    headings = re.findall(r"^## (\w+)$", (ROOT / "docs/figures.md").read_text(encoding="utf-8"), re.M)
    assert len(targets) > 10 and len(headings) == len(set(headings))
    missing, gone = set(targets) - set(headings), set(headings) - set(targets)
    assert not missing and not gone, f"docs/figures.md: no heading for {missing}; no target for {gone}"


def test_every_figure_and_table_is_in_the_readme():
    targets = set(re.findall(r"^rule ((?:figure|table)\w+):", RULES, re.M))
    named = set(inline(section(ROOT / "README.md", "What comes out")))
    assert len(targets) > 15 and targets == {word for word in named if re.match("(figure|table)", word)}


def is_known(word):
    """Whether this code in docs/figures.md is the name of something that exists."""
    from sparsegdf import config_blocks
    from sparsegdf.claims import l0, simulation, theory
    from sparsegdf.misprints import MISPRINTS

    ids = [claim.id for claim in (*theory.CLAIMS, *simulation.CLAIMS, *l0.CLAIMS)]
    if word.endswith(".parquet"):
        return any(re.match(as_regex(pattern), re.sub(r"<\w+>", "x", word)) for pattern in documented_files())
    if word.endswith((".py", "/")):
        return word == "results/" or word.startswith("results/<run>/") or (ROOT / "src/sparsegdf" / word).exists()
    if match := re.fullmatch(r"(\w+)\.(\w+)", word):
        key = yaml.safe_load((ROOT / "config/paper.yaml").read_text()).get(match[1], ())
        module = ROOT / f"src/sparsegdf/{match[1]}.py"
        inside = module.exists() and hasattr(importlib.import_module(f"sparsegdf.{match[1]}"), match[2])
        return inside or match[2] in key or f'readable("{match[1]}")' in RULES
    return (
        word.startswith(("eq:", "<run>_figures/"))  # the source of the paper is not in the repository
        or word in [item.id for item in MISPRINTS]
        or any(fnmatch(name, word) for name in ids)
        or re.search(rf"^rule {word}:", RULES, re.M)
        or word in sparsegdf.__all__
        or word in [field for model in vars(config_blocks).values() for field in getattr(model, "model_fields", ())]
        or word in [name for file in (ROOT / "reference").glob("table*.csv") for name in pd.read_csv(file, nrows=0)]
    )


def test_every_name_on_the_page_of_figures_exists():
    words = set(inline(prose(ROOT / "docs/figures.md")))
    assert len(words) > 60 and {word for word in words if not is_known(word)} == set()
    assert not is_known("figures/figure99.py") and not is_known("theory_tables.nothing") and not is_known("eff-9-*")


# --- costs ---------------------------------------------------------------------------------------------------------


def test_the_costs_quoted_are_those_of_the_reference():
    """After `make reference` the numbers in README.md and docs/scale.md have to follow."""
    minutes = pd.read_csv(ROOT / "reference/costs.csv").set_index("rule").core_minutes
    readme, scale = ((ROOT / file).read_text(encoding="utf-8") for file in ("README.md", "docs/scale.md"))
    assert f"takes {minutes.sum() / 60:.1f} core-hours (`reference/costs.csv`)" in readme
    assert f"{minutes['planted'] / 60:.1f} for figure 10" in readme
    assert f"takes {minutes.sum():.0f} core-minutes (`reference/costs.csv`)" in scale
    quoted = {"planted": "figure 10", "l0_samples": "the ℓ₀ search", "table_bp_region": "the stability of BP"}
    for rule, words in quoted.items():
        assert f"{words} {minutes[rule]:.0f}" in scale, rule


# --- randomness ----------------------------------------------------------------------------------------------------


def test_simulations_that_share_samples_are_named():
    config = load(yaml.safe_load((ROOT / "config/paper.yaml").read_text()))
    iid, groups = str({"kind": "iid"}), {}
    for name, simulation in config.runs.items():
        for grid in simulation.simulations.values():
            groups.setdefault((str(simulation.design), grid.M, simulation.N), set()).add(name)
    groups.setdefault((iid, config.table_bp_l0.M, config.table_bp_l0.N), set()).add("table_bp_l0")
    for name, search in config.l0_search.runs.items():
        groups.setdefault((iid, round(config.l0_search.alpha * search.N), search.N), set()).add(name)
    for cell in config.planted.values():
        name = str(cell["design"]), config.figure10_selection.M, cell["N"]
        groups.setdefault(name, set()).add("figure10_selection")
    text = re.search(r"- \*\*Shared samples\.\*\*.*?\n- ", (ROOT / "docs/randomness.md").read_text(), re.S)[0]
    shared = set().union(*(names for names in groups.values() if len(names) > 1)) - {"figure4_bp_vs_rs"}
    assert set(inline(text)) == shared


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
    assert paper["title"] in " ".join((ROOT / "README.md").read_text().split())
