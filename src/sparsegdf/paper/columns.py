"""The columns of all tables: their meaning, their unit, and how they may differ between two runs.

COLUMNS has the default meaning of each name, and RESULTS the columns of each kind of file in results/<run>, in their
order. Where a name means something else, the schema of the file or the class of the figure or table (paper/figures)
overrides it. The tables of docs/results.md, verify.py and the headers of the report use this module.
"""

from typing import NamedTuple

# How a column may differ between two runs.
KEY = "key"  # not at all: rows are matched on it
RESULT = "result"  # by rounding; by noise if there is also a column <name>_se
FRACTION = "fraction"  # by the binomial error of a fraction of the column `of`
COUNT = "count"  # by the binomial error of a number out of the column `of`
MINIMUM = "minimum"  # as a result; but in rows of kind minimum, where it is the position of a flat minimum, by more
UNJUDGED = "unjudged"  # in any way: it has no error to judge by


class Column(NamedTuple):
    """A column of a table; `of` is the column with the number that a FRACTION or a COUNT is out of."""

    meaning: str
    unit: str = "1"
    differs: str = RESULT
    of: str = ""


BOOL, TEXT = "true, false", "text"

COLUMNS = {
    # what a row is about
    "figure": Column("figure whose simulation it is", TEXT, KEY),
    "run": Column("name of the set of fixed points", TEXT, KEY),
    "design": Column("name of the design in the configuration", TEXT, KEY),
    "penalty": Column("name of the penalty in the configuration", TEXT, KEY),
    "panel": Column("number of the panel, from 0", "1", KEY),
    "kind": Column("what kind of row it is", TEXT, KEY),
    "crossed": Column("penalty of the curve that is crossed", TEXT, KEY),
    "form": Column("the form in N of a fit", TEXT, KEY),
    "gap": Column("the estimator that GDF is compared with", TEXT, KEY),
    "method": Column(
        "`cp`, `cp_known`, `bic`, `cv`, `oracle`, ... (`METHODS` in `paper/experiments/selection_tables.py` says "
        "what each is)", TEXT, KEY,
    ),
    "sample": Column("index of the sample, the last part of its name", "1", KEY),
    "N": Column("number of columns of A", "1", KEY),
    "K": Column("number of columns in the subset", "1", KEY),
    "alpha": Column("M/N", "1", KEY),
    "strength": Column("size of a planted coefficient, in units of its error", "1", KEY),
    "damping": Column("weight of the new value", "1", KEY),
    "z": Column("the Gaussian field, h = √χ̂ z", "1", KEY),
    "beyond_turning": Column("whether the row is on S1 beyond its turning point in δ", BOOL, KEY),
    "eta": Column("strength of the penalty", "η"),
    "delta": Column("number of non-zero components, over M"),
    # theory
    "df": Column("generalized degrees of freedom, χ Q̂; for iid predictors χ/(1 + χ)"),
    "df_error": Column("standard error of `df` where the theory is sampled (Example 1), else 0"),
    "err_train": Column("training error ‖y − ŷ‖² / M; in the theory its mean, for iid predictors χ̂", "y²"),
    "err_pre": Column("prediction error, `err_train` + 2 σ_y² `df`", "y²"),
    "chi": Column("χ; infinite on S2 and S3"),
    "Q": Column("Q = E‖x‖²/M; infinite on S3, and on S2 of ℓ₀", "y²"),
    "chi_hat": Column("χ̂", "y²"),
    "Q_hat": Column("Q̂"),
    "at": Column("left side of the AT condition; above 1 is unstable, infinite where the estimate jumps"),
    "rs_stable": Column("whether the RS solution is stable against replica symmetry breaking", BOOL),
    "branch": Column("`S1`, `S2` or `S3`, the solution of the saddle point equations", TEXT),
    "free_energy": Column("f, per column of A", "y²"),
    "penalty_mean": Column("mean penalty rbar, per column of A", "y²"),
    "residual": Column("largest relative violation of the saddle point equations"),
    "converged": Column("whether `residual` is below 1e-12", BOOL),
    "at_delta": Column("the AT line: largest δ of the stable range; NaN if there is none"),
    "at_delta_error": Column("standard error of `at_delta` where the theory is sampled (Example 1), else 0"),
    "lowest_eta": Column("the smallest η of S1, 0 where it ends there; NaN if it could not be reached", "η"),
    "lowest_eta_error": Column("standard error of `lowest_eta` where the theory is sampled (Example 1), else 0", "η"),
    "s1_largest_delta": Column("the largest δ of S1"),
    "s1_end": Column("the δ at which S1 ends"),
    "x": Column("the maximiser x*(z)", "y"),
    "x_scaled": Column("`x` in units of √χ̂/Q̂"),
    "unregularised": Column("h/Q̂, the maximiser without a penalty", "y"),
    "threshold_1": Column("first threshold in z; √2 θ of the paper"),
    "threshold_2": Column("second threshold (SCAD); NaN if there is none"),
    "threshold_3": Column("third threshold (SCAD); NaN if there is none"),
    "a": Column("a of the penalty, if it has one"),
    "lam": Column("λ of the penalty, if it has one", "y"),
    "stable_from": Column("smallest δ of the stable range; NaN if there is none"),
    "df_at_largest_delta": Column("`df` at the largest δ of S1"),
    "df_at_s1_end": Column("`df` at the end of S1"),
    "branch_beyond": Column("what S1 goes over into at its end", TEXT),
    "rs": Column("df by the RS theory"),
    "rs_branch": Column("`S1` or `S2`", TEXT),
    "rs_residual": Column("largest relative violation of the RS equations"),
    "one_step_rsb": Column("df by one-step RSB"),
    "bound": Column("largest df that the first-moment bound admits"),
    "complexity_mu": Column("μ, at which the complexity is zero", "y⁻²"),
    "one_step_residual": Column("largest violation of the one-step equations"),
    "one_step_converged": Column("whether they were solved", BOOL),
    # samples
    "samples": Column("number of samples", "1", UNJUDGED),
    "iterated": Column("number of samples on which belief propagation was iterated", "1", UNJUDGED),
    "gdf_plain": Column("mean of `covariance`"),
    "gdf": Column("the same with the part explained by `noise` taken out: the GDF of the figures"),
    "stationary": Column("how many have a stationary x, with or without a fixed point of BP", "1", COUNT, "samples"),
    "delta_stationary": Column("mean of `delta` over the `stationary` samples"),
    "gdf_stationary": Column("`gdf` over the `stationary` samples"),
    "delta_eff": Column("mean of `chi` times mean of `Q_hat`: the paper's δ_eff; its error by linearising"),
    "delta_eff_sum": Column("(1/M) Σ χ_i Q̂_i"),
    "stein": Column("divergence of the fit, Σ ∂ŷ_μ/∂y_μ / M, by the trace formula; NaN if not converged"),
    "corrected": Column("the effective fraction with the covariance of the predictors known"),
    "corrected_samples": Column("samples with a fixed point and a stable root of that equation", "1", UNJUDGED),
    "gap_corrected": Column("`gdf` − `corrected`: `gap_stein` and, of fewer samples, Stein − `corrected`"),
    "gap_rs": Column("`gdf` − `df` of the theory at the same η; for ℓ₀ at the same δ"),
    "gap_delta_eff": Column("`gdf` − `delta_eff` of the same samples"),
    "gap_delta_eff_sum": Column("`gdf` − `delta_eff_sum` of the same samples"),
    "gap_stein": Column("`gdf` − `stein` of the same samples"),
    "fraction_converged": Column("fraction of samples with a fixed point by either solver", "1", FRACTION, "samples"),
    "fraction_bp": Column(
        "fraction of the `iterated` samples on which belief propagation converged; NaN without any, as the steps",
        "1", FRACTION, "iterated",
    ),
    "fraction_bp_low": Column("its lower 95 % limit (Clopper and Pearson)", "1", UNJUDGED),
    "fraction_bp_high": Column("its upper 95 % limit", "1", UNJUDGED),
    "found_direct": Column("number of fixed points found by the direct solver; the rest are from BP", "1", UNJUDGED),
    "fraction_cycling": Column("fraction of samples on which BP ended in a cycle", "1", FRACTION, "samples"),
    "solver": Column("the solver that found the fixed point: `direct` or `bp`", TEXT),
    "steps_median": Column("median of the steps of belief propagation, over the `iterated` samples"),
    "steps_95": Column("their 95 % quantile"),
    "kkt_max": Column("largest `kkt` among the samples with a fixed point", "y"),
    "residual_max": Column("largest `residual` among them: the move in one plain step of BP", "y"),
    "kkt": Column("largest violation of the stationarity conditions by x", "y"),
    "exact": Column("false: found by swap search", BOOL),
    "truncated": Column("fraction of samples whose K is the largest size searched: the true one may be larger"),
    "df_plain": Column("mean of `explained` / (M σ_y²): the covariance"),
    "pairs": Column("samples that converged with a larger damping of the list, too", "1", UNJUDGED),
    "other_support": Column("fraction of these whose two supports differ", "1", FRACTION, "pairs"),
    "levels": Column("number of levels of η"),
    "bp": Column("number of `iterated` samples on which belief propagation converged", "1", COUNT, "iterated"),
    "direct": Column("number of them with a fixed point by the direct solver", "1", COUNT, "iterated"),
    "both": Column("number of them with a fixed point by both", "1", COUNT, "iterated"),
    "other_state": Column("number of these on which the two differ", "1", COUNT, "iterated"),
    "x_gap": Column("largest difference of an x_i where they found the same", "y"),
    "chi_gap": Column("largest difference of a χ_i there"),
    "Q_hat_gap": Column("largest difference of a Q̂_i there"),
    "kkt_bp": Column("largest violation of stationarity by belief propagation, where it converged", "y"),
    # the weights in table_bp_region.dampings of config/paper.yaml
    **{
        f"radius_{weight:g}": Column(f"mean spectral radius of the BP map with damping {weight:g}; below 1 is stable")
        for weight in (1, 0.5, 0.2)
    },
    "radius_variances": Column("the same of the block of the variances, which no damping changes"),
    "steps": Column("median of the steps that the best of these dampings should take"),
    # planted data
    "ratio": Column("mean of `error` over that of the oracle"),
    "true_positives": Column("|S ∩ S₀|, components of the chosen x that are not zero in x₀ either"),
    "false_positives": Column("|S| − |S ∩ S₀|, non-zero components of the chosen x that are zero in x₀"),
    "error": Column("‖A (x − x₀) + intercept‖² / M: prediction error at the same A, less the noise", "y²"),
    "error_new": Column("`error` on rows of A that were not seen", "y²"),
    "f1": Column("2 |S ∩ S₀| / (|S| + |S₀|), support of x against that of x₀"),
    "gap_cv": Column("`error` less that of cross-validation on the same samples", "y²"),
    "gap_gcv": Column("`error` less that of generalized cross-validation", "y²"),
    "gap_cp_stein": Column("`error` less that of C_p with Stein's df", "y²"),
    "gap_cp_count": Column("`error` less that of C_p with the number of non-zeros", "y²"),
    "jumps": Column(
        "fraction of samples in which the fit may jump at this level, so that Stein's df may be too small", "1",
        FRACTION, "samples",
    ),
    # fits N -> infinity
    "limit": Column("limit N → ∞ of a fit"),
    "predicted": Column("the same by the RS theory, without a fit"),
    "predicted_error": Column("standard error of `predicted` where the theory is sampled (Example 1), at most"),
    "z_predicted": Column("`limit` − `predicted` over the errors of both", "1", UNJUDGED),
    "slope": Column("slope of the fit", "1", UNJUDGED),
    "chi2": Column("χ² of the fit", "1", UNJUDGED),
    "dof": Column("its degrees of freedom", "1", UNJUDGED),
    "smallest_N": Column("smallest N in the fit", "1", UNJUDGED),
    "largest_N": Column("largest N in the fit", "1", UNJUDGED),
}  # fmt: skip


