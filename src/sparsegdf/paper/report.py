"""One self-contained page of a run: findings, figures, tables, claims, misprints, times, provenance (report.html.j2).

The page depends only on its files, so the same files give the same bytes. It contains all that it shows: pictures and
downloads as data: URIs, equations as MathML. A content security policy forbids any request. The page names what is
missing from a run.
"""

import base64
import csv
import hashlib
import html
import json
import re
import struct
from pathlib import Path
from xml.etree import ElementTree

import latex2mathml.converter
import pandas as pd
import yaml
from jinja2 import Environment, StrictUndefined
from markupsafe import Markup, escape

from sparsegdf.paper.claims.verdict import VERDICTS, count
from sparsegdf.paper.columns import columns_of
from sparsegdf.paper.figures.registry import FIGURES, TABLES

TEMPLATE = Path(__file__).with_name("report.html.j2")
# A browser may refuse to save a longer data: URI.
MAX_URI = 2_000_000
_MEDIA = {
    "csv": "text/csv",
    "json": "application/json",
    "md": "text/markdown",
    "pdf": "application/pdf",
    "png": "image/png",
    "tex": "application/x-tex",
    "yaml": "application/yaml",
}


def page(folder, *, run, config, benchmarks) -> str:
    """The page of the files in `folder`, with the costs of the jobs in the folder `benchmarks`."""
    folder = Path(folder)
    figures = [_figure(png) for png in sorted(folder.glob("figure*.png"), key=_natural)]
    document = _document(folder / "claims.json")
    claims = document["claims"]
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters |= {"prose": prose, "equation": equation}
    settings = yaml.safe_dump(config, sort_keys=False, allow_unicode=True)
    return environment.from_string(TEMPLATE.read_text(encoding="utf-8")).render(
        run=run,
        figures=figures,
        tables=[_table(file) for file in sorted(folder.glob("table*.csv"), key=_natural)],
        findings=document["findings"],
        claims=claims,
        counts=_counts(claims or []),
        of_the_paper=_counts([claim for claim in claims or [] if claim["whose"] == "paper"]),
        of_ours=count(claims or [], "ours"),
        misprints=_records(folder / "misprints.csv"),
        files={name: _downloads(folder / name, ("json", "csv", "md", "tex")) for name in ("claims", "misprints")},
        times=times(benchmarks),
        commits=sorted({figure["sidecar"].get("commit", "unknown") for figure in figures}),
        versions=_versions(figures),
        seed=config.get("seed"),
        settings=settings,
        settings_uri=_uri(settings.encode(), "yaml"),
    )


def times(folder) -> list[dict]:
    """Per rule: jobs, CPU minutes, wall time of the longest job in seconds, peak memory in MB; most expensive first.

    They come from the files that the jobs wrote to `folder` (workflow/job_costs.py). Memory is that of the largest
    process.
    """
    rows = [_costs(file) for file in sorted(Path(folder).rglob("*.tsv"))]
    # Runs of an older version have files without this column.
    rows = [row for row in rows if "cpu_seconds" in row]
    if not rows:
        return []
    groups = (
        pd.concat(rows)
        .groupby("rule")
        .agg(
            jobs=("rule", "size"),
            cpu_minutes=("cpu_seconds", lambda seconds: seconds.sum() / 60),
            longest=("wall_seconds", "max"),
            memory=("memory_mb", "max"),
        )
    )
    return groups.reset_index().sort_values(["cpu_minutes", "rule"], ascending=[False, True]).to_dict("records")


def _costs(file):
    """What one job cost. ValueError if the file cannot be read."""
    try:
        return pd.read_csv(file, sep="\t", dtype={"cpu_seconds": float, "wall_seconds": float, "memory_mb": float})
    except ValueError as error:
        hint = "delete it: it says what a job cost, and no result needs it"
        raise ValueError(f"{file} is damaged ({error}); {hint}") from None


def manifest(folders) -> pd.DataFrame:
    """Path, size in bytes and SHA-256 of every parquet file and every file of a figure or table in `folders`."""
    kinds = {".parquet", ".csv", ".json", ".md", ".pdf", ".png", ".tex"}
    files = sorted(file for folder in folders for file in Path(folder).rglob("*") if file.suffix in kinds)
    return pd.DataFrame(
        {"path": f.as_posix(), "bytes": f.stat().st_size, "sha256": hashlib.sha256(f.read_bytes()).hexdigest()}
        for f in files
        if not f.name.startswith(".") and f.name != "README.md"
    )


def equation(latex) -> Markup:
    """A LaTeX formula as MathML, or as its source if latex2mathml cannot convert it."""
    return _math(latex, "block")


def prose(text) -> Markup:
    """Text in which $...$ is LaTeX."""
    parts = re.split(r"\$([^$]+)\$", text)
    return Markup("").join(_math(part, "inline") if i % 2 else escape(part) for i, part in enumerate(parts))


