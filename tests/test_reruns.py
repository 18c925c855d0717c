"""What a change of the sources, the configuration or the results reruns, and what `make status` says of it."""

import os
import shutil
import sys
from base64 import urlsafe_b64encode

import pandas as pd
import pytest
from conftest import ROOT, Project

from sparsegdf.paper.figures.registry import FIGURES, TABLES

sys.path.insert(0, str(ROOT / "workflow"))
from tracking import untracked

THEORY_FIGURES = ("figure1_single_body", "figure2_gdf", "figure3_prediction_error")
THEORY_DATA = {"single_body": 1, "rs_curves": 2, "prediction_marks": 1, "table_thresholds": 1}


def test_nothing_to_do_after_a_run(finished):
    assert finished.planned("all") == {}


def test_touched_sources_and_scripts_rerun_nothing(changed):
    for folder in ("src", "workflow"):
        for file in (changed.folder / folder).rglob("*.py"):
            os.utime(file)
    assert changed.planned("all") == {}
    everywhere = changed.planned("all", "--workflow-profile", "none", "--rerun-triggers", "mtime", "params", "input")
    assert everywhere == {}


def test_docstrings_comments_and_formatting_rerun_nothing(changed):
    edits = {
        "src/sparsegdf/solvers/belief_propagation.py": ('"""', '"""Reworded. '),
        "src/sparsegdf/theory/replica_symmetric.py": ("\ndef ", "\n\n# A remark.\ndef "),
        "src/sparsegdf/paper/tables.py": ('    """Write a text file atomically."""', '    """Write text."""'),
        "workflow/scripts/job.py": ('"""', '"""Reworded. '),
        "workflow/scripts/fixed_points.py": ("begin(snakemake)", "begin(\n    snakemake\n)  # first of all"),
    }
    for path, (old, new) in edits.items():
        changed.edit(path, old, new)
    assert changed.planned("all") == {}


def once(*rules):
    return dict.fromkeys(rules, 1)


CLAIMS = once("verdicts", "table_claims")
# What every change of fixed points reaches
SEEN_IN = CLAIMS | once("table_bp_convergence", "bp_region", "table_bp_region")
ITERATED = once("table_bp_direct")  # if belief propagation is iterated on them, too
FIXED_POINTS = {"fixed_points": 32, "iterated": 15, "summary": 8} | ITERATED | SEEN_IN
BP_DATA = FIXED_POINTS | once("bp_l0", "table_bp_l0")
BP_FIGURES = ("figure4_bp_vs_rs", "figure5_example1", "figure6_example2", "figure9_finite_size")
BESIDE = once("table_gaps", "table_effective_fraction")  # made of the same summaries as figures 5, 6 and 9
CORRECTED = {"corrected_fraction": 2, "table_effective_fraction": 1}
LIMITS = {"limit_points": 5, "table_gaps": 1, "figure11_predictors": 1}
PREDICTORS = {"predictor_points": 2, "figure11_predictors": 1}
L0_PREDICTORS = {"l0_predictors": 2, "figure11_predictors": 1}
PLANTED = {"planted": 2, "table_selection": 1, "figure10_selection": 1}
L0_DATA = {"l0_samples": 10, "l0_summary": 9, "table_l0": 1} | CLAIMS
L0_FIGURES = ("figure7_l0_exhaustive", "figure8_l0_beyond_rs")


