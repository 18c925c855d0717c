# Every figure and table: tables of results in, files for readers out. What each reads, and how it is made, stands in its
# own module in src/sparsegdf/paper/figures.


# A bundle: the picture as PDF and PNG, the numbers in it, and a sidecar that says what it was made of.
rule figure:
    input:
        unpack(lambda w: tables_below_results(CONFIG.figures[w.figure])),
    output:
        **figure_files("{figure}")
        | {
            "png": report(
                f"{FIGURES}/{{figure}}.png",
                caption="../report/figure.rst",
                category="Figures",
                labels=lambda w: labels(CONFIG.figures[w.figure]),
            )
        },
    log:
        f"{RESULTS}/logs/figures/{{figure}}.log",
    wildcard_constraints:
        figure="|".join(CONFIG.figures),
    priority: PICTURES_FIRST
    conda:
        ENVIRONMENT
    resources:
        mem_mb=grow(500),
        runtime=grow(5),
    params:
        code=lambda w: exhibit_code("draw.py", CONFIG.figures[w.figure]),
        block=lambda w: CONFIG.figures[w.figure].model_dump(),
        uses=lambda w: CONFIG.figures[w.figure].uses(CONFIG),
    script:
        "../scripts/draw.py"


# CSV at full precision, Markdown and LaTeX as formatted.
rule table:
    input:
        unpack(lambda w: tables_below_results(TABLES[w.table])),
    output:
        **table_files("{table}")
        | {
            "csv": report(
                f"{FIGURES}/{{table}}.csv",
                caption="../report/table.rst",
                category="Tables",
                labels=lambda w: labels(TABLES[w.table]),
            )
        },
    log:
        f"{RESULTS}/logs/tables/{{table}}.log",
    wildcard_constraints:
        table="|".join(TABLES),
    priority: PICTURES_FIRST
    conda:
        ENVIRONMENT
    resources:
        mem_mb=grow(500),
        runtime=grow(10),
    params:
        code=lambda w: exhibit_code("table.py", TABLES[w.table]),
        name=lambda w: TABLES[w.table].name,
        block=lambda w: TABLES[w.table].model_dump(),
        uses=lambda w: TABLES[w.table].uses(CONFIG),
    script:
        "../scripts/table.py"


# Each of them by its name.
for name, files in TARGETS.items():

    rule:
        name:
            name
        input:
            files,
