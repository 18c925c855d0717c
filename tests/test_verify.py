"""`make verify`: its verdicts on edits to a copy of the reference run."""

import json
import shutil
import subprocess
import sys

import pandas as pd
import pytest
from conftest import ROOT

from sparsegdf.paper.verify import verify

REFERENCE = ROOT / "reference"


@pytest.fixture
def run(tmp_path):
    """A copy of the reference, as paper_figures."""
    return shutil.copytree(REFERENCE, tmp_path / "paper_figures")


def edit(run, name, change):
    frame = pd.read_csv(run / f"{name}.csv")
    frame = change(frame)
    frame.to_csv(run / f"{name}.csv", index=False, lineterminator="\n")


def shift(column, row, by):
    """Add `by` to one number; by may be a function of the row."""

    def change(frame):
        frame.loc[row, column] += by(frame.loc[row]) if callable(by) else by
        return frame

    return change


def verdict(run, name, same_scale=True):
    verdicts = {verdict.name: verdict for verdict in verify(run, REFERENCE, same_scale=same_scale)}
    others = {other.word for other in verdicts.values() if other.name != name}
    assert others == {"identical"}
    return verdicts[name]


def test_a_copy_is_identical(run):
    verdicts = verify(run, REFERENCE, same_scale=True)
    assert len(verdicts) == len([*REFERENCE.glob("figure*.csv"), *REFERENCE.glob("table*.csv")]) >= 10
    assert {verdict.word for verdict in verdicts} == {"identical"}


@pytest.mark.parametrize(
    ("name", "column", "row"),
    [
        ("figure1_single_body", "x", 700),
        ("figure2_gdf", "df", 200),
        ("figure2_gdf", "eta", 200),
        ("figure3_prediction_error", "err_pre", 2406),
        ("figure4_bp_vs_rs", "df", 300),
        ("figure7_l0_exhaustive", "rs", 100),
        ("figure8_l0_beyond_rs", "one_step_rsb", 400),
        ("table_l0", "bound", 40),
        ("table_thresholds", "s1_end", 1),
    ],
)
def test_a_digit_of_theory(run, name, column, row):
    edit(run, name, shift(column, row, 1e-6))
    found = verdict(run, name)
    assert found.word == "changed" and f"{column} is " in found.text and "1 of " in found.text
    shutil.copy(REFERENCE / f"{name}.csv", run)
    edit(run, name, shift(column, row, 1e-10))
    assert verdict(run, name).word == "within noise"


@pytest.mark.parametrize(
    ("name", "column", "row"),
    [
        ("figure4_bp_vs_rs", "gdf", 10),
        ("figure5_example1", "delta", 30),
        ("figure5_example1", "gap_stein", 99),
        ("figure7_l0_exhaustive", "df", 3),
        ("figure8_l0_beyond_rs", "limit", 501),
        ("table_bp_l0", "delta", 0),
        ("table_l0", "df_plain", 50),
    ],
)
@pytest.mark.parametrize(("sigmas", "word"), [(1, "within noise"), (-1, "within noise"), (9, "changed")])
def test_a_mean_is_judged_by_its_error(run, name, column, row, sigmas, word):
    edit(run, name, shift(column, row, lambda values: sigmas * values[f"{column}_se"]))
    found = verdict(run, name)
    assert found.word == word and f"{column} is " in found.text and f"z = {abs(sigmas) / 2**0.5:.1f}" in found.text


def test_six_standard_errors_of_the_difference(run):
    edit(run, "figure5_example1", shift("gdf", 40, lambda row: 6 * 2**0.5 * row["gdf_se"]))
    found = verdict(run, "figure5_example1")
    assert found.word == "changed" and "z = 6.0" in found.text and "penalty elastic_net, kind BP, eta" in found.text


def test_a_word_a_flag_and_nothing_where_there_was_a_number(run):
    for column, value in (("branch", "S2"), ("rs_stable", False), ("df", None)):
        shutil.copy(REFERENCE / "figure2_gdf.csv", run)
        edit(
            run,
            "figure2_gdf",
            lambda frame, c=column, v=value: frame.assign(**{c: frame[c].where(frame.index != 7, v)}),
        )
        assert verdict(run, "figure2_gdf").word == "changed"


def test_steps_are_judged_by_the_error_of_their_median(run):
    edit(run, "figure5_example1", shift("steps_median", 5, 1))
    assert verdict(run, "figure5_example1").word == "within noise"
    edit(run, "figure5_example1", shift("steps_median", 5, 1e4))
    assert verdict(run, "figure5_example1").word == "changed"


def test_what_has_no_error_is_not_judged_but_said(run):
    edit(run, "figure5_example1", shift("steps_95", 5, 1))
    found = verdict(run, "figure5_example1")
    assert found.word == "within noise" and "steps_95" in found.notes[0]


def test_a_fraction_has_a_binomial_error(run):
    edit(run, "figure5_example1", shift("fraction_converged", 0, -0.002))
    assert verdict(run, "figure5_example1").word == "within noise"
    edit(run, "figure5_example1", shift("fraction_converged", 0, -0.1))
    assert verdict(run, "figure5_example1").word == "changed"


