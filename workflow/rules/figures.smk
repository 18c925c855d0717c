# One rule per figure: cached tables in, a bundle (PDF, PNG, CSV, JSON) out.


rule figure1_single_body:
    input:
        sources("figure1_single_body.py"),
        table=rules.single_body.output[0],
    output:
        **bundle("figure1_single_body"),
    log:
        f"{RESULTS}/logs/figure1_single_body.log",
    benchmark:
        f"{RESULTS}/benchmarks/figure1_single_body.tsv"
    conda:
        ENVIRONMENT
    resources:
        mem_mb=500,
        runtime=5,
    params:
        config=block("figure1_single_body"),
        penalties=[CONFIG.penalties[panel.penalty] for panel in CONFIG.figure1_single_body.panels],
    script:
        "../scripts/figure1_single_body.py"


rule figure2_gdf:
    input:
        sources("figure2_gdf.py"),
        table=f"{RESULTS}/theory/rs_curves/figure2_gdf.parquet",
    output:
        **bundle("figure2_gdf"),
    log:
        f"{RESULTS}/logs/figure2_gdf.log",
    benchmark:
        f"{RESULTS}/benchmarks/figure2_gdf.tsv"
    conda:
        ENVIRONMENT
    resources:
        mem_mb=500,
        runtime=5,
    params:
        config=block("figure2_gdf"),
        penalties=penalties(CONFIG.figure2_gdf.penalties),
    script:
        "../scripts/figure2_gdf.py"


rule figure3_prediction_error:
    input:
        sources("figure3_prediction_error.py"),
        table=f"{RESULTS}/theory/rs_curves/figure3_prediction_error.parquet",
        marks=rules.prediction_marks.output[0],
    output:
        **bundle("figure3_prediction_error"),
    log:
        f"{RESULTS}/logs/figure3_prediction_error.log",
    benchmark:
        f"{RESULTS}/benchmarks/figure3_prediction_error.tsv"
    conda:
        ENVIRONMENT
    resources:
        mem_mb=500,
        runtime=5,
    params:
        config=block("figure3_prediction_error"),
        penalties=penalties(CONFIG.figure3_prediction_error.penalties),
    script:
        "../scripts/figure3_prediction_error.py"
