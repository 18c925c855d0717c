"""The pipeline: what a run produces, what a change reruns, and the errors of a bad configuration."""

import contextlib
import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
import zipfile
from base64 import urlsafe_b64encode

import pandas as pd
import psutil
import pytest
import yaml
from conftest import ROOT, Project

from sparsegdf.paper.figures.registry import FIGURES, TABLES

THEORY_FIGURES = ("figure1_single_body", "figure2_gdf", "figure3_prediction_error")
THEORY_DATA = {"single_body": 1, "rs_curves": 2, "prediction_marks": 1, "table_thresholds": 1}


def digests(folder):
    files = [file for file in sorted(folder.rglob("*")) if file.is_file()]
    kept = [file for file in files if not {"logs", "benchmarks"} & set(file.parts)]
    return {str(file.relative_to(folder)): hashlib.sha256(file.read_bytes()).hexdigest() for file in kept}


# --- what a run makes ----------------------------------------------------------------------------------------------


def test_a_run_writes_every_bundle_and_says_so(finished):
    folder = finished.folder / "tiny_figures"
    for name in FIGURES:
        for kind in ("pdf", "png", "csv", "json"):
            assert (folder / f"{name}.{kind}").stat().st_size > 100
        assert f"tiny_figures/{name}.png" in finished.printed
    assert not (finished.folder / "paper_figures").exists()
    assert "steps (100%) done" in finished.printed


def test_sidecar_says_what_made_the_figure(finished):
    sidecar = json.loads((finished.folder / "tiny_figures/figure2_gdf.json").read_text())
    assert sidecar["run"] == "tiny" and sidecar["config"]["block"]["alpha"] == 0.5
    assert sidecar["inputs"]
    for path, digest in sidecar["inputs"].items():
        assert digest == hashlib.sha256((finished.folder / path).read_bytes()).hexdigest()
    assert {"python", "numpy", "scipy", "sparsegdf"} <= set(sidecar["versions"])
    assert sidecar["commit"] == "unknown"  # the copy that tests run in is no checkout


def test_running_twice_gives_the_same_bytes(finished, tmp_path):
    """Theory, both solvers and the l0 search, and claims, computed again from the same results.

    `make test-cluster` compares the rest.
    """
    again = Project(tmp_path / "again")
    theory_alone = (*THEORY_FIGURES, "table_thresholds", "table_misprints")
    again.snakemake(*theory_alone, "figure5_example1", "figure8_l0_beyond_rs", "table_bp_l0")
    for folder, least in (("tiny_figures", 29), ("results/tiny", 40)):
        first, second = digests(finished.folder / folder), digests(again.folder / folder)
        assert len(second) >= least and second == {name: first[name] for name in second}
    before = digests(finished.folder / "tiny_figures")
    finished.snakemake("table_claims", "--forcerun", "verdicts")
    assert digests(finished.folder / "tiny_figures") == before


def test_either_solver_gives_the_same_figure(finished, tmp_path):
    """The summaries show who found the fixed points; under l1, which has a single one, they are the same."""
    project = Project(tmp_path / "project")
    project.edit("tests/tiny.yaml", "solver: bp # figure 5 has direct", "solver: direct")
    project.snakemake("figure6_example2")
    direct, bp = (
        pd.read_csv(place.folder / "tiny_figures/figure6_example2.csv")
        .query("kind == 'BP'")
        .set_index(["penalty", "eta"])
        for place in (project, finished)
    )
    assert (direct.found_direct == direct.converged).all() and (bp.found_direct == 0).all()
    assert direct[["fraction_bp", "steps_median", "steps_95"]].isna().all(axis=None)  # iterated: 0
    for name in ("delta", "gdf", "delta_eff", "stein"):
        assert direct.loc["l1", name].to_numpy() == pytest.approx(bp.loc["l1", name].to_numpy(), abs=1e-7)


