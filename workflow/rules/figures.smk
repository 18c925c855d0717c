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
        mem_mb=grow(500),
        runtime=grow(5),
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
        mem_mb=grow(500),
        runtime=grow(5),
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
        mem_mb=grow(500),
        runtime=grow(5),
    params:
        config=block("figure3_prediction_error"),
        penalties=penalties(CONFIG.figure3_prediction_error.penalties),
    script:
        "../scripts/figure3_prediction_error.py"


rule figure4_bp_vs_rs:
    input:
        sources("figure4_bp_vs_rs.py"),
        **summaries("figure4_bp_vs_rs"),
        theory=f"{RESULTS}/theory/bp/figure4_bp_vs_rs.parquet",
    output:
        **bundle("figure4_bp_vs_rs"),
    log:
        f"{RESULTS}/logs/figure4_bp_vs_rs.log",
    benchmark:
        f"{RESULTS}/benchmarks/figure4_bp_vs_rs.tsv"
    conda:
        ENVIRONMENT
    resources:
        mem_mb=grow(500),
        runtime=grow(5),
    params:
        config=block("figure4_bp_vs_rs"),
        penalties=penalties(CONFIG.figure4_bp_vs_rs.simulations),
    script:
        "../scripts/figure4_bp_vs_rs.py"


rule figure5_example1:
    input:
        sources("figure_example.py"),
        **summaries("figure5_example1"),
    output:
        **bundle("figure5_example1"),
    log:
        f"{RESULTS}/logs/figure5_example1.log",
    benchmark:
        f"{RESULTS}/benchmarks/figure5_example1.tsv"
    conda:
        ENVIRONMENT
    resources:
        mem_mb=grow(500),
        runtime=grow(5),
    params:
        config=block("figure5_example1"),
        penalties=penalties(CONFIG.figure5_example1.simulations),
    script:
        "../scripts/figure_example.py"


rule figure6_example2:
    input:
        sources("figure_example.py"),
        **summaries("figure6_example2"),
    output:
        **bundle("figure6_example2"),
    log:
        f"{RESULTS}/logs/figure6_example2.log",
    benchmark:
        f"{RESULTS}/benchmarks/figure6_example2.tsv"
    conda:
        ENVIRONMENT
    resources:
        mem_mb=grow(500),
        runtime=grow(5),
    params:
        config=block("figure6_example2"),
        penalties=penalties(CONFIG.figure6_example2.simulations),
    script:
        "../scripts/figure_example.py"


rule figure7_l0_exhaustive:
    input:
        sources("figure7_l0_exhaustive.py"),
        theory=f"{RESULTS}/theory/l0/figure7_l0_exhaustive.parquet",
        sizes=expand(f"{RESULTS}/l0/{{run}}_sizes.parquet", run=CONFIG.figure7_l0_exhaustive.runs),
    output:
        **bundle("figure7_l0_exhaustive"),
    log:
        f"{RESULTS}/logs/figure7_l0_exhaustive.log",
    benchmark:
        f"{RESULTS}/benchmarks/figure7_l0_exhaustive.tsv"
    conda:
        ENVIRONMENT
    resources:
        mem_mb=grow(500),
        runtime=grow(5),
    params:
        config={"figure7_l0_exhaustive": block("figure7_l0_exhaustive"), "l0_search": block("l0_search")},
    script:
        "../scripts/figure7_l0_exhaustive.py"


rule figure8_l0_beyond_rs:
    input:
        sources("figure8_l0_beyond_rs.py"),
        theory=f"{RESULTS}/theory/l0/figure8_l0_beyond_rs.parquet",
        sizes=expand(f"{RESULTS}/l0/{{run}}_sizes.parquet", run=CONFIG.l0_search.runs),
        etas=expand(f"{RESULTS}/l0/{{run}}_etas.parquet", run=CONFIG.figure8_l0_beyond_rs.runs),
    output:
        **bundle("figure8_l0_beyond_rs"),
    log:
        f"{RESULTS}/logs/figure8_l0_beyond_rs.log",
    benchmark:
        f"{RESULTS}/benchmarks/figure8_l0_beyond_rs.tsv"
    conda:
        ENVIRONMENT
    resources:
        mem_mb=grow(500),
        runtime=grow(5),
    params:
        config={"figure8_l0_beyond_rs": block("figure8_l0_beyond_rs"), "l0_search": block("l0_search")},
    script:
        "../scripts/figure8_l0_beyond_rs.py"


rule figure9_finite_size:
    input:
        sources("figure9_finite_size.py"),
        **{
            f"{name}__{p}": path
            for name in CONFIG.runs
            if name.startswith("size")
            for p, path in summaries(name).items()
        },
    output:
        **bundle("figure9_finite_size"),
    log:
        f"{RESULTS}/logs/figure9_finite_size.log",
    benchmark:
        f"{RESULTS}/benchmarks/figure9_finite_size.tsv"
    conda:
        ENVIRONMENT
    resources:
        mem_mb=grow(500),
        runtime=grow(5),
    params:
        config=block("figure9_finite_size"),
        penalties=penalties(CONFIG.figure9_finite_size.simulations),
    script:
        "../scripts/figure9_finite_size.py"
