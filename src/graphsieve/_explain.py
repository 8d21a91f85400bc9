"""What stands for what: the regression of the dropped features on the kept ones, in words."""

from typing import Any

import numpy as np

from ._linear.regression import Regression
from ._rows import check_container, is_constant, known_frame, to_dense
from ._rows.samples import Sample
from ._utils.sklearn_private import feature_names, in_container_of

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
            The output of ``transform``, or a data frame with further columns. A missing value
            counts as the mean of its feature.

        Returns
        -------
        X_dropped : ndarray or data frame of shape (n_samples, n_dropped)
            In the order of the table; a data frame for a data frame.
        """
        check_container(X_selected)
        frame = known_frame(X_selected)
        found, expected = feature_names(frame), self._kept_names
        if found is not None and expected is not None and set(found) > set(expected):
            frame, found = frame[list(expected)], expected
        values = np.asarray(to_dense(frame), dtype=float)
        if values.ndim != 2 or values.shape[1] != len(self._regression.coef):
            raise ValueError(
                f"predict takes the {len(self._regression.coef)} selected columns as transform "
                f"returns them, but got an array of shape {values.shape}"
            )
        if found is not None and expected is not None and (found != expected).any():
            j = int(np.argmax(found != expected))
            raise ValueError(
                "predict takes the selected columns as transform returns them, but column "
                f"{j} is {found[j]!r} instead of {expected[j]!r}"
            )
        return in_container_of(X_selected, self._regression.predict(values), self.names)


def coverage_table(learned, dropped, kept, labels):
    rows = []
    for number, j in enumerate(dropped):
        found = [(labels[kept[i]], *numbers) for i, *numbers in _representatives(learned, number)]
        for shown in found or [(None, np.nan, np.nan)]:
            rows.append((labels[j], learned.r2[number], *shown))
    columns = ["feature", "r2", "kept", "weight", "importance"]
    try:
        import pandas as pd
    except ImportError:
        return {name: [row[k] for row in rows] for k, name in enumerate(columns)}
    table = pd.DataFrame(rows, columns=columns)
    # Where a column is not predicted, integers and None became floats.
    whole = table["kept"].dtype.kind == "f" and isinstance(labels[0], int)
    return table.astype({"kept": "Int64"}) if whole else table


def why_kept(sel: Any, j: int, sample: Sample, adds: float, is_included: bool) -> str:
    """Why column j of a fitted selector was kept, and what it ``adds`` to those before it."""
    labels = sel._labels_in()
    text = f"{_quoted(labels[j])} was kept: it ranks {sel.ranking_[j]} of {len(labels)}"
    if is_included:
        text += " because it is included by request"
    if silent := _without_variance(sample, j):
        return f"{text}, although it {silent}."
    text += f", and adds {adds:z.1%} to what is explained of the table"
    layers: Any = getattr(sel, "layers_", None)
    return text + (f", in layer {layers[j]}." if layers is not None and layers[j] > 1 else ".")


def why_dropped(sel: Any, j: int, sample: Sample, is_excluded: bool) -> str:
    """Why column j of a fitted selector was dropped, from a regression on the kept columns."""
    labels, kept = sel._labels_in(), np.flatnonzero(sel.support_)
    text = f"{_quoted(labels[j])} was dropped"
    if is_excluded:
        text += " because it is excluded by request"
    learned = Regression(sample.values, kept, np.array([j]))
    r2 = learned.r2[0]
    found = [] if f"{r2:.1%}" == "0.0%" else _representatives(learned, 0)
    share = f"{r2:.1%} of its variance"
    if hasattr(sel, "r2_"):
        gaps = ", with gaps filled by means" if sample.n_filled else ""
        share = (
            f"{sel.r2_[j]:.1%} of its variance on the rows used ({r2:.1%} on left-out rows{gaps})"
        )
        if not found and not np.isnan(r2):
            return f"{text}: the {len(kept)} kept features predict {share}."
    if not found:
        silent = _without_variance(sample, j)
        return f"{text}: {f'it {silent}' if silent else 'nothing that was kept predicts it'}."
    parts = [f"{_quoted(labels[kept[i]])} (weight {weight:.3g})" for i, weight, _ in found]
    listed = " and ".join(filter(None, (", ".join(parts[:-1]), parts[-1])))
    if len(kept) == 1:
        return f"{text}: {listed}, the only kept feature, predicts {share}."
    total = sum(importance for *_, importance in found)
    carry = "carries" if len(parts) == 1 else "carry"
    of_all = "" if total > 0.995 else f", which {carry} {total:.0%} of the prediction"
    return f"{text}: the {len(kept)} kept features predict {share}, mainly {listed}{of_all}."


def _without_variance(sample, j):
    if sample.missing[:, j].all():
        return "has no values"
    column = sample.values[:, j]
    return "is constant" if is_constant(column.min(), column.max()) else None


def _quoted(label):
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
