"""Table: the claims of the paper, as claims.json has them."""

from sparsegdf.paper.figures.base import Readable, Table

SHOWN = (
    "id", "where", "lines", "statement", "domain", "quoted", "measured", "part", "tolerance", "effect", "verdict",
    "correction", "finding", "choices",
)  # fmt: skip


class TableClaims(Table):
    """The claims; `evidence` is what rule verdicts decides them from."""

    file = "claims"
    target = "claims"
    shows = "every claim of the paper with its verdict; `claims.json` has them for machines"
    made_of = "all results"

    def inputs(self, config):
        return {"document": "claims.json"}

    def evidence(self, config):
        """The identity and the parameters of each table that claims may look at, by the path of its file.

        A table with a `penalty_name` is the rows of that penalty; such a file has one for each of a list. The tables
        are every summary of fixed points, the l0 search at fixed size, BP for l0 and the linear stability of BP, the
        theory of designs with the simulations of figure 11, and the corrected fractions.
        """
        made_with = {
            f"summaries/{name}": [
                {"kind": "summary", "block": run.block, "design_name": run.design_name, "penalty_name": penalty}
                | _made_with(simulation.as_params())
                for penalty, simulation in run.simulations.items()
            ]
            for name, run in config.runs.items()
        }
        search, bp_l0 = config.l0_search, config.table_bp_l0
        made_with |= {
            f"l0/{name}_sizes": [{"kind": "l0_sizes", "run": name, "N": run.N, "alpha": search.alpha}]
            for name, run in search.runs.items()
        }
        for exhibit in (*config.figures.values(), *config.tables.values()):
            made_with |= {
                f"theory/limits/{name}": [{"kind": "limits", "block": exhibit.name, "design": asked["design"]}]
                for name, asked in exhibit.rs_limits(config).items()
            }
        made_with |= config.figure11_predictors.evidence(config) | config.table_effective_fraction.evidence(config)
        made_with["table_bp_l0"] = [{"kind": "bp_l0", "N": bp_l0.N, "alpha": bp_l0.M / bp_l0.N}]
        made_with["table_bp_region"] = [{"kind": "bp_region", "N": config.figure5_example1.N}]
        return made_with

    def compute(self, tables, uses):
        from sparsegdf.paper.claims.document import as_frame
        from sparsegdf.paper.claims.verdict import count

        document = tables["document"]
        counts = f"{count(document['claims'], 'paper')} {count(document['claims'], 'ours')}"
        return Readable(as_frame(document), f"{counts} Run: {document['run']}.", columns=list(SHOWN))


def _made_with(simulation):
    """The parameters of the simulation behind a summary that claims need."""
    asked = {name: simulation[name] for name in ("N", "design", "penalty", "mean", "variance", "seed")}
    return asked | {"alpha": simulation["M"] / simulation["N"]}
