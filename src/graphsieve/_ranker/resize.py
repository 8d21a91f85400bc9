"""Other numbers of features from one fit."""

from numbers import Integral

import numpy as np
from sklearn.utils.validation import check_is_fitted


class Resizes:
    """Mixin for ``set_n_features`` and nested selections."""

    def set_n_features(self, n_features):
        """Select another number of features, without fitting again.

        The ranking stays as it is. Greedy methods pick one feature after the other, up to the
        largest number that ``fit`` was asked for; more than these ``n_exact_`` features need
        another fit. Call ``learn_reconstruction`` before ``reconstruct``, ``coverage_`` or
        ``explain`` are used with the new number.

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
        self.support_ = self._prefix(int(n_features))
        self.n_features_ = int(n_features)
        self._reconstruction = None
        return self

    def _prefix(self, n_features):
        """Mask of the first features of the ranking."""
        include, exclude = self._given()
        least, most = max(1, len(include)), int((~exclude).sum())
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
        self._check_prefix(n_features)
        return self.ranking_ <= n_features

    def _check_prefix(self, n_features):
        """Raise an error if the constraints do not allow the first features of the ranking."""

    def _publish_nested(self):
        """Masks of all selections that ``n_features_to_select`` asks for, if it is a list."""
        if not isinstance(self.n_features_to_select, list | tuple | np.ndarray):
            return
        counts = [n for n in self._all_counts(self.n_features_in_) if n <= self.n_features_]
        self.nested_supports_ = {n: self._prefix(n) for n in counts}
