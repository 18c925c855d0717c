# What the paper claims: the verdicts of this run, and whether they hold as in the reference.


# The one source of the tables of claims and of the report.
rule verdicts:
    input:
        expand(f"{RESULTS}/{{path}}.parquet", path=CONFIG.tables["table_claims"].evidence(CONFIG)),
    output:
        f"{FIGURES}/claims.json",
    log:
        f"{RESULTS}/logs/verdicts.log",
    conda:
        ENVIRONMENT
    resources:
        mem_mb=grow(500),
        runtime=grow(10),
    params:
        code=lambda w: code_digest("verdicts.py", whole=["src/sparsegdf/paper/claims/coverage.yaml"]),
        made_with=CONFIG.tables["table_claims"].evidence(CONFIG),
        run=lambda w: RUN,
    script:
        "../scripts/verdicts.py"


# Fails when a claim that the reference run reproduced is not reproduced by this one (a preview: is contradicted).
rule claims:
    input:
        files_of("claims"),
        claims=f"{FIGURES}/claims.json",
        reference=source("reference/claims.json"),
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
        code=lambda w: code_digest("claims_hold.py", whole=["reference/claims.json"]),
        same_scale=CONFIG.run == "paper",
    script:
        "../scripts/claims_hold.py"
