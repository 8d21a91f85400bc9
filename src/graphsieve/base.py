"""FeatureRanker: what all methods share, from validation to the names of the kept columns."""

from __future__ import annotations

from copy import copy
from functools import partial
from importlib.metadata import version
from numbers import Integral, Real

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted

from ._graph.affinity import AFFINITIES, build_graph
from ._ranker.batches import centre_within, check_groups
from ._ranker.explain import Explains
from ._ranker.input import ReadsInput, has_default_names
from ._ranker.support import INCLUDE_CONSTRAINTS, Support
from ._rows import (
    Rows,
    check_container,
    check_entries,
    is_lazy,
    is_xarray,
    known_frame,
    take_columns,
)
from ._solvers import Monitor
from ._utils.lazy import LazyAccessor
from ._utils.order import order_by_score
from ._utils.sklearn_private import Interval, RealNotInt, StrOptions, fit_context
from ._utils.warn import warn
from .selection import Selection, as_json, fingerprint, plain_name, settings

GRAPH_CONSTRAINTS = {
    "n_neighbors": [Interval(Integral, 1, None, closed="left")],
    "affinity": [StrOptions(set(AFFINITIES)), callable, "array-like", "sparse matrix"],
}
SCALE_CONSTRAINTS = {
    "scale": [StrOptions({"auto", "standard", "minmax", "global"}), None],
}
# Weights of penalties, which may have squared units of the data.
POSITIVE = Interval(Real, 0, 1e300, closed="right")
NON_NEGATIVE = Interval(Real, 0, 1e300, closed="both")
ITERATION_CONSTRAINTS = {
    "max_iter": [Interval(Integral, 1, None, closed="left")],
    "tol": [Interval(Real, 0, None, closed="left")],
    "verbose": ["verbose"],
    "callback": [callable, None],
}
THREAD_CONSTRAINTS = {
    "n_jobs": [
        Interval(Integral, None, -1, closed="right"),
        Interval(Integral, 1, None, closed="left"),
        None,
    ],
}

_PACKAGES = ("graphsieve", "numpy", "scipy", "scikit-learn")

# What the solver met instead of convergence, and what to do about it.
_WHY_STOPPED = {
    "max_iter": ("it reached max_iter", "increase max_iter"),
    "stalled": ("the line search found no further decrease", 'try dtype="float64"'),
}


