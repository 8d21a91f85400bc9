"""What input must be like: valid containers, and entries that are finite and not too large."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp

from .base import Rows
from .gaps import fill_gaps

# Fourth powers of smaller numbers, which greedy selection needs, are not in double precision.
_SMALLEST = np.finfo(np.float64).tiny ** 0.25


def check_container(X: Any, name: str = "X") -> None:
    """Refuse sparse matrices with invalid indices, and arrays of dates.

    SciPy's routines read outside their arrays if an index is out of range. scikit-learn counts
    dates among the numbers.
    """
    if getattr(getattr(X, "dtype", None), "kind", "") in ("M", "m"):
        raise ValueError(
            f"{name} holds dates or durations ({X.dtype}), not numbers: convert them, for example "
            'to days with (X - X.min()) / numpy.timedelta64(1, "D")'
        )
    if sp.issparse(X) and X.format in ("csr", "csc", "bsr"):
        X = X._with_data(X.data, copy=False)  # check_format may replace the index arrays
        try:
            X.check_format(full_check=True)
        except ValueError as error:
            raise ValueError(
                f"{name} is not a valid {X.format.upper()} matrix: {error}. Build it again, for "
                "example from its row and column numbers with scipy.sparse.coo_array"
            ) from error
    elif sp.issparse(X) and X.format == "coo" and X.nnz:
        for axis, index in enumerate(X.coords):
            wrong = index[(index < 0) | (index >= X.shape[axis])]
            if wrong.size:
                raise ValueError(
                    f"{name} is not a valid COO matrix: axis {axis} index {wrong[0]} is outside "
                    f"the shape {X.shape}"
                )


def check_entries(
    data: Rows, column_name: Callable[[int], Any], *, allow_gaps: bool = False
) -> Rows:
    """Refuse NaN, infinity, and numbers whose squares overflow or vanish, and name the place.

    ``column_name`` maps the number of a column to the name that the user knows. With
    ``allow_gaps``, NaN is a missing value, and the rows are returned with filled gaps, see
    ``fill_gaps``.
    """
    if not np.isfinite(np.stack(data.column_range())).all():
        gaps, infinite = data.reduce(_count_gaps)
        if infinite.any() or not allow_gaps:
            raise ValueError(_describe_gaps(data, gaps, infinite, column_name))
        data = fill_gaps(data)
    low, high = data.column_range()
    largest = np.maximum(abs(low), abs(high))
    if largest.max() > _largest_entry(data):
        column = int(largest.argmax())
        raise ValueError(
            f"column {column_name(column)} has values up to {largest[column]:.1e}, whose sums of "
            f"squares overflow in {data.dtype}. Rescale this column, for example with "
            "sklearn.preprocessing.StandardScaler, or remove the entry if it is an error"
        )
    if 0 < largest.max() < _SMALLEST:
        raise ValueError(
            f"the largest absolute value of X is {largest.max():.1e}: products of such numbers "
            "are too small for double precision. Multiply X by a constant"
        )
    return data


def _describe_gaps(data, gaps, infinite, column_name):
    """How many entries are missing or infinite, where, and what to do."""
    # Missing values may be allowed: the first infinity is what has to be mended.
    row, column = _find(data, np.isinf) if infinite.any() else find_non_finite(data)
    place = f"the first at row {row}, column {column_name(column)}"
    if infinite.any():
        return (
            f"X contains infinity or NaN: {infinite.sum():,} infinite and {gaps.sum():,} missing "
            f"values, the first infinity at row {row}, column {column_name(column)}. Replace "
            "infinite values by numbers or NaN, and fill NaN with "
            'sklearn.impute.SimpleImputer(strategy="median")'
        )
    worst = np.argsort(-gaps, kind="stable")[: min(3, np.count_nonzero(gaps))]
    listed = ", ".join(f"{column_name(j)}: {gaps[j]:,}" for j in worst)
    n_columns = np.count_nonzero(gaps)
    more = ", ..." if n_columns > len(worst) else ""
    return (
        f"X contains NaN: {gaps.sum():,} missing values in {n_columns:,} of {data.n_features:,} "
        f"columns ({listed}{more}), {place}. Fill them, for example with "
        'sklearn.impute.SimpleImputer(strategy="median") or, on the command line, --impute median; '
        "leave out these columns; or use a method that accepts missing values: GraphSieve, GAFS, "
        "GreedyCSS, DropRedundant or Variance"
    )


def _count_gaps(block):
    """Number of missing and of infinite entries of every column."""
    if not sp.issparse(block):
        return np.array([np.isnan(block).sum(axis=0), np.isinf(block).sum(axis=0)])
    column, masks = block.tocoo().col, (np.isnan(block.data), np.isinf(block.data))
    return np.array([np.bincount(column[mask], minlength=block.shape[1]) for mask in masks])


def _largest_entry(data):
    """Largest absolute value that the computations of all methods can handle.

    Greedy selection needs fourth powers in double precision; neighbours are found by sums of
    squares in the precision of the data.
    """
    n_entries = float(data.n_samples * data.n_features)
    fourth_powers = (np.finfo(np.float64).max / n_entries**2) ** 0.25
    squares = (float(np.finfo(data.dtype).max) / n_entries) ** 0.5
    return min(fourth_powers, squares)


def find_non_finite(data: Rows) -> tuple[int, int] | None:
    """(row, column) of the first NaN or infinity, or None."""
    return _find(data, _is_not_finite)


def _find(data, is_bad):
    """(row, column) of the first entry for which ``is_bad`` holds, or None."""
    first = partial(_first_bad, is_bad=is_bad)
    return data.reduce(first, np.arange(data.n_samples), combine=_first_found)


def _is_not_finite(values):
    return ~np.isfinite(values)


def _first_bad(block, number, is_bad):
    if sp.issparse(block):
        block = block.tocoo()
        bad = np.flatnonzero(is_bad(block.data))
        return (int(number[block.row[bad[0]]]), int(block.col[bad[0]])) if bad.size else None
    bad = np.argwhere(is_bad(block))
    return (int(number[bad[0, 0]]), int(bad[0, 1])) if bad.size else None


def _first_found(one, other):
    return other if one is None else one
