"""Names of features, as the user's table has them."""

from sklearn.utils.validation import check_is_fitted

from .._rows import is_xarray


class Labels:
    """Mixin for names of columns that are not text: integers, tuples of a MultiIndex.

    scikit-learn knows only text as names of features, in ``feature_names_in_``.
    """

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
