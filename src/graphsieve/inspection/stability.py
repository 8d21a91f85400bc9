"""How sure a selection is: the same selector on many random subsets of the samples."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, NamedTuple

import joblib
import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike
from scipy.stats import norm
from sklearn.base import clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from .._linear.forward import Allowance, fill
from .._utils.messages import shown
from .._utils.names import find_columns, in_column_order, scores_of
from .._utils.shared import with_shared_parameters
from .._utils.sklearn_private import HasMethods, Interval
from ..base import FeatureRanker, Given
from ..methods._greedy import GreedyRanker, RuledRanker

if TYPE_CHECKING:
    import pandas as pd


class Stability(NamedTuple):
    """Agreement of several selections, between 0 (as by chance) and 1 (all equal).

    Attributes
    ----------
    value : float
        The stability; slightly negative values occur by chance.
    interval : tuple of float
        95 % confidence interval.
    """

    value: float
    interval: tuple[float, float]


def selection_stability(supports: ArrayLike) -> Stability:
    """Stability of feature selection with its 95 % confidence interval.

    Parameters
    ----------
    supports : array-like of bool of shape (n_selections, n_features)
        One row per selection.

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
    reach = norm.ppf(0.975) * spread
    return Stability(float(value), (float(value - reach), float(min(1.0, value + reach))))


class WrappingRanker(RuledRanker):
    """Rankers that fit their parameter ``estimator`` many times; the constraints of both hold."""

    _accepts_sparse = True
    _parameter_constraints = {
        **FeatureRanker._parameter_constraints,
        "estimator": [HasMethods(["fit", "get_support"])],
    }

    @property
    def _accepts_gaps(self):
        return getattr(self.estimator, "_accepts_gaps", False)

    def _inner(self):
        names, labels = self._names_to_find(), self._labels_in()
        return by_position(self.estimator, self.n_features_in_, names, labels)

    def _resolve(self):
        given, inner = super()._resolve(), self._inner()
        include, exclude = given.include.tolist(), given.exclude
        include += [j for j in getattr(inner, "include", None) or [] if j not in include]
        exclude[getattr(inner, "exclude", None) or []] = True
        given = self._checked(include, exclude)
        if not isinstance(inner, GreedyRanker):
            return given
        inner.set_params(include=include, exclude=np.flatnonzero(exclude).tolist())
        inner.n_features_in_ = self.n_features_in_
        rules = inner._resolve().rules
        return Given(np.array(rules.include, dtype=int), exclude, rules)

    def _keep(self, scores, usual, wanted=None):
        """Decide how many features are kept; returns the scores, or those of an allowed order.

        ``usual`` is their default number, and ``wanted`` masks those to keep instead of a number.
        """
        include, exclude, rules = self._given.include, self._given.exclude, self._given.rules
        if wanted is not None:
            count = np.count_nonzero(wanted)
        elif self.n_features_to_select is None:
            count = usual
        else:
            count = self._wanted_count(len(scores)) or len(scores)
        self._n_kept = int(np.clip(count, max(1, len(include)), (~exclude).sum()))
        if rules is None or rules.units is rules.limits is rules.budget is None:
            return scores
        allowance = Allowance(rules, len(scores), self._n_kept)
        allowance.spend(include)
        free = ~exclude if wanted is None else wanted & ~exclude
        free[include] = False
        order = np.argsort(-scores, kind="stable")
        kept = [*include, *fill(order[free[order]], rules, allowance)]
        if not kept:
            raise ValueError(
                f"the constraints of {type(self.estimator).__name__} leave no feature to keep: "
                "increase n_features_to_select or the budget"
            )
        self._n_kept = len(kept)
        return scores_of(np.concatenate([kept, order[~np.isin(order, kept)]]).astype(int))

    def _find_constant(self, data):
        # A constant column that the selector has to keep is kept.
        return super()._find_constant(data) & self._never_selected

    def _count_features(self, data):
        if isinstance(self.n_features_to_select, str):
            count = min(super()._count_features(data), self._n_kept)
            return self._most_whole(count) or self._n_kept
        return self._n_kept


