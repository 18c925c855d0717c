"""Formulas as MathML, which browsers draw by themselves: no script, no pictures, nothing to load."""

from docutils import nodes
from latex2mathml.converter import convert


def mathml(translator, node):
    """Write a formula, for Sphinx's HTML."""
    display = "block" if isinstance(node, nodes.math_block) else "inline"
    translator.body.append(convert(node.astext(), display=display))
    raise nodes.SkipNode
