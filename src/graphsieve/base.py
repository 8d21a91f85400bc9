"""FeatureRanker: what all methods share, from the input to the names of the kept columns."""

from __future__ import annotations

import math
from copy import copy
from dataclasses import KW_ONLY, dataclass
from functools import partial
from importlib import import_module
from importlib.metadata import version
from numbers import Integral, Real
from pathlib import Path
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from ._explain import Reconstructor, coverage_table, why_dropped, why_kept
from ._graph.affinity import AFFINITIES, build_graph
from ._linear.forward import Rules
from ._linear.how_many import gain_curve, rows_are_ordered, shifted
from ._linear.regression import Regression, added, coverage_curve
from ._rows import (
    Rows,
    check_columns,
    check_container,
    check_entries,
    is_constant,
    is_dask,
    is_lazy,
    known_frame,
    numeric_frame,
    open_rows,
    take_columns,
)
from ._rows.samples import Sample, centre_within, check_groups, check_names, draw_rows, read_sample
from ._utils.messages import warn
from ._utils.monitor import Monitor, Result, last_change
from ._utils.names import count_features, find_columns
from ._utils.sklearn_private import Interval, RealNotInt, StrOptions, fit_context
from ._utils.threads import available_memory
from .selection import Selection, as_json, fingerprint, plain_name, settings

# Weights of penalties, which may have squared units of the data.
POSITIVE = Interval(Real, 0, 1e300, closed="right")
NON_NEGATIVE = Interval(Real, 0, 1e300, closed="both")
_COUNT = Interval(Integral, 1, None, closed="left")
_COLUMNS = ["array-like", str, Integral, None]
INCLUDE_CONSTRAINTS = {"include": _COLUMNS, "exclude": _COLUMNS}

# Bytes beyond three times the data from which a fit may warn, and bytes that every machine has.
_MUCH_MEMORY, _LITTLE_MEMORY = 5e8, 1e7
# Bytes per feature: statistics of the columns, scores and names. Per neighbour of every sample:
# the graph and the matrices made from it take 120 (8,000 samples, 40 neighbours).
_COLUMN_BYTES = 100.0
_EDGE_BYTES = 150.0

# Fitted attributes that the report shows, if a method has them.
_SHOWN = (
    *("gains_", "predictability_", "r2_", "frequency_", "stability_"),
    *("objective_trace_", "converged_"),
)

# What the solver met instead of convergence, and what to do about it.
_WHY_STOPPED = {
    "max_iter": ("it reached max_iter", "increase max_iter"),
    "stalled": ("the line search found no further decrease", 'try dtype="float64"'),
}


@dataclass(frozen=True)
class Given:
    """Positions to include, a mask to exclude, and the rules of greedy methods, for one fit."""

    include: np.ndarray
    exclude: np.ndarray
    rules: Rules | None = None


