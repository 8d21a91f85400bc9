"""Rankings per batch (donor, plate, site), combined."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._rows import fill_gaps, is_constant, is_dask, open_rows, take_rows
from .._rows.samples import check_groups
from .._rows.streams import Stream
from .._utils.messages import warn
from .._utils.shared import with_shared_parameters
from .._utils.sklearn_private import Interval
from ..base import FeatureRanker
from .stability import WrappingRanker, restricted


@with_shared_parameters
class GroupedRanker(WrappingRanker):
    """Rank features within every batch of samples and combine the rankings.

    Differences between batches then explain nothing, and a feature ranks high if it ranks high in
    many batches: its mean rank decides, where all features that a batch does not select have the
    same rank. Pass the batch of every sample as ``groups`` to ``fit``; in a pipeline, request it
    with ``set_fit_request(groups=True)``.

    Parameters
    ----------
    estimator : FeatureRanker
        The selector; a clone of it is fitted on every batch.
    n_features_to_select : int, float or None, default=None
        Number or fraction of features to keep; None keeps as many as ``estimator`` would.
    min_samples : int, default=4
        Batches with fewer samples are left out: they say next to nothing about features.

    Attributes
    ----------
    n_groups_ : int
        Number of batches that were ranked.
    n_groups_selected_ : ndarray of shape (n_features,)
        Number of batches in which a feature is selected. A batch in which it is constant does not
        count.
    rankings_ : ndarray of shape (n_groups_, n_features)
        Ranks within the batches; 1 is best. Features that are constant in a batch are last there.

    Examples
    --------
    >>> import numpy as np
    >>> from graphsieve import GreedyCSS, GroupedRanker
    >>> X = np.random.default_rng(0).normal(size=(60, 8))
    >>> donor = np.repeat(["a", "b", "c"], 20)
    >>> GroupedRanker(GreedyCSS(3)).fit(X, groups=donor).n_groups_
    3
    """

    _parameter_constraints = {"min_samples": [Interval(Integral, 1, None, closed="left")]}

    def __init__(
        self,
        estimator: FeatureRanker,
        n_features_to_select: int | float | str | ArrayLike | None = None,
        *,
        include: Any = None,
        exclude: Any = None,
        min_samples: int = 4,
    ) -> None:
        super().__init__(n_features_to_select, include=include, exclude=exclude)
        self.estimator = estimator
        self.min_samples = min_samples

    @property
    def _distributes(self):
        return getattr(self, "_lazy", None) is not None

    def _fit(self, X, groups):
        if groups is None:
            raise ValueError(
                "GroupedRanker ranks within batches: pass the batch of every sample, fit(X, "
                "groups=batch), with set_fit_request(groups=True) in a pipeline. Without batches, "
                f"fit {type(self.estimator).__name__} itself"
            )
        # Rows that are elsewhere stay there: one batch at a time is read.
        is_array = is_dask(X) and hasattr(X, "chunks")
        self._lazy = X if is_array or isinstance(X, Stream) else None
        super()._fit(X, groups)

    def _batches(self, data, groups):
        # Ranked one by one, batches need no centring.
        self._groups = check_groups(groups, data.n_samples)
        return data

    def _rank(self, data):
        names, group = vars(self).pop("_groups")
        X = vars(self).pop("_lazy")
        X = data.observed().whole() if X is None else X
        size = np.bincount(group)
        ranked = np.flatnonzero(size >= self.min_samples)
        if ranked.size == 0:
            raise ValueError(
                f"no batch has {self.min_samples} samples or more (the largest has {size.max()}): "
                "merge batches, or fit without groups"
            )
        if ranked.size < len(names):
            small = [str(name) for name in names[size < self.min_samples][:5]]
            warn(
                f"{len(names) - ranked.size} of {len(names)} batches have fewer than "
                f"{self.min_samples} samples and are left out: {', '.join(small)}. Merge small "
                "batches if they should count"
            )
        estimator, fits, silent = self._inner(), [], []
        for number in ranked:
            rows = group == number
            part = take_rows(X, rows)
            fits.append(restricted(estimator, rows).fit(part))
            # A batch says nothing about a column that is constant there.
            silent.append(is_constant(*fill_gaps(open_rows(part)).column_range()))
        silent = np.array(silent)
        silent[:, self._given.include] = False
        self.n_groups_ = len(fits)
        self.rankings_ = np.where(silent, data.n_features, [fit.ranking_ for fit in fits])
        selected = np.array([fit.get_support() for fit in fits]) & ~silent
        self.n_groups_selected_ = selected.sum(axis=0)
        self._never_selected = self.n_groups_selected_ == 0
        # Greedy methods rank roughly beyond the selection: all those features share its next rank.
        kept = np.array([[fit.n_features_] for fit in fits])
        ranks = np.where(silent, kept + 1, np.minimum(self.rankings_, kept + 1))
        # All ranks decide between equal mean ranks, which differ by 1 / n_groups_ at least.
        tie = self.rankings_.mean(axis=0) / (data.n_features + 1) / (self.n_groups_ + 1)
        return self._keep(-(ranks.mean(axis=0) + tie), round(float(kept.mean())))
