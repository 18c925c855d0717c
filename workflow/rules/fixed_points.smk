# Fixed points: chunks of samples by each solver, then one summary per simulation (a run and a penalty).


rule bp_samples:
    output:
        f"{RESULTS}/bp/{{figure}}/{{penalty}}/{{first,\\d+}}-{{last,\\d+}}.parquet",
    log:
        f"{RESULTS}/logs/bp/{{figure}}/{{penalty}}/{{first}}-{{last}}.log",
    conda:
        ENVIRONMENT
    resources:
        mem_mb=grow(SUBMITTED_MB),
        runtime=grow(30),
    params:
        code=simulation_code("bp_samples.py"),
        simulation=simulation,
        bp=BP,
    script:
        "../scripts/bp_samples.py"


# stationary_path, with `solver: both` on those samples only that belief propagation leaves without a fixed point.
rule direct_samples:
    input:
        bp=lambda w: f"{RESULTS}/bp/{w.figure}/{w.penalty}/{w.first}-{w.last}.parquet" if solver(w) == "both" else [],
    output:
        f"{RESULTS}/direct/{{figure}}/{{penalty}}/{{first,\\d+}}-{{last,\\d+}}.parquet",
    log:
        f"{RESULTS}/logs/direct/{{figure}}/{{penalty}}/{{first}}-{{last}}.log",
    conda:
        ENVIRONMENT
    resources:
        mem_mb=grow(SUBMITTED_MB),
        runtime=grow(30),
    params:
        code=simulation_code("direct_samples.py"),
        simulation=simulation,
        bp=lambda w: BP if solver(w) == "both" else None,
    script:
        "../scripts/direct_samples.py"


rule summary:
    input:
        bp=lambda w: simulation_files("bp", w) if solver(w) != "direct" else [],
        direct=lambda w: simulation_files("direct", w) if solver(w) != "bp" else [],
    output:
        f"{RESULTS}/summaries/{{figure}}/{{penalty}}.parquet",
    log:
        f"{RESULTS}/logs/summaries/{{figure}}/{{penalty}}.log",
    conda:
        ENVIRONMENT
    resources:
        mem_mb=grow(500),
        runtime=grow(10),
    params:
        code=code_digest("summary.py"),
        chunks=simulation_chunks,
        simulation=simulation,
        bp=lambda w: BP if solver(w) != "direct" else None,
    script:
        "../scripts/summary.py"
