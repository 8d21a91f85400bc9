"""The rows on which a selection is explained, as a dense array without gaps."""

from dataclasses import dataclass

import numpy as np
from sklearn.utils import check_array

from .._rows import (
    RowBlocks,
    check_columns,
    check_container,
    chosen_rows,
    fill_gaps,
    is_lazy,
    known_frame,
    numeric_frame,
    open_rows,
)
from .batches import centre_within, check_groups

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


def draw_rows(data, groups=None, rng=None):
    """At most 2,000 of some Rows, always the same ones unless there is an ``rng``.

    With ``groups``, the batch of every sample, the columns are centred within every batch.
    """
    data = data.observed()
    n_samples = data.n_samples
    most = min(_MAX_ROWS, max(2, _MAX_ENTRIES // data.n_features))
    rows = np.arange(n_samples)
    if n_samples > most:
        rng = np.random.RandomState(0) if rng is None else rng
        rows = np.sort(rng.choice(n_samples, most, replace=False))
    chosen = np.zeros(n_samples, dtype=bool)
    chosen[rows] = True
    values = data.stack(chosen_rows, chosen).astype(np.float64)
    values[~np.isfinite(values)] = np.nan
    n_filled = np.count_nonzero(np.isnan(values))
    filled = fill_gaps(RowBlocks(values))
    if groups is not None:
        filled = centre_within(filled, check_groups(groups, n_samples)[1][rows])
    return Sample(filled.whole(), rows, n_samples, n_filled)


def read_sample(X, n_features, names=None, *, groups=None, rng=None):
    """Draw rows of the table that a selector was fitted on.

    ``n_features`` is the number of features that it was fitted on, and ``names`` are their names,
    if the data had any: a data frame may then have further columns.
    """
    check_container(X)
    if not is_lazy(X):
        X = known_frame(X)
    if hasattr(X, "columns") and names is not None:
        X = _columns_by_name(X, list(names))
    if is_lazy(X):
        _check_names(check_columns(X)[1], names)
    else:
        X = check_array(numeric_frame(X), accept_sparse="csr", ensure_all_finite=False)
    data = open_rows(X)
    if data.n_features != n_features:
        raise ValueError(
            f"X has {data.n_features} columns, but the selection was made from {n_features}. "
            "Pass the table that the selector was fitted on"
        )
    return draw_rows(data, groups, rng)


def _check_names(found, names):
    """Refuse a file whose columns are not those that the selector was fitted on."""
    differ = found is not None and names is not None and len(found) == len(names)
    if differ and (differs := np.asarray(found) != np.asarray(names)).any():
        raise ValueError(
            "the columns of X must have the same names and order as in fit; the first that differs "
            f"is {found[differs.argmax()]!r}"
        )


def _columns_by_name(X, names):
    place = {str(name): j for j, name in enumerate(X.columns)}
    missing = [name for name in names if name not in place]
    if missing:
        raise ValueError(
            f"X has no column {missing[0]!r}, which the selector was fitted on"
            + (f" (and lacks {len(missing) - 1} more)" if len(missing) > 1 else "")
        )
    if hasattr(X, "iloc") and not is_lazy(X):
        # By position: pandas 3 turns names into strings that cannot hold a lone surrogate.
        return X.iloc[:, [place[name] for name in names]]
    return X[names]
