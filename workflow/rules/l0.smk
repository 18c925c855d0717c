# Exact l0 search: chunks of samples, summaries at fixed size and at fixed eta, and the theory beside them.


rule l0_samples:
    output:
        f"{RESULTS}/l0/{{run}}/{{first,\\d+}}-{{last,\\d+}}.parquet",
    log:
        f"{RESULTS}/logs/l0/{{run}}/{{first}}-{{last}}.log",
    conda:
        ENVIRONMENT
    resources:
        mem_mb=grow(SUBMITTED_MB),
        runtime=grow(60),
    params:
        code=code_digest("l0_samples.py"),
        run=l0_run,
    script:
        "../scripts/l0_samples.py"


rule l0_summary:
    input:
        chunks=lambda w: chunk_files(f"l0/{w.run}", l0_chunks(w)),
    output:
        sizes=f"{RESULTS}/l0/{{run}}_sizes.parquet",
        etas=f"{RESULTS}/l0/{{run}}_etas.parquet",
    log:
        f"{RESULTS}/logs/l0/{{run}}.log",
    conda:
        ENVIRONMENT
    resources:
        mem_mb=grow(500),
        runtime=grow(5),
    params:
        code=code_digest("l0_summary.py"),
        chunks=l0_chunks,
        run=l0_run,
        etas=CONFIG.l0_search.etas.values().tolist(),
    script:
        "../scripts/l0_summary.py"


rule l0_theory:
    output:
        f"{RESULTS}/theory/l0/{{figure}}.parquet",
    log:
        f"{RESULTS}/logs/theory/l0/{{figure}}.log",
    conda:
        ENVIRONMENT
    resources:
        mem_mb=grow(500),
        runtime=grow(5),
    params:
        code=code_digest("l0_theory.py"),
        deltas=lambda w: getattr(CONFIG, w.figure).deltas.values().tolist(),
        problem={"alpha": CONFIG.l0_search.alpha, "variance": CONFIG.l0_search.variance},
    script:
        "../scripts/l0_theory.py"
