"""The simulations that claims about belief propagation look at, and which of their levels count."""

from typing import NamedTuple

from sparsegdf.paper.claims.choices import chosen
from sparsegdf.paper.claims.verdict import Undecided, of_the_paper, tables_of
from sparsegdf.penalties.elastic_net import ElasticNet
from sparsegdf.penalties.l1 import L1
from sparsegdf.penalties.registry import make_penalty
from sparsegdf.penalties.scad import SCAD

PENALTIES = {
    "l1": L1(),
    "elastic_net": ElasticNet(eta2=0.1),
    "scad_a5": SCAD(a=5, lam=1.0),
    "scad_a8_lam08": SCAD(a=8, lam=0.8),
    "scad_a6_lam09": SCAD(a=6, lam=0.9),
    "scad_a8_lam07": SCAD(a=8, lam=0.7),
}
DESIGNS = {
    "iid": {"kind": "iid"},
    "example1": {"kind": "ar1", "c": 0.5},
    "example2": {"kind": "block", "T": 125},
    "example1_weak": {"kind": "ar1", "c": 0.2},
    "example1_strong": {"kind": "ar1", "c": 0.8},
    "example2_few": {"kind": "block", "T": 50},
    "example2_many": {"kind": "block", "T": 250},
}
SHOWN = {"l1": "l1", "elastic_net": "elastic net", "scad_a5": "SCAD"}


class Simulated(NamedTuple):
    """Simulations, given by the names of their block and their design in the configuration."""

    block: str
    design: str


FIGURE4 = Simulated("figure4_bp_vs_rs", "iid")
NEAR_AT = Simulated("near_at", "iid")
EXAMPLES = {1: Simulated("figure5_example1", "example1"), 2: Simulated("figure6_example2", "example2")}
IID = Simulated("claims", "iid")
OTHER_C = (Simulated("claims", "example1_weak"), Simulated("claims", "example1_strong"))
OTHER_T = (Simulated("claims", "example2_few"), Simulated("claims", "example2_many"))
SIZES = "figure9_finite_size"


def as_printed(table, penalty, **how):
    """The table, if it was made with the paper's parameters, including those of the penalty; else Undecided."""
    if (made := make_penalty(**table.attrs["penalty"])) != PENALTIES[penalty]:
        raise Undecided(f"{made} in this run, {PENALTIES[penalty]} in the paper")
    return of_the_paper(table, mean=0, variance=1, **how)


def summaries(evidence, simulated, penalty):
    """The summaries of the simulations of a penalty: a single one, or one for each N."""
    names = {"block": simulated.block, "design_name": simulated.design, "penalty_name": penalty}
    return tables_of(evidence, kind="summary", **names)


def levels(evidence, simulated, penalty, *, N, alpha=0.5):
    """All levels of a simulation that was made with the paper's parameters."""
    (table,) = summaries(evidence, simulated, penalty)
    return as_printed(table, penalty, N=N, alpha=alpha, design=DESIGNS[simulated.design])


def complete(table):
    """Whether nearly all samples of a level have a fixed point.

    Where fewer have one, their average is that of another ensemble. With 1 % of them missing, and df between 0 and 1,
    it is off by at most 0.01, half a plotted symbol.
    """
    return table.fraction_converged >= chosen("complete")


def points(evidence, simulated, penalty, *, N, below=1.0):
    """The levels of a simulation at which nearly all samples have a fixed point, up to a delta."""
    table = levels(evidence, simulated, penalty, N=N)
    table = table[complete(table) & (table.delta <= below) & (table.delta > 0)]
    if table.empty:
        raise Undecided(f"BP has fixed points at no level of {penalty} in {simulated.block}, {simulated.design}")
    return table


def iterated(evidence, simulated, penalty):
    """The levels of a simulation on which belief propagation was iterated."""
    table = levels(evidence, simulated, penalty, N=1000)
    table = table[(table.iterated > 0) & (table.delta > 0)]
    if table.empty:
        raise Undecided(f"BP was not iterated for {penalty} in {simulated.block}, {simulated.design}")
    return table


def theory_of(evidence, block, design, penalty):
    """The RS theory of a design, asked for by this block, at the levels of a penalty where it is stable."""
    (table,) = tables_of(evidence, kind="limits", block=block, design=DESIGNS[design])
    table = table[(table.penalty == penalty) & table.rs_stable]
    if table.empty:
        raise Undecided(f"the theory of {design} has no stable level of {penalty} in this run")
    return table


def beside_theory(evidence, simulated, penalty):
    """The levels of a simulation at which the theory of its design is stable, with its df, delta_eff and so on."""
    theory = theory_of(evidence, simulated.block, simulated.design, penalty).drop(columns="penalty")
    table = points(evidence, simulated, penalty, N=1000).merge(theory, on="eta", suffixes=("", "_rs"))
    if table.empty:
        raise Undecided(f"{simulated.block} has no level of {penalty} in common with the theory")
    return table
