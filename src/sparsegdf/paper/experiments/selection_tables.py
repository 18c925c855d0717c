"""The tables behind figure 10 and table_selection: means over planted data, and a comparison of the methods."""

import pandas as pd

from sparsegdf.estimators.monte_carlo import mean_estimate

# The methods to choose eta, all on the same path of fits. sigma2 is estimated from the same data, or known.
METHODS = {
    "cp": "C_p, as select has it",
    "gcv": "generalized cross-validation",
    "cv": "10-fold cross-validation",
    "cv1se": "the sparsest fit within one standard error of the smallest cv",
    "bic": "BIC",
    "ebic": "EBIC with gamma = 1",
    "cp_known": "C_p with the true sigma2",
    "bic_known": "BIC with the true sigma2",
    "ebic_known": "EBIC with the true sigma2",
    "cp_stein": "C_p with Stein's df, which the fit of a concave penalty exceeds where it jumps",
    "cp_count": "C_p with the number of non-zeros for df",
    "oracle": "the smallest true prediction error",
}
RIVALS = ("cv", "gcv", "cp_stein", "cp_count")  # C_p is compared with these, sample by sample.
MEASURES = ("error", "error_new", "true_positives", "false_positives", "f1")


def selection_table(cells):
    """Means over the samples of each cell {(design, N, strength): planted_rows}, penalty and method, with errors.

    ratio is the mean error over that of the oracle; its standard error is that of the linearised ratio,
    error - ratio * oracle over the mean of the oracle. gap_<rival> is the mean difference of error from that of each
    of RIVALS. Both take the methods sample by sample.
    """
    rows = []
    for (design, N, strength), table in cells.items():
        for penalty, group in table.groupby("penalty", sort=False):
            errors = group.pivot(index="sample", columns="method", values="error")
            for method, part in group.groupby("method", sort=False):
                row = {"design": design, "N": N, "strength": strength, "penalty": penalty, "method": method,
                       "samples": len(part), **_ratio(errors[method], errors.oracle)}  # fmt: skip
                for measure in MEASURES:
                    mean = mean_estimate(part[measure])
                    row |= {measure: mean.value, f"{measure}_se": mean.se}
                for other in RIVALS:
                    gap = mean_estimate(errors[method] - errors[other])
                    row |= {f"gap_{other}": gap.value, f"gap_{other}_se": gap.se}
                rows.append(row | {"jumps": part.jumps.mean()})
    return pd.DataFrame(rows)


def _ratio(error, oracle):
    ratio = error.mean() / oracle.mean()
    return {"ratio": ratio, "ratio_se": mean_estimate(error - ratio * oracle).se / oracle.mean()}


def over_designs(table, measures):
    """The mean of `measures` over the designs, which are independent, by penalty, N, strength and method."""
    groups = table.groupby(["penalty", "N", "strength", "method"], sort=False)
    errors = [f"{measure}_se" for measure in measures]
    means = groups[[*measures, *errors]].mean()
    means[errors] = (groups[errors].agg(lambda se: (se**2).sum() ** 0.5)).div(groups.size(), axis=0)
    return means.assign(samples=groups.samples.sum()).reset_index()


def verdict(table, z=2.0):
    """A text: in how many settings C_p has a smaller or larger error than each of RIVALS, and its best and worst."""
    mine = table[table.method == "cp"]
    return " ".join(_against(mine, table[table.method == other], other, z) for other in RIVALS)


def _against(mine, theirs, other, z):
    gap, se = mine[f"gap_{other}"], mine[f"gap_{other}_se"]
    better, worse = (gap < -z * se).sum(), (gap > z * se).sum()
    ratio = mine.error.to_numpy() / theirs.error.to_numpy()

    def place(k):
        row = mine.iloc[k]
        return f"{row.penalty}, {row.design}, N = {row.N}, strength {row.strength:g}"

    return (
        f"C_p against {_NAMES[other]}: smaller error in {better}, larger in {worse}, within {z:g} standard errors in "
        f"{len(mine) - better - worse} of {len(mine)} settings; at best {ratio.min():.2f} times the error "
        f"({place(int(ratio.argmin()))}), at worst {ratio.max():.2f} times ({place(int(ratio.argmax()))})."
    )


_NAMES = {
    "cv": "cross-validation",
    "gcv": "generalized cross-validation",
    "cp_stein": "C_p with Stein's df",
    "cp_count": "C_p with the number of non-zeros",
}
