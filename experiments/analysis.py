"""From the tidy tables to numbers with intervals: means, ranks, gains and exponents."""

import json
import tomllib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy import stats

from .protocol import ALL_FEATURES

# The scores of the paper.
SCORES = ("accuracy", "acc", "nmi")
# Of these scores smaller values are better.
ERRORS = ("reconstruction", "redundancy")
# Of intervals, and of Nemenyi's test.
_CONFIDENCE, _LEVEL = 0.95, 0.05


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
    Splits on which the grid of some method is not whole are left out.
    """
    case = ["dataset", "method", "share"]
    settings = table.groupby(["dataset", "method", "split"])["setting"].nunique().unstack()
    whole = (settings.isna() | settings.eq(settings.max(axis=1), axis=0)).groupby("dataset").all()
    table = table[[whole.at[place] for place in zip(table["dataset"], table["split"], strict=True)]]
    means = table.groupby([*case, "setting"])[score].mean().reset_index()
    best = means.loc[means.groupby(case)[score].idxmax(), [*case, "setting"]]
    return table.merge(best, on=[*case, "setting"])


def under_both_rules(table):
    """The rows to compare, by rule and score."""
    return {
        "oracle": {score: oracle(table, score) for score in SCORES},
        "fixed setting": dict.fromkeys(SCORES, fixed(table)),
    }


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


@dataclass(frozen=True)
class Estimate:
    """A number and the ends of its 95 % interval."""

    value: float
    low: float
    high: float

    @property
    def sign(self):
        """1 or -1 if the interval lies on one side of zero, otherwise 0."""
        return int(self.low > 0) - int(self.high < 0)

    def below(self, limit):
        """1 if the interval lies at or below a limit, -1 if above, 0 if it contains it."""
        return int(self.high <= limit) - int(self.low > limit)

    def __format__(self, form):
        if np.isnan(self.value):
            return "not measured"
        value, low, high = (format(v, form or "+z.3f") for v in (self.value, self.low, self.high))
        # One split, or values without any variation, have no interval.
        shown = self.low < self.high < np.inf
        return f"{value} ({low} to {high})" if shown else value

    def __str__(self):
        return format(self)


def over_sets(values, *, n_resamples=2000):
    """Mean over data sets, each with the mean of its splits, and a 95 % bootstrap interval.

    ``values`` is a Series indexed by ``dataset`` and ``split``, from which NaN is left out. Data
    sets are resampled, and the splits of every data set drawn; every data set has the same weight.
    """
    groups = [part.to_numpy() for _, part in values.dropna().groupby("dataset", sort=False)]
    means = _bootstrap_means(groups, n_resamples, np.random.default_rng(0))
    tail = 50 * (1 - _CONFIDENCE)
    low, high = np.percentile(means, [tail, 100 - tail])
    return Estimate(float(np.mean([group.mean() for group in groups])), float(low), float(high))


def over_splits(values, within=0.0):
    """Mean over the splits of one data set, without NaN, and Student's interval.

    ``within`` is the standard error of a value. It makes the interval if there is only one split,
    which then lacks the variation between splits. If it is zero, or there is no split, the interval
    is infinite: nothing is decided.
    """
    values = np.asarray(values, dtype=float)
    values = values[~np.isnan(values)]
    n = len(values)
    if n == 0:
        return Estimate(np.nan, -np.inf, np.inf)
    mean = float(values.mean())
    if n == 1:
        width = stats.norm.ppf((1 + _CONFIDENCE) / 2) * within or np.inf
    else:
        width = stats.t.ppf((1 + _CONFIDENCE) / 2, n - 1) * values.std(ddof=1) / np.sqrt(n)
    return Estimate(mean, float(mean - width), float(mean + width))


def _bootstrap_means(groups, n_resamples, rng):
    """Means over resampled groups, each the mean of as many of its values, drawn again."""
    sizes = np.array([len(group) for group in groups])
    padded = np.zeros((len(groups), sizes.max()))
    for row, group in zip(padded, groups, strict=True):
        row[: len(group)] = group
    drawn = rng.integers(len(groups), size=(n_resamples, len(groups)))
    n = sizes[drawn][:, :, None]
    value = (rng.random((*drawn.shape, sizes.max())) * n).astype(int)
    counted = np.arange(sizes.max()) < n
    sums = np.where(counted, padded[drawn[:, :, None], value], 0).sum(axis=2)
    return (sums / n[:, :, 0]).mean(axis=1)


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


def published(name):
    """Read published scores; the name of a benchmark is that of our experiment, too.

    Returns
    -------
    score : str
        Which column of our tables is comparable.
    shares : list of float
        Fractions of the features over which the scores are averaged.
    scores : pandas.DataFrame
        One row per data set, one column per method.
    """
    import pandas as pd

    content = tomllib.loads(Path(__file__).with_name(f"{name}_published.toml").read_text("utf-8"))
    return content["score"], content["shares"], pd.DataFrame(content["methods"])


def with_published(table, name):
    """Our scores, from the finished rows of an experiment, and the published ones, averaged alike.

    One row per data set that we have run, one column per method; published methods have their
    origin after the name. Ours are missing where not all the fractions were run.
    """
    score, shares, theirs = published(name)
    rows = table[table["share"].isin(shares)]
    complete = rows.groupby(["dataset", "split", "method"])["share"].transform("nunique")
    rows = rows[complete == len(shares)]
    ours = by_split(rows, score).groupby("dataset", sort=False).mean()
    return ours.join(theirs.add_suffix(f" ({name})"))
