"""The pipeline: what a run produces, its targets, and the errors of a bad configuration."""

import contextlib
import hashlib
import json
import os
import subprocess
import sys
import time
import zipfile

import pandas as pd
import psutil
import pytest
import yaml
from conftest import ROOT, Project, digests

from sparsegdf.paper.experiments.by_penalty import by_penalty
from sparsegdf.paper.experiments.summaries import summarise
from sparsegdf.paper.figures.registry import FIGURES, TABLES
from sparsegdf.paper.tables import read_table

THEORY_FIGURES = ("figure1_single_body", "figure2_gdf", "figure3_prediction_error")


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
    """In a folder with spaces and umlauts, on other cores and BLAS threads; claims are decided from the same results.

    It computes theory, both solvers and the l0 search again; `make test-cluster` compares the rest.
    """
    again = Project(tmp_path / "ein Ordner für λ und δ")
    theory_alone = (*THEORY_FIGURES, "table_thresholds", "table_misprints")
    both_solvers = "results/tiny/summaries/claims_iid.parquet"
    targets = (*theory_alone, both_solvers, "figure7_l0_exhaustive", "table_bp_l0")
    one_core = ("-m", "snakemake", "--cores", "1")
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), str(2 * os.cpu_count()))
    process = again.start(*targets, "--quiet", "all", program=one_core, **threads)
    assert (
        most_threads(process) < 12
    )  # each look for jobs that Snakemake plans is a thread; see snakemake_internals.py
    assert process.returncode == 0
    for folder, least in (("tiny_figures", 25), ("results/tiny", 21)):
        first, second = digests(finished.folder / folder), digests(again.folder / folder)
        assert len(second) >= least and second == {name: first[name] for name in second}
    before = digests(finished.folder / "tiny_figures")
    finished.snakemake("table_claims", "--forcerun", "verdicts")
    assert digests(finished.folder / "tiny_figures") == before


def most_threads(process):
    """The largest number of threads that a process has until it ends."""
    most = 0
    while process.poll() is None:
        with contextlib.suppress(psutil.Error):
            most = max(most, psutil.Process(process.pid).num_threads())
        time.sleep(0.2)
    process.communicate()
    return most


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


def test_the_summary_of_a_run_has_for_each_penalty_what_its_own_chunks_give(finished):
    folder, run = finished.folder / "results/tiny", "figure5_example1"
    summaries = by_penalty(read_table(folder / f"summaries/{run}.parquet"))
    assert list(summaries) == ["l1", "elastic_net", "scad_a5", "scad_a8"]
    for penalty, summary in summaries.items():
        kinds = (folder / kind / run / penalty for kind in ("fixed_points", "iterated"))
        fixed_points, iterated = ([read_table(file) for file in sorted(kind.iterdir())] for kind in kinds)
        pd.testing.assert_frame_equal(summary, summarise(fixed_points, iterated), check_exact=True)


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


def test_every_job_of_a_run_has_left_its_cost(finished):
    logs = {file.relative_to(finished.folder) for file in (finished.folder / "results/tiny/logs").rglob("*.log")}
    spent = [file for file in (finished.folder / "results/tiny/benchmarks").rglob("*.tsv")]
    assert len(spent) == len(logs) > 100
    rows = pd.concat([pd.read_csv(file, sep="\t") for file in spent])
    assert (rows.cpu_seconds > 0.05).all() and rows.notna().all(axis=None)
    chunks = list((finished.folder / "results/tiny/fixed_points").rglob("*.parquet"))
    assert (rows.rule == "fixed_points").sum() == len(chunks) > 20


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


def test_make_takes_the_run_by_its_name():
    def made(*words):
        return subprocess.run(["make", "-n", *words], cwd=ROOT, capture_output=True, text=True)

    for target, call in (("status", "status.py"), ("report", "report_page"), ("verify", "verify.py")):
        paper, quick = made(target), made(target, "RUN=quick")
        (line,) = [line for line in quick.stdout.splitlines() if call in line]
        assert "config/quick.yaml" in line or line.endswith("verify.py quick")
        assert paper.returncode == 0 and "quick" not in paper.stdout
