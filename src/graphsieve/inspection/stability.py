"""How sure a selection is: the same selector on many random subsets of the samples."""

from dataclasses import dataclass
from numbers import Integral, Real

import joblib
import numpy as np
from scipy.stats import norm
from sklearn.base import clone
from sklearn.utils import check_random_state

from .._utils.progress import shown
from .._utils.sklearn_private import HasMethods, Interval
from ..base import FeatureRanker
from .wrapping import WrappingRanker


@dataclass(frozen=True)
class Stability:
    """Agreement of several selections, between 0 (as by chance) and 1 (all equal).

    Attributes
    ----------
    value : float
        The stability; slightly negative values occur by chance.
    interval : tuple of float
        Confidence interval.
    """

    value: float
    interval: tuple


def selection_stability(supports, confidence=0.95):
    """Stability of feature selection with its confidence interval.

    Parameters
    ----------
    supports : array-like of bool of shape (n_selections, n_features)
        One row per selection.
    confidence : float, default=0.95
        Level of the interval.

    Returns
    -------
    Stability

    References
    ----------
    S. Nogueira, K. Sechidis and G. Brown, "On the stability of feature selection algorithms",
    Journal of Machine Learning Research 18 (174), 2018.
    """
    Z = np.asarray(supports, dtype=float)
    M, d = Z.shape
    if M < 2:
        raise ValueError(f"stability compares at least two selections, got {M}")
    frequency, size = Z.mean(axis=0), Z.sum(axis=1)
    fraction = size.mean() / d
    chance = fraction * (1 - fraction)
    if chance == 0:  # every selection keeps all features, or none
        return Stability(1.0, (1.0, 1.0))
    value = 1 - M / (M - 1) * (frequency * (1 - frequency)).mean() / chance
    # Influence of every selection on the value, theorem 7 of the paper.
    part = Z @ frequency / d - size * fraction / d
    part += value / 2 * (2 * size * fraction / d - size / d - fraction + 1)
    part /= chance
    spread = np.sqrt(4 / M**2 * ((part - part.mean()) ** 2).sum())
    reach = norm.ppf(0.5 + confidence / 2) * spread
    return Stability(float(value), (float(value - reach), float(min(1.0, value + reach))))


class StabilitySelection(WrappingRanker):
    """Rank features by how often a selector keeps them on random subsets of the samples.

    Parameters
    ----------
    estimator : FeatureRanker
        The selector; a clone of it is fitted on every subset.
    n_features_to_select : int, float or None, default=None
        Number or fraction of features to keep; None keeps as many as ``estimator`` does.
    include, exclude : list of str or int, mask or None, default=None
        Features that are always kept, and features that are never kept: names, positions or a
        mask. Included features count as selected.
    n_resamples : int, default=50
        Number of subsets.
    sample_fraction : float, default=0.5
        Fraction of the samples in a subset, drawn without replacement.
    min_frequency : float or None, default=None
        Keep the features that at least this fraction of the selections has, and those included,
        instead of a number of features.
    n_jobs : int or None, default=None
        Number of fits that run at the same time, as in joblib.
    random_state : int, RandomState or None, default=None
        Random seed of the subsets and of the fits.
    verbose : int, default=0
        If positive, show progress.

    Attributes
    ----------
    frequency_ : ndarray of shape (n_features,)
        Fraction of the selections that keep a feature.
    stability_ : Stability
        Agreement of the selections, with a confidence interval.
    supports_ : ndarray of bool of shape (n_resamples, n_features)
        The selections.

    References
    ----------
    N. Meinshausen and P. Bühlmann, "Stability selection", Journal of the Royal Statistical Society
    B 72, 2010.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from graphsieve import GreedyCSS, StabilitySelection
    >>> X = load_wine().data
    >>> sel = StabilitySelection(GreedyCSS(4), n_resamples=10, random_state=0).fit(X)
    >>> sel.frequency_.shape
    (13,)
    """

    _parameter_constraints = {
        **FeatureRanker._parameter_constraints,
        "estimator": [HasMethods(["fit", "get_support"])],
        "n_resamples": [Interval(Integral, 2, None, closed="left")],
        "sample_fraction": [Interval(Real, 0, 1, closed="neither")],
        "min_frequency": [Interval(Real, 0, 1, closed="right"), None],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        estimator,
        n_features_to_select=None,
        *,
        include=None,
        exclude=None,
        n_resamples=50,
        sample_fraction=0.5,
        min_frequency=None,
        n_jobs=None,
        random_state=None,
        verbose=0,
    ):
        super().__init__(n_features_to_select, include=include, exclude=exclude)
        self.estimator = estimator
        self.n_resamples = n_resamples
        self.sample_fraction = sample_fraction
        self.min_frequency = min_frequency
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _rank(self, data):
        X, n = data.observed().whole(), data.n_samples
        rng = check_random_state(self.random_state)
        size = max(2, round(self.sample_fraction * n))
        subsets = [np.sort(rng.choice(n, size, replace=False)) for _ in range(self.n_resamples)]
        seeds = rng.randint(np.iinfo(np.int32).max, size=self.n_resamples)
        estimator = self._inner()
        fits = joblib.Parallel(self.n_jobs, return_as="generator")(
            joblib.delayed(_select_on)(estimator, X[rows], seed)
            for rows, seed in zip(subsets, seeds, strict=True)
        )
        fits = shown(fits, type(self).__name__, self.n_resamples, self.verbose)
        supports, rankings = zip(*fits, strict=True)
        self.supports_ = np.array(supports)
        self.frequency_ = self.supports_.mean(axis=0)
        self.stability_ = selection_stability(self.supports_)
        # The mean rank decides between features of equal frequency.
        tie = 1 - np.mean(rankings, axis=0) / (data.n_features + 1)
        scores = self.frequency_ + tie / (2 * self.n_resamples)
        if self.min_frequency is not None:
            wanted = (self.frequency_ >= self.min_frequency) & ~self._given.exclude
            wanted[self._given.include] = True
            return self._keep(scores, int(wanted.sum()), wanted)
        if self.n_features_to_select is not None:
            return self._keep(scores, self._wanted_count(data.n_features) or data.n_features)
        return self._keep(scores, round(float(self.supports_.sum(axis=1).mean())))

    def _find_constant(self, data):
        # A constant column that the selector has to keep is kept.
        return super()._find_constant(data) & (self.frequency_ == 0)

    def _count_features(self, data):
        return self._n_kept if self.min_frequency is not None else super()._count_features(data)


def fit_reseeded(estimator, X, seed):
    """Fit a clone of ``estimator`` on the rows ``X`` with a random seed of its own."""
    estimator = clone(estimator)
    if "random_state" in estimator.get_params():
        estimator.set_params(random_state=int(seed))
    return estimator.fit(X)


def _select_on(estimator, X, seed):
    """Support and ranking of a clone of ``estimator`` on the rows ``X``."""
    fitted = fit_reseeded(estimator, X, seed)
    return fitted.get_support(), fitted.ranking_