def schema(*names, **own):
    """{column: Column} in this order, from `own` or else from COLUMNS.

    <x>_se is the standard error of x. An unknown name has an empty meaning and is compared as a result.
    """
    known, found = COLUMNS | own, {}
    for name in names:
        of = known.get(name.removesuffix("_se"))
        error = Column(f"standard error of `{name.removesuffix('_se')}`", of.unit) if of else Column("")
        found[name] = known.get(name, error)
    return found


def columns_of(name, columns):
    """{column: Column} of the CSV file of this figure or table."""
    from sparsegdf.paper.figures.registry import FIGURES, TABLES  # they may override COLUMNS

    kind = (FIGURES | TABLES).get(name)
    return schema(*columns, **(kind.columns if kind else {}))


def _said(name, meaning):
    """The column of this name with another meaning."""
    return COLUMNS[name]._replace(meaning=meaning)


_SADDLE = (
    *("eta", "delta", "df", "err_train", "err_pre", "chi", "Q", "chi_hat", "Q_hat", "at", "rs_stable", "branch"),
    *("free_energy", "penalty_mean", "residual", "converged", "beyond_turning", "penalty", "at_delta"),
    *("s1_largest_delta", "s1_end"),
)

# The columns of each kind of file in results/<run>.
RESULTS = {
    "chunks of fixed points": schema(
        *("sample", "eta", "delta", "covariance", "noise", "err_train", "chi", "Q_hat", "delta_eff_sum", "stein"),
        *("converged", "status", "steps", "residual", "kkt", "damping", "solver"),
        eta=Column("strength of the penalty, falling within a sample", "η"),
        covariance=Column("(y − m_y)·ŷ / (M σ_y²): one sample's value of df by its definition"),
        noise=Column("‖y − m_y‖² / (M σ_y²), of expectation 1: the control variate of `covariance`"),
        chi=Column("(1/M) Σ χ_i"),
        Q_hat=Column("(1/N) Σ Q̂_i"),
        converged=Column("whether there is a fixed point", BOOL),
        status=Column("`converged`, `diverged`, `cycling`, `max_steps` or `no_fixed_point`", TEXT),
        steps=Column("BP: steps taken; direct: sweeps, factorisations and changes of one piece"),
        residual=Column(
            "BP: largest change of an x_i in the last step, before damping; direct: of an x_i or χ_i in a step of BP",
            "y",
        ),
        damping=Column("weight of the new x in the last step; NaN for the direct solver"),
    ),
    "summaries of fixed points": schema(
        *("penalty", "eta", "delta", "delta_se", "gdf_plain", "gdf_plain_se", "gdf", "gdf_se"),
        *("delta_eff", "delta_eff_se"),
        *("delta_eff_sum", "delta_eff_sum_se", "stein", "stein_se", "err_train", "err_train_se"),
        *("delta_stationary", "delta_stationary_se", "gdf_stationary", "gdf_stationary_se"),
        *("gap_delta_eff", "gap_delta_eff_se", "gap_delta_eff_sum", "gap_delta_eff_sum_se"),
        *("gap_stein", "gap_stein_se"),
        *("samples", "converged", "fraction_converged", "stationary", "found_direct", "kkt_max", "residual_max"),
        *("iterated", "fraction_bp", "fraction_bp_low", "fraction_bp_high", "steps_median", "steps_median_se"),
        *("steps_95", "bp", "direct", "both", "other_state", "kkt_bp", "x_gap", "chi_gap", "Q_hat_gap"),
        delta=Column("mean of `delta`"),
        delta_eff_sum=Column("mean of `delta_eff_sum`"),
        stein=Column("mean of `stein`"),
        err_train=Column("mean of `err_train`", "y²"),
        converged=Column("how many of them have a fixed point: the averages are over these"),
    ),
    "iterated belief propagation": schema(
        *("sample", "eta", "delta", "converged", "status", "steps", "residual", "damping", "kkt_bp", "direct", "kkt"),
        *("same", "x_gap", "chi_gap", "Q_hat_gap"),
        delta=Column("number of non-zero components of the direct solver's x, over M"),
        converged=Column("whether belief propagation converged", BOOL),
        status=Column("how it ended: `converged`, `diverged`, `cycling` or `max_steps`", TEXT),
        steps=Column("its steps"),
        residual=Column("largest change of an x_i in its last step, before damping", "y"),
        damping=Column("weight of the new x in its last step"),
        kkt_bp=Column("largest violation of stationarity by its x", "y"),
        direct=Column("whether the direct solver has a fixed point", BOOL),
        kkt=Column("largest violation of stationarity by its x", "y"),
        same=Column("whether both have one and it is the same", BOOL),
    ),
    "stability": schema(
        *("figure", "penalty", "eta", "delta", "delta_se", "iterated", "fraction_bp", "steps_median", "samples"),
        *(
            "fraction_converged",
            "radius_1",
            "radius_1_se",
            "radius_0.5",
            "radius_0.5_se",
            "radius_0.2",
            "radius_0.2_se",
        ),
        *("radius_variances", "radius_variances_se", "steps"),
        delta=Column("mean of `delta` in the summary"),
        samples=_said("samples", "number of samples on which stability was computed"),
        fraction_converged=_said("fraction_converged", "fraction of these with a fixed point by the direct solver"),
    ),
    "belief propagation for l0": schema(
        *("damping", "eta", "samples", "fraction_converged", "fraction_cycling", "steps_median", "delta", "delta_se"),
        *("pairs", "other_support"),
        fraction_converged=_said("fraction_converged", "fraction of samples on which belief propagation converged"),
        steps_median=_said("steps_median", "median of the steps of belief propagation, over all samples"),
        delta=Column("mean of δ of those that converged"),
    ),
    "chunks of the l0 search": schema(
        *("sample", "K", "explained", "norm2"),
        explained=Column("largest ‖P_S y‖² of all subsets of K columns (with `restarts` > 0: of those tried)", "y²"),
        norm2=Column("‖y‖²", "y²"),
    ),
    "l0 at fixed size": schema(
        *("K", "delta", "df", "df_se", "df_plain", "df_plain_se", "samples", "N", "exact"),
        delta=Column("K/M"),
        df=Column("mean of `explained` / `norm2`; for m_y = 0 this is the GDF, with a smaller error"),
        exact=Column("false: found by swap search, and `df` is a lower bound", BOOL),
    ),
    "l0 at fixed eta": schema(
        *("eta", "delta", "delta_se", "df", "df_se", "samples", "truncated", "N", "exact"),
        delta=Column("mean of K/M"),
        df=Column("covariance ‖P_S y‖²/(M σ_y²), with ‖y‖² as control variate"),
    ),
    "planted data": schema(
        *("method", "eta", "error", "true_positives", "false_positives", "f1", "jumps", "error_new", "sample"),
        *("penalty", "sigma2"),
        eta=Column("the η chosen, for columns of norm 1 and y in units of the estimated σ"),
        jumps=Column("whether the fit may jump at this level, so that Stein's df may be too small", BOOL),
        sigma2=Column("estimate of the noise variance, of true value 1", "y²"),
    ),
    "RS curves": schema(*_SADDLE),
    "RS curves of panels": schema(*_SADDLE, "alpha"),
    "RS theory of a design": schema(
        *(
            "eta",
            "delta",
            "df",
            "df_error",
            "delta_eff",
            "err_train",
            "at",
            "rs_stable",
            "branch",
            "residual",
            "penalty",
        ),
        *("at_delta", "lowest_eta", "at_delta_error", "lowest_eta_error"),
        delta_eff=Column(
            "the effective fraction that belief propagation would find; NaN where it has no fixed point"
        ),
        at_delta=Column("the AT line; NaN if there is none, or if it could not be reached"),
    ),
    "stationary points on a design": schema(
        *("penalty", "eta", "delta", "delta_se", "gdf", "gdf_se", "stein", "stein_se", "err_train", "err_train_se"),
        *("gap_stein", "gap_stein_se", "samples", "converged", "fraction_converged"),
        delta=Column("mean of `delta`, as all means with the part explained by the noise of y taken out"),
        gdf=Column("mean of (y − m_y)·ŷ / (M σ_y²)"),
        stein=Column("mean divergence of the fit"),
        err_train=Column("mean of `err_train`", "y²"),
        converged=Column("samples that have a divergence: the means are over these"),
        fraction_converged=_said("fraction_converged", "the same over `samples`"),
    ),
    "corrected effective fraction": schema(
        *("penalty", "eta", "corrected", "corrected_se", "corrected_stein", "corrected_stein_se"),
        "corrected_samples",
        corrected_stein=Column("Stein's divergence − `corrected` on the same samples"),
    ),
    "minima and crossings": schema(
        *("kind", "first", "second", "delta", "err_pre"),
        kind=Column("`minimum` or `crossing`", TEXT),
        first=Column("penalty of the curve", TEXT),
        second=Column("penalty of the curve that it crosses; empty for a minimum", TEXT),
        delta=Column("where; 0 if no δ of the grid is better than the empty model"),
    ),
    "single-body problem": schema(
        *(
            "panel",
            "z",
            "x",
            "unregularised",
            "threshold_1",
            "threshold_2",
            "threshold_3",
            "Q_hat",
            "chi_hat",
            "delta",
        ),
        *("residual", "rs_stable", "branch"),
    ),
    "l0 theory": schema(
        *("delta", "rs", "rs_branch", "rs_residual", "one_step_rsb", "bound", "complexity_mu", "one_step_residual"),
        "one_step_converged",
    ),
}
