# Belief propagation itself: how it compares with theory and with its linear stability, and how it does for l0.


# The RS curve that each panel of figure 4 is compared with.
rule bp_theory:
    output:
        f"{RESULTS}/theory/bp/{{figure}}.parquet",
    log:
        f"{RESULTS}/logs/theory/bp/{{figure}}.log",
    conda:
        ENVIRONMENT
    resources:
        mem_mb=grow(500),
        runtime=grow(5),
    params:
        code=lambda w: code_digest("bp_theory.py", *penalties(CONFIG.runs[w.figure].simulations).values()),
        settings=lambda w: {
            name: {"penalty": CONFIG.penalties[name], "alpha": simulation.ensemble.M / simulation.ensemble.N}
            for name, simulation in CONFIG.runs[w.figure].simulations.items()
        },
        problem=lambda w: {key: block(w.figure)[key] for key in ("mean", "variance")},
    script:
        "../scripts/bp_theory.py"


# Belief propagation for l0, by damping.
rule bp_l0:
    output:
        f"{RESULTS}/table_bp_l0.parquet",
    log:
        f"{RESULTS}/logs/table_bp_l0.log",
    conda:
        ENVIRONMENT
    resources:
        mem_mb=grow(SUBMITTED_MB),
        runtime=grow(30),
    params:
        code=code_digest("bp_l0.py"),
        runs=block("table_bp_l0")
        | {"etas": CONFIG.table_bp_l0.etas.values().tolist(), "seed": CONFIG.seed, "tol": CONFIG.bp.tol},
    script:
        "../scripts/bp_l0.py"


# The simulations of figures 4 to 6.
BP_SIMULATIONS = [CONFIG.runs[figure].simulations[name].as_params() for figure, name in CONFIG.bp_simulations]


# Its linear stability at directly found fixed points.
rule bp_region:
    input:
        summaries=expand(f"{RESULTS}/summaries/{{figure}}.parquet", figure=CONFIG.bp_figures),
    output:
        f"{RESULTS}/table_bp_region.parquet",
    log:
        f"{RESULTS}/logs/table_bp_region.log",
    conda:
        ENVIRONMENT
    resources:
        mem_mb=grow(SUBMITTED_MB),
        runtime=grow(60),
    params:
        code=code_digest(
            "bp_region.py",
            *(simulation[part] for simulation in BP_SIMULATIONS for part in ("design", "penalty")),
        ),
        figures=CONFIG.bp_figures,
        names=CONFIG.bp_simulations,
        simulations=BP_SIMULATIONS,
        tol=CONFIG.bp.tol,
        region=block("table_bp_region"),
    script:
        "../scripts/bp_region.py"