def test_thresholds_table_has_three_readable_forms(finished):
    folder = finished.folder / "tiny_figures"
    table = pd.read_csv(folder / "table_thresholds.csv").set_index("penalty")
    assert table.loc["scad_a8", "s1_end"] == pytest.approx(0.924, abs=5e-4)
    assert "| 0.9242 |" in (folder / "table_thresholds.md").read_text()
    latex = (folder / "table_thresholds.tex").read_text()
    assert r"\toprule" in latex and r"scad\_a8" in latex


def test_plotted_numbers_are_the_theory(finished):
    from sparsegdf import L1, solve_rs

    plotted = pd.read_csv(finished.folder / "tiny_figures/figure3_prediction_error.csv")
    l1 = plotted[(plotted.kind == "curve") & (plotted.penalty == "l1")]
    for row in l1.itertuples():
        assert row.err_pre == pytest.approx(solve_rs(L1(), alpha=0.5, delta=row.delta, mean=0.5).err_pre, rel=1e-12)
    minimum = plotted[(plotted.kind == "minimum") & (plotted.penalty == "l1")].delta.item()
    assert minimum == pytest.approx(0.085, abs=5e-4)
    assert plotted[(plotted.kind == "minimum") & (plotted.penalty == "l0")].delta.item() == 0


def test_snakemake_does_not_look_for_jobs_ever_more_often(tmp_path):
    """Each planned look is a thread: after twelve finished jobs there are still only a few."""
    project, most = Project(tmp_path / "project"), 0
    process = project.start("figure4_bp_vs_rs", "--quiet", "all")
    while process.poll() is None:
        with contextlib.suppress(psutil.Error):
            most = max(most, psutil.Process(process.pid).num_threads())
        time.sleep(0.2)
    process.communicate()
    assert process.returncode == 0 and 1 < most < 12


# --- what a change reruns ------------------------------------------------------------------------------------------


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
FIXED_POINTS = {"fixed_points": 28, "iterated": 15, "summary": 24} | ITERATED | SEEN_IN
BP_DATA = FIXED_POINTS | once("bp_l0", "table_bp_l0")
BP_FIGURES = ("figure4_bp_vs_rs", "figure5_example1", "figure6_example2", "figure9_finite_size")
BESIDE = once("table_gaps", "table_effective_fraction")  # made of the same summaries as figures 5, 6 and 9
CORRECTED = {"corrected_fraction": 8, "table_effective_fraction": 1}
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
            {"summary": 24} | ITERATED | SEEN_IN | BESIDE | once(*BP_FIGURES),
        ),
        (
            "src/sparsegdf/solvers/direct.py",
            FIXED_POINTS | BESIDE | CORRECTED | PREDICTORS | once(*BP_FIGURES, "table_misprints") | PLANTED,
        ),
        (
            "src/sparsegdf/paper/experiments/iterated.py",
            {"iterated": 15, "summary": 11}
            | ITERATED
            | SEEN_IN
            | once("figure4_bp_vs_rs", "figure5_example1", "table_effective_fraction"),
        ),
        ("src/sparsegdf/solvers/best_subset.py", L0_DATA | L0_PREDICTORS | once(*L0_FIGURES) | PLANTED),
        ("src/sparsegdf/theory/one_step_rsb.py", {"l0_theory": 2, "table_l0": 1} | CLAIMS | once(*L0_FIGURES)),
        ("src/sparsegdf/paper/claims/l0.py", CLAIMS),
        ("src/sparsegdf/paper/readable_tables.py", once(*TABLES)),
        ("workflow/scripts/summary.py", {"summary": 24} | ITERATED | SEEN_IN | BESIDE | once(*BP_FIGURES)),
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
            {"fixed_points": 2, "iterated": 2, "summary": 1, "bp_theory": 1}
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
            {"fixed_points": 4, "iterated": 4, "summary": 4, "figure5_example1": 1}
            | {"limit_points": 1, "corrected_fraction": 4, "table_effective_fraction": 1}
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
    expected = {"fixed_points": 13, "summary": 13, "planted": 1, "table_selection": 1} | SEEN_IN | BESIDE
    expected |= {"limit_points": 2, "corrected_fraction": 4}
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
    fresh = {"summary": 4, "table_bp_convergence": 1, "figure4_bp_vs_rs": 1}
    # 6 samples in chunks of 3 for each of 4 penalties are there. A last chunk that is shorter is another one.
    for samples, new in ((12, 8), (6, 0), (3, 0), (5, 4), (2, 4)):
        changed.edit("tests/tiny.yaml", "  N: 40\n  samples: ", f"  N: 40\n  samples: {samples} # ")
        planned = changed.planned("figure4_bp_vs_rs", "table_bp_convergence")
        assert planned == (({"fixed_points": new} if new else {}) | fresh if samples != 6 else {})


