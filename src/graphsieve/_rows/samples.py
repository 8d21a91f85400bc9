"""Samples: the rows on which a selection is explained, and rows centred within their batches."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_array, column_or_1d

from .._utils.messages import warn
from .._utils.names import is_missing
from .base import Rows, chosen_rows, fill_gaps
from .containers import (
    check_columns,
    check_container,
    is_lazy,
    known_frame,
    numeric_frame,
    open_rows,
)
from .memory import RowBlocks
from .scaling import chosen_sample

# More rows would hardly change coverage and correlations, but take time. 160 MB of doubles.
_MAX_ROWS, _MAX_ENTRIES = 2000, 20_000_000


@dataclass(frozen=True)
class Sample:
    """Values and increasing numbers of some or all ``n_samples`` rows of a table."""

    values: np.ndarray
    rows: np.ndarray
    n_samples: int
    missing: np.ndarray  # mask of values that are the mean of their column

    @property
    def n_filled(self) -> int:
        return int(np.count_nonzero(self.missing))


def draw_rows(data: Rows, groups: Any = None, rng: Any = None) -> Sample:
    """At most 2,000 of some Rows, always the same ones unless there is an ``rng``.

    With ``groups``, the batch of every sample, the columns are centred within every batch.
    """
    data = data.observed()
    n_samples = data.n_samples
    most = min(_MAX_ROWS, max(2, _MAX_ENTRIES // data.n_features))
    rng = np.random.RandomState(0) if rng is None else rng
    chosen = chosen_sample(n_samples, most, rng)
    rows = np.flatnonzero(chosen)
    values = data.stack(chosen_rows, chosen).astype(np.float64)
    values[~np.isfinite(values)] = np.nan
    missing = np.isnan(values)
    filled = fill_gaps(RowBlocks(values))
    if groups is not None:
        filled = centre_within(filled, check_groups(groups, n_samples)[1][rows])
    return Sample(filled.whole(), rows, n_samples, missing)


def read_sample(X, n_features, names=None, *, groups=None, n_batches=0, rng=None):
    """Draw rows of the table that a selector was fitted on, by ``draw_rows``.

    With the ``names`` of its ``n_features`` columns, a data frame may have further columns. A
    selector that was fitted within ``n_batches`` batches needs them in ``groups``.
    """
    if n_batches and groups is None:
        warn(lacks_batches(n_batches))
    check_container(X)
    _check_order(X, groups)
    if not is_lazy(X):
        X = known_frame(X)
    if hasattr(X, "columns") and names is not None:
        X = _columns_by_name(X, list(names))
    if is_lazy(X):
        check_names(check_columns(X)[1], names)
    else:
        X = check_array(numeric_frame(X), accept_sparse="csr", ensure_all_finite=False)
    data = open_rows(X)
    if data.n_features != n_features:
        raise ValueError(
            f"X has {data.n_features} columns, but the selection was made from {n_features}. "
            "Pass the table that the selector was fitted on"
        )
    return draw_rows(data, groups, rng)


def lacks_batches(n_batches: int) -> str:
    """A warning, for numbers about a selection that was made within batches."""
    return (
        f"The features were ranked within each of {n_batches} batches, but these numbers are of "
        "all rows together, so that differences between batches count: pass the batch of every row "
        "as groups (--batch COLUMN on the command line)"
    )


def check_names(found: Any, known: Any) -> None:
    """Refuse other names than those of a fit, or another order; their number is no matter here."""
    if found is None or known is None or len(found) != len(known):
        return
    for name, expected in zip(found, known, strict=True):
        if name != expected:
            raise ValueError(
                "the columns of X must have the same names and order as in fit; the first that "
                f"differs is {name!r}"
            )


def _columns_by_name(X, names):
    place = {str(name): j for j, name in enumerate(X.columns)}
    missing = [name for name in names if name not in place]
    if missing:
        more = f" (and lacks {len(missing) - 1} more)" if len(missing) > 1 else ""
        raise ValueError(f"X has no column {missing[0]!r}, which the selector was fitted on{more}")
    if hasattr(X, "iloc") and not is_lazy(X):
        # By position: pandas 3 turns names into strings that cannot hold a lone surrogate.
        return X.iloc[:, [place[name] for name in names]]
    return X[names]


def _check_order(X, groups):
    if not (hasattr(X, "iloc") and hasattr(groups, "iloc")) or is_lazy(X):
        return
    rows, labels = X.index, groups.index
    if len(rows) == len(labels) and not rows.equals(labels) and set(rows) == set(labels):
        what, cure = "the row labels of X in another order", "groups.loc[X.index]"
        raise ValueError(f"groups has {what}: pass {cure}, or groups.to_numpy() to ignore labels")


def check_groups(groups: Any, n_samples: int, X: Any = None) -> tuple[np.ndarray, np.ndarray]:
    """The batches, sorted, and the number of that of every sample, from labels of any type."""
    _check_order(X, groups)
    groups = column_or_1d(groups)
    if len(groups) != n_samples:
        raise ValueError(
            f"groups has {len(groups)} entries, but X has {n_samples} samples: pass one label per "
            "sample"
        )
    missing = np.array([is_missing(label) for label in groups.tolist()])
    if missing.any():
        raise ValueError(
            f"groups has {missing.sum()} missing labels, the first at row {missing.argmax()}. Give "
            "these samples a label, or leave them out of X"
        )
    try:
        return np.unique(groups, return_inverse=True)
    except TypeError:  # labels of several types have no order
        labels = sorted(set(groups.tolist()), key=lambda label: (type(label).__name__, str(label)))
        place = {label: j for j, label in enumerate(labels)}
        number = np.array([place[label] for label in groups.tolist()])
        return np.fromiter(labels, object, len(labels)), number


def centre_within(data: Rows, number: np.ndarray) -> Rows:
    """RowBlocks with the mean of every batch replaced by that of all samples, column by column."""
    if data.is_sparse:
        raise TypeError(
            "with groups, the columns are centred within every batch, which would fill in the "
            "zeros of sparse data. Use GroupedRanker, which ranks the features within every batch, "
            "or pass X.toarray()"
        )
    X = data.observed().resident()
    if not isinstance(X, np.ndarray):
        raise TypeError(
            "with groups, the columns are centred within every batch, in memory. Pass an array in "
            "memory (X.compute() for Dask), or subtract the means of the batches before fit"
        )
    n_samples = len(number)
    n_alone = np.count_nonzero(np.bincount(number) == 1)
    if n_alone == n_samples:
        raise ValueError(
            "every sample is the only one of its batch, which leaves nothing to compare: give "
            "every sample the label of its batch, such as its donor or plate"
        )
    if n_alone > n_samples / 2:
        warn(
            f"{n_alone:,} of {n_samples:,} samples are the only one of their batch, and do not "
            "count, because columns are centred within every batch. Check that the labels are "
            "those of batches, such as donors or plates"
        )
    member = sp.csr_array((np.ones(n_samples), (number, np.arange(n_samples))))
    present = ~np.isnan(X)
    # A batch without a value in a column has no mean there, and no entry to shift.
    means = member @ np.where(present, X, 0) / np.maximum(member @ present, 1)
    # With the common mean, columns keep their place: a column that is constant within every batch
    # is recognised as constant, and angles between samples keep their meaning.
    shift = data.column_moments()[0] - means
    return fill_gaps(RowBlocks((X + shift[number]).astype(X.dtype, copy=False)))