def _math(latex, display):
    source = Markup("<code>{}</code>").format(latex)
    if not latex or latex.count("{") != latex.count("}"):
        return source if latex else Markup("")
    try:
        math = latex2mathml.converter.convert_to_element(latex, display=display)
    except Exception:  # on any failure the reader still gets the formula
        return source
    for element in list(math.iter()):
        element.text = html.unescape(element.text or "")  # latex2mathml returns entities as text
        if element.text.startswith("\\"):  # an unknown command passes through with its backslash
            return source
        if element.tag == "mover" and element[-1].text == "&#x02015;":
            # Few fonts can stretch the bar of an overline, so the style sheet draws it.
            element.remove(element[-1])
            element.tag, element.attrib = "mrow", {"class": "over"}
    math.set("alttext", latex)
    return Markup(ElementTree.tostring(math, "unicode", short_empty_elements=False))


def _figure(png):
    """One bundle: its name, number, caption, picture, files to download and sidecar."""
    json_file = png.with_suffix(".json")
    sidecar = json.loads(json_file.read_text(encoding="utf-8")) if json_file.exists() else {}
    return {
        "name": png.stem,
        "title": _title(png.stem),
        "ours": _ours(png.stem),
        "caption": sidecar.get("caption", "The sidecar of this figure is missing, so it has no caption."),
        "src": _uri(png.read_bytes(), "png"),
        "size": struct.unpack(">II", png.read_bytes()[16:24]),  # so that the page does not move while it loads
        "files": _downloads(png.with_suffix(""), ("csv", "pdf", "json")),
        "sidecar": sidecar,
        "samples": _samples(sidecar.get("samples")),
        "config": yaml.safe_dump(sidecar.get("config"), sort_keys=False, allow_unicode=True),
    }


def _samples(samples):
    """How many samples a figure has: a number, or numbers by N or by another name."""
    if not isinstance(samples, dict):
        return str(samples or "none (theory)")
    by_size = sorted((name for name in samples if name.isdigit()), key=int)
    others = [name for name in samples if not name.isdigit()]
    shown = [f"N = {name}: {samples[name]}" for name in by_size] + [f"{name}: {samples[name]}" for name in others]
    return ", ".join(text.replace(" ", "\N{NO-BREAK SPACE}") for text in shown)


def _table(file):
    """One table for readers: its caption (the first line of the Markdown form) and its cells as strings."""
    markdown = file.with_suffix(".md")
    frame = pd.read_csv(file)
    return {
        "name": file.stem,
        "title": _title(file.stem),
        "ours": _ours(file.stem),
        "caption": markdown.read_text(encoding="utf-8").split("\n", 1)[0] if markdown.exists() else "",
        "columns": {name: _meaning(column) for name, column in columns_of(file.stem, frame).items()},
        "numeric": [kind.kind in "if" for kind in frame.dtypes],
        "rows": [[_shown(cell) for cell in row] for row in frame.astype(object).to_numpy().tolist()],
        "files": _downloads(file.with_suffix(""), ("csv", "md", "tex")),
    }


def _meaning(column):
    """The meaning of a column and its unit, for the header."""
    unit = "" if column.unit in ("", "1", "text", "true, false") else f" ({column.unit})"
    return column.meaning.replace("`", "") + unit


def _document(file):
    """The content of claims.json; without the file no findings and None for the claims."""
    return json.loads(file.read_text(encoding="utf-8")) if file.exists() else {"findings": [], "claims": None}


def _records(file):
    """The rows of a CSV file as dictionaries of strings; None if there is no such file."""
    if not file.exists():
        return None
    with open(file, encoding="utf-8", newline="") as handle:
        return list(csv.DictReader(handle))


def _counts(claims):
    """How many claims have each verdict: first the four VERDICTS, then any other word found."""
    verdicts = [claim["verdict"] for claim in claims]
    names = [*VERDICTS, *sorted(set(verdicts) - set(VERDICTS))]
    return {name: verdicts.count(name) for name in names}


def _versions(figures):
    """Versions by package; all of them if figures were drawn with different versions."""
    found = {}
    for figure in figures:
        for package, version in figure["sidecar"].get("versions", {}).items():
            found.setdefault(package, set()).add(version)
    return {package: ", ".join(sorted(versions)) for package, versions in sorted(found.items())}


def _downloads(stem, kinds):
    """Name, size and data: URI of each existing <stem>.<kind>; the URI is None if it would be too long to save."""
    found = [Path(f"{stem}.{kind}") for kind in kinds]
    return [
        {"name": file.name, "kind": file.suffix[1:], "size": _size(file.stat().st_size), "uri": uri}
        for file in found
        if file.exists()
        for uri in [_uri(file.read_bytes(), file.suffix[1:])]
    ]


def _uri(content, kind):
    uri = f"data:{_MEDIA[kind]};base64,{base64.b64encode(content).decode()}"
    return uri if kind == "png" or len(uri) <= MAX_URI else None


def _size(size):
    return f"{size / 1e6:.1f} MB" if size >= 1e6 else f"{max(size / 1e3, 0.1):.{0 if size >= 1e3 else 1}f} kB"


def _shown(value):
    """A cell as text: floats with four digits, a dash for missing values."""
    if pd.isna(value):
        return "–"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _title(name):
    """figure4_bp_vs_rs -> Figure 4, table_bp_l0 -> Table bp l0."""
    return re.sub(r"^(figure)(\d+).*", r"\1 \2", name).replace("_", " ").capitalize()


def _ours(name):
    """Whether the paper has no such figure or table."""
    kind = (FIGURES | TABLES).get(name)
    return kind is not None and kind.target == "beyond"


def _natural(path):
    """Sort key in which figure10 follows figure9."""
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", path.stem)]