def test_more_iterated_samples_compute_only_the_new_chunks(changed):
    """Three of four penalties have more than two samples, and there are chunks of two."""
    changed.edit("tests/tiny.yaml", "samples: 3\n  iterated: 2", "samples: 3\n  iterated: 3")
    planned = changed.planned("figure5_example1")
    assert planned == {"iterated": 3, "summary": 3, "figure5_example1": 1}


def test_lost_metadata_is_noticed(changed):
    state = changed.folder / ".snakemake"
    (state / "metadata").rename(state / "elsewhere")
    try:
        done = changed.snakemake("-n", "all", check=False)
    finally:
        (state / "elsewhere").rename(state / "metadata")
    assert done.returncode != 0 and "Traceback" not in done.text
    assert "were not made in this working copy" in done.text and "delete results/tiny and tiny_figures" in done.text


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


def test_make_takes_the_run_by_its_name():
    def made(*words):
        return subprocess.run(["make", "-n", *words], cwd=ROOT, capture_output=True, text=True)

    for target, call in (("status", "status.py"), ("report", "report_page"), ("verify", "verify.py")):
        paper, quick, typo = made(target), made(target, "RUN=quick"), made(target, "RUN=qick")
        (line,) = [line for line in quick.stdout.splitlines() if call in line]
        assert "config/quick.yaml" in line or line.endswith("verify.py quick")
        assert paper.returncode == 0 and "quick" not in paper.stdout
        assert typo.returncode != 0 and "RUN=qick: there is no config/qick.yaml" in typo.stderr
        assert "Known runs: paper quick" in typo.stderr


