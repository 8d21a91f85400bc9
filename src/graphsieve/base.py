"""FeatureRanker: what all methods share, from validation to the names of the kept columns."""

from numbers import Integral, Real

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from ._graph.affinity import AFFINITIES
from ._linear.ridge import fit_rebuild
from ._rows import (
    check_columns,
    find_non_finite,
    is_constant,
    is_dask,
    is_lazy,
    open_rows,
    take_columns,
)
from ._solvers import Monitor
from ._utils.order import count_features, knee, order_by_score
from ._utils.sklearn_private import Interval, StrOptions, fit_context
from ._utils.warn import warn

GRAPH_CONSTRAINTS = {
    "n_neighbors": [Interval(Integral, 1, None, closed="left")],
    "affinity": [StrOptions(set(AFFINITIES)), callable, "array-like", "sparse matrix"],
}
ITERATION_CONSTRAINTS = {
    "max_iter": [Interval(Integral, 1, None, closed="left")],
    "tol": [Interval(Real, 0, None, closed="left")],
    "verbose": ["verbose"],
    "callback": [callable, None],
}
# What the solver met instead of convergence, and what to do about it.
_WHY_STOPPED = {
    "max_iter": ("it reached max_iter", "increase max_iter"),
    "stalled": ("the line search found no further decrease", 'try dtype="float64"'),
}


