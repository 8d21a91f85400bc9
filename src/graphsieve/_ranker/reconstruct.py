"""Prediction of the dropped features from the kept ones, and what it says about both."""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .._linear.ridge import RIDGE, fit_reconstruction
from .._rows import check_container, check_entries, known_frame, to_dense
from .._utils.names import find_columns
from .._utils.sklearn_private import feature_names, in_output_container

# ``fit`` also learns what ``reconstruct`` needs if that takes no more numbers (64 MB) than this.
_CHEAP_ENTRIES = 2**23
# Kept columns that are named for a dropped one: at most so many, none with less than a tenth of
# the weight of the first.
_MOST_SHOWN = 5
_LEAST_WEIGHT = 0.1


class Reconstructs:
    """Mixin for ``reconstruct``, and for ``coverage_`` and ``explain``, which describe it."""

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
        names, selected = feature_names(known_frame(X_selected)), self.get_feature_names_out()
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

    @property
    def coverage_(self):
        """Which kept features predict every dropped one, as a pandas data frame.

        One row for every dropped feature and every kept feature that matters for its prediction
        by the regression of ``reconstruct``, at most five:

        - feature: the dropped feature,
        - r2: fraction of its variance that all kept features predict on the training rows,
        - kept: a kept feature,
        - weight: its coefficient, in the units of the data,
        - importance: the absolute weight for columns of unit variance, relative to the sum over
          all kept features.

        A feature that is constant, or that the kept ones do not predict at all, has one row without
        a kept feature. Without pandas, it is a dict of columns.
        """
        check_is_fitted(self)
        learned = self._learned_or_error()
        dropped, kept = np.flatnonzero(~self.support_), np.flatnonzero(self.support_)
        names = self._labels_in()
        rows = []
        for number, j in enumerate(dropped):
            found = _representatives(learned, number)
            for i, weight, importance in found or [(None, np.nan, np.nan)]:
                representative = None if i is None else names[kept[i]]
                rows.append((names[j], learned.r2[number], representative, weight, importance))
        columns = ["feature", "r2", "kept", "weight", "importance"]
        try:
            import pandas as pd
        except ImportError:
            return {name: [row[k] for row in rows] for k, name in enumerate(columns)}
        return pd.DataFrame(rows, columns=columns)

    def explain(self, feature):
        """Say in words why a feature was kept or dropped.

        Parameters
        ----------
        feature : str or int
            Name or position of the feature.

        Returns
        -------
        str
            One or two sentences.
        """
        check_is_fitted(self)
        if np.ndim(feature) > 0 and not isinstance(feature, tuple):
            raise TypeError(
                "explain takes the name or the position of one feature; coverage_ has all dropped "
                "features"
            )
        known = self._names_to_find()
        (j,) = find_columns([feature], self.n_features_in_, known, parameter="explain")
        return self._explain_kept(j) if self.support_[j] else self._explain_dropped(j)

    def _explain_kept(self, j):
        include, _ = self._given()
        text = f"{self._quoted(j)} was kept: "
        text += f"it ranks {self.ranking_[j]} of {self.n_features_in_}"
        if j in include:
            text += " because it is included by request"
        return text + self._gain_in_words(j) + "."

    def _gain_in_words(self, j):
        gains, layers = getattr(self, "gains_", None), getattr(self, "layers_", None)
        if gains is None or layers[j] == 0:
            return ""
        added = f"it explained {gains[j]:.1%} of the targets when it was picked"
        return f", and {added}" + (f", in layer {layers[j]}" if layers[j] > 1 else "")

    def _explain_dropped(self, j):
        text = f"{self._quoted(j)} was dropped"
        if self._given()[1][j]:
            text += " because it is excluded by request"
        learned = self._learned_or_error()
        number = int(np.count_nonzero(~self.support_[:j]))
        kept = np.flatnonzero(self.support_)
        found = _representatives(learned, number)
        r2 = max(learned.r2[number], 0.0)
        if not found:
            why = "it is constant" if r2 > 0 else "nothing that was kept predicts it"
            return f"{text}: {why}."
        parts = [f"{self._quoted(kept[i])} (weight {weight:.3g})" for i, weight, _ in found]
        listed = parts[0] if len(parts) == 1 else ", ".join(parts[:-1]) + f" and {parts[-1]}"
        if len(kept) == 1:
            return f"{text}: {listed}, the only kept feature, predicts {r2:.1%} of its variance."
        total = sum(importance for *_, importance in found)
        carry = "carries" if len(parts) == 1 else "carry"
        of_all = "" if total > 0.995 else f", which {carry} {total:.0%} of the prediction"
        return (
            f"{text}: the {len(kept)} kept features predict {r2:.1%} of its variance, mainly "
            f"{listed}{of_all}."
        )

    def _quoted(self, j):
        label = self._labels_in()[j]
        return repr(label) if isinstance(label, str | tuple) else f"column {label}"


def _representatives(learned, number):
    """(kept column, weight, importance) of those that matter most; none for constant columns."""
    coef = learned.coef[:, number]
    size = abs(coef) * learned.scale_kept
    if not size.any() or learned.r2[number] <= 0:
        return []
    order = np.argsort(-size, kind="stable")[:_MOST_SHOWN]
    order = order[size[order] >= _LEAST_WEIGHT * size[order[0]]]
    return [(int(i), float(coef[i]), float(size[i] / size.sum())) for i in order]