def test_status_of_a_paper_run_not_yet_begun_goes_by_the_reference(tmp_path):
    project = Project(tmp_path)
    project.configuration = "config/paper.yaml"
    lines = {
        line.split()[0]: line.split() for line in project.snakemake(program=("workflow/status.py",)).text.splitlines()
    }
    costs = pd.read_csv(ROOT / "reference/costs.csv").set_index("rule")
    jobs = pd.Series(project.planned("figure5_example1")).rename({"figure5_example1": "figure"})
    assert lines["figure5_example1"][1:3] == ["stale", str(jobs.sum())]
    assert float(lines["figure5_example1"][3].removeprefix("~")) == pytest.approx(
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


def test_a_claim_that_the_reference_reproduced_and_this_run_does_not_is_an_error(changed):
    changed.snakemake("claims")
    reference = changed.folder / "reference/claims.json"
    kept = reference.read_text()
    document = json.loads(kept)
    (claim,) = [claim for claim in document["claims"] if claim["id"] == "min-en"]
    claim["verdict"] = "reproduced"  # every run contradicts it
    reference.write_text(json.dumps(document))
    try:
        done = changed.snakemake("claims", check=False)
    finally:
        reference.write_text(kept)
    assert done.returncode != 0 and "not by this one: min-en (contradicted)" in done.text


# --- what a job costs ----------------------------------------------------------------------------------------------


def test_every_job_of_a_run_has_left_its_cost(finished):
    logs = {file.relative_to(finished.folder) for file in (finished.folder / "results/tiny/logs").rglob("*.log")}
    spent = [file for file in (finished.folder / "results/tiny/benchmarks").rglob("*.tsv")]
    assert len(spent) == len(logs) > 100
    rows = pd.concat([pd.read_csv(file, sep="\t") for file in spent])
    assert (rows.cpu_seconds > 0.05).all() and rows.notna().all(axis=None)
    assert (rows.rule == "fixed_points").sum() == BP_DATA["fixed_points"]


# --- targets and configuration -------------------------------------------------------------------------------------


def test_every_figure_and_table_is_a_target_by_name(finished):
    assert finished.planned(*FIGURES, *TABLES, "paper_figures", "beyond") == {}


def test_each_target_has_its_own_figures_and_tables(finished):
    """What the paper shows, what is ours, and what judges the paper: together everything, and nothing twice."""
    shown = [set(finished.planned(target, "--forceall")) for target in ("paper_figures", "beyond", "claims")]
    paper, beyond, claims = (names & {*FIGURES, *TABLES} for names in shown)
    assert {*FIGURES, *TABLES} == paper | beyond | claims
    assert len(FIGURES) + len(TABLES) == len(paper) + len(beyond) + len(claims)
    of_the_paper = {name for name in FIGURES if name.split("_")[0] in [f"figure{k}" for k in range(1, 8)]}
    assert paper & {*FIGURES} == of_the_paper and claims == {"table_claims", "table_misprints"}


@pytest.mark.parametrize(
    "old, new, message",
    [
        ("figure2_gdf:\n  alpha: 0.5", "figure2_gdf:\n  alpha: -1", "figure2_gdf.alpha = -1: input should be greater than 0"),
        ("figure2_gdf:\n  alpha:", "figure2_gdf:\n  alhpa:", "figure2_gdf.alhpa = 0.5: unknown key; did you mean 'alpha'?"),
        ("figure2_gdf:\n  alpha: 0.5", "figure2_gdf:\n  alpha: high", "figure2_gdf.alpha = 'high': input should be a valid number"),
    ],
)  # fmt: skip
def test_a_bad_configuration_is_one_readable_message(changed, old, new, message):
    changed.edit("config/paper.yaml", old, new)
    done = changed.snakemake("-n", "all", check=False)
    assert done.returncode != 0
    assert message in done.text
    assert "Traceback" not in done.text


def test_lint_is_clean():
    command = [sys.executable, "-m", "snakemake", "--lint"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_quick_only_overrides_what_paper_has():
    """config/quick.yaml and tests/tiny.yaml only override: every key of theirs is in config/paper.yaml."""
    paper = yaml.safe_load((ROOT / "config/paper.yaml").read_text())

    def check(small, large, path=""):
        for key, value in small.items():
            assert key in large, f"{path}{key}"
            if isinstance(value, dict):
                check(value, large[key], f"{path}{key}.")

    for name in ("config/quick.yaml", "tests/tiny.yaml"):
        check(yaml.safe_load((ROOT / name).read_text()), paper)


def test_snakemakes_own_report_has_every_figure_and_table_with_its_settings(finished):
    file = finished.folder / "report.zip"
    finished.snakemake("paper_figures", "beyond", "claims", "--report", str(file))
    with zipfile.ZipFile(file) as archive:
        files = {path.rpartition("/")[2] for path in archive.namelist()}
        page = archive.read("report/report.html").decode()
    file.unlink()
    assert {f"{name}.png" for name in FIGURES} | {f"{kind.file}.csv" for kind in TABLES.values()} <= files
    for kind in (*FIGURES.values(), *TABLES.values()):
        assert json.dumps(kind.shows)[1:-1] in page or kind.shows in page, kind.name
    assert page.count("Settings: ") >= len(FIGURES)


def test_no_absolute_paths_in_what_a_run_writes(finished):
    for file in (finished.folder / "tiny_figures").iterdir():
        if file.suffix in (".json", ".csv", ".md", ".tex"):
            assert str(finished.folder) not in file.read_text()
