# One page of the whole run. Included last: it takes every figure and table that the files before it have announced.


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