@pytest.mark.parametrize(
    "path, expected",
    [
        (
            "src/sparsegdf/theory/replica_symmetric.py",
            THEORY_DATA
            | once(*THEORY_FIGURES, "bp_theory", *BP_FIGURES, "table_l0", *L0_FIGURES)
            | {"l0_theory": 2, "table_misprints": 1}
            | LIMITS
            | CORRECTED
            | CLAIMS,
        ),
        (
            "src/sparsegdf/penalties/base.py",
            THEORY_DATA
            | BP_DATA
            | once(*FIGURES, "bp_theory", "table_l0", "table_misprints")
            | {"l0_theory": 2}
            | LIMITS
            | CORRECTED
            | PREDICTORS
            | PLANTED,
        ),
        ("src/sparsegdf/solvers/belief_propagation.py", BP_DATA | BESIDE | once(*BP_FIGURES, "table_misprints")),
        (
            "src/sparsegdf/paper/experiments/summaries.py",
            {"summary": 8} | ITERATED | SEEN_IN | BESIDE | once(*BP_FIGURES),
        ),
        (
            "src/sparsegdf/solvers/direct.py",
            FIXED_POINTS | BESIDE | CORRECTED | PREDICTORS | once(*BP_FIGURES, "table_misprints") | PLANTED,
        ),
        (
            "src/sparsegdf/paper/experiments/iterated.py",
            {"iterated": 15, "summary": 3}
            | ITERATED
            | SEEN_IN
            | once("figure4_bp_vs_rs", "figure5_example1", "table_effective_fraction"),
        ),
        ("src/sparsegdf/solvers/best_subset.py", L0_DATA | L0_PREDICTORS | once(*L0_FIGURES) | PLANTED),
        ("src/sparsegdf/theory/one_step_rsb.py", {"l0_theory": 2, "table_l0": 1} | CLAIMS | once(*L0_FIGURES)),
        ("src/sparsegdf/paper/claims/l0.py", CLAIMS),
        ("src/sparsegdf/paper/readable_tables.py", once(*TABLES)),
        ("workflow/scripts/summary.py", {"summary": 8} | ITERATED | SEEN_IN | BESIDE | once(*BP_FIGURES)),
        ("src/sparsegdf/paper/figures/style.py", once(*FIGURES)),
        ("src/sparsegdf/paper/figures/figure2_gdf.py", once("figure2_gdf")),
        ("src/sparsegdf/penalties/mcp.py", {}),  # in no figure
        ("src/sparsegdf/__init__.py", {}),
        ("src/sparsegdf/paper/config/model.py", {}),
    ],
)
def test_a_changed_source_reruns_what_imports_it(changed, path, expected):
    """Also if it is old: `rsync -a`, `cp -p` and `git checkout` may leave a file older than the results.

    A downstream job counts too: Snakemake plans it because its input may change.
    """
    file = changed.folder / path
    file.write_text(file.read_text() + "\nCHANGED = True\n")
    os.utime(file, (0, 0))
    assert changed.planned("all") == expected


def test_a_new_penalty_or_design_reruns_nothing(changed):
    for folder, file, name in (("penalties", "mcp", "MCP"), ("ensembles", "ar1", "AR1")):
        source = (changed.folder / f"src/sparsegdf/{folder}/{file}.py").read_text()
        (changed.folder / f"src/sparsegdf/{folder}/another.py").write_text(
            source.replace(f"class {name}(", "class Another(")
        )
    assert changed.planned("all") == {}


def test_a_changed_helper_of_the_scripts_reruns_everything(changed):
    changed.edit("workflow/scripts/job.py", "level=logging.INFO", "level=logging.DEBUG")
    assert changed.planned("all") == changed.planned("all", "--forceall")


@pytest.mark.parametrize(
    "old, new, expected",
    [
        ("figure2_gdf:\n  alpha: 0.5", "figure2_gdf:\n  alpha: 0.6", {"rs_curves": 1, "figure2_gdf": 1}),
        (
            "elastic_net_strong: { kind: elastic_net, eta2: 0.5 }",
            "elastic_net_strong: { kind: elastic_net, eta2: 0.6 }",
            {"single_body": 1, "figure1_single_body": 1},
        ),
        ("zoom: 0.06", "zoom: 0.05", {"figure3_prediction_error": 1}),
        (
            "scad_a8_lam07: { kind: scad, a: 8, lam: 0.7 }",
            "scad_a8_lam07: { kind: scad, a: 7, lam: 0.7 }",
            {"fixed_points": 3, "iterated": 2, "summary": 2, "bp_theory": 1}
            | ITERATED
            | SEEN_IN
            | once("table_thresholds", "figure4_bp_vs_rs"),
        ),
        (
            "etas: { first: 5, last: 0.2, count: 60 }",
            "etas: { first: 5, last: 0.3, count: 60 }",
            {"l0_summary": 9} | CLAIMS | once("table_l0", *L0_FIGURES),
        ),
        (
            "seed: 20180621",
            "seed: 1",
            BP_DATA
            | L0_DATA
            | BESIDE
            | CORRECTED
            | PREDICTORS
            | L0_PREDICTORS
            | once(*BP_FIGURES, *L0_FIGURES)
            | PLANTED,
        ),
        (
            "c: 0.5 }",
            "c: 0.4 }",
            {"fixed_points": 4, "iterated": 4, "summary": 1, "figure5_example1": 1}
            | {"limit_points": 1, "corrected_fraction": 1, "table_effective_fraction": 1}
            | ITERATED
            | SEEN_IN,
        ),
    ],
)
def test_a_changed_parameter_reruns_what_depends_on_it(changed, old, new, expected):
    changed.edit("config/paper.yaml", old, new)
    assert changed.planned("all") == expected


