# Tables about belief propagation itself, and the theory that figure 4 compares it with.


# The simulations of the figures, and those that both solvers are compared on: figure (or run) and penalty.
BP_SIMULATIONS = [(figure, name) for figure in CONFIG.bp_figures for name in CONFIG.runs[figure].simulations]
COMPARED = [(run, name) for run in CONFIG.table_bp_direct.runs for name in CONFIG.runs[run].simulations]


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
            name: {"penalty": CONFIG.penalties[name], "alpha": run.M / CONFIG.runs[w.figure].N}
            for name, run in CONFIG.runs[w.figure].simulations.items()
        },
        problem=lambda w: {key: block(w.figure)[key] for key in ("mean", "variance")},
    script:
        "../scripts/bp_theory.py"


rule table_bp_convergence:
    input:
        summaries=[path for figure in CONFIG.bp_figures for path in summaries(figure).values()],
    output:
        **readable("table_bp_convergence"),
    log:
        f"{RESULTS}/logs/table_bp_convergence.log",
    conda:
        ENVIRONMENT
    resources:
        mem_mb=grow(500),
        runtime=grow(5),
    params:
        code=code_digest("table_bp_convergence.py"),
        names=BP_SIMULATIONS,
    script:
        "../scripts/table_bp_convergence.py"


rule table_bp_l0:
    output:
        **readable("table_bp_l0"),
    log:
        f"{RESULTS}/logs/table_bp_l0.log",
    conda:
        ENVIRONMENT
    resources:
        mem_mb=grow(SUBMITTED_MB),
        runtime=grow(30),
    params:
        code=code_digest("table_bp_l0.py"),
        runs=block("table_bp_l0")
        | {"etas": CONFIG.table_bp_l0.etas.values().tolist(), "seed": CONFIG.seed, "tol": CONFIG.bp.tol},
    script:
        "../scripts/table_bp_l0.py"


# BP and stationary_path on the same samples of a panel.
rule agreement:
    output:
        f"{RESULTS}/agreement/{{figure}}/{{penalty}}.parquet",
    log:
        f"{RESULTS}/logs/agreement/{{figure}}/{{penalty}}.log",
    conda:
        ENVIRONMENT
    resources:
        mem_mb=grow(SUBMITTED_MB),
        runtime=grow(60),
    params:
        code=simulation_code("agreement.py"),
        simulation=simulation,
        bp=BP | {"tol": CONFIG.table_bp_direct.tol},
        samples=CONFIG.table_bp_direct.samples,
    script:
        "../scripts/agreement.py"


rule table_bp_direct:
    input:
        panels=[f"{RESULTS}/agreement/{figure}/{name}.parquet" for figure, name in COMPARED],
    output:
        **readable("table_bp_direct"),
    log:
        f"{RESULTS}/logs/table_bp_direct.log",
    conda:
        ENVIRONMENT
    resources:
        mem_mb=grow(500),
        runtime=grow(5),
    params:
        code=code_digest("table_bp_direct.py"),
        names=COMPARED,
    script:
        "../scripts/table_bp_direct.py"


rule table_bp_region:
    input:
        summaries=[path for figure in CONFIG.bp_figures for path in summaries(figure).values()],
    output:
        **readable("table_bp_region"),
    log:
        f"{RESULTS}/logs/table_bp_region.log",
    conda:
        ENVIRONMENT
    resources:
        mem_mb=grow(SUBMITTED_MB),
        runtime=grow(60),
    params:
        code=code_digest(
            "table_bp_region.py",
            *(CONFIG.runs[figure].design for figure in CONFIG.bp_figures),
            *(CONFIG.penalties[name] for figure in CONFIG.bp_figures for name in CONFIG.runs[figure].simulations),
        ),
        names=BP_SIMULATIONS,
        simulations=[simulation_of(figure, name) for figure, name in BP_SIMULATIONS],
        tol=CONFIG.bp.tol,
        region=block("table_bp_region"),
    script:
        "../scripts/table_bp_region.py"
