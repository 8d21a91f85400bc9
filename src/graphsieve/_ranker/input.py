"""The input of a method: what it may be, the names of its columns, and the memory it takes."""

from sklearn.utils.validation import check_is_fitted, validate_data

from .._rows import (
    Rows,
    check_columns,
    check_container,
    is_dask,
    is_lazy,
    is_xarray,
    known_frame,
    numeric_frame,
    open_rows,
)
from .._utils.memory import available_memory
from .._utils.warn import warn

# Bytes beyond three times the data from which a fit warns before it starts.
_MUCH_MEMORY = 5e8
# Bytes per feature: statistics of the columns, scores and names. Per neighbour of every sample:
# the graph and the matrices made from it take 120 (8,000 samples, 40 neighbours).
_COLUMN_BYTES = 100.0
_EDGE_BYTES = 150.0


class ReadsInput:
    """Mixin that turns X into Rows, remembers its names, and refuses what a method cannot process.

    Names of columns may be other than text, such as integers or tuples of a MultiIndex;
    scikit-learn's ``feature_names_in_`` knows only text.
    """

    _accepts_sparse = False
    _accepts_gaps = False
    _distributes = False
    _n_copies = 0
    _memory_advice = (
        "Fit a random subset of the samples, leave out columns, or use a method whose memory does "
        "not grow with the square of the data: GraphSieve, GreedyCSS, LaplacianScore or Variance"
    )

    def _open(self, X, *, reset) -> Rows:
        """Rows of the validated input."""
        if is_lazy(X):
            self._check_lazy(X, reset=reset)
            return open_rows(X)
        check_container(X)
        if reset:
            self._remember_dims(X)
        X = numeric_frame(known_frame(self._oriented(X)))
        if reset:
            self._remember_labels(X)
        else:
            self._check_labels(X)
        X = validate_data(
            self,
            X,
            accept_sparse="csr" if self._accepts_sparse else False,
            dtype="numeric",
            ensure_all_finite=False,
            ensure_min_samples=2,
            reset=reset,
        )
        return open_rows(X)

    def _check_lazy(self, X, *, reset):
        """Check number and names of columns, as scikit-learn's ``validate_data`` for arrays."""
        if reset and is_dask(X) and not self._distributes:
            raise TypeError(
                f"{type(self).__name__} needs all data at once and cannot process Dask "
                "collections. Pass X.compute() if it fits in memory, or use a method that works "
                "on pieces of the data: GraphSieve, GAFS, AEFS, LaplacianScore, GreedyCSS, "
                "Variance or RandomRanker"
            )
        n_features, names = check_columns(X)
        if names is not None and not all(isinstance(name, str) for name in names):
            names = None
        if reset:
            self._remember_labels(X)
            self._remember_dims(None)
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
        self._check_labels(X)
        known = getattr(self, "feature_names_in_", None)
        if names is not None and known is not None and (names != known).any():
            raise ValueError(_other_names(names[names != known][0]))

    def _check_rows(self, data):
        """Raise an error for data that the method cannot process, before any work."""
        name = type(self).__name__
        if data.n_samples < 2 or data.n_features < 1:
            raise ValueError(
                f"{name} needs at least 2 samples and 1 feature: X has {data.n_samples} samples "
                f"and {data.n_features} features"
            )
        if data.is_sparse and not self._accepts_sparse:
            raise TypeError(f"{name} needs dense data, but the chunks of X are sparse")

    def _own_memory(self, n_samples: int, n_features: int) -> float:
        """Bytes that the method needs for its own arrays, at most."""
        return 0.0

    def _estimate_memory(self, n_samples: int, n_features: int) -> float:
        """Bytes that ``_rank`` needs besides the data, at most."""
        n_edges = n_samples * getattr(self, "n_neighbors", 0)
        shared = _COLUMN_BYTES * n_features + _EDGE_BYTES * n_edges
        return self._own_memory(n_samples, n_features) + shared

    def _check_memory(self, data):
        """Refuse, before the work starts, what does not fit in memory; warn of what is much."""
        needed = self._estimate_memory(data.n_samples, data.n_features)
        to_load = data.bytes_to_load()
        if not self._distributes:
            needed += to_load
        if not (self._distributes and to_load):  # otherwise it works in pieces
            floats = 8.0 * data.n_samples * data.n_features
            needed += self._n_copies * (data.size() if data.is_sparse else floats)
        limit = available_memory()
        message = (
            f"{type(self).__name__} needs about {needed / 1e9:,.1f} GB of memory for "
            f"{data.n_samples:,} samples and {data.n_features:,} features, "
        )
        if needed > limit:
            raise MemoryError(
                f"{message}but only {limit / 1e9:,.1f} GB are available. {self._memory_advice}"
            )
        much = _MUCH_MEMORY + 3 * data.size()
        if needed > much:
            warn(
                f"{message}more than three times the data plus 0.5 GB ({much / 1e9:,.1f} GB). "
                f"{limit / 1e9:,.1f} GB are available, so the fit starts, but it will be slow, and "
                f"may fail if other programs need the memory. {self._memory_advice}"
            )

    def _remember_dims(self, X):
        """Keep the names of the dimensions of an xarray, samples first."""
        self._dims_seen = X.dims if is_xarray(X) else None

    def _oriented(self, X):
        """``X``, transposed if it is an xarray whose dimensions are in another order."""
        dims = self._dims_seen
        if is_xarray(X) and dims is not None and X.dims == dims[::-1]:
            return X.transpose(*dims)
        return X

    def _remember_labels(self, X):
        """Keep the names of a data frame, if they are not text."""
        is_frame = hasattr(X, "iloc") and hasattr(X, "columns")
        self._labels_seen = None
        if is_frame and not all(isinstance(name, str) for name in X.columns):
            self._labels_seen = X.columns

    def _check_labels(self, X):
        """Refuse a data frame with other names than in fit, if those were not text.

        scikit-learn checks names that are text. The numbers 0, 1, ... that pandas gives to columns
        without names are no names.
        """
        known = self._labels_seen
        columns = getattr(X, "columns", None) if hasattr(X, "iloc") else None
        if known is None or columns is None or len(columns) != len(known):
            return
        differs = [a != b for a, b in zip(columns.tolist(), known.tolist(), strict=True)]
        if not any(differs):
            return
        if has_default_names(columns):
            warn(
                f"the columns of X have no names, but {type(self).__name__} was fitted with names: "
                "they are taken by position"
            )
        elif not has_default_names(known) or set(columns) == set(known):
            raise ValueError(_other_names(columns[differs.index(True)]))

    def get_feature_names_out(self, input_features=None):
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

    def _names_to_find(self):
        """Names by which parameters may refer to columns, or None; integers are positions."""
        labels = getattr(self, "_labels_seen", None)
        if labels is not None and labels.dtype.kind not in "iu":
            return labels.tolist()
        return getattr(self, "feature_names_in_", None)

    def _labels_in(self):
        """Names of all features, or their positions."""
        if getattr(self, "_labels_seen", None) is not None:
            return self._labels_seen.tolist()
        names = getattr(self, "feature_names_in_", None)
        return list(range(self.n_features_in_)) if names is None else [str(name) for name in names]

    def _column_name(self, column):
        """A column in messages: its name in quotes, or its position."""
        label = self._labels_in()[column]
        return repr(label) if isinstance(label, str) else label

    def _names_of_all(self):
        """Names for a data frame of all features."""
        if self._labels_seen is not None:
            return self._labels_seen
        names = getattr(self, "feature_names_in_", None)
        return [f"x{j}" for j in range(self.n_features_in_)] if names is None else names


def has_default_names(columns):
    """Whether the names of a pandas data frame are 0, 1, ..., as those of columns without names."""
    return columns.tolist() == list(range(len(columns)))


def _other_names(name):
    return (
        "the columns of X must have the same names and order as in fit; the first that differs is "
        f"{name!r}"
    )
