# What the paper claims and misprints, decided from the results of this run.

# The block of the configuration that each run of simulations belongs to, and the name of its design.
BLOCKS = {name: (name, figure.design) for name, figure in CONFIG.bp_figures.items()}
BLOCKS |= {f"claims_{design}": ("claims", design) for design in CONFIG.claims.designs}
BLOCKS |= {f"size{N}_{design}": ("figure9_finite_size", design) for N, design, _ in FINITE_SIZE}

# The tables that claims are decided from, by their path below results/<run>: what each is, and what it was made with.
EVIDENCE = {
    f"summaries/{name}/{penalty}": {
        "kind": "summary",
        "block": BLOCKS[name][0],
        "design_name": BLOCKS[name][1],
        "penalty_name": penalty,
        "N": run.N,
        "alpha": simulated.M / run.N,
        "design": run.design,
        "penalty": CONFIG.penalties[penalty],
        "mean": run.mean,
        "variance": run.variance,
    }
    for name, run in CONFIG.runs.items()
    for penalty, simulated in run.simulations.items()
} | {
    f"l0/{name}_sizes": {"kind": "l0_sizes", "run": name, "N": run.N, "alpha": CONFIG.l0_search.alpha}
    for name, run in CONFIG.l0_search.runs.items()
}
EVIDENCE_BP_L0 = {"kind": "bp_l0", "N": CONFIG.table_bp_l0.N, "alpha": CONFIG.table_bp_l0.M / CONFIG.table_bp_l0.N}


rule table_claims:
    input:
        results=[f"{RESULTS}/{key}.parquet" for key in EVIDENCE],
        table_bp_l0=f"{FIGURES}/table_bp_l0.csv",
    output:
        **readable("claims"),
    log:
        f"{RESULTS}/logs/table_claims.log",
    conda:
        ENVIRONMENT
    resources:
        mem_mb=grow(500),
        runtime=grow(10),
    params:
        code=code_digest("table_claims.py"),
        made_with=[*EVIDENCE.values(), EVIDENCE_BP_L0],
    script:
        "../scripts/table_claims.py"


rule table_misprints:
    output:
        **readable("misprints"),
    log:
        f"{RESULTS}/logs/table_misprints.log",
    conda:
        ENVIRONMENT
    resources:
        mem_mb=grow(500),
        runtime=grow(10),
    params:
        code=code_digest("table_misprints.py"),
    script:
        "../scripts/table_misprints.py"


# Fails when a claim that the reference run reproduced is not reproduced by this one (a preview: is contradicted).
rule claims:
    input:
        claims=f"{FIGURES}/claims.csv",
        misprints=f"{FIGURES}/misprints.csv",  # not read: `snakemake claims` makes both tables
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
        code=lambda w: code_digest("claims_hold.py", whole=["reference/claims.csv"]),
        same_scale=CONFIG.run == "paper",
    script:
        "../scripts/claims_hold.py"