def test_a_changed_block_reruns_what_is_simulated_on_it(changed):
    changed.edit("tests/tiny.yaml", "example2: { kind: block, T: 8 }", "example2: { kind: block, T: 6 }")
    expected = {"fixed_points": 13, "summary": 4, "planted": 1, "table_selection": 1} | SEEN_IN | BESIDE
    expected |= {"limit_points": 2, "corrected_fraction": 1}
    assert changed.planned("all") == expected | once("figure6_example2", "figure9_finite_size", "figure10_selection")


def test_a_changed_grid_reruns_its_simulation(changed):
    changed.edit(
        "tests/tiny.yaml", "scad_a8_lam08: { M: 20, etas: { first: 2,", "scad_a8_lam08: { M: 20, etas: { first: 3,"
    )
    expected = {"fixed_points": 2, "iterated": 2, "summary": 1, "figure4_bp_vs_rs": 1} | ITERATED | SEEN_IN
    assert changed.planned("all") == expected


def test_a_comment_reruns_nothing(changed):
    changed.edit("config/paper.yaml", "figure2_gdf:\n", "figure2_gdf: # a remark\n")
    assert changed.planned("all") == {}


def test_more_samples_compute_only_the_new_chunks(changed):
    fresh = {"summary": 1, "table_bp_convergence": 1, "figure4_bp_vs_rs": 1}
    # 6 samples in chunks of 3 for each of 4 penalties are there. A last chunk that is shorter is another one.
    for samples, new in ((12, 8), (6, 0), (3, 0), (5, 4), (2, 4)):
        changed.edit("tests/tiny.yaml", "  N: 40\n  samples: ", f"  N: 40\n  samples: {samples} # ")
        planned = changed.planned("figure4_bp_vs_rs", "table_bp_convergence")
        assert planned == (({"fixed_points": new} if new else {}) | fresh if samples != 6 else {})


def test_more_iterated_samples_compute_only_the_new_chunks(changed):
    """Three of four penalties have more than two samples, and there are chunks of two."""
    changed.edit("tests/tiny.yaml", "samples: 3\n  iterated: 2", "samples: 3\n  iterated: 3")
    planned = changed.planned("figure5_example1")
    assert planned == {"iterated": 3, "summary": 1, "figure5_example1": 1}


def test_lost_metadata_is_noticed(changed):
    state = changed.folder / ".snakemake"
    (state / "metadata").rename(state / "elsewhere")
    try:
        done = changed.snakemake("-n", "all", check=False)
    finally:
        (state / "elsewhere").rename(state / "metadata")
    assert done.returncode != 0 and "Traceback" not in done.text
    assert "were not made in this working copy" in done.text and "delete results/tiny and tiny_figures" in done.text


def test_results_of_every_kind_need_a_record(folder):
    names = ["a.csv", "claims_hold.txt", "notebooks/a.html", "notebooks/a.ipynb", "report.html", "z.parquet"]
    for name in (*names, "README.md", "notebooks/.ipynb_checkpoints/a-checkpoint.ipynb"):
        file = folder / "figures" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    assert untracked(["figures"]) == [f"figures/{name}" for name in names]


def test_results_from_another_machine_are_noticed_unless_their_record_comes_along(finished, tmp_path):
    other = Project(tmp_path / "other")
    for folder in ("results", "tiny_figures"):
        shutil.copytree(finished.folder / folder, other.folder / folder)
    for part in ("src", "workflow", "config"):  # a fresh clone is newer than all results
        for file in (other.folder / part).rglob("*"):
            os.utime(file)
    assert "were not made in this working copy" in other.snakemake("-n", "all", check=False).text
    shutil.copytree(finished.folder / ".snakemake/metadata", other.folder / ".snakemake/metadata", dirs_exist_ok=True)
    assert other.planned("all") == {}


