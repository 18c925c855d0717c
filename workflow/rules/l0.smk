# Exact l0 search: chunks of samples, summaries at fixed size and at fixed eta, and the theory beside them.


rule l0_samples:
    input:
        sources("l0_samples.py"),
    output:
        f"{RESULTS}/l0/{{run}}/{{first,\\d+}}-{{last,\\d+}}.parquet",
    log:
        f"{RESULTS}/logs/l0/{{run}}/{{first}}-{{last}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/l0/{{run}}/{{first}}-{{last}}.tsv"
    conda:
        ENVIRONMENT
    resources:
        mem_mb=grow(SUBMITTED_MB),
        runtime=grow(60),
    params:
        run=l0_run,
    script:
        "../scripts/l0_samples.py"


rule l0_summary:
    input:
        sources("l0_summary.py"),
        chunks=lambda w: expand(
            f"{RESULTS}/l0/{w.run}/{{chunk}}.parquet",
            chunk=chunks(CONFIG.l0_search.runs[w.run].samples, CONFIG.l0_search.chunk),
        ),
    output:
        sizes=f"{RESULTS}/l0/{{run}}_sizes.parquet",
        etas=f"{RESULTS}/l0/{{run}}_etas.parquet",
    log:
        f"{RESULTS}/logs/l0/{{run}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/l0/{{run}}.tsv"
    conda:
        ENVIRONMENT
    resources:
        mem_mb=grow(500),
        runtime=grow(5),
    params:
        N=lambda w: CONFIG.l0_search.runs[w.run].N,
        exact=lambda w: CONFIG.l0_search.runs[w.run].restarts == 0,
        alpha=CONFIG.l0_search.alpha,
        variance=CONFIG.l0_search.variance,
        etas=CONFIG.l0_search.etas.values().tolist(),
    script:
        "../scripts/l0_summary.py"


rule l0_theory:
    input:
        sources("l0_theory.py"),
    output:
        f"{RESULTS}/theory/l0/{{figure}}.parquet",
    log:
        f"{RESULTS}/logs/theory/l0/{{figure}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/theory/l0/{{figure}}.tsv"
    conda:
        ENVIRONMENT
    resources:
        mem_mb=grow(500),
        runtime=grow(5),
    params:
        deltas=lambda w: getattr(CONFIG, w.figure).deltas.values().tolist(),
        problem={"alpha": CONFIG.l0_search.alpha, "variance": CONFIG.l0_search.variance},
    script:
        "../scripts/l0_theory.py"


rule table_l0:
    input:
        sources("table_l0.py"),
        sizes=expand(f"{RESULTS}/l0/{{run}}_sizes.parquet", run=CONFIG.l0_search.runs),
    output:
        **readable("table_l0"),
    log:
        f"{RESULTS}/logs/table_l0.log",
    benchmark:
        f"{RESULTS}/benchmarks/table_l0.tsv"
    conda:
        ENVIRONMENT
    resources:
        mem_mb=grow(500),
        runtime=grow(5),
    params:
        problem={"alpha": CONFIG.l0_search.alpha, "variance": CONFIG.l0_search.variance},
    script:
        "../scripts/table_l0.py"