def test_a_fraction_is_judged_by_the_samples_it_is_of(run):
    """The radii have ten samples, but fraction_bp has a hundred runs of belief propagation."""
    row = pd.read_csv(REFERENCE / "table_bp_region.csv").query("penalty == 'l1'").index[0]
    for by, word in ((-0.02, "within noise"), (-0.3, "changed")):
        shutil.copy(REFERENCE / "table_bp_region.csv", run)
        edit(run, "table_bp_region", shift("fraction_bp", row, by))
        assert verdict(run, "table_bp_region").word == word


def test_a_number_of_levels_has_a_binomial_error(run):
    row = pd.read_csv(REFERENCE / "table_bp_direct.csv").query("penalty == 'scad_a5'").index[0]
    for by, word in ((1, "within noise"), (60, "changed")):
        shutil.copy(REFERENCE / "table_bp_direct.csv", run)
        edit(run, "table_bp_direct", shift("other_state", row, by))
        assert verdict(run, "table_bp_direct").word == word


def test_a_mean_over_the_part_that_converged_may_have_nobody_to_average(run):
    """BP for l0 is chaotic where it hardly converges: rounding decides whether one sample converges or none."""
    frame = pd.read_csv(run / "table_bp_l0.csv")
    rare, never = frame.index[(frame.damping == 1) & frame.eta.isin([2.5, 1.5])]
    changes = {"fraction_converged": 0.05, "delta": 0.1, "delta_se": None}
    edit(run, "table_bp_l0", lambda frame: frame.assign(**{c: frame[c].where(frame.index != never, v)
                                                           for c, v in changes.items()}))  # fmt: skip
    found = verdict(run, "table_bp_l0")
    assert found.word == "within noise" and any(
        "fewer than two samples" in note and "delta" in note for note in found.notes
    )
    edit(run, "table_bp_l0", lambda frame: frame.assign(fraction_converged=frame.fraction_converged.where(
        frame.index != rare, 1.0)))  # fmt: skip
    assert verdict(run, "table_bp_l0").word == "changed"  # all at once converge
    shutil.copy(REFERENCE / "figure5_example1.csv", run)
    edit(run, "figure5_example1", lambda frame: frame.assign(gdf=frame.gdf.where(frame.index != 0)))
    words = {verdict.name: verdict.word for verdict in verify(run, REFERENCE, same_scale=True)}
    assert words["figure5_example1"] == "changed"  # every sample converged there: a mean that is lost


def test_few_that_converged_have_the_quantiles_of_few(run):
    frame = pd.read_csv(REFERENCE / "table_bp_l0.csv")
    many, few = frame.index[(frame.damping == 1) & frame.eta.isin([4, 2.5])]
    assert frame.fraction_converged[few] * frame.samples[few] <= 6 < frame.fraction_converged[many] * 20
    for row, word in ((many, "changed"), (few, "within noise")):
        shutil.copy(REFERENCE / "table_bp_l0.csv", run)
        edit(run, "table_bp_l0", shift("delta", row, lambda values: 9 * values["delta_se"]))
        assert verdict(run, "table_bp_l0").word == word


@pytest.mark.parametrize("name", ["figure2_gdf", "figure5_example1", "table_l0"])
def test_a_lost_row_and_a_new_one(run, name):
    edit(run, name, lambda frame: frame.drop(index=17))
    assert verdict(run, name).word == "changed" and verdict(run, name).text.startswith("row lost: ")
    reference = run.parent / "reference"
    shutil.copytree(REFERENCE, reference)
    shutil.copy(run / f"{name}.csv", reference)
    assert (
        "row not in the reference" in next(v for v in verify(REFERENCE, reference, same_scale=True) if v.failed).text
    )


def test_rows_in_another_order_are_the_same(run):
    edit(run, "figure8_l0_beyond_rs", lambda frame: frame.iloc[::-1])
    assert verdict(run, "figure8_l0_beyond_rs").word == "within noise"


def test_a_fit_is_known_by_its_names_and_eta(tmp_path):
    fits = pd.DataFrame({"penalty": "l1", "gap": "stein", "eta": [1.0, 2.0], "limit": [0.1, 0.2], "limit_se": 0.01})
    for name, shifted in (("reference", 0.0), ("paper_figures", 0.01)):
        (tmp_path / name).mkdir()
        frame = fits.assign(limit=fits["limit"] + shifted, delta=0.5 / fits["eta"] + shifted)
        frame = frame.assign(z=frame["limit"] / frame["limit_se"])
        frame.to_csv(tmp_path / name / "figure9_finite_size.csv", index=False)
    (found,) = verify(tmp_path / "paper_figures", tmp_path / "reference", same_scale=True)
    assert found.word == "within noise" and "z = 0.7" in found.text and "to judge by: delta, z" in found.notes[0]


