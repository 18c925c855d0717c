"""The tables behind figure 10 and table_selection: means over planted data, and a comparison of the methods."""

import pandas as pd

from sparsegdf.estimators.monte_carlo import mean_estimate

# The methods to choose eta, all on the same path of fits, and the number of paths that each has to fit. The estimate
# of sigma2 is not included (11 paths of the lasso where N is not well below M).
METHODS = {
    "cp": 1,  # err_train + 2 sigma2 df with Stein's df: what select does
    "cp_known": 1,  # the same with the true sigma2
    "count": 1,  # C_p with the number of non-zeros for df
    "bic": 1,  # err_train / sigma2 + ln(M) (non-zeros) / M
    "cv": 11,  # 10-fold cross-validation
    "oracle": 1,  # the smallest true prediction error
}
RIVALS = ("cv", "count", "bic")  # C_p is compared with these, sample by sample.
MEASURES = ("error", "error_new", "f1", "nonzeros")


def selection_table(cells):
    """Means over the samples of each cell {(design, N, strength): planted_rows}, penalty and method, with errors.

    gap_<rival> is the mean difference of error from that of each of RIVALS on the same samples.
    """
    rows = []
    for (design, N, strength), table in cells.items():
        for penalty, group in table.groupby("penalty", sort=False):
            errors = group.pivot(index="sample", columns="method", values="error")
            for method, part in group.groupby("method", sort=False):
                row = {"design": design, "N": N, "strength": strength, "penalty": penalty, "method": method,
                       "samples": len(part), "paths": METHODS[method]}  # fmt: skip
                for measure in MEASURES:
                    mean = mean_estimate(part[measure])
                    row |= {measure: mean.value, f"{measure}_se": mean.se}
                for other in RIVALS:
                    gap = mean_estimate(errors[method] - errors[other])
                    row |= {f"gap_{other}": gap.value, f"gap_{other}_se": gap.se}
                rows.append(row | {"jumps": part.jumps.mean()})
    return pd.DataFrame(rows)


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


_NAMES = {"cv": "cross-validation", "count": "C_p with the number of non-zeros", "bic": "BIC"}
