"""From the tidy tables to the numbers that are compared."""

import json

import numpy as np

from ..evaluation import ALL_FEATURES
from .estimate import over_splits

SCORES = ("accuracy", "acc", "nmi")


def finished(table):
    """Rows of the cells that neither failed nor were skipped."""
    return table[table["status"] == "ok"]


def fixed(table):
    """Rows of the fixed settings, including those of all features."""
    return table[table["setting"] == 0]


def oracle(table, score):
    """For each data set, method and fraction, the rows of the setting with the best mean score.

    The rule of the paper. It uses the labels of the test rows: the result is what a method could
    reach with the right parameters, not what it reaches. A larger grid makes it more optimistic.
    """
    case = ["dataset", "method", "share"]
    means = table.groupby([*case, "setting"])[score].mean().reset_index()
    best = means.loc[means.groupby(case)[score].idxmax(), [*case, "setting"]]
    return table.merge(best, on=[*case, "setting"])


def scores_by_case(table, score):
    """Mean score over the splits: one row per data set and fraction, one column per method.

    All features have no fractions: see `all_features`.
    """
    curves = table[table["method"] != ALL_FEATURES]
    return curves.pivot_table(index=["dataset", "share"], columns="method", values=score)


def all_features(table, score):
    """Mean score of all features, by data set."""
    rows = table[table["method"] == ALL_FEATURES]
    return rows.groupby("dataset")[score].mean()


def unpacked(table, names=()):
    """The table with the parameters of the settings as columns, including all of `names`."""
    import pandas as pd

    params = pd.DataFrame([json.loads(text) for text in table["params"]], index=table.index)
    params = params.reindex(columns=params.columns.union(names, sort=False))
    return table.drop(columns=params.columns, errors="ignore").join(params)


def exponents(table, size):
    """Exponent of the fit time in one size, with the other size fixed: an `Estimate` by method.

    The slope of log seconds against log ``size``, "n_samples" or "n_features", in the table of an
    experiment with the measure "cost", over its splits.
    """
    other = {"n_samples": "n_features", "n_features": "n_samples"}[size]
    # The value of the other size with most points.
    held = table.groupby(other)[size].nunique().idxmax()
    slopes = {}
    for method, rows in table[table[other] == held].groupby("method", sort=False):
        seconds = rows.pivot_table(index=size, columns="split", values="fit_cpu_seconds").dropna()
        if len(seconds) > 1:
            slopes[method] = over_splits(np.polyfit(np.log(seconds.index), np.log(seconds), 1)[0])
    return slopes
