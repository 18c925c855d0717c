# Fixed points: chunks of samples by each solver, then one summary per simulation (a run and a penalty).


rule bp_samples:
    input:
        sources("bp_samples.py"),
    output:
        f"{RESULTS}/bp/{{figure}}/{{penalty}}/{{first,\\d+}}-{{last,\\d+}}.parquet",
    log:
        f"{RESULTS}/logs/bp/{{figure}}/{{penalty}}/{{first}}-{{last}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/bp/{{figure}}/{{penalty}}/{{first}}-{{last}}.tsv"
    conda:
        ENVIRONMENT
    resources:
        mem_mb=grow(SUBMITTED_MB),
        runtime=grow(30),
    params:
        simulation=simulation,
        bp={"tol": CONFIG.bp.tol, "max_steps": CONFIG.bp.max_steps},
    script:
        "../scripts/bp_samples.py"


# stationary_path, with `solver: both` on those samples only that belief propagation leaves without a fixed point.
rule direct_samples:
    input:
        sources("direct_samples.py"),
        bp=lambda w: chunk_files("bp", w, [f"{w.first}-{w.last}"]) if CONFIG.runs[w.figure].solver == "both" else [],
    output:
        f"{RESULTS}/direct/{{figure}}/{{penalty}}/{{first,\\d+}}-{{last,\\d+}}.parquet",
    log:
        f"{RESULTS}/logs/direct/{{figure}}/{{penalty}}/{{first}}-{{last}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/direct/{{figure}}/{{penalty}}/{{first}}-{{last}}.tsv"
    conda:
        ENVIRONMENT
    resources:
        mem_mb=grow(SUBMITTED_MB),
        runtime=grow(30),
    params:
        simulation=simulation,
    script:
        "../scripts/direct_samples.py"


rule summary:
    input:
        sources("summary.py"),
        bp=lambda w: chunk_files("bp", w) if CONFIG.runs[w.figure].solver != "direct" else [],
        direct=lambda w: chunk_files("direct", w) if CONFIG.runs[w.figure].solver != "bp" else [],
    output:
        f"{RESULTS}/summaries/{{figure}}/{{penalty}}.parquet",
    log:
        f"{RESULTS}/logs/summaries/{{figure}}/{{penalty}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/summaries/{{figure}}/{{penalty}}.tsv"
    conda:
        ENVIRONMENT
    resources:
        mem_mb=grow(500),
        runtime=grow(10),
    script:
        "../scripts/summary.py"
