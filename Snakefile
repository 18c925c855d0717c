# Targets: paper_figures (every figure and table), tables, all, and each figure or table by its name.
configfile: "config/paper.yaml"


include: "workflow/rules/common.smk"
include: "workflow/rules/theory.smk"
include: "workflow/rules/bp.smk"
include: "workflow/rules/l0.smk"
include: "workflow/rules/figures.smk"


rule paper_figures:
    input:
        FIGURE_FILES,
        TABLE_FILES,


rule tables:
    input:
        TABLE_FILES,


rule all:
    default_target: True
    input:
        rules.paper_figures.input,
