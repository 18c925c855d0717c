# Replica-symmetric theory: seconds of work, cached as parquet.


rule single_body:
    output:
        f"{RESULTS}/theory/single_body.parquet",
    log:
        f"{RESULTS}/logs/single_body.log",
    priority: PICTURES_FIRST
    conda:
        ENVIRONMENT
    resources:
        mem_mb=grow(500),
        runtime=grow(5),
    params:
        code=code_digest(
            "single_body.py", *(CONFIG.penalties[panel.penalty] for panel in CONFIG.figure1_single_body.panels)
        ),
        panels=[
            {"penalty": CONFIG.penalties[panel.penalty], "eta": panel.eta}
            for panel in CONFIG.figure1_single_body.panels
        ],
        problem={key: block("figure1_single_body")[key] for key in ("alpha", "mean", "variance", "z_max")},
    script:
        "../scripts/single_body.py"


rule rs_curves:
    output:
        f"{RESULTS}/theory/rs_curves/{{figure}}.parquet",
    log:
        f"{RESULTS}/logs/rs_curves/{{figure}}.log",
    priority: PICTURES_FIRST
    conda:
        ENVIRONMENT
    resources:
        mem_mb=grow(500),
        runtime=grow(5),
    params:
        code=lambda w: code_digest("rs_curves.py", *penalties(block(w.figure)["penalties"]).values()),
        penalties=lambda w: penalties(block(w.figure)["penalties"]),
        deltas=lambda w: getattr(CONFIG, w.figure).deltas.values().tolist(),
        problem=lambda w: {key: block(w.figure)[key] for key in ("alpha", "mean", "variance")},
    script:
        "../scripts/rs_curves.py"


rule prediction_marks:
    output:
        f"{RESULTS}/theory/prediction_marks.parquet",
    log:
        f"{RESULTS}/logs/prediction_marks.log",
    priority: PICTURES_FIRST
    conda:
        ENVIRONMENT
    resources:
        mem_mb=grow(500),
        runtime=grow(5),
    params:
        code=code_digest("prediction_marks.py", *penalties(CONFIG.figure3_prediction_error.penalties).values()),
        penalties=penalties(CONFIG.figure3_prediction_error.penalties),
        deltas=CONFIG.figure3_prediction_error.deltas.values().tolist(),
        problem={key: block("figure3_prediction_error")[key] for key in ("alpha", "mean", "variance")},
    script:
        "../scripts/prediction_marks.py"
