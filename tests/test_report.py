"""The page of `make report`, as text; tests/browser opens it in a browser."""

import base64
import hashlib
import json
import re
import shutil
from html.parser import HTMLParser

import pandas as pd
import pytest
from conftest import report_page

from sparsegdf.paper import report
from sparsegdf.paper.misprints import MISPRINTS

VOID = {"meta", "link", "img", "br", "input"}


class Outline(HTMLParser):
    """Elements with their attributes, the text, and a check that every element is closed."""

    def __init__(self, html):
        super().__init__()
        self.elements, self.open, self.text = [], [], ""
        self.feed(html)
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open[-1:] not in (["style"], ["script"]):
            self.text += data

    def all(self, tag):
        return [attributes for name, attributes in self.elements if name == tag]


@pytest.fixture(scope="module")
def html(report_folder):
    return report_page(report_folder)


@pytest.fixture(scope="module")
def outline(html):
    return Outline(html)


def test_the_same_files_give_the_same_bytes(html, report_folder, tmp_path):
    shutil.copytree(report_folder, tmp_path / "copy")
    assert report_page(tmp_path / "copy") == html


def test_nothing_points_outside_the_page(outline):
    for tag, attributes in outline.elements:
        for name in ("src", "href", "srcset", "action", "data"):
            assert (attributes.get(name) or "#").startswith(("#", "data:")), (tag, attributes)
    policy = next(meta["content"] for meta in outline.all("meta") if meta.get("http-equiv"))
    assert "default-src 'none'" in policy


def test_downloads_are_the_files(outline, report_folder):
    links = {a["download"]: a["href"] for a in outline.all("a") if "download" in a}
    folder = report_folder / "figures"
    files = [
        file
        for file in folder.iterdir()
        if file.suffix in (".csv", ".pdf", ".json", ".md", ".tex")
        and file.stem not in ("README", "costs", "manifest", "work")
    ]
    assert {file.name for file in files} == set(links) - {"paper.yaml"}
    for file in files:
        assert base64.b64decode(links[file.name].split(",", 1)[1]) == file.read_bytes()


def test_headings_labels_and_headers_are_there(outline):
    assert len(outline.all("h1")) == 1 and len(outline.all("h2")) == 7
    assert all(image.get("alt") for image in outline.all("img") if "src" in image)
    assert all(header.get("scope") for header in outline.all("th"))
    identifiers = [attributes["id"] for _, attributes in outline.elements if "id" in attributes]
    assert len(identifiers) == len(set(identifiers))
    targets = {a["href"][1:] for a in outline.all("a") if a["href"].startswith("#")}
    targets |= {
        attributes["aria-labelledby"] for _, attributes in outline.elements if "aria-labelledby" in attributes
    }
    assert targets <= set(identifiers)


def test_a_header_says_what_its_column_holds(outline):
    said = {header["title"] for header in outline.all("th") if header.get("title")}
    assert "the δ at which S1 ends" in said  # table_thresholds
    assert "standard error of error (y²)" in said  # table_selection, an error that nobody has described by itself
    assert (
        "largest mean δ of a level at which both have a fixed point" in said
    )  # table_bp_direct: not what delta is elsewhere


def test_findings_come_first_and_lead_to_their_claims(outline, report_folder):
    document = json.loads((report_folder / "figures/claims.json").read_text(encoding="utf-8"))
    headings = [attributes["id"] for tag, attributes in outline.elements if tag == "h2"]
    assert headings[0] == "findings" and len(document["findings"]) >= 5
    links = {a["href"] for a in outline.all("a")}
    for finding in document["findings"]:
        assert finding["title"] in outline.text and finding["text"] in outline.text
        assert {f"#claim-{id}" for id in finding["claims"]} <= links
    of_the_paper = [claim for claim in document["claims"] if claim["whose"] == "paper"]
    assert f"of {len(of_the_paper)} claims of the paper" in outline.text
    assert f"{len(document['claims']) - len(of_the_paper)} claims of ours: " in outline.text


def test_times_add_up_by_rule(report_folder):
    bp, other = report.times(report_folder / "benchmarks")
    assert bp == {"rule": "fixed_points", "jobs": 2, "cpu_minutes": 3.0, "longest": 330.0, "memory": 410.0}
    assert other["rule"] == "figure2_gdf" and other["cpu_minutes"] == pytest.approx(1.5 / 60)


@pytest.mark.parametrize("content", [b"", b"rule\tcpu_seconds\nfixed_points\t1.2.3\n", b"\xff\xfe\x00"])
def test_a_damaged_file_of_costs_is_named(tmp_path, content):
    (tmp_path / "l1.tsv").write_bytes(content)
    with pytest.raises(ValueError, match=r"l1\.tsv is damaged .*delete it"):
        report.times(tmp_path)


def test_provenance_is_on_the_page(outline):
    for words in ("20180621", "numpy 2", "N\u00a0=\u00a0200:\u00a0200", "eta2: 0.1"):
        assert words in outline.text


