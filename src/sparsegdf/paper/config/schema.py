"""What every key of a configuration means, and the typed model as a JSON schema for editors."""

from dataclasses import fields

from sparsegdf.ensembles.registry import DESIGNS
from sparsegdf.paper.config.model import Config
from sparsegdf.penalties.registry import PENALTIES

# By the name of a key, or by block and key where it means something else there. A key with a name of its own may
# also be described in its class, by Field(description=...).
KEYS = {
    "run": "name of the run: results go to `results/<run>/`, figures to `<run>_figures/`",
    "seed": "root of the random streams of all samples",
    "penalties": "names of penalties, each drawn or computed",
    "Config.penalties": "r(x; eta) by name, without its strength eta",
    "designs": "names of designs",
    "Config.designs": "kinds of predictor matrices A (M x N) by name",
    "bp": "belief propagation, iterated",
    "l0_search": "exact l0 search on pure noise, the data of figures 7 and 8",
    "claims": "simulations that only the claims need: each penalty on each design",
    "near_at": "the settings of figure 4 at large N, up to near the AT line, for the claims",
    "tol": "a level of eta has converged when no component of x moves by this much",
    "max_steps": "steps of belief propagation at one level of eta, at most",
    "chunk": "samples per job",
    "alpha": "rows per column, M/N",
    "mean": "mean of y",
    "variance": "variance of y",
    "M": "number of rows of A",
    "N": "number of columns of A",
    "samples": "number of samples",
    "SimulationBlock.samples": "number of samples of this penalty, if not that of its block",
    "SimulationBlock.chunk": "samples per job of this penalty, if not those of its block",
    "Size.chunk": "samples per job at this N, if not those of its block",
    "TableBPRegion.samples": "number of samples whose stability is computed",
    "TableEffectiveFraction.samples": "number of samples on which the corrected fraction is computed",
    "iterated": "on so many of the samples BP is also iterated as in the paper: where does it converge?",
    "solver": "direct: fixed points of BP found directly, by BP where that fails; bp: by BP alone, as in the paper",
    "simulations": "grid of eta by the name of a penalty",
    "SameSize.simulations": "rows of A and grid of eta by the name of a penalty",
    "etas": "grid of the strength eta, from sparse to dense",
    "deltas": "grid of delta, the fraction of non-zero components",
    "first": "first value of the grid",
    "last": "last value of the grid",
    "count": "number of values, evenly spaced",
    "design": "name of a design",
    "penalty": "name of a penalty",
    "panels": "names of the penalties that have a panel, in this order",
    "Figure1.panels": "penalty and strength of each panel",
    "eta": "strength of the penalty",
    "z_max": "right end of the axis",
    "zoom": "right end of panel (b)",
    "runs": "names of runs of the l0 search",
    "L0Search.runs": "sizes of the search, by name",
    "TableEffectiveFraction.runs": "names of figures whose simulations are used",
    "max_size": "largest subset that is searched for",
    "restarts": "0: exact search; otherwise swap search with so many restarts, a lower bound",
    "limits": "values of delta at which N -> infinity is extrapolated from all exact runs",
    "block_N": "N for which the T of a block design is given; it keeps T/N at other N",
    "sizes": "values of N",
    "Figure9.sizes": "N and number of samples of each size",
    "L0Part.sizes": "N and the largest subset of each size; the first and the last are drawn",
    "shown": "of each grid so many levels are drawn, the densest",
    "nonzeros": "number of components of the planted signal",
    "strengths": "sizes of these components, in units of the error of one coefficient",
    "new_rows": "rows on which the error beyond the rows seen is measured",
    "bootstrap": "samples of the bootstrap for the df of a penalty that is not convex",
    "l0": "the exact l0 search on each design",
    "dampings": "weights of the new value; 1 is undamped",
    "every": "of the levels of eta every so many-th",
    "settings": "penalty and alpha of each row",
    # of designs
    "c": "correlation of neighbouring columns; columns i and j have c^|i-j|",
    "T": "number of columns in each of the three blocks",
    "condition": "ratio of the largest and the smallest singular value",
}


def description(model, key):
    """What a key means: what the figure or table shows whose block it is, what its class says, else KEYS."""
    field = model.model_fields[key]
    if shows := getattr(field.annotation, "shows", None):
        return shows
    names = [f"{kind.__name__}.{key}" for kind in model.__mro__] + [key]
    return field.description or next((KEYS[name] for name in names if name in KEYS), None)


def blocks():
    """The whole model and every block in it, by the name of its class."""
    found, todo = {}, [Config]
    while todo:
        model = todo.pop()
        found[model.__name__] = model
        inside = [part for field in model.model_fields.values() for part in _models(field.annotation)]
        todo += [part for part in inside if part.__name__ not in found]
    return found


def _models(annotation):
    """The blocks that a type is made of."""
    if hasattr(annotation, "model_fields"):
        return [annotation]
    return [model for part in getattr(annotation, "__args__", ()) for model in _models(part)]


def schema():
    """The JSON schema of a configuration. No key is required: a file may say only what differs from the paper's."""
    whole, known = Config.model_json_schema(), blocks()
    for name, part in (*whole["$defs"].items(), ("Config", whole)):
        for key, value in part["properties"].items():
            value.pop("title", None)
            value["description"] = description(known[name], key)
        for unwanted in ("title", "description", "required"):
            part.pop(unwanted, None)
    whole["properties"]["penalties"]["additionalProperties"] = _kinds(PENALTIES)
    whole["properties"]["designs"]["additionalProperties"] = _kinds(DESIGNS)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "A run of sparsegdf"} | whole


def _kinds(known):
    """A block {kind, parameters} of one of the `known` classes."""
    return {"oneOf": [_kind(name, kind) for name, kind in known.items()]}


def _kind(name, kind):
    parameters = {
        field.name: {"type": "integer" if field.type in (int, "int") else "number", "description": about(field)}
        for field in fields(kind)
    }
    return {
        "type": "object",
        "description": kind.__doc__.split("\n")[0],
        "properties": {"kind": {"const": name}} | parameters,
        "additionalProperties": False,
    }


def about(parameter):
    """What a parameter of a penalty or a design means: as the field says, else KEYS."""
    return parameter.metadata.get("about") or KEYS.get(parameter.name)
