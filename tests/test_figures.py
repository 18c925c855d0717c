"""Figures show stability and convergence as in the data, and previews are marked."""

import json
import os
import subprocess

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import same_color

from sparsegdf import L1, SCAD, rs_curve
from sparsegdf.paper.experiments.finite_size import finite_size_table, gap_limits
from sparsegdf.paper.experiments.theory_tables import rs_table, single_body_table
from sparsegdf.paper.figures import (
    bundle,
    figure1_single_body,
    figure2_gdf,
    figure5_example1,
    figure9_finite_size,
    figure11_predictors,
    style,
)
from sparsegdf.paper.figures.base import Drawing
from sparsegdf.paper.figures.limit_lines import draw_limit
from sparsegdf.paper.figures.points import FEWEST, draw_points, write_fractions


@pytest.fixture
def ax():
    return style.new_figure(3, 3).subplots()


def summary():
    rows = {"delta": [0.1, 0.3, 0.5, 0.7], "delta_se": 0.01, "gdf": [0.1, 0.3, 0.5, 0.7], "gdf_se": 0.02}
    return pd.DataFrame(rows | {"converged": [100, 100, 40, FEWEST - 1], "fraction_converged": [1, 1, 0.4, 0.04]})


def test_incomplete_points_are_hollow_and_too_few_are_not_drawn(ax):
    draw_points(ax, summary(), "gdf", color=style.BLUE, label="GDF")
    filled, hollow = (container.lines[0] for container in ax.containers)
    np.testing.assert_allclose(np.asarray(filled.get_xdata(), float), [0.1, 0.3])
    np.testing.assert_allclose(np.asarray(hollow.get_xdata(), float), [0.5])
    assert same_color(hollow.get_markerfacecolor(), "white") and same_color(filled.get_markerfacecolor(), style.BLUE)
    assert all(container.has_yerr and container.has_xerr for container in ax.containers)
    assert len(ax.get_legend_handles_labels()[1]) == 1


def test_the_fraction_is_written_where_it_is_not_one(ax):
    write_fractions(ax, summary(), color="black")
    assert [text.get_text() for text in ax.texts] == ["40%"]


def test_lines_are_solid_where_stable_and_dashed_where_not(ax):
    curve = rs_curve(SCAD(a=8, lam=1.0), alpha=0.5, deltas=np.linspace(0.5, 1, 101))
    style.draw_rs_line(ax, curve, "df", color="black")
    stable, unstable, beyond = ax.lines[:3]
    assert stable.get_linestyle() == "-" and unstable.get_linestyle() != "-" and beyond.get_linestyle() != "-"
    assert stable.get_xdata()[-1] == unstable.get_xdata()[0] == pytest.approx(0.867, abs=0.006)
    assert unstable.get_xdata()[-1] < beyond.get_xdata()[0]  # S1 and S2 are not joined


def test_figure_11_compares_with_the_theory_of_the_same_design():
    theory = pd.DataFrame({"design": ["a", "b", "a"], "penalty": ["l1", "l1", "l0"], "eta": [1.0, 1.0, 2.0]})
    theory = theory.assign(delta=[0.3, 0.3, 0.2], df=[0.3, 0.4, 0.8], df_error=[0, 0.04, 0])
    points = pd.DataFrame({"design": ["a", "b"], "penalty": "l1", "eta": 1.0, "gdf": 0.5, "gdf_se": 0.03})
    found = figure11_predictors.compare(points, theory)
    np.testing.assert_allclose(found.gap_rs, [0.2, 0.1])
    np.testing.assert_allclose(found.gap_rs_se, [0.03, 0.05])
    sizes = pd.DataFrame({"design": "b", "K": [0, 1, 8], "delta": [0, 0.1, 0.8], "df": [0, 0.3, 0.9], "df_se": 0.01})
    found = figure11_predictors.compare_subsets(sizes.assign(samples=9, N=20), theory)
    np.testing.assert_allclose(found.gap_rs, [0.3 - 0.4, 0.9 - 1])  # beyond the end of S1 df is 1


def test_what_iterating_does_not_reach_is_marked():
    """Figures 5 and 6: a diamond on each drawn point to which BP does not get on every sample, and on no other."""
    columns = {f"{name}{end}": 0.1 for name in ("delta_eff", "delta_eff_sum", "stein") for end in ("", "_se")}
    gaps = {"gap_delta_eff": [0.0, 0.02, 0.0, 0.0], "gap_delta_eff_se": 0.01}
    table = summary().assign(**columns, **gaps, fraction_bp=[1, 0.9, 0, 0.5])
    limit = pd.DataFrame(columns=["penalty", "eta", "delta", "df", "delta_eff", "lowest_eta"])
    drawn = figure5_example1.draw({"it": table}, limit, {"it": {"kind": "l1"}}, panels=["it"])
    (diamonds,) = [line for line in drawn.figure.axes[0].lines if line.get_marker() == "D"]
    np.testing.assert_allclose(np.asarray(diamonds.get_xdata(), float), [0.3, 0.5])
    assert "it +0.0200(0.0100) at delta = 0.30" in drawn.caption
    drawn = figure5_example1.draw({"it": table.assign(fraction_bp=1)}, limit, {"it": {"kind": "l1"}}, panels=["it"])
    assert not [line for line in drawn.figure.axes[0].lines if line.get_marker() == "D"]


