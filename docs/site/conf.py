"""Sphinx's settings for `make docs`. Nothing is loaded from the network: not by the build, not by the site."""

import importlib.metadata

from docstrings import as_rst
from mathml import mathml
from numpy.typing import ArrayLike
from sphinx.util.typing import stringify_annotation

import sparsegdf

project = "sparsegdf"
author = "sparsegdf contributors"
copyright = author
release = importlib.metadata.version("sparsegdf")

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.autosummary", "numpydoc", "sphinx_design"]
myst_enable_extensions = ["colon_fence", "dollarmath"]
myst_heading_anchors = 4  # as GitHub gives them
highlight_language = "bash"  # blocks without a language are shell commands

autosummary_generate = False  # docs/site/stage.py writes the pages
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_preserve_defaults = True
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 90
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False
# Only public names have a page here. Those of other packages have theirs elsewhere, and asking needs the network.
nitpick_ignore_regex = [(r"py:.*", r"(?!sparsegdf\.\w+$).*")]

html_theme = "pydata_sphinx_theme"
html_title = "sparsegdf"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
html_sidebars = {"index": [], "docs/theory": []}  # these have no pages below them
html_context = {"default_mode": "auto"}
html_theme_options = {
    "header_links_before_dropdown": 7,
    "show_prev_next": False,
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": ["page-toc"],
    "pygments_light_style": "tango",
    "pygments_dark_style": "github-dark",
}


def short_types(app, what, name, obj, options, signature, returns):
    """Without what NumPy's ArrayLike stands for, which nobody reads."""
    for mode in ("smart", "fully-qualified-except-typing"):
        signature = signature and signature.replace(stringify_annotation(ArrayLike, mode), "ArrayLike")
    return signature, returns


def by_public_name(app, env, node, contnode):
    """An annotation names a class by its module; its page is that of the public name."""
    name = node.get("reftarget", "").split(".")[-1]
    if node.get("refdomain") == "py" and name in dir(sparsegdf):
        domain, kind = env.get_domain("py"), node["reftype"]
        return domain.resolve_xref(env, node["refdoc"], app.builder, kind, f"sparsegdf.{name}", node, contnode)


def setup(app):
    app.add_html_math_renderer("mathml", inline_renderers=(mathml, None), block_renderers=(mathml, None))
    app.connect("autodoc-process-docstring", as_rst, priority=400)  # before numpydoc
    app.connect("autodoc-process-signature", short_types)
    app.connect("missing-reference", by_public_name)


html_math_renderer = "mathml"
