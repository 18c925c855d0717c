# What the paper claims and misprints, decided from the results of this run.

# The tables that claims are decided from: their path below results/<run>, and N.
EVIDENCE = {
    f"summaries/{name}/{penalty}": run.N for name, run in CONFIG.runs.items() for penalty in run.simulations
} | {f"l0/{name}_sizes": run.N for name, run in CONFIG.l0_search.runs.items()}


rule table_claims:
    input:
        sources("table_claims.py"),
        results=[f"{RESULTS}/{key}.parquet" for key in EVIDENCE],
        table_bp_l0=f"{FIGURES}/table_bp_l0.csv",
    output:
        **readable("claims"),
    log:
        f"{RESULTS}/logs/table_claims.log",
    benchmark:
        f"{RESULTS}/benchmarks/table_claims.tsv"
    conda:
        ENVIRONMENT
    resources:
        mem_mb=grow(500),
        runtime=grow(10),
    params:
        N=EVIDENCE,
        N_bp_l0=CONFIG.table_bp_l0.N,
    script:
        "../scripts/table_claims.py"


rule table_misprints:
    input:
        sources("table_misprints.py"),
    output:
        **readable("misprints"),
    log:
        f"{RESULTS}/logs/table_misprints.log",
    benchmark:
        f"{RESULTS}/benchmarks/table_misprints.tsv"
    conda:
        ENVIRONMENT
    resources:
        mem_mb=grow(500),
        runtime=grow(10),
    script:
        "../scripts/table_misprints.py"


# Fails when a claim that the reference run reproduced is not reproduced by this one (a preview: is contradicted).
rule claims:
    input:
        sources("claims_hold.py"),
        claims=f"{FIGURES}/claims.csv",
        misprints=f"{FIGURES}/misprints.csv",
        reference="reference/claims.csv",
    output:
        f"{RESULTS}/claims_hold.txt",
    log:
        f"{RESULTS}/logs/claims.log",
    conda:
        ENVIRONMENT
    resources:
        mem_mb=grow(500),
        runtime=grow(5),
    params:
        same_scale=CONFIG.run == "paper",
    script:
        "../scripts/claims_hold.py"
