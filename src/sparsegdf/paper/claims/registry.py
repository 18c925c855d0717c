"""Every claim, in the order of the paper; those about other predictors, which are ours, come last."""

from sparsegdf.paper.claims import (
    bp_examples,
    bp_iid,
    l0,
    l0_rs,
    l1_elastic_net,
    prediction,
    predictors,
    scad,
    single_body,
)

CLAIMS = [
    claim
    for part in (single_body, l1_elastic_net, l0_rs, scad, prediction, bp_iid, bp_examples, l0, predictors)
    for claim in part.CLAIMS
]
