import html
import os
import tempfile

import jupytext
import nbformat
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbconvert import HTMLExporter
from nbconvert.filters import strip_ansi
from pygments.formatters import HtmlFormatter

from job import begin
from sparsegdf.paper.tables import write_text

# nbconvert's own pages ask other hosts for scripts; this one is closed to any request.
PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
<title>{title}</title>
<link rel="icon" href="data:,">
<style>
body {{ max-width: 54rem; margin: 2rem auto; padding: 0 1.25rem; color: #1d2226; }}
body {{ font: 1rem/1.55 system-ui, sans-serif; }}
h1, h2 {{ font-family: Charter, Georgia, serif; line-height: 1.25; }}
blockquote {{ margin: 1rem 0; padding-left: 1rem; border-left: 3px solid #dcdfdd; }}
img {{ max-width: 100%; height: auto; }}
pre {{ margin: .6rem 0; padding: .6rem .8rem; overflow-x: auto; font-size: .8rem; line-height: 1.4; }}
.input pre {{ background: #f3f4f1; border-radius: 4px; }}
{code}
</style>
</head>
<body>
{body}
</body>
</html>
"""


class Kernel(AsyncKernelManager):
    """This interpreter, whatever kernels the user has under the same name, reached by sockets in a folder of its own:
    ports of the network are taken between choosing and opening them where several kernels start at once.
    """

    def __init__(self, **options):
        native, sockets = KernelSpecManager(kernel_dirs=[]), f"{os.environ['JUPYTER_RUNTIME_DIR']}/socket"
        super().__init__(kernel_spec_manager=native, transport="ipc", ip=sockets, **options)


begin(snakemake)
notebook = jupytext.read(snakemake.input.notebook)
for number, cell in enumerate(notebook.cells):
    cell.id = f"cell-{number}"  # jupytext's are random
with tempfile.TemporaryDirectory() as folder:
    # No start-up files of the user, nothing written into a home folder that a cluster may not have.
    os.environ |= dict.fromkeys(("IPYTHONDIR", "JUPYTER_RUNTIME_DIR"), folder)
    # Without times of execution, and with the output of a cell in one piece, the same notebook gives the same bytes.
    how = {"startup_timeout": 600, "timeout": None, "record_timing": False, "coalesce_streams": True}
    try:
        NotebookClient(notebook, kernel_manager_class=Kernel, kernel_name="python3", **how).execute()
    except CellExecutionError as error:
        raise SystemExit(f"{snakemake.input.notebook}: {strip_ansi(str(error))}") from None
exporter = HTMLExporter(
    template_name="basic", exclude_input_prompt=True, exclude_output_prompt=True, exclude_anchor_links=True
)
body, _ = exporter.from_notebook_node(notebook)
title = html.escape(notebook.cells[0].source.splitlines()[0].lstrip("# "))
code = HtmlFormatter().get_style_defs(".highlight")
write_text(nbformat.writes(notebook) + "\n", snakemake.output.ipynb)
write_text(PAGE.format(title=title, code=code, body=body), snakemake.output.html)
