"""Profiles: they load, and a misspelt one never becomes a run on the login node. Dry runs: see tests/cluster."""

import sys

import pytest
from conftest import ROOT, Project

sys.path.insert(0, str(ROOT / "workflow"))
from profile_guard import ProfileError, require_profile

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
    assert "Traceback" not in done.text and "Job stats" not in done.text


@pytest.mark.parametrize("words", [("--profile", "profiles/slrum"), ("--workflow-profile", "config")])
def test_snakemake_itself_stops_on_a_missing_profile_and_on_a_folder_without_one(fresh, words):
    done = fresh.snakemake("-n", *words, "figure2_gdf", check=False)
    assert done.returncode != 0
    assert f"profile directory given ({words[1]})" in done.text and "Job stats" not in done.text


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
    with pytest.raises(ProfileError, match=HERE):
        require_profile(words.split(), ROOT)
