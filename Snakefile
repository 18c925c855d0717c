# Targets: paper_figures (every figure and table), tables, notebooks, all, claims, report_page, record, and each figure or
# table by its name.
configfile: "config/paper.yaml"


include: "workflow/rules/common.smk"
include: "workflow/rules/theory.smk"
include: "workflow/rules/fixed_points.smk"
include: "workflow/rules/bp_tables.smk"
include: "workflow/rules/l0.smk"
include: "workflow/rules/figures.smk"
include: "workflow/rules/selection.smk"
include: "workflow/rules/claims.smk"
include: "workflow/rules/report.smk"
include: "workflow/rules/notebooks.smk"


# Seconds each, so on a cluster they run beside Snakemake; what is not listed here is submitted.
localrules:
    single_body,
    rs_curves,
    prediction_marks,
    table_thresholds,
    summary,
    bp_theory,
    table_bp_convergence,
    table_bp_direct,
    l0_summary,
    l0_theory,
    table_l0,
    figure1_single_body,
    figure2_gdf,
    figure3_prediction_error,
    figure4_bp_vs_rs,
    figure5_example1,
    figure6_example2,
    figure7_l0_exhaustive,
    figure8_l0_beyond_rs,
    figure9_finite_size,
    figure10_selection,
    table_selection,
    table_claims,
    table_misprints,
    claims,
    report_page,
    record,


rule paper_figures:
    input:
        FIGURE_FILES,
        TABLE_FILES,


rule tables:
    input:
        TABLE_FILES,


rule notebooks:
    input:
        NOTEBOOK_FILES,


rule all:
    default_target: True
    input:
        rules.paper_figures.input,
        rules.notebooks.input,