def test_a_lost_file_and_a_new_one(run):
    (run / "figure2_gdf.csv").rename(run / "figure99_new.csv")
    words = {verdict.name: verdict.word for verdict in verify(run, REFERENCE, same_scale=True)}
    assert words["figure2_gdf"] == "missing" and words["figure99_new"] == "not compared"


def cut(content):
    return content[: len(content) // 2]


@pytest.mark.parametrize(
    ("file", "damage", "word", "message"),
    [
        ("figure2_gdf.csv", cut, "damaged", "figure2_gdf.csv ends in the middle of a line"),
        ("figure2_gdf.csv", lambda content: b"", "damaged", "figure2_gdf.csv is empty"),
        ("figure2_gdf.csv", lambda content: content.split(b"\n")[0] + b"\n", "damaged", "figure2_gdf.csv has no rows"),
        ("figure2_gdf.csv", lambda content: content + b"1,2" * 50 + b"\n", "damaged", "figure2_gdf.csv is no CSV table"),
        ("figure2_gdf.csv", lambda content: b"\xff\xfe" + content, "damaged", "figure2_gdf.csv cannot be read"),
        ("figure2_gdf.csv", lambda content: content + content, "damaged", "does not hold numbers alone"),
        ("figure2_gdf.csv", lambda content: content.replace(b",df,", b",fd,", 1), "changed", "columns differ: df, fd"),
        ("figure2_gdf.json", cut, "damaged", "figure2_gdf.json is not JSON"),
        ("figure2_gdf.json", lambda content: b"", "damaged", "figure2_gdf.json is not JSON"),
        ("figure2_gdf.json", lambda content: b"[]", "damaged", "figure2_gdf.json has no settings under the key 'config'"),
    ],
    ids=["cut", "empty", "header", "ragged", "encoding", "twice", "columns", "json cut", "json empty", "json list"],
)  # fmt: skip
def test_a_broken_file_of_the_reference_is_a_verdict(run, tmp_path, file, damage, word, message):
    reference = shutil.copytree(REFERENCE, tmp_path / "reference")
    (reference / file).write_bytes(damage((reference / file).read_bytes()))
    edit(run, "figure2_gdf", shift("df", 0, 1e-12))  # or the file would be identical, whatever its sidecar
    found = next(verdict for verdict in verify(run, reference, same_scale=True) if verdict.name == "figure2_gdf")
    assert found.word == word and found.failed and message in found.text and "\n" not in found.text


def test_other_settings(run):
    sidecar = json.loads((run / "figure2_gdf.json").read_text())
    sidecar["config"]["block"]["alpha"] = 0.7
    (run / "figure2_gdf.json").write_text(json.dumps(sidecar))
    edit(run, "figure2_gdf", shift("df", 0, 0.1))
    assert verdict(run, "figure2_gdf").word == "changed"
    assert "alpha 0.7 (was 0.5)" in verdict(run, "figure2_gdf").text
    assert verdict(run, "figure2_gdf", same_scale=False).word == "not compared"


def test_another_grid_is_compared_by_interpolation(run):
    def coarser(frame):
        curve = frame[frame["penalty"] == "elastic_net"].reset_index(drop=True)
        middle = (curve.select_dtypes("float") + curve.select_dtypes("float").shift(-1)) / 2
        return curve.assign(**middle)[:-1:4]

    edit(run, "figure2_gdf", coarser)
    found = verdict(run, "figure2_gdf", same_scale=False)
    assert found.word == "within noise" and "interpolation" in found.notes[0]
    assert verdict(run, "figure2_gdf", same_scale=True).word == "changed"
    edit(run, "figure2_gdf", lambda frame: frame.assign(df=frame["df"] + 1e-4))
    assert verdict(run, "figure2_gdf", same_scale=False).word == "changed"


def test_the_tiny_run_agrees_where_it_can_be_compared(finished):
    verdicts = {
        verdict.name: verdict for verdict in verify(finished.folder / "tiny_figures", REFERENCE, same_scale=False)
    }
    assert not [verdict for verdict in verdicts.values() if verdict.failed]
    assert verdicts["table_thresholds"].word in (
        "identical",
        "within noise",
    )  # to the last bit on a like processor only
    assert verdicts["figure2_gdf"].word == "within noise"
    assert "N 40 (was 1000)" in verdicts["figure5_example1"].text


def test_the_command_says_so_and_its_status_too(run):
    def call(*words):
        command = [sys.executable, ROOT / "workflow/verify.py", *words]
        return subprocess.run(command, cwd=run.parent, capture_output=True, text=True)

    (run.parent / "reference").symlink_to(REFERENCE)
    good = call()
    assert good.returncode == 0 and "figure2_gdf                identical" in good.stdout
    (run / "figure2_gdf.csv").unlink()
    bad = call("paper")
    assert bad.returncode == 1 and "missing" in bad.stdout
    assert "mine_figures does not exist" in call("mine").stderr
    (run.parent / "reference").unlink()
    assert "reference/ has no tables to compare with" in call().stderr
