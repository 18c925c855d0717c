"""`make docs`, first part: what Sphinx makes the site of, in build/site-source/.

That is a copy of the Markdown pages at the places that they have in the project, so that the links that work in a
clone work on the site. Added to them are the pages in docs/site/pages/ and those that are made here: the figures with
their captions, the notebooks as the pipeline has executed them, a page for each public name, and the files of
code that a page links to.
"""

import ast
import json
import re
import shutil
import sys
from pathlib import Path

from nbconvert import MarkdownExporter

import sparsegdf
from sparsegdf.paper.figures.registry import FIGURES, TABLES

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "build/site-source"
PAGES = ("*.md", "docs/*.md", "reference/*.md", "benchmarks/*.md", "config/*.md")
LINK = re.compile(r"(?<=\]\()([^)\s#:]+)(?=[)#])")
OURS = "ours: "
GROUPS = {
    "selection": "Choose a model",
    "penalties": "Penalties",
    "ensembles": "Designs",
    "theory": "Theory",
    "solvers": "Solvers",
}


def main():
    shutil.rmtree(SOURCE, ignore_errors=True)
    shutil.copytree(ROOT / "docs/site/pages", SOURCE)
    for file in sorted(file for pattern in PAGES for file in ROOT.glob(pattern)):
        stage(file)
    for make in (figures, notebooks, api, contents):
        make()


def write(path, text):
    (SOURCE / path).parent.mkdir(parents=True, exist_ok=True)
    (SOURCE / path).write_text(text, encoding="utf-8")


def copy(file):
    """A file of the project, at its own place."""
    target = SOURCE / file.relative_to(ROOT)
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(file, target)


def stage(file):
    """A page with what it links to. README.md is the first part of the start page; a table gets a title."""
    text = LINK.sub(lambda match: linked(file, match[1]), file.read_text(encoding="utf-8"))
    text = re.sub(r"\[[\w/]+\.md\](?=\()", "[]", text)  # where a link shows a path, Sphinx puts the page's title
    titles = {kind.file: title(kind) for kind in TABLES.values()}
    if file.parent == ROOT / "reference" and file.stem in titles:
        text = f"# {titles[file.stem]}\n\n{text}"
    if file == ROOT / "README.md":
        write("index.md", text + "\n" + (SOURCE / "index.md").read_text(encoding="utf-8"))
    else:
        write(file.relative_to(ROOT), text)


def title(kind):
    """What a figure or a table shows, as a heading."""
    text = kind.shows.removeprefix(OURS).split(";")[0]
    return text[0].upper() + text[1:] + (" (ours)" if kind.shows.startswith(OURS) else "")


def linked(page, link):
    """Where a link of a page goes on the site: code has a page of its own, a folder the page of its first file."""
    aim = (page.parent / link).resolve()
    if aim.is_dir():
        aim = min(file for file in aim.iterdir() if file.is_file())
    if aim == ROOT / "README.md":
        return "/index.md"
    if aim.suffix == ".md" or not aim.exists():  # Sphinx says what does not exist
        return link
    copy(aim)
    path = aim.relative_to(ROOT)
    if aim.suffix not in (".py", ".smk", ".yaml", ""):
        return link
    code = f"---\norphan: true\n---\n# {path}\n\n```{{literalinclude}} /{path}\n:language: {language(path)}\n```\n"
    write(f"source/{path}.md", code)
    return f"/source/{path}.md"


def language(path):
    return {".py": "python", ".smk": "python", ".yaml": "yaml"}.get(path.suffix, "text")


def figures():
    """Every figure of the reference run, with its caption and its files."""
    parts = ["# The figures\n\nOf the run at paper scale in `reference/`. [How each one is made](docs/figures.md).\n"]
    for name, kind in FIGURES.items():
        files = {suffix: ROOT / f"reference/{name}.{suffix}" for suffix in ("png", "pdf", "csv", "json")}
        if not files["png"].exists():
            continue
        for file in files.values():
            copy(file)
        caption = escaped(json.loads(files["json"].read_text(encoding="utf-8"))["caption"])
        downloads = " · ".join(f"[{suffix.upper()}](/reference/{name}.{suffix})" for suffix in ("pdf", "csv", "json"))
        heading = f"Figure {re.search('[0-9]+', name)[0]}. {title(kind)}"
        options = f":alt: {heading}\n:target: ./_images/{name}.png"
        figure = f"```{{figure}} /reference/{name}.png\n{options}\n\n{caption}\n```"
        parts.append(f"## {heading}\n\n{figure}\n\n{downloads}\n")
    write("figures.md", "\n".join(parts))


