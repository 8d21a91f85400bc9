"""From the tidy tables to what is compared: the oracle, the fixed settings, ranks, exponents."""

import json

import numpy as np
from scipy import stats

from ..evaluation import ALL_FEATURES

SCORES = ("accuracy", "acc", "nmi")


def finished(table):
    """Rows of the cells that did not fail."""
    return table[table["status"] == "ok"]


def fixed(table):
    """Rows of the fixed settings, all features included."""
    return table[table["setting"] == 0]


def oracle(table, score):
    """For each data set, method and share the rows of the setting with the best mean score.

    The paper's rule. It looks at the labels of the test rows, so that the result is what a method
    could reach, not what it does reach; and the larger the grid, the more the rule gives.
    """
    case = ["dataset", "method", "share"]
    means = table.groupby([*case, "setting"])[score].mean().reset_index()
    best = means.loc[means.groupby(case)[score].idxmax(), [*case, "setting"]]
    return table.merge(best, on=[*case, "setting"])


def scores_by_case(table, score):
    """Mean score over the splits: one row per data set and share, one column per method.

    Of all features there is one column without shares: see ``all_features``.
    """
    curves = table[table["method"] != ALL_FEATURES]
    return curves.pivot_table(index=["dataset", "share"], columns="method", values=score)


def all_features(table, score):
    """Mean score of all features by data set."""
    rows = table[table["method"] == ALL_FEATURES]
    return rows.groupby("dataset")[score].mean()


def unpacked(table, names=()):
    """The table with the parameters of the settings as columns, ``names`` always among them."""
    import pandas as pd

    params = pd.DataFrame([json.loads(text) for text in table["params"]], index=table.index)
    params = params.reindex(columns=params.columns.union(names, sort=False))
    return table.drop(columns=params.columns, errors="ignore").join(params)


def mean_ranks(table, score, level=0.05):
    """Mean rank of every method over the data sets, the critical difference, Friedman's p value.

    A data set counts once, with the mean over its shares: shares of one data set are not
    independent. Methods that miss a data set are left out. Two methods differ significantly if
    their mean ranks differ by more than the critical difference of Nemenyi's test.

    Returns
    -------
    (dict of str to float, float, float), or None with fewer than 2 data sets or 3 methods
    """
    cases = scores_by_case(table, score)
    means = cases.groupby("dataset").mean().dropna(axis="columns")
    n_sets, n_methods = means.shape
    if n_sets < 2 or n_methods < 3:
        return None
    ranks = means.rank(axis="columns", ascending=False).mean().sort_values()
    quantile = stats.studentized_range.ppf(1 - level, n_methods, np.inf) / np.sqrt(2)
    difference = quantile * np.sqrt(n_methods * (n_methods + 1) / (6 * n_sets))
    p_value = stats.friedmanchisquare(*means.to_numpy().T).pvalue
    return ranks.to_dict(), float(difference), float(p_value)


def exponents(table, size):
    """Slope of log seconds over log ``size`` by method, with the other size held fixed.

    Parameters
    ----------
    table : pandas.DataFrame
        Of the measure "cost".
    size : {"n_samples", "n_features"}
    """
    other = {"n_samples": "n_features", "n_features": "n_samples"}[size]
    # The other size at which there are most points.
    held = table.groupby(other)[size].nunique().idxmax()
    slopes = {}
    for method, rows in table[table[other] == held].groupby("method", sort=False):
        seconds = rows.groupby(size)["fit_cpu_seconds"].median()
        if len(seconds) < 2:
            continue
        slopes[method] = float(np.polyfit(np.log(seconds.index), np.log(seconds), 1)[0])
    return slopes
