# One rule per figure: cached tables in, a bundle (PDF, PNG, CSV, JSON) out.


rule figure1_single_body:
    input:
        table=rules.single_body.output[0],
    output:
        **bundle("figure1_single_body"),
    log:
        f"{RESULTS}/logs/figure1_single_body.log",
    conda:
        ENVIRONMENT
    resources:
        mem_mb=grow(500),
        runtime=grow(5),
    params:
        code=code_digest(
            "figure1_single_body.py",
            *(CONFIG.penalties[panel.penalty] for panel in CONFIG.figure1_single_body.panels),
        ),
        config=block("figure1_single_body"),
        penalties=[CONFIG.penalties[panel.penalty] for panel in CONFIG.figure1_single_body.panels],
    script:
        "../scripts/figure1_single_body.py"


rule figure2_gdf:
    input:
        table=f"{RESULTS}/theory/rs_curves/figure2_gdf.parquet",
    output:
        **bundle("figure2_gdf"),
    log:
        f"{RESULTS}/logs/figure2_gdf.log",
    conda:
        ENVIRONMENT
    resources:
        mem_mb=grow(500),
        runtime=grow(5),
    params:
        code=code_digest("figure2_gdf.py", *penalties(CONFIG.figure2_gdf.penalties).values()),
        config=block("figure2_gdf"),
        penalties=penalties(CONFIG.figure2_gdf.penalties),
    script:
        "../scripts/figure2_gdf.py"


rule figure3_prediction_error:
    input:
        table=f"{RESULTS}/theory/rs_curves/figure3_prediction_error.parquet",
        marks=rules.prediction_marks.output[0],
    output:
        **bundle("figure3_prediction_error"),
    log:
        f"{RESULTS}/logs/figure3_prediction_error.log",
    conda:
        ENVIRONMENT
    resources:
        mem_mb=grow(500),
        runtime=grow(5),
    params:
        code=code_digest(
            "figure3_prediction_error.py", *penalties(CONFIG.figure3_prediction_error.penalties).values()
        ),
        config=block("figure3_prediction_error"),
        penalties=penalties(CONFIG.figure3_prediction_error.penalties),
    script:
        "../scripts/figure3_prediction_error.py"


rule figure4_bp_vs_rs:
    input:
        **summaries("figure4_bp_vs_rs"),
        theory=f"{RESULTS}/theory/bp/figure4_bp_vs_rs.parquet",
    output:
        **bundle("figure4_bp_vs_rs"),
    log:
        f"{RESULTS}/logs/figure4_bp_vs_rs.log",
    conda:
        ENVIRONMENT
    resources:
        mem_mb=grow(500),
        runtime=grow(5),
    params:
        code=code_digest("figure4_bp_vs_rs.py", *penalties(CONFIG.figure4_bp_vs_rs.simulations).values()),
        config=block("figure4_bp_vs_rs"),
        penalties=penalties(CONFIG.figure4_bp_vs_rs.simulations),
    script:
        "../scripts/figure4_bp_vs_rs.py"


rule figure5_example1:
    input:
        **summaries("figure5_example1"),
    output:
        **bundle("figure5_example1"),
    log:
        f"{RESULTS}/logs/figure5_example1.log",
    conda:
        ENVIRONMENT
    resources:
        mem_mb=grow(500),
        runtime=grow(5),
    params:
        code=code_digest("figure_example.py", *penalties(CONFIG.figure5_example1.simulations).values()),
        config=block("figure5_example1"),
        penalties=penalties(CONFIG.figure5_example1.simulations),
    script:
        "../scripts/figure_example.py"


rule figure6_example2:
    input:
        **summaries("figure6_example2"),
    output:
        **bundle("figure6_example2"),
    log:
        f"{RESULTS}/logs/figure6_example2.log",
    conda:
        ENVIRONMENT
    resources:
        mem_mb=grow(500),
        runtime=grow(5),
    params:
        code=code_digest("figure_example.py", *penalties(CONFIG.figure6_example2.simulations).values()),
        config=block("figure6_example2"),
        penalties=penalties(CONFIG.figure6_example2.simulations),
    script:
        "../scripts/figure_example.py"


rule figure7_l0_exhaustive:
    input:
        theory=f"{RESULTS}/theory/l0/figure7_l0_exhaustive.parquet",
        sizes=expand(f"{RESULTS}/l0/{{run}}_sizes.parquet", run=CONFIG.figure7_l0_exhaustive.runs),
    output:
        **bundle("figure7_l0_exhaustive"),
    log:
        f"{RESULTS}/logs/figure7_l0_exhaustive.log",
    conda:
        ENVIRONMENT
    resources:
        mem_mb=grow(500),
        runtime=grow(5),
    params:
        code=code_digest("figure7_l0_exhaustive.py"),
        config={"figure7_l0_exhaustive": block("figure7_l0_exhaustive"), "l0_search": block("l0_search")},
    script:
        "../scripts/figure7_l0_exhaustive.py"


rule figure8_l0_beyond_rs:
    input:
        theory=f"{RESULTS}/theory/l0/figure8_l0_beyond_rs.parquet",
        sizes=expand(f"{RESULTS}/l0/{{run}}_sizes.parquet", run=CONFIG.l0_search.runs),
        etas=expand(f"{RESULTS}/l0/{{run}}_etas.parquet", run=CONFIG.figure8_l0_beyond_rs.runs),
    output:
        **bundle("figure8_l0_beyond_rs"),
    log:
        f"{RESULTS}/logs/figure8_l0_beyond_rs.log",
    conda:
        ENVIRONMENT
    resources:
        mem_mb=grow(500),
        runtime=grow(5),
    params:
        code=code_digest("figure8_l0_beyond_rs.py"),
        config={"figure8_l0_beyond_rs": block("figure8_l0_beyond_rs"), "l0_search": block("l0_search")},
    script:
        "../scripts/figure8_l0_beyond_rs.py"


# The simulations of figure 9: N, design and penalty.
FINITE_SIZE = [
    (size.N, design, name)
    for size in CONFIG.figure9_finite_size.sizes
    for design in CONFIG.figure9_finite_size.designs
    for name in CONFIG.figure9_finite_size.simulations
]


rule figure9_finite_size:
    input:
        summaries=[f"{RESULTS}/summaries/size{N}_{design}/{name}.parquet" for N, design, name in FINITE_SIZE],
    output:
        **bundle("figure9_finite_size"),
    log:
        f"{RESULTS}/logs/figure9_finite_size.log",
    conda:
        ENVIRONMENT
    resources:
        mem_mb=grow(500),
        runtime=grow(5),
    params:
        code=code_digest("figure9_finite_size.py", *penalties(CONFIG.figure9_finite_size.simulations).values()),
        config=block("figure9_finite_size"),
        penalties=penalties(CONFIG.figure9_finite_size.simulations),
        names=FINITE_SIZE,
    script:
        "../scripts/figure9_finite_size.py"