def escaped(text):
    """Plain text as Markdown."""
    return re.sub(r"([\\`*_{}\[\]<>$|#~])", r"\\\1", text)


def notebooks():
    """The notebooks as they were executed, and a gallery of them, each with its last picture."""
    cards = []
    for file in sorted((ROOT / "paper_figures/notebooks").glob("*.ipynb")):
        name = file.stem
        body, resources = MarkdownExporter().from_filename(file)
        (SOURCE / f"notebooks/{name}").mkdir(parents=True)
        for picture, content in resources["outputs"].items():
            (SOURCE / f"notebooks/{name}/{picture}").write_bytes(content)
        body = re.sub(r"(?<=\]\()(?=output_\d+_\d+\.png\))", f"{name}/", body)
        for copied in (file, ROOT / f"notebooks/{name}.py"):
            shutil.copyfile(copied, SOURCE / "notebooks" / copied.name)
        title, rest = body.lstrip().split("\n", 1)
        both = f"Download: {{download}}`{name}.ipynb`, {{download}}`{name}.py`."
        write(f"notebooks/{name}.md", f"{title}\n\n{both}\n{rest}")
        picture = f":img-top: {name}/{list(resources['outputs'])[-1]}\n" if resources["outputs"] else ""
        cards.append(f":::{{grid-item-card}} {title.lstrip('# ')}\n:link: {name}\n:link-type: doc\n{picture}:::\n")
    toctree = "```{toctree}\n:hidden:\n:glob:\n\n[0-9]*\n```\n"
    write(
        "notebooks/index.md",
        "# Notebooks\n\nAs `make notebooks` executed them; each runs in less than a minute.\n\n"
        f"::::{{grid}} 1 2 2 2\n:gutter: 3\n\n{''.join(cards)}::::\n\n{toctree}",
    )


def contents():
    """Leave out of the contents what this project does not have; Sphinx finds a page that is in none."""

    def existing(toctree):
        lines = toctree[0].splitlines()
        return "\n".join(
            line for line in lines if not re.fullmatch(r"[\w/*]+", line) or any(SOURCE.glob(f"{line}.md"))
        )

    for file in (ROOT / "docs/site/pages").glob("*.md"):
        text = (SOURCE / file.name).read_text(encoding="utf-8")
        write(file.name, re.sub(r"```{toctree}.*?```", existing, text, flags=re.S))


def public_names():
    """{name: folder} of the names in the stub of the package, in its order."""
    tree = ast.parse((ROOT / "src/sparsegdf/__init__.pyi").read_text(encoding="utf-8"))
    return {
        alias.asname: node.module.split(".")[0]
        for node in tree.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


def api():
    """A page for each public name, and an index of them by folder."""
    names, pages, start = public_names(), [], ".. currentmodule:: sparsegdf\n\n"
    index = ["# API\n\nEverything here is imported as `sparsegdf.<name>`.\n"]
    members = "   :members:\n   :inherited-members: tuple, RegressorMixin, BaseEstimator\n"
    for folder, title in GROUPS.items():
        group = [name for name, of in names.items() if of == folder]
        table = f"{start}.. autosummary::\n   :nosignatures:\n\n" + "".join(f"   {name}\n" for name in group)
        index.append(f"## {title}\n\n```{{eval-rst}}\n{table}```\n")
        for name in group:
            kind = "class" if isinstance(getattr(sparsegdf, name), type) else "function"
            rst = f"{start}.. auto{kind}:: {name}\n" + (members if kind == "class" else "")
            pages.append(f"{kind}_{name}")  # some systems take Audit and audit for the same name of a file
            write(f"api/{pages[-1]}.md", f"# {name}\n\n```{{eval-rst}}\n{rst}```\n")
    if missing := set(names.values()) - set(GROUPS):
        sys.exit(f"docs/site/stage.py: GROUPS has no title for the folders {sorted(missing)}")
    toctree = "```{toctree}\n:hidden:\n\n" + "\n".join(pages) + "\n```\n"
    write("api/index.md", "\n".join([*index, toctree]))


if __name__ == "__main__":
    main()