@dataclass(eq=False, repr=False)
class FeatureRanker(SelectorMixin, BaseEstimator):
    """Base class of all methods.

    A subclass defines ``_parameter_constraints`` and ``_rank(data)``, which takes Rows and returns
    one finite score per feature, higher is better. ``_accepts_sparse`` says whether CSR input
    works, ``_distributes`` whether the data may be on a Dask cluster, ``_accepts_gaps`` whether X
    may contain NaN, which ``_rank`` finds filled, ``_n_copies`` how many copies of X it makes, and
    ``_own_memory`` what memory it needs besides.

    Parameters
    ----------
    n_features_to_select : int, float, "auto", list or None, default=None
        Number of features to keep, or a fraction in (0, 1] of them. If "auto", as many as add more
        to those before them than they would to shuffled columns; if None, half of the features.
        With a list of numbers, the largest is selected, and ``nested_supports_`` has all of them.
    include, exclude : list of str or int, mask or None, default=None
        Features that are always kept, and features that are never kept: names, patterns of names,
        positions or a mask. A text that starts with ``^`` is a regular expression for the
        beginning of a name (``"^(MT-|RP[SL])"``), one with ``*`` or ``?`` a pattern for all of it
        (``"MT-*"``). Included features come first, in the order given, and count as selected.

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
            _COUNT,
            Interval(RealNotInt, 0, 1, closed="right"),
            StrOptions({"auto"}),
            "array-like",
            None,
        ],
        **INCLUDE_CONSTRAINTS,
    }
    # Of parameters that many methods share; see ``with_shared_parameters``.
    _shared_constraints = {
        "n_neighbors": [_COUNT],
        "affinity": [StrOptions(set(AFFINITIES)), callable, "array-like", "sparse matrix"],
        "scale": [StrOptions({"auto", "standard", "minmax", "global"}), None],
        "max_iter": [_COUNT],
        "tol": [Interval(Real, 0, None, closed="left")],
        "verbose": ["verbose"],
        "callback": [callable, None],
        "n_jobs": [Interval(Integral, None, -1, closed="right"), _COUNT, None],
        "n_components": [_COUNT],
        "n_nonzero": [_COUNT],
        "alpha": [POSITIVE, None],
        "graph_weight": [NON_NEGATIVE],
        "random_state": ["random_state"],
    }
    _accepts_sparse = False
    _accepts_gaps = False
    _distributes = False
    _n_copies = 0
    _memory_advice = (
        "Fit a random subset of the samples, leave out columns, or use a method whose memory does "
        "not grow with the square of the data: GraphSieve, GreedyCSS, LaplacianScore or Variance"
    )

    n_features_to_select: Any = None
    _: KW_ONLY
    include: Any = None
    exclude: Any = None

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self._accepts_sparse
        tags.input_tags.allow_nan = self._accepts_gaps
        return tags

    @fit_context
    def fit(self, X: Any, y: Any = None, *, groups: Any = None) -> Self:
        """Rank the columns of ``X``.

        Parameters
        ----------
        X : container of shape (n_samples, n_features)
            An array, data frame, xarray or CSR matrix; a memory map,
            ``pyarrow.parquet.ParquetFile`` or ``zarr.Array``, which are read in pieces; a Dask
            array or data frame, which is processed on the connected cluster; with scikit-learn's
            ``array_api_dispatch`` an array of another library, which is converted.
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
        for name in before:
            if name.endswith("_") and not name.startswith("_"):
                delattr(self, name)  # nothing of an earlier fit remains
        try:
            self._fit(X, groups)
        except BaseException:
            # After an error or Ctrl-C the estimator is as before, never half fitted.
            self.__dict__.clear()
            self.__dict__.update(before)
            raise
        return self

    def _fit(self, X: Any, groups: Any) -> None:
        data = self._open(X, reset=True)
        self._check_rows(data)
        self._check_memory(data)
        self._given = given = self._resolve()
        self._check_constraints()
        data = check_entries(data, self._column_name, allow_gaps=self._accepts_gaps)
        n_batches = 0 if groups is None else len(check_groups(groups, data.n_samples, X)[0])
        self._fingerprint = fingerprint(data) | {"n_batches": n_batches}
        ranked = data if groups is None else self._batches(data, groups)
        scores = np.asarray(self._rank(ranked), dtype=np.float64)
        constant = self._find_constant(ranked)
        if constant.all():
            warn("all columns of X are constant: they are ranked in their order in X")
        # A constant column carries no information, whatever score the method gave it.
        scores[constant] = min(scores.min(), 0.0)
        self.scores_ = scores
        place = np.full(len(scores), len(given.include))
        place[given.include] = np.arange(len(given.include))
        # Included features, the others, constant ones, excluded ones; ties by the order of columns.
        self._order(np.lexsort((-scores, constant, given.exclude, place)))
        self._keep_first(self._count_features(ranked))
        if isinstance(self.n_features_to_select, list | tuple | np.ndarray):
            self.nested_supports_ = {
                n: self.ranking_ <= self._most_whole(min(n, self.n_features_))
                for n in self._all_counts(self.n_features_in_)
            }
            n, support = next(iter(self.nested_supports_.items()))
            if not support.any():
                too_small = f"the first group of columns is larger than {n}"
                raise ValueError(f"{too_small}: leave {n} out of n_features_to_select")
        self._complete()

    def _order(self, order: np.ndarray) -> None:
        self.order_, self.ranking_ = order, np.argsort(order) + 1

    def _keep_first(self, n_features: int) -> None:
        self.n_features_ = int(n_features)
        self.support_ = self.ranking_ <= self.n_features_

    def _rank(self, data: Rows) -> np.ndarray:
        raise NotImplementedError

    def _complete(self) -> None:
        """What a method adds once the features are selected."""

    def _batches(self, data: Rows, groups: Any) -> Rows:
        return centre_within(data, check_groups(groups, data.n_samples)[1])

    def _find_constant(self, data: Rows) -> np.ndarray:
        return is_constant(*data.column_range())

    # What the input may be.

    def _open(self, X: Any, *, reset: bool) -> Rows:
        if is_lazy(X):
            self._check_lazy(X, reset=reset)
            return open_rows(X)
        check_container(X)
        X = numeric_frame(known_frame(X))
        self._check_labels(X, reset=reset)
        kinds = {"accept_sparse": "csr" if self._accepts_sparse else False, "dtype": "numeric"}
        limits = {"ensure_all_finite": False, "ensure_min_samples": 2}
        return open_rows(validate_data(self, X, reset=reset, **kinds, **limits))

    def _check_lazy(self, X: Any, *, reset: bool) -> None:
        if reset and is_dask(X) and not self._distributes:
            raise TypeError(
                f"{type(self).__name__} needs all data at once, not a Dask collection. "
                "Pass X.compute() if it fits in memory, or use a method that works on pieces: "
                "GraphSieve, GAFS, AEFS, LaplacianScore, GreedyCSS, Variance or RandomRanker"
            )
        n_features, names = check_columns(X)
        if names is not None and not all(isinstance(name, str) for name in names):
            names = None
        if reset:
            self.n_features_in_ = n_features
            if names is not None:
                self.feature_names_in_ = names
        elif n_features != self.n_features_in_:
            raise ValueError(
                f"X has {n_features} features, but {type(self).__name__} is expecting "
                f"{self.n_features_in_} features as input"
            )
        self._check_labels(X, reset=reset)
        check_names(names, getattr(self, "feature_names_in_", None))

    def _check_rows(self, data: Rows) -> None:
        name = type(self).__name__
        if data.n_samples < 2 or data.n_features < 1:
            raise ValueError(
                f"{name} needs at least 2 samples and 1 feature: X has {data.n_samples} samples "
                f"and {data.n_features} features"
            )
        if data.is_sparse and not self._accepts_sparse:
            raise TypeError(f"{name} needs dense data, but the chunks of X are sparse")

    def _own_memory(self, n_samples: int, n_features: int) -> float:
        return 0.0

    def _estimate_memory(self, n_samples: int, n_features: int) -> float:
        edges = _EDGE_BYTES * n_samples * getattr(self, "n_neighbors", 0)
        return self._own_memory(n_samples, n_features) + _COLUMN_BYTES * n_features + edges

    def _check_memory(self, data: Rows) -> None:
        n_samples, n_features = data.n_samples, data.n_features
        needed = self._estimate_memory(n_samples, n_features)
        if not data.in_memory and not self._distributes:
            needed += data.size()
        if data.in_memory or not self._distributes:  # otherwise it works in pieces
            floats = 8.0 * n_samples * n_features
            needed += self._n_copies * (data.size() if data.is_sparse else floats)
        if needed < _LITTLE_MEMORY:
            return  # asking the system takes as long as a small fit
        limit, much = available_memory(), _MUCH_MEMORY + 3 * data.size()
        message = (
            f"{type(self).__name__} needs about {needed / 1e9:,.1f} GB of memory for "
            f"{n_samples:,} samples and {n_features:,} features, "
        )
        if needed > limit:
            raise MemoryError(
                f"{message}but only {limit / 1e9:,.1f} GB are available. {self._memory_advice}"
            )
        if needed > max(much, limit / 4):
            warn(
                f"{message}more than three times the data plus 0.5 GB ({much / 1e9:,.1f} GB) and a "
                f"quarter of the {limit / 1e9:,.1f} GB available: the fit will be slow, and may "
                f"fail if other programs need the memory. {self._memory_advice}"
            )

    # Names of columns. They may be other than text, such as integers or tuples of a MultiIndex,
    # and are then kept in ``_labels_seen``: ``feature_names_in_`` knows only text.

    def _check_labels(self, X: Any, *, reset: bool = False) -> None:
        columns = X.columns if hasattr(X, "iloc") and hasattr(X, "columns") else None
        if reset:
            is_text = columns is None or all(isinstance(name, str) for name in columns)
            self._labels_seen = None if is_text else columns
        known = self._labels_seen
        if known is None or columns is None or len(columns) != len(known):
            return
        if columns.tolist() == known.tolist():
            return
        if _has_default_names(columns):
            warn(
                f"the columns of X have no names, but {type(self).__name__} was fitted with names: "
                "they are taken by position"
            )
        elif not _has_default_names(known) or set(columns) == set(known):
            check_names(columns.tolist(), known.tolist())

    def _names(self) -> Any:
        labels = getattr(self, "_labels_seen", None)
        return getattr(self, "feature_names_in_", None) if labels is None else labels

    def _names_to_find(self) -> list | None:
        names = self._names()
        return None if names is None or _has_default_names(names) else names.tolist()

    def _labels_in(self) -> list:
        names = self._names()
        return list(range(self.n_features_in_)) if names is None else names.tolist()

    def _column_name(self, column: int) -> Any:
        label = self._labels_in()[column]
        return repr(label) if isinstance(label, str) else label

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """Names of the selected features.

        Parameters
        ----------
        input_features : array-like of str or None, default=None
            Names of all features; None for those seen in ``fit``, or x0, x1, ... without names.

        Returns
        -------
        ndarray
            Names as the data frame had them: text, integers, or a MultiIndex.
        """
        check_is_fitted(self)
        if input_features is not None or self._labels_seen is None:
            return super().get_feature_names_out(input_features)
        selected = self._labels_seen[self.get_support()]
        return selected if selected.nlevels > 1 else selected.to_numpy()

    # Which features are kept by request, and how many.

    def _resolve(self) -> Given:
        d, names = self.n_features_in_, self._names_to_find()
        find = partial(find_columns, n_features=d, names=names, labels=self._labels_in())
        include = find(self.include, parameter="include")
        exclude = np.zeros(d, dtype=bool)
        exclude[find(self.exclude, parameter="exclude")] = True
        return self._checked(include, exclude)

    def _checked(self, include: list[int], exclude: np.ndarray) -> Given:
        if both := [j for j in include if exclude[j]]:
            raise ValueError(
                f"column {self._column_name(both[0])} is in both include and exclude: remove it "
                "from one of them"
            )
        if exclude.all():
            raise ValueError("exclude names all columns: leave at least one to select")
        return Given(np.array(include, dtype=int), exclude)

    def _check_constraints(self) -> None:
        self._wanted_count(self.n_features_in_)

    def _wanted_count(self, n_features: int) -> int | None:
        """Number of features to keep, None for "auto"; an error if the constraints forbid it."""
        most = n_features - int(np.count_nonzero(self._given.exclude))
        return self._count_within(len(self._given.include), most, n_features)

    def _count_within(self, least: int, most: int, n_features: int) -> int | None:
        wanted = self.n_features_to_select
        if isinstance(wanted, str):
            return None
        if wanted is None:
            return int(np.clip(count_features(None, n_features), least, most))
        counts = self._all_counts(n_features)
        fewest, count = counts[0], counts[-1]
        if fewest < least:
            raise ValueError(
                f"include has {least} columns, but n_features_to_select={wanted} keeps {fewest}. "
                f"n_features_to_select also counts the included columns: use {least} or more"
            )
        if count > most:
            raise ValueError(
                f"n_features_to_select={wanted} is {count} columns, but the constraints leave "
                f"only {most}: use {most} or fewer, or relax the constraints"
            )
        return count

    def _all_counts(self, n_features: int) -> list[int]:
        wanted = self.n_features_to_select
        if not isinstance(wanted, list | tuple | np.ndarray):
            wanted = [wanted]
        if len(wanted) == 0:
            raise ValueError("n_features_to_select is an empty list: give one number or more")
        for entry in wanted:
            if entry is not None and (isinstance(entry, bool) or not isinstance(entry, Real)):
                raise ValueError(
                    f"n_features_to_select has the entry {entry!r}: a list holds numbers or "
                    "fractions of features only"
                )
        return sorted({count_features(entry, n_features) for entry in wanted})

    def _count_features(self, data: Rows) -> int:
        count = self._wanted_count(data.n_features)
        if count is not None:
            return count
        rows = draw_rows(data).values
        predictability = getattr(self, "predictability_", None)
        self.gain_curve_ = gain_curve(rows, self.order_, predictability=predictability)
        found = self.gain_curve_.n_features
        if found > 1 and rows_are_ordered(rows):
            n_shifted = gain_curve(rows, self.order_, (shifted,), predictability).n_features
            if n_shifted < found:
                warn(
                    f'n_features_to_select="auto" keeps {found} features, but every row resembles '
                    "the row before it, as in a time series, and the count assumes rows in any "
                    f"order. Compared with columns shifted in time, {max(1, n_shifted)} would be "
                    "kept: pass a number of features"
                )
        if found == 0:
            warn(
                'n_features_to_select="auto" keeps one feature: none explains more of the others '
                "than it would of shuffled columns. Pass a number to keep more features"
            )
        return int(self.gain_curve_.suggested(*self._allowed()))

    def _allowed(self) -> tuple[int, int]:
        return max(1, len(self._given.include)), int(np.count_nonzero(~self._given.exclude))

    def _most_whole(self, n_features: int) -> int:
        return n_features

    def set_n_features(self, n_features: int) -> Self:
        """Select another number of features, without fitting again.

        Greedy methods pick one feature after the other, up to the largest number that ``fit`` was
        asked for; more than these ``n_exact_`` features need another fit.

        Parameters
        ----------
        n_features : int
            Number of features to keep.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        check_is_fitted(self)
        if not isinstance(n_features, Integral) or isinstance(n_features, bool):
            raise TypeError(f"n_features must be a whole number, got {n_features!r}")
        self._check_prefix(int(n_features))
        self._keep_first(n_features)
        return self

    def _check_prefix(self, n_features: int) -> None:
        least, most = self._allowed()
        if not least <= n_features <= most:
            raise ValueError(
                f"n_features={n_features} is not between {least} and {most}, the numbers of "
                "features that the data and the constraints allow"
            )
        exact = getattr(self, "n_exact_", None)
        if exact is not None and n_features > max(exact, self.n_features_):
            raise ValueError(
                f"{type(self).__name__} has picked {exact} features one by one, and the order of "
                f"the others is an estimate: fit with n_features_to_select={n_features} or more, "
                f"or take order_[:{n_features}] as an approximation"
            )

    def _get_support_mask(self) -> np.ndarray:
        check_is_fitted(self)
        return self.support_

    # What is done with a selection.

    @property
    def plot(self) -> Any:
        """Plots of the fitted selector: ``curve``, ``gains``, ``scores``, ``coverage``, ``mask``,
        ``groups``."""
        return import_module(".plots", __package__).SelectionPlots(self)

    @property
    def report(self) -> Any:
        """``report(X, path=None)`` makes an interactive page about the selection."""
        return partial(import_module(".report", __package__).make_report, self)

    def transform(self, X: Any) -> Any:
        """Reduce ``X`` to the selected features.

        Parameters
        ----------
        X : container of shape (n_samples, n_features)
            As in ``fit``.

        Returns
        -------
        X_selected : container of shape (n_samples, n_features_)
            The selected columns: a lazy collection for Dask input, otherwise an array or what
            ``set_output`` asks for.
        """
        check_is_fitted(self)
        if is_lazy(X):
            self._check_lazy(X, reset=False)
            return take_columns(X, self.get_support(indices=True))
        check_container(X)
        X = known_frame(X)
        self._check_labels(X)
        return super().transform(X)

    def coverage(self, X: Any, *, groups: Any = None) -> Any:
        """Which kept features predict every dropped one, and how well.

        Parameters
        ----------
        X : container of shape (n_samples, n_features)
            The data that the selector was fitted on; at most 2,000 rows are used. A missing value
            counts as the mean of its feature.
        groups : array-like of shape (n_samples,), default=None
            Batch of every sample, if the selector was fitted with them. The columns are then
            centred within every batch.

        Returns
        -------
        pandas.DataFrame
            One row for every dropped feature (``feature``) and every one, of at most five, that
            matters for its prediction (``kept``). ``r2`` is the fraction of the variance of the
            dropped feature that all kept ones predict on left-out samples; ``weight`` the
            coefficient of the kept feature in the units of the data; ``importance`` its absolute
            weight for columns of unit variance, relative to the sum over all. A feature that is
            not predicted has one row without a kept feature. A dict of columns without pandas.
        """
        learned, dropped, kept = self._regression(X, groups)
        return coverage_table(learned, dropped, kept, self._labels_in())

    def explain(self, X: Any, feature: str | int, *, groups: Any = None) -> str:
        """Say in words why a feature was kept or dropped.

        Parameters
        ----------
        X : container of shape (n_samples, n_features)
            The data that the selector was fitted on, as in ``coverage``.
        feature : str or int
            Name or position of the feature.
        groups : array-like of shape (n_samples,), default=None
            Batch of every sample, as in ``coverage``.

        Returns
        -------
        str
            One or two sentences.
        """
        check_is_fitted(self)
        one = np.ndim(feature) == 0 or isinstance(feature, tuple)
        wanted, known = [feature] if one else None, self._names_to_find()
        found = find_columns(wanted, self.n_features_in_, known, parameter="explain")
        if len(found) != 1:
            raise TypeError(
                "explain takes the name or the position of one feature; coverage(X) has all "
                "dropped features"
            )
        j, sample = found[0], self._sample(X, groups)
        if self.support_[j]:
            steps = [self.ranking_[j] - 1, self.ranking_[j]]
            adds = added(coverage_curve(sample.values, self.order_, steps).coverage)[1]
            return why_kept(self, j, sample, adds, j in self._given.include)
        return why_dropped(self, j, sample, self._given.exclude[j])

    def reconstructor(self, X: Any, *, groups: Any = None) -> Reconstructor:
        """Learn to predict the dropped features from the kept ones.

        Parameters
        ----------
        X : container of shape (n_samples, n_features)
            The data that the selector was fitted on, as in ``coverage``.
        groups : array-like of shape (n_samples,), default=None
            Batch of every sample, as in ``coverage``.

        Returns
        -------
        Reconstructor
            ``predict(sel.transform(X))`` returns the dropped features, in the order of the table.
        """
        learned, dropped, _ = self._regression(X, groups)
        names = getattr(self, "feature_names_in_", None)
        kept_names = None if names is None else names[self.support_]
        names = np.array([f"x{j}" for j in range(self.n_features_in_)], dtype=object)
        names = names if self._names() is None else self._names()
        return Reconstructor(learned, kept_names, names[dropped])

    def _sample(self, X: Any, groups: Any = None) -> Sample:
        check_is_fitted(self)
        names = getattr(self, "feature_names_in_", None)
        how = {"groups": groups, "n_batches": self._fingerprint["n_batches"]}
        sample: Sample = read_sample(X, self.n_features_in_, names, **how)
        return sample

    def _regression(self, X: Any, groups: Any) -> tuple[Regression, np.ndarray, np.ndarray]:
        values = self._sample(X, groups).values
        dropped, kept = np.flatnonzero(~self.support_), np.flatnonzero(self.support_)
        return Regression(values, kept, dropped), dropped, kept

    def save(self, path: str | Path) -> None:
        """Save the selection to a JSON file, for ``Selection.load(path).transform(X)``.

        Parameters
        ----------
        path : str or path
            An existing file is replaced.
        """
        self.to_selection().save(path)

    def to_selection(self) -> Selection:
        """The outcome of the fit, without the selector.

        Returns
        -------
        Selection
            Kept columns, scores and settings, ready to be saved as JSON.
        """
        check_is_fitted(self)
        names = self._names()
        if names is not None and _has_default_names(names):
            names = None
        packages = "graphsieve", "numpy", "scipy", "scikit-learn"
        return Selection(
            kept=np.flatnonzero(self.support_).tolist(),
            n_features_in=int(self.n_features_in_),
            feature_names_in=None if names is None else [plain_name(name) for name in names],
            order=self.order_.tolist(),
            scores=self.scores_.tolist(),
            method=type(self).__name__,
            parameters={name: as_json(value) for name, value in settings(self).items()},
            fingerprint=self._fingerprint | {"n_exact": getattr(self, "n_exact_", None)},
            versions={name: version(name) for name in packages},
            fitted={"allowed": list(self._allowed())}
            | {n: as_json(getattr(self, n), math.inf) for n in _SHOWN if hasattr(self, n)},
        )

    def with_selection(self, order: Any, n_features: int, *, names: Any = None) -> FeatureRanker:
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
        chosen._order(np.array(order))
        chosen._keep_first(n_features)
        if names is not None:
            chosen.feature_names_in_ = np.asarray(names, dtype=object)
        return chosen

    @property
    def reads_in_pieces(self) -> bool:
        """Whether data in files are processed in pieces; other methods load all of them."""
        return self._distributes

    # What methods with a neighbour graph share, and those with an iterative solver.

    def _graph(self, data: Rows) -> sp.csr_array:
        build = partial(build_graph, data, n_neighbors=self.n_neighbors, n_jobs=self.n_jobs)
        A = build(affinity=self.affinity)
        if self.scale == "auto" and A.nnz == 0 and isinstance(self.affinity, str):
            # A few rows around their median have no positive cosine.
            return build(affinity="heat", n_neighbors=min(self.n_neighbors, data.n_samples - 1))
        return A

    @property
    def _most_iterations(self) -> Any:
        return self.max_iter

    def _monitor(self) -> Monitor:
        return Monitor(
            tol=self.tol,
            max_iter=self._most_iterations,
            callback=self.callback,
            verbose=self.verbose,
            title=type(self).__name__,
        )

    def _report(self, result: Result, *, warns: bool = True) -> None:
        self.objective_trace_ = result.trace
        self.n_iter_ = result.n_iter
        self.converged_ = result.converged
        if warns and result.status in _WHY_STOPPED:
            why, advice = _WHY_STOPPED[result.status]
            warn(
                f"{type(self).__name__} stopped after {result.n_iter} iterations: {why} (objective "
                f"{result.trace[-1]:.6g}, last relative change {last_change(result.trace):.1e}, "
                f"tol {self.tol:.1e}). The fit is unfinished; {advice}, or increase tol",
                ConvergenceWarning,
            )


def _has_default_names(columns: Any) -> bool:
    return list(columns) == list(range(len(columns)))