def test_a_damaged_record_is_noticed(changed):
    """Snakemake ignores an empty record and takes the chunk for fresh, which would mix seeds in one summary."""
    chunk = "results/tiny/fixed_points/figure4_bp_vs_rs/scad_a5/000000-000002.parquet"
    record = changed.folder / ".snakemake/metadata" / urlsafe_b64encode(chunk.encode()).decode()
    kept = record.read_bytes()
    changed.edit("config/paper.yaml", "seed: 20180621", "seed: 1")
    try:
        for content in (b"", kept[:100], b"{}", b"null"):
            record.write_bytes(content)
            done = changed.snakemake("-n", "figure4_bp_vs_rs", check=False)
            assert done.returncode != 0 and "Traceback" not in done.text
            assert f"delete these files and run the same command again: {chunk}" in done.text
    finally:
        record.write_bytes(kept)
    assert changed.planned("figure4_bp_vs_rs")["fixed_points"] == 8


def test_status_tells_fresh_from_stale_and_why(changed):
    def status():
        return changed.snakemake(program=("workflow/status.py",)).text

    assert [line.split()[:2] for line in status().splitlines()[1:]] == [
        [name, "fresh"] for name in sorted((*FIGURES, *TABLES))
    ]
    changed.edit("config/paper.yaml", "figure2_gdf:\n  alpha: 0.5", "figure2_gdf:\n  alpha: 0.6")
    lines = {line.split()[0]: line for line in status().splitlines()[1:]}
    assert "stale" in lines["figure2_gdf"] and "params have changed" in lines["figure2_gdf"].lower()
    assert lines["figure2_gdf"].split()[2] == "2" and float(lines["figure2_gdf"].split()[3]) > 0
    assert sum("stale" in line for line in lines.values()) == 1
    file = changed.folder / "src/sparsegdf/paper/figures/figure1_single_body.py"
    file.write_text(file.read_text() + "\nCHANGED = True\n")
    (line,) = [line for line in status().splitlines() if line.startswith("figure1_single_body")]
    assert line.endswith("code has changed: src/sparsegdf/paper/figures/figure1_single_body.py (figure x 1)")
    changed.edit("config/paper.yaml", "seed: ", "sead: ")
    done = changed.snakemake(program=("workflow/status.py",), check=False)
    assert done.returncode == 1 and "did you mean 'seed'?" in done.text and "target" not in done.text


def test_status_of_a_paper_run_not_yet_begun_goes_by_the_reference(tmp_path):
    project = Project(tmp_path)
    project.configuration = "config/paper.yaml"
    lines = {
        line.split()[0]: line.split() for line in project.snakemake(program=("workflow/status.py",)).text.splitlines()
    }
    costs = pd.read_csv(ROOT / "reference/costs.csv").set_index("rule")
    # Figure 11 has all jobs of the rules that depend on the size: larger and smaller ones even out.
    jobs = pd.Series(project.planned("figure11_predictors")).rename({"figure11_predictors": "figure"})
    assert lines["figure11_predictors"][1:3] == ["stale", str(jobs.sum())]
    assert float(lines["figure11_predictors"][3].removeprefix("~")) == pytest.approx(
        (costs.cpu_minutes / costs.jobs)[jobs.index] @ jobs, abs=0.06
    )
    assert all(words[3].startswith("~") and "?" not in words[4] for name, words in lines.items() if name != "target")
    assert "CPU minutes" in project.snakemake(program=("workflow/status.py", "--help")).text


def test_a_new_penalty_leaves_the_others_alone(changed):
    changed.edit("config/paper.yaml", "penalties:\n", "penalties:\n  scad_new: { kind: scad, a: 4, lam: 1 }\n")
    changed.edit(
        "tests/tiny.yaml",
        "figure5_example1:\n  N: 40\n  samples: 3\n  iterated: 2\n  simulations:\n",
        "figure5_example1:\n  N: 40\n  samples: 3\n  iterated: 2\n  simulations:\n"
        "    scad_new: { M: 20, etas: { first: 2, last: 1, count: 3 } }\n",
    )
    assert changed.planned("figure5_example1") == {
        "fixed_points": 1,
        "iterated": 1,
        "summary": 1,
        "limit_points": 1,
        "corrected_fraction": 1,
        "figure5_example1": 1,
    }
