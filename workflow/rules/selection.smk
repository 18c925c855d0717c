# Model selection on planted data: the data of figure 10.

# Its settings by name.
PLANTED = {
    name: {"design": CONFIG.figure10_selection.design_of(cell, CONFIG), "N": cell.N, "strength": cell.strength}
    for name, cell in CONFIG.figure10_selection.cells().items()
}


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
            PLANTED[w.setting]["design"],
            *penalties(CONFIG.figure10_selection.penalties).values(),
        ),
        problem=lambda w: PLANTED[w.setting]
        | {key: block("figure10_selection")[key] for key in ("M", "nonzeros", "samples", "new_rows", "bootstrap")},
        penalties=penalties(CONFIG.figure10_selection.penalties),
        seed=CONFIG.seed,
    script:
        "../scripts/planted.py"