def test_text_is_escaped_and_dollars_are_formulas():
    assert report.prose("a < b & $\\delta$").startswith("a &lt; b &amp; <math ")
    assert report.prose("costs $5") == "costs $5"


@pytest.mark.parametrize(
    "latex",
    [
        r"\hat{Q} = \frac{1}{\alpha}\frac{1}{1+\chi}",
        r"\begin{cases} a & x > 0 \\ b & \text{otherwise} \end{cases}",
        r"\sigma_\mu^2 = \sum_i A_{\mu i}^2 \chi_i, \quad \|\bm{x}\|_2^2",
        r"\mathrm{erfc}\left(\frac{\theta}{\sqrt{2}}\right)",
        r"\overline{\frac{1}{M} \sum_i \chi_i} \; \mbox{and} \; {\rm df} < 1",
    ],
)
def test_formulas_become_mathml(latex):
    mathml = report.equation(latex)
    assert mathml.startswith("<math ") and "\\" not in re.sub('alttext="[^"]*"', "", mathml)
    Outline(mathml)


def test_the_paper_s_misprints_can_all_be_drawn():
    for misprint in MISPRINTS:
        assert {report.equation(latex)[:6] for latex in (misprint.printed, misprint.corrected)} == {"<math "}


@pytest.mark.parametrize("latex", [r"\unheardof{x}", r"\frac{1", r"a < b \unheardof"])
def test_a_formula_that_cannot_be_drawn_is_shown_as_source(latex):
    assert Outline(report.equation(latex)).text == latex
    assert report.equation(latex).startswith("<code>")


def test_every_misprint_has_both_forms_drawn(html, report_folder):
    table = html[html.index('id="misprints-table"') :]
    table = table[: table.index("</table>")]
    drawn = table.count('<div class="formula" tabindex="0"><math ')
    assert drawn == table.count('<div class="formula"') == 2 * len(MISPRINTS)


def test_missing_pieces_are_said(report_folder, tmp_path):
    shutil.copytree(report_folder, tmp_path / "part")
    folder = tmp_path / "part/figures"
    for name in ("claims.json", "misprints.csv", "figure2_gdf.json", "figure1_single_body.pdf", "table_l0.md"):
        (folder / name).unlink()
    shutil.rmtree(tmp_path / "part/benchmarks")
    outline = Outline(report_page(tmp_path / "part"))
    saved = {link.get("download") for link in outline.all("a")}
    assert {"figure1_single_body.csv", "table_l0.csv"} <= saved
    assert not {"figure1_single_body.pdf", "table_l0.md", "figure2_gdf.json"} & saved
    for words in (
        "there is no claims.json",
        "nothing was found yet",
        "there is no misprints.csv",
        "no files of costs",
        "sidecar of this figure is missing",
    ):
        assert words in outline.text


def test_a_file_too_large_for_a_link_is_said(report_folder, tmp_path, monkeypatch):
    monkeypatch.setattr(report, "MAX_URI", 100_000)
    outline = Outline(report_page(report_folder))
    size = (report_folder / "figures/figure1_single_body.csv").stat().st_size
    assert f"figure1_single_body.csv ({size / 1e3:.0f} kB) is too large to carry in this page" in outline.text
    assert all(image["src"].startswith("data:image/png") for image in outline.all("img") if "src" in image)


def test_the_pipeline_makes_the_page_and_times_every_rule(finished):
    file = finished.folder / "tiny_figures/report.html"
    try:
        assert finished.planned("report_page") == {"report_page": 1}
        finished.snakemake("report_page")
        text = file.read_text(encoding="utf-8")
        outline = Outline(text)
        assert "preview" in outline.text and len([i for i in outline.all("img") if "src" in i]) >= 8
        timed = set(re.findall(r'<tr><th scope="row"><code>(\w+)</code>', text))
        assert {"l0_samples", "l0_summary", "l0_theory", "rs_curves", "figure", "table"} <= timed
        assert "report_page" not in finished.planned("report_page")
    finally:
        file.unlink(missing_ok=True)  # other tests compare the folder with that of a plain run


def test_the_record_has_every_rule_and_the_digest_of_every_file(finished):
    folder = finished.folder / "results/tiny"
    try:
        finished.snakemake("record")
        costs, manifest = pd.read_csv(folder / "costs.csv"), pd.read_csv(folder / "manifest.csv")
        assert {"fixed_points", "iterated", "summary", "planted", "figure", "table"} <= set(costs.rule)
        assert (costs.cpu_minutes >= 0).all() and (costs.memory > 0).all()
        for row in manifest.itertuples():
            content = (finished.folder / row.path).read_bytes()
            assert (len(content), hashlib.sha256(content).hexdigest()) == (row.bytes, row.sha256)
        listed = set(manifest.path)
        assert "tiny_figures/figure10_selection.csv" in listed
        parquet = {file.relative_to(finished.folder).as_posix() for file in folder.rglob("*.parquet")}
        assert parquet <= listed
    finally:
        for name in ("costs.csv", "manifest.csv"):
            (folder / name).unlink(missing_ok=True)
