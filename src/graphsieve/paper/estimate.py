"""A mean and its 95 % interval, over data sets and splits or over the splits of one data set."""

from dataclasses import dataclass

import numpy as np
from scipy import stats

_LEVEL = 0.95


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
    tail = 50 * (1 - _LEVEL)
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
        width = stats.norm.ppf((1 + _LEVEL) / 2) * within or np.inf
    else:
        width = stats.t.ppf((1 + _LEVEL) / 2, n - 1) * values.std(ddof=1) / np.sqrt(n)
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
