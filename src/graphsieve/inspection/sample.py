"""Rows on which a selection is inspected, as a dense array."""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from .._rows import check_container, chosen_rows, is_lazy, open_rows, to_dense

# More rows would hardly change coverage and correlations, but take time.
_MAX_ROWS = 2000
# 160 MB of doubles.
_MAX_ENTRIES = 20_000_000


@dataclass(frozen=True)
class Sample:
    """Some or all rows of a table.

    Attributes
    ----------
    values : ndarray of shape (n_rows, n_features)
    rows : ndarray of shape (n_rows,)
        Their numbers in the table, increasing.
    n_samples : int
        Number of rows of the table.
    n_filled : int
        Number of missing values that were replaced by the mean of their column.
    """

    values: np.ndarray
    rows: np.ndarray
    n_samples: int
    n_filled: int


def draw_sample(X, n_features, names, rng):
    """Draw rows of the table that a selector was fitted on.

    ``n_features`` is the number of features that it was fitted on, and ``names`` are their names,
    if the data had any: a data frame may then have further columns.
    """
    check_container(X)
    if hasattr(X, "columns") and names is not None:
        X = _columns_by_name(X, list(names))
    elif not hasattr(X, "shape") and not is_lazy(X):
        X = np.asarray(X)
    data = open_rows(X) if is_lazy(X) else None
    n_samples, n_columns = (data.n_samples, data.n_features) if data else X.shape
    if n_columns != n_features:
        raise ValueError(
            f"X has {n_columns} columns, but the selection was made from {n_features}. "
            "Pass the table that the selector was fitted on"
        )
    most = min(_MAX_ROWS, max(2, _MAX_ENTRIES // n_features))
    rows = np.arange(n_samples)
    if n_samples > most:
        rows = np.sort(rng.choice(n_samples, most, replace=False))
    if data:
        values = data.stack(chosen_rows, np.isin(np.arange(n_samples), rows))
    else:
        values = to_dense(_take_rows(X, rows))
    values = np.array(values, dtype=np.float64)
    return Sample(values, rows, n_samples, _fill_missing(values))


def _take_rows(X, rows):
    """Rows of an array, sparse matrix or data frame in memory."""
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    return (X.tocsr() if sp.issparse(X) else X)[rows]


def _columns_by_name(X, names):
    place = {str(name): j for j, name in enumerate(X.columns)}
    missing = [name for name in names if name not in place]
    if missing:
        raise ValueError(
            f"X has no column {missing[0]!r}, which the selector was fitted on"
            + (f" (and lacks {len(missing) - 1} more)" if len(missing) > 1 else "")
        )
    if hasattr(X, "iloc"):
        # By position: pandas 3 turns names into strings that cannot hold a lone surrogate.
        return X.iloc[:, [place[name] for name in names]]
    return X[names]


def _fill_missing(values):
    """Replace missing values in place by the mean of their column; return how many there were."""
    missing = ~np.isfinite(values)
    if missing.any():
        present = np.where(missing, 0.0, values)
        mean = present.sum(axis=0) / np.maximum((~missing).sum(axis=0), 1)
        values[missing] = np.broadcast_to(mean, values.shape)[missing]
    return int(missing.sum())
