# One page of the whole run. Included late: it takes every figure and table that the files before it have announced.


rule report_page:
    input:
        FIGURE_FILES,
        TABLE_FILES,
        f"{FIGURES}/claims.json",
    output:
        report(f"{FIGURES}/report.html", caption="../report/report_page.rst", category="The whole run"),
    log:
        f"{RESULTS}/logs/report_page.log",
    conda:
        ENVIRONMENT
    resources:
        mem_mb=grow(500),
        runtime=grow(5),
    params:
        code=code_digest("report_page.py", whole=["src/sparsegdf/paper/report.html.j2"]),
        config=CONFIG.model_dump(),
        benchmarks=f"{RESULTS}/benchmarks",
    script:
        "../scripts/report_page.py"


# What a run cost, rule by rule, and the digest of every result: kept beside the figures by `make reference`.
rule record:
    input:
        FIGURE_FILES,
        TABLE_FILES,
    output:
        costs=f"{RESULTS}/costs.csv",
        manifest=f"{RESULTS}/manifest.csv",
    log:
        f"{RESULTS}/logs/record.log",
    conda:
        ENVIRONMENT
    resources:
        mem_mb=grow(500),
        runtime=grow(5),
    params:
        code=code_digest("record.py"),
        folders=[RESULTS, FIGURES],
        benchmarks=f"{RESULTS}/benchmarks",
    script:
        "../scripts/record.py"
