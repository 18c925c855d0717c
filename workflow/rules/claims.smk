# What the paper claims: does it hold in this run as in the reference?


# Fails when a claim that the reference run reproduced is not reproduced by this one (a preview: is contradicted).
rule claims:
    input:
        files_of("claims"),
        claims=f"{FIGURES}/claims.csv",
        reference=source("reference/claims.csv"),
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
        code=lambda w: code_digest("claims_hold.py", whole=["reference/claims.csv"]),
        same_scale=CONFIG.run == "paper",
    script:
        "../scripts/claims_hold.py"
