"""DropRedundant: drop the columns that the kept ones predict."""

from numbers import Real

import numpy as np

from .._linear.correlation import MOST_STORED, Correlations
from .._linear.cover import cover_columns, keep_uncorrelated
from .._linear.prune import residual_variance
from .._linear.regression import coverage_curve
from .._rows.samples import draw_rows
from .._utils.order import scores_of
from .._utils.sklearn_private import Interval, StrOptions
from .._utils.warn import warn
from ..base import INCLUDE_CONSTRAINTS, FeatureRanker

# R^2 from products in single precision is off by less than this.
_SINGLE = 1e-5


class DropRedundant(FeatureRanker):
    """Drop the features that the kept ones predict together.

    Features are kept one at a time, each for what it explains of the features that are not covered
    yet, until a linear regression on the kept features predicts every dropped feature with an R^2
    of at least ``explained`` on the training rows. Features that others, kept later, have made
    superfluous are then dropped. The sum of two kept features is dropped, although its correlation
    with either may be low. The result does not depend on the order of the features.

    The R^2 on new rows is lower than on the training rows, especially with few rows;
    ``heldout_r2_`` reports it for left-out rows.

    X may have missing values (NaN). They count as the mean of the feature, also in the promised
    R^2, so a feature with many gaps is harder to predict.

    Parameters
    ----------
    explained : float in (0, 1], default=0.9
        The R^2 with which every dropped feature is predicted, or, with ``by="correlation"``, the
        absolute correlation at which two features are redundant.
    by : {"r2", "correlation"}, default="r2"
        With "r2", the kept features predict a dropped one together. "correlation" is the pairwise
        rule: no two kept features have an absolute correlation of ``explained`` or more, and every
        dropped feature has one with a kept feature.
    include, exclude : list of str or int, mask or None, default=None
        Features that are always kept, and features that are never kept: names, positions or a
        mask. If everything that predicts a feature is excluded, it is dropped with a warning.

    Attributes
    ----------
    n_features_ : int
        Number of kept features.
    r2_ : ndarray of shape (n_features,)
        R^2 of every feature, predicted from the kept ones, on the training rows; 1 for kept and
        for constant features.
    heldout_r2_ : ndarray of shape (n_features,)
        The same on left-out rows, as ``coverage(X)`` has it; 1 for kept and for constant features.
    scores_, order_, ranking_, support_
        As in all rankers: kept features in the order in which they were picked, then dropped
        features from least to best predicted, then constant ones.

    See Also
    --------
    GreedyCSS : Keeps a given number of features.

    Examples
    --------
    The last feature is the sum of the first two.

    >>> import numpy as np
    >>> from graphsieve import DropRedundant
    >>> X = np.random.default_rng(0).normal(size=(50, 3))
    >>> X[:, 2] = X[:, 0] + X[:, 1]
    >>> int(DropRedundant().fit(X).n_features_)
    2
    >>> int(DropRedundant(by="correlation").fit(X).n_features_)
    3
    """

    _parameter_constraints = {
        **INCLUDE_CONSTRAINTS,
        "explained": [Interval(Real, 0, 1, closed="right")],
        "by": [StrOptions({"r2", "correlation"})],
    }
    _accepts_sparse = True
    _accepts_gaps = True

    def __init__(self, explained=0.9, *, by="r2", include=None, exclude=None):
        super().__init__(include=include, exclude=exclude)
        self.explained = explained
        self.by = by

    def _check_constraints(self):
        if self.by == "correlation" and self.n_features_in_ > MOST_STORED:
            raise ValueError(
                f'by="correlation" compares all pairs of columns and takes at most {MOST_STORED:,} '
                f'columns, but X has {self.n_features_in_:,}: use by="r2"'
            )

    def _own_memory(self, n_samples, n_features):
        stored = 4 * n_features if n_features <= MOST_STORED else 1000
        return 8.0 * stored * n_features

    def _rank(self, data):
        correlations = Correlations(data)
        kept = self._cover(correlations, data.dtype)
        if len(kept) == 0:  # every column is constant
            kept = np.flatnonzero(~self._given.exclude)[:1]
        self._n_kept = len(kept)
        support = np.zeros(data.n_features, dtype=bool)
        support[kept] = True
        unexplained = residual_variance(correlations.take(kept), kept)
        self.r2_ = np.where(correlations.varying & ~support, 1 - unexplained, 1.0)
        heldout = coverage_curve(draw_rows(data).values, kept, [len(kept)]).coverage[0]
        self.heldout_r2_ = np.where(np.isnan(heldout), 1.0, heldout)
        self._check_promise(support)
        order = np.lexsort((np.round(self.r2_, 10), ~support, ~correlations.varying))
        return scores_of(np.concatenate([kept, order[~support[order]]]))

    def _cover(self, correlations, dtype):
        names = getattr(self, "feature_names_in_", np.arange(self.n_features_in_))
        # Equal columns are told apart by their names, not by their places.
        tie_break = np.empty(len(names), dtype=int)
        tie_break[np.lexsort((names, *correlations.fingerprints()))] = np.arange(len(names))
        options = {
            "tie_break": tie_break,
            "given": self._given.include,
            "candidates": ~self._given.exclude,
        }
        varying = correlations.varying
        if self.by == "correlation":
            return keep_uncorrelated(correlations.matrix, varying, self.explained, **options)
        threshold = self.explained
        if dtype == np.float32 and threshold < 1 - 10 * _SINGLE:
            threshold += _SINGLE
        C = correlations.apply, correlations.take
        return cover_columns(*C, varying, threshold, **options).picked

    def _check_promise(self, support):
        if self.by != "r2":
            return
        missed = self.r2_ < self.explained - 1e-6
        if missed.any():
            worst = int(np.argmin(self.r2_))
            why, advice = "of rounding errors", 'Pass X.astype("float64")'
            if self._given.exclude.any():
                why = "the columns that would explain them are excluded"
                advice = "Exclude fewer columns"
            warn(
                f"{missed.sum()} dropped columns are predicted with an R^2 below "
                f"{self.explained:g}, because {why}: column {self._column_name(worst)} has "
                f"{self.r2_[worst]:.2f}. {advice} if they matter"
            )
        dropped = self.heldout_r2_[~support & ~missed]
        low = np.count_nonzero(dropped < self.explained / 2)
        if low > len(dropped) / 2:
            warn(
                f"On held-out rows, {low} of the {len(dropped)} dropped columns are predicted with "
                f"an R^2 below {self.explained / 2:g}, although it is {self.explained:g} or more "
                "on the training rows: there are too few rows for this many columns. Use more "
                "rows, or GraphSieve or GreedyCSS for a given number of columns"
            )

    def _count_features(self, data):
        return self._n_kept
