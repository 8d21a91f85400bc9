"""Prediction of the dropped features from the kept ones."""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .._linear.ridge import RIDGE, fit_reconstruction
from .._rows import check_container, check_entries, to_dense
from .._utils.sklearn_private import feature_names, in_output_container

# ``fit`` also learns what ``reconstruct`` needs if that takes no more numbers (64 MB) than this.
_CHEAP_ENTRIES = 2**23


class Reconstructs:
    """Mixin for ``reconstruct``."""

    # Multiplications that ``fit`` may spend on what ``reconstruct`` needs: 0.03 s on one core.
    _cheap_products = 5e8
    _ridge = RIDGE

    def reconstruct(self, X_selected):
        """Predict all features from the selected ones, by ridge regression.

        A missing value of a selected feature counts as the mean of the feature.

        The regression is learned from the training data: in ``fit`` if that takes next to no time
        and memory, otherwise by ``learn_reconstruction``.

        Parameters
        ----------
        X_selected : array of shape (n_samples, n_features_)
            The output of ``transform``.

        Returns
        -------
        X : ndarray or data frame of shape (n_samples, n_features_in_)
            The selected columns unchanged, the others predicted from them, in the container that
            ``set_output`` asks for.
        """
        check_is_fitted(self)
        given = X_selected
        check_container(X_selected)
        X_selected = np.asarray(to_dense(X_selected), dtype=float)
        if X_selected.ndim != 2 or X_selected.shape[1] != self.n_features_:
            raise ValueError(
                f"reconstruct takes the {self.n_features_} selected columns as transform returns "
                f"them, but got an array of shape {X_selected.shape}"
            )
        self._check_selected_names(given)
        learned = self._learned_or_error()
        X = np.empty((len(X_selected), self.n_features_in_))
        X[:, self.support_] = X_selected
        X[:, ~self.support_] = learned.predict(X_selected)
        return in_output_container(self, X, given, self._names_of_all())

    def _check_selected_names(self, X_selected):
        """Raise an error for a data frame of other columns than ``transform`` returns."""
        names, selected = feature_names(X_selected), self.get_feature_names_out()
        if names is None or not hasattr(self, "feature_names_in_"):
            return
        differs = np.flatnonzero(names != selected)
        if differs.size:
            found, expected = names[differs[0]], selected[differs[0]]
            raise ValueError(
                "reconstruct takes the selected columns, in the order in which transform returns "
                f"them, but column {differs[0]} is {found!r} instead of {expected!r}"
            )

    def learn_reconstruction(self, X):
        """Learn from the training data what ``reconstruct`` needs.

        Only necessary for large data, where ``reconstruct`` asks for it. It takes one pass over
        the data and stores ``n_features_`` times ``n_features_in_`` numbers.

        Parameters
        ----------
        X : container of shape (n_samples, n_features)
            As in ``fit``.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        check_is_fitted(self)
        data = self._open(X, reset=False)
        data = check_entries(data, self._column_name, allow_gaps=self._accepts_gaps)
        self._reconstruction = fit_reconstruction(data, self.support_, self._ridge)
        return self

    def _learn(self, data):
        """What ``reconstruct`` needs, or None if it takes too long for every fit."""
        if not self._reconstruction_is_cheap(data):
            return None
        return fit_reconstruction(data, self.support_, self._ridge)

    def _learned_or_error(self):
        if self._reconstruction is None:
            raise AttributeError(
                "the prediction of the dropped features has not been learned, because it takes a "
                "while for this many features, or because set_n_features was called: call "
                "learn_reconstruction(X) with the training data first"
            )
        return self._reconstruction

    def _reconstruction_is_cheap(self, data):
        entries = self.n_features_ * data.n_features
        products = (data.n_samples + self.n_features_) * entries
        return entries <= _CHEAP_ENTRIES and products <= self._cheap_products