class FeatureRanker(ReadsInput, Support, Explains, SelectorMixin, BaseEstimator):
    """Base class of all methods.

    A subclass defines ``_parameter_constraints`` and ``_rank(data)``, which takes Rows and returns
    one finite score per feature, higher is better. Constant columns need no special treatment
    there: they are always ranked last. It sets ``_accepts_sparse`` if CSR input works and
    ``_distributes`` if the data may be on a Dask cluster, ``_accepts_gaps`` if X may contain NaN,
    which ``_rank`` then finds filled, see ``fill_gaps``. For the check of memory before the work,
    ``_n_copies`` is the number of copies of the data that ``_rank`` makes, and
    ``_own_memory`` adds what depends on the shape alone.

    Parameters
    ----------
    n_features_to_select : int, float, "auto", list or None, default=None
        Number of features to keep, or a fraction in (0, 1] of them. If "auto", as many as add more
        to those before them than they would to shuffled columns; if None, half of the features.
        With a list of numbers, the largest is selected, and ``nested_supports_`` has all of them.
    include, exclude : list of str or int, mask or None, default=None
        Features that are always kept, and features that are never kept: names, positions or a
        mask. Included features come first, in the order given, and count as selected.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        Score of every feature; higher is better.
    order_ : ndarray of shape (n_features,)
        All features, best first: one fit serves every number of features.
    ranking_ : ndarray of shape (n_features,)
        Rank of every feature; 1 is best.
    support_ : ndarray of bool of shape (n_features,)
        Mask of the selected features.
    n_features_ : int
        Number of selected features.
    nested_supports_ : dict of int to ndarray of bool
        Masks of the nested selections, if ``n_features_to_select`` is a list.
    n_features_in_ : int
        Number of features seen in ``fit``.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features, if all columns of the input have string names.
    """

    _parameter_constraints = {
        "n_features_to_select": [
            Interval(Integral, 1, None, closed="left"),
            Interval(RealNotInt, 0, 1, closed="right"),
            StrOptions({"auto"}),
            "array-like",
            None,
        ],
        **INCLUDE_CONSTRAINTS,
    }

    plot = LazyAccessor(
        "graphsieve.plots",
        "SelectionPlots",
        "Plots of the fitted selector: ``curve``, ``gains``, ``scores``, ``coverage``, ``mask``, "
        "``groups``.",
    )
    report = LazyAccessor(
        "graphsieve.report",
        "Reporter",
        "``report(X, path=None)`` makes an interactive page about the selection.",
    )

    def __init__(self, n_features_to_select=None, *, include=None, exclude=None):
        self.n_features_to_select = n_features_to_select
        self.include = include
        self.exclude = exclude

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self._accepts_sparse
        tags.input_tags.allow_nan = self._accepts_gaps
        return tags

    @fit_context
    def fit(self, X, y=None, *, groups=None):
        """Rank the columns of ``X``.

        Parameters
        ----------
        X : container of shape (n_samples, n_features)
            An array, data frame, xarray or CSR matrix; a memory map,
            ``pyarrow.parquet.ParquetFile`` or ``zarr.Array``, which are read in pieces; a Dask
            array or data frame, which is processed on the connected cluster; with
            ``sklearn.set_config(array_api_dispatch=True)`` an array of another library, which is
            converted.
        y : None
            Ignored; present for compatibility with scikit-learn's pipelines.
        groups : array-like of shape (n_samples,), default=None
            Batch of every sample (donor, plate, site). The columns are centred within every batch
            before they are ranked, so that differences between batches explain nothing. For
            sparse data use ``GroupedRanker``.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        before = dict(vars(self))
        for name in [name for name in before if name.endswith("_") and not name.startswith("_")]:
            delattr(self, name)  # nothing of an earlier fit remains
        try:
            self._fit(X, groups)
        except BaseException:
            # After an error or Ctrl-C the estimator is as before, never half fitted.
            vars(self).clear()
            vars(self).update(before)
            raise
        return self

    def _fit(self, X, groups):
        data = self._open(X, reset=True)
        self._check_rows(data)
        self._check_memory(data)
        self._check_constraints()
        data = check_entries(data, self._column_name, allow_gaps=self._accepts_gaps)
        self._fingerprint = fingerprint(data)
        ranked = data if groups is None else self._batches(data, groups)
        scores = np.asarray(self._rank(ranked), dtype=np.float64)
        constant = self._find_constant(ranked)
        # A constant column carries no information, whatever score the method gave it.
        scores[constant] = min(scores.min(), 0.0)
        self.scores_ = scores
        self.order_ = order_by_score(scores, constant, *self._given())
        self.ranking_ = np.empty_like(self.order_)
        self.ranking_[self.order_] = np.arange(1, len(scores) + 1)
        self.n_features_ = self._count_features(ranked)
        self.support_ = self.ranking_ <= self.n_features_
        self._publish_nested()
        self._complete()

    def _rank(self, data: Rows) -> np.ndarray:
        raise NotImplementedError

    def _complete(self):
        """What a method adds once the features are selected."""

    def _batches(self, data, groups):
        """The rows to rank, given the batch of every sample."""
        return centre_within(data, check_groups(groups, data.n_samples)[1])

    def transform(self, X):
        """Reduce ``X`` to the selected features.

        Parameters
        ----------
        X : container of shape (n_samples, n_features)
            As in ``fit``.

        Returns
        -------
        X_selected : container of shape (n_samples, n_features_)
            The selected columns: a lazy collection for Dask input, an array for Parquet and Zarr,
            an xarray for an xarray.
        """
        check_is_fitted(self)
        if not is_lazy(X):
            check_container(X)
            oriented = self._oriented(X)
            frame = known_frame(oriented)
            self._check_labels(frame)
            selected = super().transform(frame)
            # Unless set_output asks for another container, coordinates are kept.
            in_kind = is_xarray(X) and isinstance(selected, np.ndarray)
            return X.isel({oriented.dims[1]: self.get_support()}) if in_kind else selected
        self._check_lazy(X, reset=False)
        return take_columns(X, self.get_support(indices=True))

    def save(self, path):
        """Save the selection, without the selector, to a JSON file.

        ``Selection.load(path).transform(X)`` applies it to another table. The file can be read by
        people, and loading it runs no code.

        Parameters
        ----------
        path : str or path
            An existing file is replaced.
        """
        self.to_selection().save(path)

    def to_selection(self):
        """The outcome of the fit, without the selector.

        Returns
        -------
        Selection
            Kept columns, scores and settings, ready to be saved as JSON.
        """
        check_is_fitted(self)
        names, labels = getattr(self, "feature_names_in_", None), self._labels_seen
        if labels is not None and not has_default_names(labels):
            names = labels.tolist()
        return Selection(
            kept=np.flatnonzero(self.support_).tolist(),
            n_features_in=int(self.n_features_in_),
            feature_names_in=None if names is None else [plain_name(name) for name in names],
            order=self.order_.tolist(),
            scores=self.scores_.tolist(),
            method=type(self).__name__,
            parameters={name: as_json(value) for name, value in settings(self).items()},
            fingerprint=dict(self._fingerprint),
            versions={name: version(name) for name in _PACKAGES},
        )

    def with_selection(self, order, n_features, *, names=None):
        """A copy of the fitted selector that keeps the first features of another order.

        Parameters
        ----------
        order : array-like of int of shape (n_features_in_,)
            All features, best first.
        n_features : int
            Number of features to keep.
        names : sequence of str or None, default=None
            Names of all features, for a selector that was fitted on data without names.

        Returns
        -------
        FeatureRanker
            It has the scores, and whatever else was learned, of this one.
        """
        check_is_fitted(self)
        chosen = copy(self)
        chosen.order_ = np.array(order)
        chosen.ranking_ = np.argsort(chosen.order_) + 1
        chosen.n_features_ = int(n_features)
        chosen.support_ = chosen.ranking_ <= chosen.n_features_
        if names is not None:
            chosen.feature_names_in_ = np.asarray(names, dtype=object)
        return chosen

    @property
    def reads_in_pieces(self):
        """Whether data in files are processed in pieces; other methods load all of them."""
        return self._distributes

    def _get_support_mask(self):
        check_is_fitted(self)
        return self.support_

    def _graph(self, data):
        """Affinity matrix of the samples, from the options of the estimator."""
        build = partial(
            build_graph,
            data,
            n_neighbors=self.n_neighbors,
            n_jobs=self.n_jobs,
        )
        A = build(affinity=self.affinity)
        if self.scale == "auto" and A.nnz == 0 and isinstance(self.affinity, str):
            return build(affinity="heat")  # a few rows around their median have no positive cosine
        return A

    @property
    def _most_iterations(self):
        return self.max_iter

    def _monitor(self):
        """The Monitor of an iterative method."""
        return Monitor(
            tol=self.tol,
            max_iter=self._most_iterations,
            callback=self.callback,
            verbose=self.verbose,
            title=type(self).__name__,
        )

    def _report(self, result, *, warns=True):
        """Publish what an iterative solver reached, and warn if it did not converge."""
        self.objective_trace_ = result.trace
        self.n_iter_ = result.n_iter
        self.converged_ = result.converged
        if warns and result.status in _WHY_STOPPED:
            why, advice = _WHY_STOPPED[result.status]
            warn(
                f"{type(self).__name__} stopped after {result.n_iter} iterations: {why} (objective "
                f"{result.trace[-1]:.6g}, last relative change {result.last_change:.1e}, tol "
                f"{self.tol:.1e}). The ranking is that of an unfinished fit; {advice}, or increase "
                "tol",
                ConvergenceWarning,
            )
