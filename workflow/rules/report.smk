# One page of the whole run. Included late: it takes every figure and table that the files before it have announced.


rule report_page:
    input:
        sources("report_page.py"),
        FIGURE_FILES,
        TABLE_FILES,
        template="src/sparsegdf/report.html.j2",
    output:
        f"{FIGURES}/report.html",
    log:
        f"{RESULTS}/logs/report_page.log",
    conda:
        ENVIRONMENT
    resources:
        mem_mb=grow(500),
        runtime=grow(5),
    params:
        config=CONFIG.model_dump(),
        benchmarks=f"{RESULTS}/benchmarks",
        patterns=benchmark_patterns,
    script:
        "../scripts/report_page.py"


# What a run cost, rule by rule, and the digest of every result: kept beside the figures by `make reference`.
rule record:
    input:
        sources("record.py"),
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
        folders=[RESULTS, FIGURES],
        benchmarks=f"{RESULTS}/benchmarks",
        patterns=benchmark_patterns,
    script:
        "../scripts/record.py"
