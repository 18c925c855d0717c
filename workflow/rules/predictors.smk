# The theory of predictors that are not iid, and what it is compared with.

# What figures and tables ask of it, by name.
LIMITS = {}
for exhibit in (*CONFIG.figures.values(), *CONFIG.tables.values()):
    LIMITS |= exhibit.rs_limits(CONFIG)


# Seconds: the longest is Example 1, whose levels are sampled.
rule limit_points:
    output:
        f"{RESULTS}/theory/limits/{{limit}}.parquet",
    log:
        f"{RESULTS}/logs/theory/limits/{{limit}}.log",
    wildcard_constraints:
        limit=r"\w+",
    conda:
        ENVIRONMENT
    resources:
        mem_mb=grow(SUBMITTED_MB),
        runtime=grow(30),
    params:
        code=lambda w: code_digest(
            "limit_points.py",
            LIMITS[w.limit]["design"],
            *(setting["penalty"] for setting in LIMITS[w.limit]["penalties"].values()),
        ),
        limit=lambda w: LIMITS[w.limit],
    script:
        "../scripts/limit_points.py"


# The effective fraction with the covariance known, on a part of the samples of a run.
rule corrected_fraction:
    output:
        f"{RESULTS}/corrected/{{figure}}.parquet",
    log:
        f"{RESULTS}/logs/corrected/{{figure}}.log",
    conda:
        ENVIRONMENT
    resources:
        mem_mb=grow(SUBMITTED_MB),
        runtime=grow(30),
    params:
        code=lambda w: code_digest(
            "corrected_fraction.py",
            *(simulation[part] for simulation in simulations(w).values() for part in ("design", "penalty")),
        ),
        simulations=simulations,
        samples=CONFIG.table_effective_fraction.samples,
    script:
        "../scripts/corrected_fraction.py"


# What figure 11 simulates on each design, and its l0 search there.
rule predictor_points:
    output:
        f"{RESULTS}/predictors/{{design}}.parquet",
    log:
        f"{RESULTS}/logs/predictors/{{design}}.log",
    wildcard_constraints:
        design=r"\w+",
    conda:
        ENVIRONMENT
    resources:
        mem_mb=grow(SUBMITTED_MB),
        runtime=grow(30),
    params:
        code=lambda w: code_digest(
            "predictor_points.py",
            CONFIG.designs[w.design],
            *penalties(CONFIG.figure11_predictors.simulations).values(),
        ),
        problem=lambda w: CONFIG.figure11_predictors.problem(w.design, CONFIG),
    script:
        "../scripts/predictor_points.py"


rule l0_predictors:
    output:
        f"{RESULTS}/predictors/l0/{{design}}.parquet",
    log:
        f"{RESULTS}/logs/predictors/l0/{{design}}.log",
    wildcard_constraints:
        design=r"\w+",
    conda:
        ENVIRONMENT
    resources:
        mem_mb=grow(SUBMITTED_MB),
        runtime=grow(30),
    params:
        code=lambda w: code_digest("l0_predictors.py", CONFIG.designs[w.design]),
        problems=lambda w: CONFIG.figure11_predictors.l0_problems(w.design, CONFIG),
    script:
        "../scripts/l0_predictors.py"
