# The notebooks, executed: each notebooks/<name>.py becomes an .ipynb with its outputs and a page that works offline.
NOTEBOOK_FILES = expand(
    f"{FIGURES}/notebooks/{{notebook}}.{{kind}}",
    notebook=sorted(file.stem for file in (ROOT / "notebooks").glob("*.py")),
    kind=("ipynb", "html"),
)


rule notebook:
    input:
        notebook=source("notebooks/{notebook}.py"),
    output:
        ipynb=f"{FIGURES}/notebooks/{{notebook}}.ipynb",
        html=report(f"{FIGURES}/notebooks/{{notebook}}.html", caption="../report/notebook.rst", category="Notebooks"),
    log:
        f"{RESULTS}/logs/notebooks/{{notebook}}.log",
    wildcard_constraints:
        notebook=r"\w+",
    conda:
        ENVIRONMENT
    resources:
        mem_mb=grow(2000),  # a kernel beside the script took 832 MB; in a cluster job Snakemake comes on top
        runtime=grow(30),
    params:
        code=notebook_code,
    script:
        "../scripts/execute_notebook.py"
