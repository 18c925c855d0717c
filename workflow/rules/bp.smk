# Belief propagation: chunks of samples, then one summary per simulation (a figure and a penalty).


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
    script:
        "../scripts/bp_samples.py"


rule bp_summary:
    input:
        sources("bp_summary.py"),
        chunks=lambda w: expand(
            f"{RESULTS}/bp/{w.figure}/{w.penalty}/{{chunk}}.parquet",
            chunk=chunks(CONFIG.bp_runs[w.figure].samples, CONFIG.bp.chunk),
        ),
    output:
        f"{RESULTS}/bp/{{figure}}/{{penalty}}.parquet",
    log:
        f"{RESULTS}/logs/bp/{{figure}}/{{penalty}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/bp/{{figure}}/{{penalty}}.tsv"
    conda:
        ENVIRONMENT
    resources:
        mem_mb=grow(500),
        runtime=grow(5),
    script:
        "../scripts/bp_summary.py"


# The RS curve that each panel of figure 4 is compared with.
rule bp_theory:
    input:
        sources("bp_theory.py"),
    output:
        f"{RESULTS}/theory/bp/{{figure}}.parquet",
    log:
        f"{RESULTS}/logs/theory/bp/{{figure}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/theory/bp/{{figure}}.tsv"
    conda:
        ENVIRONMENT
    resources:
        mem_mb=grow(500),
        runtime=grow(5),
    params:
        settings=lambda w: {
            name: {"penalty": CONFIG.penalties[name], "alpha": run.M / CONFIG.bp_figures[w.figure].N}
            for name, run in CONFIG.bp_figures[w.figure].simulations.items()
        },
        problem=lambda w: {key: block(w.figure)[key] for key in ("mean", "variance")},
    script:
        "../scripts/bp_theory.py"


rule table_bp_convergence:
    input:
        sources("table_bp_convergence.py"),
        **{f"{figure}__{name}": path for figure in CONFIG.bp_figures for name, path in summaries(figure).items()},
    output:
        **readable("table_bp_convergence"),
    log:
        f"{RESULTS}/logs/table_bp_convergence.log",
    benchmark:
        f"{RESULTS}/benchmarks/table_bp_convergence.tsv"
    conda:
        ENVIRONMENT
    resources:
        mem_mb=grow(500),
        runtime=grow(5),
    script:
        "../scripts/table_bp_convergence.py"


rule table_bp_l0:
    input:
        sources("table_bp_l0.py"),
    output:
        **readable("table_bp_l0"),
    log:
        f"{RESULTS}/logs/table_bp_l0.log",
    benchmark:
        f"{RESULTS}/benchmarks/table_bp_l0.tsv"
    conda:
        ENVIRONMENT
    resources:
        mem_mb=grow(SUBMITTED_MB),
        runtime=grow(30),
    params:
        runs=block("table_bp_l0")
        | {"etas": CONFIG.table_bp_l0.etas.values().tolist(), "seed": CONFIG.seed, "tol": CONFIG.bp.tol},
    script:
        "../scripts/table_bp_l0.py"
