# Fixed points: chunks of samples for each penalty of a run, then one summary of the run.


rule fixed_points:
    output:
        f"{RESULTS}/fixed_points/{{figure}}/{{penalty}}/{{first,\\d+}}-{{last,\\d+}}.parquet",
    log:
        f"{RESULTS}/logs/fixed_points/{{figure}}/{{penalty}}/{{first}}-{{last}}.log",
    conda:
        ENVIRONMENT
    resources:
        mem_mb=lambda w, attempt: attempt * SUBMITTED_MB * (1 if simulation(w)["N"] <= UP_TO_N else 2),
        runtime=grow(30),
    params:
        code=simulation_code("fixed_points.py"),
        simulation=simulation,
        solver=solver,
        bp=BP,
    script:
        "../scripts/fixed_points.py"


# The paper's protocol, BP iterated from sparse to dense, on the first samples: where does it converge, and to what?
rule iterated:
    output:
        f"{RESULTS}/iterated/{{figure}}/{{penalty}}/{{first,\\d+}}-{{last,\\d+}}.parquet",
    log:
        f"{RESULTS}/logs/iterated/{{figure}}/{{penalty}}/{{first}}-{{last}}.log",
    conda:
        ENVIRONMENT
    resources:
        mem_mb=grow(SUBMITTED_MB),
        runtime=grow(30),
    params:
        code=simulation_code("iterated.py"),
        simulation=simulation,
        bp=BP,
    script:
        "../scripts/iterated.py"


rule summary:
    input:
        fixed_points=lambda w: simulation_files("fixed_points", w, simulation_chunks(w)),
        iterated=lambda w: simulation_files("iterated", w, iterated_chunks(w)),
    output:
        f"{RESULTS}/summaries/{{figure}}.parquet",
    log:
        f"{RESULTS}/logs/summaries/{{figure}}.log",
    conda:
        ENVIRONMENT
    resources:
        mem_mb=grow(500),
        runtime=grow(10),
    params:
        code=code_digest("summary.py"),
        chunks=simulation_chunks,
        iterated=iterated_chunks,
        simulations=simulations,
        solver=solver,
        bp=BP,
    script:
        "../scripts/summary.py"