class FeatureRanker(SelectorMixin, BaseEstimator):
    """Base of all methods: ``_rank`` gives a score to every column, the rest is here.

    A subclass sets ``_parameter_constraints``, ``_accepts_sparse`` where CSR input works,
    ``_distributes`` where the data may be on a Dask cluster, and ``_rank(data)``, which takes Rows
    and returns one finite score per feature, higher is better. Constant columns need no care
    there: they always come last.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        Higher is better.
    order_ : ndarray of shape (n_features,)
        All features, best first: one fit serves every number of features.
    ranking_ : ndarray of shape (n_features,)
        1 for the best feature.
    n_features_ : int
        Number of features kept.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,)
        Set when the input has string column names.
    """

    _parameter_constraints = {
        "n_features_to_select": [
            Interval(Integral, None, None, closed="neither"),
            Interval(Real, None, None, closed="neither"),
            StrOptions({"auto"}),
            None,
        ],
    }
    _accepts_sparse = False
    _distributes = False

    def __init__(self, n_features_to_select=None):
        self.n_features_to_select = n_features_to_select

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self._accepts_sparse
        return tags

    @fit_context
    def fit(self, X, y=None):
        """Rank the columns of ``X``.

        Parameters
        ----------
        X : container of shape (n_samples, n_features)
            An array, data frame or CSR matrix; a memory map, ``pyarrow.parquet.ParquetFile`` or
            ``zarr.Array``, read piece by piece; a Dask array or data frame, on the cluster that is
            connected; with ``sklearn.set_config(array_api_dispatch=True)`` a torch or CuPy array.
        y : ignored
            Present for scikit-learn's pipelines.

        Returns
        -------
        self
        """
        before = dict(vars(self))
        try:
            self._fit(X)
        except BaseException:
            # An error or Ctrl-C leaves the estimator as it was, never half fitted.
            vars(self).clear()
            vars(self).update(before)
            raise
        return self

    def _fit(self, X):
        if is_dask(X) and not self._distributes:
            raise TypeError(
                f"{type(self).__name__} needs all data at once and cannot work on Dask "
                "collections. Pass X.compute() if that fits in memory, or use a method that goes "
                "through the data in pieces: GAFS, AEFS, LaplacianScore, GreedyCSS, Variance "
                "or RandomRanker"
            )
        if is_lazy(X):
            self._check_lazy(X, reset=True)
        else:
            X = validate_data(
                self,
                X,
                accept_sparse="csr" if self._accepts_sparse else False,
                dtype="numeric",
                ensure_all_finite=False,
                ensure_min_samples=2,
            )
        n_features = self._check_count(self.n_features_in_)
        data = open_rows(X)
        self._check_rows(data)
        constant = self._check_columns(data)
        scores = np.asarray(self._rank(data), dtype=np.float64)
        # A constant column says nothing, whatever the method made of it.
        scores[constant] = min(scores.min(), 0.0)
        self.scores_ = scores
        self.order_ = order_by_score(scores, constant)
        self.ranking_ = np.empty_like(self.order_)
        self.ranking_[self.order_] = np.arange(1, len(scores) + 1)
        self.n_features_ = n_features or knee(self._knee_curve())
        self._train = X
        vars(self).pop("_rebuild", None)

    def _rank(self, data):
        raise NotImplementedError

    def _check_lazy(self, X, *, reset):
        """What scikit-learn's ``validate_data`` does for arrays: number and names of columns."""
        n_features, names = check_columns(X)
        if names is not None and not all(isinstance(name, str) for name in names):
            names = None
        if reset:
            vars(self).pop("feature_names_in_", None)
            if names is not None:
                self.feature_names_in_ = names
            self.n_features_in_ = n_features
            return
        if n_features != self.n_features_in_:
            raise ValueError(
                f"X has {n_features} features, but {type(self).__name__} is expecting "
                f"{self.n_features_in_} features as input"
            )
        known = getattr(self, "feature_names_in_", None)
        if names is not None and known is not None and (names != known).any():
            raise ValueError(
                "the columns of X must have the names and the order that they had in fit; the "
                f"first that differs is {names[names != known][0]!r}"
            )

    def _check_rows(self, data):
        """An error for data that the method cannot take, before any work."""
        name = type(self).__name__
        if data.n_samples < 2 or data.n_features < 1:
            raise ValueError(
                f"{name} needs at least 2 samples and 1 feature: X has {data.n_samples} samples "
                f"and {data.n_features} features"
            )
        if data.is_sparse and not self._accepts_sparse:
            raise TypeError(f"{name} needs dense data, and the chunks of X are sparse")

    def _check_count(self, n_features):
        if isinstance(self.n_features_to_select, str):
            return None
        return count_features(self.n_features_to_select, n_features)

    def _check_columns(self, data):
        """Mask of the constant columns; an error for NaN or infinity that says where."""
        low, high = data.column_range()
        if not (np.isfinite(low).all() and np.isfinite(high).all()):
            row, column = find_non_finite(data)
            raise ValueError(
                f"X contains NaN or infinity: row {row}, column {self._column_name(column)}. "
                "Drop or fill such entries first, for instance with sklearn.impute.SimpleImputer"
            )
        return is_constant(low, high)

    def _column_name(self, column):
        names = getattr(self, "feature_names_in_", None)
        return column if names is None else repr(str(names[column]))

    def _knee_curve(self):
        """Decreasing curve on which ``n_features_to_select="auto"`` looks for the knee."""
        return self.scores_[self.order_]

    def transform(self, X):
        """The kept columns of ``X``.

        Parameters
        ----------
        X : container of shape (n_samples, n_features)
            As in ``fit``.

        Returns
        -------
        X_selected : container of shape (n_samples, n_features_)
            Of the same kind, and lazy, for Dask collections; an array for Parquet and Zarr.
        """
        if not is_lazy(X):
            return super().transform(X)
        check_is_fitted(self)
        self._check_lazy(X, reset=False)
        return take_columns(X, self.get_support(indices=True))

    def _get_support_mask(self):
        check_is_fitted(self)
        mask = np.zeros(self.n_features_in_, dtype=bool)
        mask[self.order_[: self.n_features_]] = True
        return mask

    def reconstruct(self, X_selected):
        """All features, from the selected ones: ridge regression learned on the training data.

        Parameters
        ----------
        X_selected : array of shape (n_samples, n_features_)
            What ``transform`` returns.

        Returns
        -------
        X : ndarray of shape (n_samples, n_features_in_)
            The selected columns as they are, the others as far as the selected tell them.
        """
        check_is_fitted(self)
        X_selected = np.asarray(
            X_selected.toarray() if hasattr(X_selected, "toarray") else X_selected, dtype=float
        )
        if X_selected.ndim != 2 or X_selected.shape[1] != self.n_features_:
            raise ValueError(
                f"reconstruct takes the {self.n_features_} selected columns as transform returns "
                f"them, got an array of shape {X_selected.shape}"
            )
        kept = self.get_support()
        X = np.empty((len(X_selected), self.n_features_in_))
        X[:, kept] = X_selected
        if not hasattr(self, "_rebuild"):
            self._rebuild = self._learn_rebuild(kept)
        X[:, ~kept] = self._rebuild.predict(X_selected)
        return X

    def _learn_rebuild(self, kept):
        # On first use: with many columns it costs more than most rankings.
        if not hasattr(self, "_train"):
            raise AttributeError(
                "reconstruct learns from the training data, which a pickle does not carry: "
                "call reconstruct once before pickling, or fit again"
            )
        return fit_rebuild(open_rows(self._train), kept)

    def __getstate__(self):
        state = dict(super().__getstate__())
        state.pop("_train", None)
        return state

    def _monitor(self):
        """The Monitor of an iterative method."""
        return Monitor(
            tol=self.tol,
            max_iter=self.max_iter,
            callback=self.callback,
            verbose=self.verbose,
            title=type(self).__name__,
        )

    def _report(self, result):
        """Publish what an iterative solver reached, and warn where it did not converge."""
        self.objective_trace_ = result.trace
        self.n_iter_ = result.n_iter
        self.converged_ = result.converged
        if result.status in _WHY_STOPPED:
            why, advice = _WHY_STOPPED[result.status]
            warn(
                f"{type(self).__name__} stopped after {result.n_iter} iterations: {why} (objective "
                f"{result.trace[-1]:.6g}, last relative change {result.last_change:.1e}, tol "
                f"{self.tol:.1e}). The ranking is that of an unfinished fit; {advice}, or increase "
                "tol",
                ConvergenceWarning,
            )
