"""Paired comparisons of methods over data sets and splits."""

import numpy as np
from scipy import stats

from ..evaluation import ALL_FEATURES
from .estimate import over_sets

# Of these scores smaller values are better.
ERRORS = ("reconstruction", "redundancy")
# Of Nemenyi's test.
_LEVEL = 0.05


def by_split(table, score):
    """Mean score over the fractions: one row per data set and split, one column per method.

    The table has the finished rows of an experiment, one setting per method. NaN where a method
    was not run.
    """
    rows = table[table["method"] != ALL_FEATURES]
    return rows.pivot_table(index=["dataset", "split"], columns="method", values=score, sort=False)


def mean_ranks(table, score):
    """Mean rank of every method over the data sets, with the tests of Friedman and Nemenyi.

    A data set counts once, with the mean over its fractions and splits, since these are not
    independent. Methods that miss a data set are left out. Two methods differ significantly if
    their mean ranks differ by more than the critical difference.

    Returns
    -------
    (dict of str to float, float, float) or None
        Mean ranks, best first; critical difference; p value of Friedman's test. None with fewer
        than 2 data sets or 3 methods.
    """
    means = by_split(table, score).groupby("dataset", sort=False).mean().dropna(axis="columns")
    n_sets, n_methods = means.shape
    if n_sets < 2 or n_methods < 3:
        return None
    ranks = means.rank(axis="columns", ascending=score in ERRORS).mean().sort_values()
    quantile = stats.studentized_range.ppf(1 - _LEVEL, n_methods, np.inf) / np.sqrt(2)
    difference = quantile * np.sqrt(n_methods * (n_methods + 1) / (6 * n_sets))
    p_value = stats.friedmanchisquare(*means.to_numpy().T).pvalue
    return ranks.to_dict(), float(difference), float(p_value)


def gains(table, score, reference, *, n_resamples=2000):
    """Mean gain of every method over a reference, with 95 % bootstrap intervals.

    The gain is the difference of the scores on the same split, with the sign for which positive
    means better than the reference; see `over_sets` for the intervals.

    Returns
    -------
    pandas.DataFrame
        ``method``, ``n_datasets``, ``gain``, ``low``, ``high``; best first. Only the data sets and
        splits count that the method and the reference have in common.

    Examples
    --------
    >>> import pandas as pd
    >>> rows = [("d", 0, "a", 0.5), ("d", 0, "b", 0.7), ("e", 0, "a", 0.5), ("e", 0, "b", 0.7)]
    >>> table = pd.DataFrame(rows, columns=["dataset", "split", "method", "acc"])
    >>> gains(table, "acc", "a").round(2).values.tolist()
    [['b', 2, 0.2, 0.2, 0.2]]
    """
    import pandas as pd

    scores = by_split(table, score)
    if reference not in scores:
        raise ValueError(f"the table has no method {reference!r}; it has {', '.join(scores)}")
    sign = -1 if score in ERRORS else 1
    differences = sign * scores.drop(columns=reference).sub(scores[reference], axis="index")
    rows = []
    for method, column in differences.items():
        column = column.dropna()
        if len(column):
            gain = over_sets(column, n_resamples=n_resamples)
            n_datasets = column.index.get_level_values("dataset").nunique()
            rows.append((method, n_datasets, gain.value, gain.low, gain.high))
    table = pd.DataFrame(rows, columns=["method", "n_datasets", "gain", "low", "high"])
    return table.sort_values("gain", ascending=False, ignore_index=True)


def wins(table, score, against="random", margin=0.0):
    """Number of data sets on which every method is better or worse than another one.

    Mean scores that differ by no more than ``margin`` are a tie.

    Returns
    -------
    pandas.DataFrame
        ``method``, ``wins``, ``ties``, ``losses``, ``worst`` (the smallest gain on a data set) and
        ``worst_dataset``; most wins first.

    Examples
    --------
    >>> import pandas as pd
    >>> rows = [("d", 0, "random", 0.5), ("d", 0, "b", 0.7), ("e", 0, "random", 0.5)]
    >>> table = pd.DataFrame(rows, columns=["dataset", "split", "method", "acc"])
    >>> wins(table, "acc")[["method", "wins", "losses"]].values.tolist()
    [['b', 1, 0]]
    """
    import pandas as pd

    means = by_split(table, score).groupby("dataset", sort=False).mean()
    if against not in means:
        raise ValueError(f"the table has no method {against!r}; it has {', '.join(means)}")
    sign = -1 if score in ERRORS else 1
    rows = []
    for method in means.columns.drop(against):
        gain = sign * (means[method] - means[against]).dropna()
        if len(gain):
            won, lost = int((gain > margin).sum()), int((gain < -margin).sum())
            ties = len(gain) - won - lost
            rows.append((method, won, ties, lost, gain.min(), gain.idxmin()))
    columns = ["method", "wins", "ties", "losses", "worst", "worst_dataset"]
    order = ["wins", "worst"]
    return pd.DataFrame(rows, columns=columns).sort_values(
        order, ascending=False, ignore_index=True
    )