@with_shared_parameters
class StabilitySelection(WrappingRanker):
    """Rank features by how often a selector keeps them on random subsets of the samples.

    Parameters
    ----------
    estimator : FeatureRanker
        The selector; a clone of it is fitted on every subset.
    n_features_to_select : int, float or None, default=None
        Number or fraction of features to keep; None keeps as many as ``estimator`` does.
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
    >>> X = load_wine(as_frame=True).data
    >>> sel = StabilitySelection(GreedyCSS(4), n_resamples=10, random_state=0).fit(X)
    >>> sel.to_frame().head(3)
               feature  frequency  kept
    0       flavanoids        1.0  True
    1  color_intensity        0.9  True
    2        magnesium        0.9  True
    """

    _parameter_constraints = {
        "n_resamples": [Interval(Integral, 2, None, closed="left")],
        "sample_fraction": [Interval(Real, 0, 1, closed="neither")],
        "min_frequency": [Interval(Real, 0, 1, closed="right"), None],
        "n_jobs": [Integral, None],
    }

    def __init__(
        self,
        estimator: FeatureRanker,
        n_features_to_select: int | float | str | ArrayLike | None = None,
        *,
        include: Any = None,
        exclude: Any = None,
        n_resamples: int = 50,
        sample_fraction: float = 0.5,
        min_frequency: float | None = None,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
    ) -> None:
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
            joblib.delayed(fit_reseeded)(restricted(estimator, rows), X[rows], seed)
            for rows, seed in zip(subsets, seeds, strict=True)
        )
        fits = shown(fits, type(self).__name__, self.n_resamples, self.verbose)
        supports, rankings = zip(*((fit.get_support(), fit.ranking_) for fit in fits), strict=True)
        self.supports_ = np.array(supports)
        self.frequency_ = self.supports_.mean(axis=0)
        self._never_selected = self.frequency_ == 0
        self.stability_ = selection_stability(self.supports_)
        # The mean rank decides between features of equal frequency.
        tie = 1 - np.mean(rankings, axis=0) / (data.n_features + 1)
        scores = self.frequency_ + tie / (2 * self.n_resamples)
        wanted = None
        if self.min_frequency is not None:
            wanted = (self.frequency_ >= self.min_frequency) & ~self._given.exclude
            wanted[self._given.include] = True
        return self._keep(scores, round(float(self.supports_.sum(axis=1).mean())), wanted)

    def to_frame(self) -> pd.DataFrame:
        """How often every feature is selected, best first, as a table that can be saved.

        Returns
        -------
        pandas.DataFrame
            With the columns ``feature``, ``frequency`` and ``kept``.
        """
        import pandas as pd

        check_is_fitted(self)
        names = self._labels_in()
        columns = {"feature": names, "frequency": self.frequency_, "kept": self.support_}
        return pd.DataFrame(columns).iloc[self.order_].reset_index(drop=True)

    def _count_features(self, data):
        return self._n_kept if self.min_frequency is not None else super()._count_features(data)


def fit_reseeded(estimator, X, seed):
    """Fit a clone of ``estimator`` on the rows ``X`` with a random seed of its own."""
    estimator = clone(estimator)
    if "random_state" in estimator.get_params():
        estimator.set_params(random_state=int(seed))
    return estimator.fit(X)


def restricted(estimator, rows):
    """A clone for some rows of the data: an affinity matrix that it was given becomes theirs."""
    estimator = clone(estimator)
    A = estimator.get_params(deep=False).get("affinity")
    if A is not None and not isinstance(A, str) and not callable(A):
        A = sp.csr_array(A)
        estimator.set_params(affinity=A[rows][:, rows])
    return estimator


def by_position(estimator, n_features, names, labels):
    """A clone whose constraints refer to columns by position, not by ``names`` or ``labels``."""
    find = partial(find_columns, n_features=n_features, names=names, labels=labels)
    found = {}
    for name, values in estimator.get_params(deep=False).items():
        if values is None or name not in ("include", "exclude", "costs", "column_groups"):
            continue
        if name in ("include", "exclude"):
            found[name] = find(values, parameter=name)
        elif not isinstance(values, Mapping):
            found[name] = in_column_order(values, n_features, labels, parameter=name)
        elif name == "costs":
            found[name] = {j: cost for c, cost in values.items() for j in find([c], parameter=name)}
        else:
            found[name] = {group: find(c, parameter=name) for group, c in values.items()}
    return clone(estimator).set_params(**found)
