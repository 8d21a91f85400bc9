"""What stands for what: the regression of the dropped features on the kept ones, in words."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .._linear.regression import Regression
from .._rows import check_container, known_frame, to_dense
from .._utils.names import find_columns
from .._utils.sklearn_private import feature_names, in_container_of
from .sample import read_sample

# Kept columns that are named for a dropped one: at most so many, none with less than a tenth of
# the weight of the first.
_MOST_SHOWN = 5
_LEAST_WEIGHT = 0.1


class Reconstructor:
    """Predicts the dropped features from the kept ones; ``sel.reconstructor(X)`` makes it.

    Attributes
    ----------
    names : array or Index of shape (n_dropped,)
        Names of the dropped features, in the order of the table: the columns of ``predict``.
    r2 : ndarray of shape (n_dropped,)
        Their coverage: R^2 on left-out samples, NaN for constant features.
    """

    def __init__(self, regression, kept_names, names):
        self._regression, self._kept_names, self.names = regression, kept_names, names
        self.r2 = regression.r2

    def predict(self, X_selected: Any) -> Any:
        """Predict the dropped features.

        Parameters
        ----------
        X_selected : array or data frame of shape (n_samples, n_kept)
            The output of ``transform``. A missing value counts as the mean of its feature.

        Returns
        -------
        X_dropped : ndarray or data frame of shape (n_samples, n_dropped)
            The dropped features, in the order of the table; a data frame for a data frame.
        """
        check_container(X_selected)
        frame = known_frame(X_selected)
        found, expected = feature_names(frame), self._kept_names
        values = np.asarray(to_dense(frame), dtype=float)
        if values.ndim != 2 or values.shape[1] != len(self._regression.coef):
            raise ValueError(
                f"predict takes the {len(self._regression.coef)} selected columns as transform "
                f"returns them, but got an array of shape {values.shape}"
            )
        if found is not None and expected is not None and (found != expected).any():
            j = int(np.argmax(found != expected))
            raise ValueError(
                "predict takes the selected columns, in the order in which transform returns "
                f"them, but column {j} is {found[j]!r} instead of {expected[j]!r}"
            )
        return in_container_of(X_selected, self._regression.predict(values), self.names)


class Explains:
    """Mixin for ``coverage``, ``explain`` and ``reconstructor``, which take the data again."""

    n_features_in_: int
    support_: np.ndarray
    _labels_in: Any
    _names_of_all: Any
    _names_to_find: Any

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
            One row for every dropped feature and every kept feature that matters for its
            prediction, at most five. A dict of columns without pandas.

            - feature: the dropped feature,
            - r2: its coverage, the fraction of its variance that all kept features predict on
              left-out samples (see ``graphsieve.inspection.coverage_curve``),
            - kept: a kept feature,
            - weight: its coefficient, in the units of the data,
            - importance: the absolute weight for columns of unit variance, relative to the sum
              over all kept features.

            A feature that the kept ones do not predict at all has one row without a kept feature,
            and so has a constant one, whose r2 is NaN.
        """
        learned, dropped, kept = self._regression(X, groups)
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
        if np.ndim(feature) > 0 and not isinstance(feature, tuple):
            raise TypeError(
                "explain takes the name or the position of one feature; coverage(X) has all "
                "dropped features"
            )
        known = self._names_to_find()
        (j,) = find_columns([feature], self.n_features_in_, known, parameter="explain")
        return self._explain_kept(j) if self.support_[j] else self._explain_dropped(X, j, groups)

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

        Examples
        --------
        >>> import numpy as np
        >>> from graphsieve import Variance
        >>> a = np.arange(10.0)
        >>> X = np.column_stack([a, 3 * a])
        >>> sel = Variance(1).fit(X)
        >>> sel.reconstructor(X).predict([[30.0]]).round(1)
        array([[9.9]])
        """
        learned, dropped, _ = self._regression(X, groups)
        names = getattr(self, "feature_names_in_", None)
        kept_names = None if names is None else names[self.support_]
        labels = self._names_of_all()
        labels = labels if hasattr(labels, "nlevels") else np.asarray(labels, dtype=object)
        return Reconstructor(learned, kept_names, labels[dropped])

    def _sample(self, X, groups=None):
        """The rows of the data on which a selection is explained."""
        check_is_fitted(self)
        names = getattr(self, "feature_names_in_", None)
        return read_sample(self._oriented(X), self.n_features_in_, names, groups=groups)

    def _regression(self, X, groups, dropped=None):
        """The regression of dropped columns on the kept ones, and the numbers of both."""
        values = self._sample(X, groups).values
        dropped = np.flatnonzero(~self.support_) if dropped is None else dropped
        kept = np.flatnonzero(self.support_)
        return Regression(values, kept, dropped), dropped, kept

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

    def _explain_dropped(self, X, j, groups):
        text = f"{self._quoted(j)} was dropped"
        if self._given()[1][j]:
            text += " because it is excluded by request"
        learned, _, kept = self._regression(X, groups, np.array([j]))
        found, r2 = _representatives(learned, 0), learned.r2[0]
        if not found:
            why = "it is constant" if np.isnan(r2) else "nothing that was kept predicts it"
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
    size = abs(learned.weights[:, number])
    if not size.any() or not learned.r2[number] > 0:
        return []
    order = np.argsort(-size, kind="stable")[:_MOST_SHOWN]
    order = order[size[order] >= _LEAST_WEIGHT * size[order[0]]]
    coef = learned.coef[:, number]
    return [(int(i), float(coef[i]), float(size[i] / size.sum())) for i in order]
