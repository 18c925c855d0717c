"""Profiles and other options: a misspelt profile never starts a run on the login node, and no option hides stale
results or overwrites those of the paper. These are dry runs; tests/cluster has real ones.
"""

import sys

import pytest
from conftest import ROOT, Project

sys.path.insert(0, str(ROOT / "workflow"))
from guards import GuardError, require_profile, require_records, require_triggers, require_work

HERE = "profiles/cluster-generic, profiles/default, profiles/slurm"


@pytest.fixture(scope="module")
def fresh(tmp_path_factory):
    """A project in which nothing has run."""
    return Project(tmp_path_factory.mktemp("profiles"))


@pytest.mark.parametrize("name", ["slurm", "cluster-generic"])
def test_a_profile_is_added_to_the_default_one(fresh, name):
    text = fresh.snakemake("-n", "--profile", f"profiles/{name}", "table_bp_l0", program=("-m", "snakemake")).text
    assert f"Using profiles profiles/{name} and workflow specific profile profiles/default" in text
    assert "runtime=30, mem_mb=1200," in text


def test_a_retry_asks_for_more_memory_and_time(fresh):
    text = fresh.snakemake("-n", "--attempt", "3", "table_bp_l0").text
    assert "runtime=90, mem_mb=3600," in text


def test_a_misspelt_workflow_profile_stops_with_the_list_of_profiles(fresh):
    done = fresh.snakemake("-n", "--workflow-profile", "profiles/slrum", "figure2_gdf", check=False)
    assert done.returncode != 0
    assert "There is no profile 'profiles/slrum'" in done.text and HERE in done.text
    assert "Did you mean profiles/slurm?" in done.text
    assert "Traceback" not in done.text and "Job stats" not in done.text


@pytest.mark.parametrize(
    "words, message",
    [
        (("--profile", "slrum"), f"there is no profile slrum. Did you mean profiles/slurm? Known: {HERE}."),
        (("--workflow-profile", "config"), "profile directory given (config)"),  # Snakemake's own answer
    ],
)
def test_a_missing_profile_and_a_folder_without_one_stop(fresh, words, message):
    done = fresh.snakemake("-n", *words, "figure2_gdf", check=False)
    assert done.returncode != 0 and message in done.text
    assert "Traceback" not in done.text and "Job stats" not in done.text


@pytest.mark.parametrize(
    "words",
    [
        "--workflow-profile profiles/slurm",
        "--workflow-profile=profiles/slurm/config.yaml",
        "--workflow-profile slurm",
        "--workflow-profile none",
        "--profile profiles/slurm --cores 2",
        "--configfile config/quick.yaml -- paper_figures",
        "",
    ],
)
def test_the_guard_lets_pass_what_snakemake_finds(words, monkeypatch, tmp_path):
    monkeypatch.chdir(ROOT)
    require_profile(words.split(), ROOT)
    if "/" not in words:  # a bare name is found from another folder too
        monkeypatch.chdir(tmp_path)
        require_profile(words.split(), ROOT)


@pytest.mark.parametrize(
    "words",
    [
        "--workflow-profile slrum",
        "--workflow-profile=profiles/slrum",
        "--cores 2 --workflow-prof profiles/slurm/confg.yaml paper_figures",
    ],
)
def test_the_guard_stops_the_rest(words, monkeypatch):
    monkeypatch.chdir(ROOT)
    with pytest.raises(GuardError, match=HERE):
        require_profile(words.split(), ROOT)


# --- rerun triggers ------------------------------------------------------------------------------------------------


def test_triggers_that_would_hide_stale_results_are_refused(fresh):
    done = fresh.snakemake("-n", "figure2_gdf", "--rerun-triggers", "mtime", check=False)
    assert done.returncode != 0 and "Traceback" not in done.text and "Job stats" not in done.text
    assert "--rerun-triggers without input and params: stale results would pass as fresh" in done.text


@pytest.mark.parametrize(
    "words",
    ["", "--rerun-triggers mtime params input --cores 2", "--rerun-trig params input mtime code -- figure2_gdf"],
)
def test_all_that_are_needed_pass(words):
    require_triggers(words.split())


