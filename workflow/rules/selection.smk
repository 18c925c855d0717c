# Model selection on planted data: the data of figure 10.


rule planted:
    output:
        f"{RESULTS}/planted/{{setting}}.parquet",
    log:
        f"{RESULTS}/logs/planted/{{setting}}.log",
    conda:
        ENVIRONMENT
    resources:
        mem_mb=grow(SUBMITTED_MB),
        runtime=grow(60),
    params:
        code=lambda w: code_digest(
            "planted.py",
            CONFIG.planted[w.setting]["design"],
            *penalties(CONFIG.figure10_selection.penalties).values(),
        ),
        problem=lambda w: {key: CONFIG.planted[w.setting][key] for key in ("design", "N", "strength")}
        | {key: block("figure10_selection")[key] for key in ("M", "nonzeros", "samples", "new_rows")},
        penalties=penalties(CONFIG.figure10_selection.penalties),
        seed=CONFIG.seed,
    script:
        "../scripts/planted.py"


rule table_selection:
    input:
        **PLANTED,
    output:
        **readable("table_selection"),
    log:
        f"{RESULTS}/logs/table_selection.log",
    conda:
        ENVIRONMENT
    resources:
        mem_mb=grow(500),
        runtime=grow(5),
    params:
        code=code_digest("table_selection.py"),
        settings=CONFIG.planted,
    script:
        "../scripts/table_selection.py"


rule figure10_selection:
    input:
        **PLANTED,
    output:
        **bundle("figure10_selection"),
    log:
        f"{RESULTS}/logs/figure10_selection.log",
    conda:
        ENVIRONMENT
    resources:
        mem_mb=grow(500),
        runtime=grow(5),
    params:
        code=code_digest(
            "figure10_selection.py",
            *penalties(CONFIG.figure10_selection.penalties).values(),
            *(setting["design"] for setting in CONFIG.planted.values()),
        ),
        settings=CONFIG.planted,
        config=block("figure10_selection"),
        penalties=penalties(CONFIG.figure10_selection.penalties),
    script:
        "../scripts/figure10_selection.py"