def test_the_commit_of_a_sidecar_is_that_of_the_checkout(tmp_path, monkeypatch):
    def git(*words):
        name = {
            "GIT_AUTHOR_NAME": "n",
            "GIT_AUTHOR_EMAIL": "e",
            "GIT_COMMITTER_NAME": "n",
            "GIT_COMMITTER_EMAIL": "e",
        }
        done = subprocess.run(["git", *words], env=os.environ | name, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    monkeypatch.chdir(tmp_path)
    assert bundle.commit(tmp_path) == "unknown"
    git("init", "--quiet")
    (tmp_path / "file").write_text("one")
    git("add", "file")
    git("commit", "--quiet", "--message", "one")
    assert bundle.commit(tmp_path) == git("rev-parse", "HEAD")
    (tmp_path / "other").write_text("what git does not track does not count")
    assert bundle.commit(tmp_path) == git("rev-parse", "HEAD")
    (tmp_path / "file").write_text("two")
    assert bundle.commit(tmp_path) == git("rev-parse", "HEAD") + "-dirty"


def save(folder, run):
    drawing = Drawing(style.new_figure(2, 2), pd.DataFrame({"x": [1.5]}), "What it says.", samples=7)
    outputs = {kind: str(folder / f"{run}.{kind}") for kind in ("pdf", "png", "csv", "json")}
    source = folder / "input.parquet"
    source.write_bytes(b"data")
    bundle.save(drawing, outputs, run=run, config={"alpha": 0.5}, inputs=[source])
    return drawing, outputs


def test_only_the_paper_run_is_unmarked(tmp_path):
    paper, _ = save(tmp_path, "paper")
    preview, outputs = save(tmp_path, "quick")
    mine, _ = save(tmp_path, "mine")
    assert not paper.figure.texts
    assert [text.get_text() for text in mine.figure.texts] == ["run: mine"]  # another run is no preview
    assert "PREVIEW (quick)" in [text.get_text() for text in preview.figure.texts]
    sidecar = json.loads(open(outputs["json"]).read())
    assert sidecar["caption"] == "What it says." and sidecar["samples"] == 7 and sidecar["run"] == "quick"


def test_a_bundle_is_the_same_bytes_twice(tmp_path):
    contents = []
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        _, outputs = save(tmp_path / name, "paper")
        contents.append([open(outputs[kind], "rb").read() for kind in ("pdf", "png", "csv")])
    assert contents[0] == contents[1]


def test_a_penalty_that_the_paper_has_not_is_drawn_by_its_figures():
    block, problem = {"kind": "mcp", "a": 8, "lam": 1}, {"alpha": 1.0, "mean": 0.0, "variance": 1.0}
    table = single_body_table(4 * [{"penalty": block, "eta": 1.0}], z_max=4, **problem)
    drawn = figure1_single_body.draw(table, 4 * [block])
    assert [r"theta_{1}'" in text.get_text() for text in drawn.figure.axes[0].texts].count(True) == 1
    curve = rs_table({"mcp": block}, deltas=np.linspace(0.1, 0.4, 4), **(problem | {"alpha": 0.5}))
    drawn = figure2_gdf.draw(curve, {"mcp": block})
    assert any("MCP" in text.get_text() for text in drawn.figure.axes[0].get_legend().get_texts())


def test_a_jump_is_two_rows_beside_each_other_whatever_the_rounding():
    panels = [{"penalty": {"kind": "l0"}, "eta": eta} for eta in np.linspace(1, 3, 60)]
    table = single_body_table(panels, alpha=1.0, mean=0.0, variance=1.0, z_max=4)
    for _, panel in table.groupby("panel"):
        above, z = panel[panel.z > 0], panel.z.to_numpy()
        before, after = above[above.x == 0].z.max(), above[above.x > 0].z.min()
        assert np.searchsorted(z, after) - np.searchsorted(z, before) == 1 and after - before < 1e-14
        assert before < panel.threshold_1.iloc[0] < after


def test_figure_2_names_the_at_lines_that_there_are():
    blocks = {
        "a8": {"kind": "scad", "a": 8, "lam": 1},
        "a5": {"kind": "scad", "a": 5, "lam": 1},
        "l1": {"kind": "l1"},
    }
    table = rs_table(
        blocks | {"l0": {"kind": "l0"}}, alpha=0.5, mean=0.0, variance=1.0, deltas=np.linspace(0.1, 0.99, 5)
    )
    drawn = figure2_gdf.draw(table, blocks | {"l0": {"kind": "l0"}})
    texts = [text.get_text() for text in drawn.figure.axes[0].get_legend().get_texts()]
    assert ["AT" in text for text in texts] == [True, True, False, False] and "AT 0.867" in texts[0]
    assert "a8: AT line 0.8669" in drawn.caption and "l1: stable" in drawn.caption
    assert "l0: unstable everywhere" in drawn.caption
    more = blocks | {name: {"kind": "elastic_net", "eta2": eta2} for name, eta2 in (("en", 0.1), ("strong", 0.5))}
    table = rs_table(more, alpha=0.5, mean=0.0, variance=1.0, deltas=np.linspace(0.1, 0.9, 4))
    figure = figure2_gdf.draw(table, more).figure
    assert not figure.axes[0].get_legend() and len(figure.legends[0].get_texts()) == 5


def test_the_legend_of_figure_2_names_each_scad_by_its_own_parameters_beside_its_own_line():
    blocks = {
        f"s{k}": {"kind": "scad", "a": a, "lam": lam} for k, (a, lam) in enumerate([(3.7, 1), (8, 0.5), (8, 2)])
    }
    table = rs_table(blocks, alpha=0.5, mean=0.0, variance=1.0, deltas=np.linspace(0.1, 0.3, 3))
    ax = figure2_gdf.draw(table, blocks).figure.axes[0]
    legend = {
        text.get_text(): line
        for text, line in zip(ax.get_legend().get_texts(), ax.get_legend().get_lines(), strict=True)
    }
    assert len(legend) == 3
    for (text, line), (name, block) in zip(legend.items(), blocks.items(), strict=True):
        assert f"$a={block['a']}$" in text and f"={block['lam']}$" in text
        drawn = [curve for curve in ax.lines if curve.get_color() == line.get_color() and len(curve.get_xdata()) > 2]
        assert drawn[0].get_ydata()[0] == table[table.penalty == name].df.iloc[0]
        assert drawn[0].get_linestyle() == line.get_linestyle()


def test_two_penalties_of_one_kind_have_two_colours():
    blocks = {
        "a8": {"kind": "scad", "a": 8, "lam": 1},
        "l1": {"kind": "l1"},
        "a5": {"kind": "scad", "a": 5, "lam": 1},
    }
    chosen = style.colours(blocks)
    assert chosen["a8"] == SCAD.colour and chosen["l1"] == L1.colour
    assert len(set(chosen.values())) == 3
    table = rs_table(blocks, alpha=0.5, mean=0.0, variance=1.0, deltas=np.linspace(0.1, 0.4, 4))
    drawn = figure2_gdf.draw(table, blocks).figure.axes[0]
    assert len({line.get_color() for line in drawn.get_legend().get_lines()}) == 3


@pytest.mark.parametrize(
    "block, after", [({"kind": "scad", "a": 8, "lam": 1}, {"S2"}), ({"kind": "l0"}, {"S2", "S3"})]
)
def test_rs_table_has_a_row_on_either_side_of_the_end_of_s1(block, after):
    table = rs_table({"it": block}, alpha=0.5, mean=0.0, variance=1.0, deltas=np.linspace(0.1, 0.99, 5))
    near = table[(table.delta - table.s1_end).abs() < 1e-8]
    assert len(near) == 2 and near.branch.iloc[0] == "S1" and near.branch.iloc[1] in after


def test_figure_9_calls_a_design_by_its_label():
    level = {"eta": 1.0, "delta": 0.5, "fraction_converged": 1.0}
    level |= {f"gap_{name}{end}": 0.01 for name in ("delta_eff", "delta_eff_sum", "stein") for end in ("", "_se")}
    cells = {(N, design, "l1"): pd.DataFrame([level]) for N in (10, 20, 40) for design in ("mine", "example2")}
    designs = {"mine": {"kind": "ar1", "c": 0.8}, "example2": {"kind": "block", "T": 2}}
    table = finite_size_table(cells, 1)
    drawn = figure9_finite_size.draw(table, gap_limits(table).iloc[:0], {"l1": {"kind": "l1"}}, designs)
    assert [ax.get_title() for ax in drawn.figure.axes] == ["Example 1, $c=0.8$", "Example 2"]


def test_a_theory_line_is_dashed_at_both_ends_if_it_is_unstable_there():
    """Up to the first stable point, and from the AT line on, which lies between two points."""
    points = pd.DataFrame({"eta": [4, 3, 2, 1], "delta": [0.1, 0.2, 0.4, 0.6], "df": [0.1, 0.3, 0.5, 0.9]})
    points = points.assign(rs_stable=[False, True, True, False], branch="S1", at_delta=0.5)
    ax = style.new_figure(2, 2).subplots()
    draw_limit(ax, points, "df", color="k", label="it")
    drawn = [(line.get_xydata().tolist(), line.is_dashed()) for line in ax.lines]
    assert drawn == [
        ([[0, 0], [0.1, 0.1], [0.2, 0.3]], True),
        ([[0.2, 0.3], [0.4, 0.5], [0.5, pytest.approx(0.7)]], False),
        ([[0.5, pytest.approx(0.7)], [0.6, 0.9]], True),
    ]
    assert [line.get_label() == "it" for line in ax.lines] == [True, False, False]