@pytest.mark.parametrize("words", ["--rerun-triggers params input", "--cores 2 --rerun-trig mtime params -- x"])
def test_any_that_is_missing_does_not(words):
    with pytest.raises(GuardError, match="stale results would pass as fresh"):
        require_triggers(words.split())


@pytest.mark.parametrize("words", ["--touch", "-t", "--ignore-incomplete"])
def test_options_that_make_old_files_pass_as_new_are_refused(words):
    require_work(["--cores", "2", "figure2_gdf"])
    with pytest.raises(GuardError, match="stale results would pass as fresh"):
        require_work(["--cores", "2", words, "--", "figure2_gdf"])


def test_touch_does_not_make_results_of_another_seed_fresh(changed):
    changed.edit("config/paper.yaml", "seed: 20180621", "seed: 1")
    summary = "results/tiny/summaries/figure4_bp_vs_rs.parquet"
    done = changed.snakemake("--touch", summary, check=False)
    assert done.returncode != 0 and "Traceback" not in done.text
    assert "--touch: stale results would pass as fresh" in done.text
    assert changed.planned(summary)["fixed_points"] == 8


@pytest.mark.parametrize(
    "words, backend",
    [
        ("--cleanup-metadata results/tiny/claims_hold.txt", "file"),
        ("--drop-metadata --cores 2 -- figure2_gdf", "file"),
        ("--cores 2", "db"),
    ],
)
def test_options_that_lose_records_are_refused(words, backend):
    require_records("--cores 2 -- figure2_gdf".split(), "file")
    with pytest.raises(GuardError, match="stale results would pass as fresh"):
        require_records(words.split(), backend)


def test_results_of_another_seed_do_not_pass_for_want_of_a_record(changed):
    file = "results/tiny/l0/n10/000000-000002.parquet"
    changed.edit("config/paper.yaml", "seed: 20180621", "seed: 1")
    done = changed.snakemake(file, "--persistence-backend", "db", check=False)
    assert done.returncode != 0 and "Traceback" not in done.text
    assert "--persistence-backend db: without its record" in done.text
    assert changed.planned(file) == {"l0_samples": 1}


# --- a configuration without a run of its own ----------------------------------------------------------------------


class Own(Project):
    """A project with a user's configuration file."""

    configuration = "config/own.yaml"

    def plan(self, text, *words):
        (self.folder / self.configuration).write_text(text)
        return self.snakemake("-n", "figure2_gdf", *words, check=False)


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    return Own(tmp_path_factory.mktemp("own"))


@pytest.mark.parametrize(
    "text, words, changed",
    [
        ("figure2_gdf: { alpha: 0.7 }", (), "figure2_gdf.alpha"),
        ("run: paper\nseed: 1", (), "seed"),
        ("{}", ("--config", "seed=1"), "seed"),
    ],
)
def test_parameters_of_ones_own_do_not_overwrite_the_paper(own, text, words, changed):
    done = own.plan(text, *words)
    assert done.returncode != 0 and "Traceback" not in done.text and "Job stats" not in done.text
    assert f"changes {changed}, but the run is still 'paper'" in done.text and "`run: mine`" in done.text


@pytest.mark.parametrize(
    "text, words",
    [
        ("run: mine\nfigure2_gdf: { alpha: 0.7 }", ()),
        ("figure2_gdf: { alpha: 0.7 }", ("--config", "run=mine")),
        ("figure2_gdf: { alpha: 0.5 }", ()),  # what the paper's has
    ],
)
def test_a_run_of_ones_own_and_the_papers_own_numbers_pass(own, text, words):
    done = own.plan(text, *words)
    assert done.returncode == 0 and "Job stats" in done.text


def test_the_papers_run_itself_can_be_changed(tmp_path):
    project = Project(tmp_path)
    project.configuration = "config/paper.yaml"
    project.edit("config/paper.yaml", "figure2_gdf:\n  alpha: 0.5", "figure2_gdf:\n  alpha: 0.6")
    assert project.planned("figure2_gdf") == {"rs_curves": 1, "figure2_gdf": 1}
