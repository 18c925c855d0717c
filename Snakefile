# Targets: paper_figures (what the paper shows), beyond (what is ours), claims (what the paper says, judged), notebooks, all,
# report_page, record, and each figure or table by its name.
configfile: "config/paper.yaml"


include: "workflow/rules/common.smk"
include: "workflow/rules/theory.smk"
include: "workflow/rules/fixed_points.smk"
include: "workflow/rules/bp_tables.smk"
include: "workflow/rules/predictors.smk"
include: "workflow/rules/l0.smk"
include: "workflow/rules/selection.smk"
include: "workflow/rules/figures.smk"
include: "workflow/rules/claims.smk"
include: "workflow/rules/report.smk"
include: "workflow/rules/notebooks.smk"


# Seconds each, so on a cluster they run beside Snakemake; what is not listed here is submitted.
localrules:
    single_body,
    rs_curves,
    prediction_marks,
    summary,
    bp_theory,
    l0_summary,
    l0_theory,
    figure,
    table,
    verdicts,
    claims,
    report_page,
    record,


rule paper_figures:
    input:
        files_of("paper_figures"),


rule beyond:
    input:
        files_of("beyond"),


rule notebooks:
    input:
        NOTEBOOK_FILES,


rule all:
    default_target: True
    input:
        FIGURE_FILES,
        TABLE_FILES,
        rules.notebooks.input,
