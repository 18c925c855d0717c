"""Table: the claims of the paper, decided from the results of this run."""

from sparsegdf.paper.figures.base import Readable, Table


class TableClaims(Table):
    """The evidence: every summary of fixed points, the l0 search at fixed size, BP for l0, the theory of designs."""

    file = "claims"
    target = "claims"
    shows = "every claim of the paper with its verdict"
    made_of = "all results"

    def inputs(self, config):
        return {"results": list(self.uses(config)["made_with"])}

    def uses(self, config):
        """The identity and the parameters of each table, by its path below results/<run>."""
        made_with = {
            f"summaries/{name}/{penalty}": {
                "kind": "summary",
                "block": run.block,
                "design_name": run.design_name,
                "penalty_name": penalty,
            }
            | _made_with(simulation.as_params())
            for name, run in config.runs.items()
            for penalty, simulation in run.simulations.items()
        }
        search, bp_l0 = config.l0_search, config.table_bp_l0
        made_with |= {
            f"l0/{name}_sizes": {"kind": "l0_sizes", "run": name, "N": run.N, "alpha": search.alpha}
            for name, run in search.runs.items()
        }
        for exhibit in (*config.figures.values(), *config.tables.values()):
            made_with |= {
                f"theory/limits/{name}": {"kind": "limits", "block": exhibit.name, "design": asked["design"]}
                for name, asked in exhibit.rs_limits(config).items()
            }
        made_with |= config.figure11_predictors.evidence(config) | config.table_effective_fraction.evidence(config)
        made_with["table_bp_l0"] = {"kind": "bp_l0", "N": bp_l0.N, "alpha": bp_l0.M / bp_l0.N}
        return {"made_with": made_with, "run": config.run}

    def compute(self, tables, uses):
        from sparsegdf.paper.claims import l0, predictors, simulation, theory
        from sparsegdf.paper.claims.verdict import claims_table, count

        evidence = tables["results"]
        for table, (path, made_with) in zip(evidence, uses["made_with"].items(), strict=True):
            table.attrs = made_with | {"path": path}
        claims = claims_table([*theory.CLAIMS, *simulation.CLAIMS, *l0.CLAIMS, *predictors.CLAIMS], evidence)
        return Readable(
            claims,
            f"{count(claims, 'paper')} {count(claims, 'ours')} Run: {uses['run']}.",
            columns=[
                *(
                    "id",
                    "where",
                    "statement",
                    "domain",
                    "quoted",
                    "measured",
                    "part",
                    "tolerance",
                    "effect",
                    "verdict",
                ),
                *("correction", "finding"),
            ],
        )


def _made_with(simulation):
    """The parameters of the simulation behind a summary that claims need."""
    asked = {name: simulation[name] for name in ("N", "design", "penalty", "mean", "variance")}
    return asked | {"alpha": simulation["M"] / simulation["N"]}
