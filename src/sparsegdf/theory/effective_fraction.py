"""The effective fraction of non-zeros that belief propagation would find, in the limit of the RS theory."""

import numpy as np

from sparsegdf.checks import require_number
from sparsegdf.ensembles.base import Design
from sparsegdf.ensembles.limits import Limit
from sparsegdf.penalties.base import Penalty, require_penalty
from sparsegdf.theory.predictors import known_predictors
from sparsegdf.theory.replica_symmetric import INDEPENDENT, RSSolution


def rs_delta_eff(
    penalty: Penalty, solution: RSSolution, *, alpha: float, predictors: Design | Limit = INDEPENDENT
) -> float:
    """delta_eff of belief propagation at an RSSolution of solve_rs, with the same penalty, alpha and predictors.

    Parameters
    ----------
    penalty : Penalty
    solution : RSSolution
    alpha : float
    predictors : design or limit
        As those of solve_rs.

    Returns
    -------
    float

    Notes
    -----
    Belief propagation takes the columns of the support as independent. On the support of x*, with curvatures
    d = r''(x*), its variances are the root with the largest Q_hat of

        chi = (1/alpha) E[1/(Q_hat + d); x* != 0],   Q_hat = l/(1 + l chi),   delta_eff = chi Q_hat,

    l being the mean square length of the columns. Q_hat is not that of the solution, except for iid predictors and
    an estimate without jumps, where delta_eff is df. NaN where there is no root, as can be for penalties that are
    not convex, and outside of S1.

    Examples
    --------
    >>> from sparsegdf import L1, rs_delta_eff, solve_rs
    >>> point = solve_rs(L1(), alpha=0.5, delta=0.3)
    >>> round(rs_delta_eff(L1(), point, alpha=0.5), 6)  # df for iid predictors
    0.3
    """
    require_penalty(penalty)
    alpha = require_number("alpha", alpha, above=0)
    if solution.branch != "S1":
        return float("nan")
    known = known_predictors(predictors, alpha, 1.0)
    probability, d = known.curvatures(penalty, solution.Q_hat, solution.eta, solution.chi_hat)
    if known.sampled:  # counts at the mean of the chains' solutions are noisier than delta, their mean
        probability = probability * (alpha * solution.delta / probability.sum())
    return effective_fraction(probability[probability > 0] / alpha, d[probability > 0], known.column)


def effective_fraction(weights, d, column=1.0) -> float:
    """chi Q_hat where chi = sum weights/(Q_hat + d) and Q_hat = column/(1 + column chi), at the largest such Q_hat.

    `column` is the mean square length of a column. NaN without a root.
    """
    # Q_hat -> column/(1 + column chi(Q_hat)) grows and is concave: from the top, Newton's method falls to its largest
    # fixed point.
    weights, d, Q_hat = np.asarray(weights), np.asarray(d), column
    for _ in range(100):
        if (Q_hat + d <= 0).any():
            break
        chi, slope = (weights / (Q_hat + d)).sum(), (weights / (Q_hat + d) ** 2).sum()
        image = column / (1 + column * chi)
        if abs(image - Q_hat) <= 1e-14 * column:
            return float(chi * Q_hat)
        if image**2 * slope >= 1:
            break
        Q_hat -= (image - Q_hat) / (image**2 * slope - 1)
    return float("nan")
