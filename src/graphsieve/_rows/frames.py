"""Data frames: what their columns hold."""

from __future__ import annotations

from typing import Any

import numpy as np

_SHOWN = 5


def numeric_frame(X: Any) -> Any:
    """A pandas data frame with NumPy's types instead of nullable ones and objects.

    Numbers, booleans and their nullable versions are allowed, and objects that are numbers; other
    columns are named in an error. Anything that is no pandas data frame is returned as it is.
    """
    if not (hasattr(X, "columns") and hasattr(X, "iloc") and hasattr(X, "dtypes")):
        return X
    _check_columns(X)
    types = [str(dtype) for dtype in X.dtypes]
    plain = all(isinstance(dtype, np.dtype) and dtype.kind != "O" for dtype in X.dtypes)
    if plain or any(name.startswith("Sparse") for name in types):
        return X
    # Column by column: as a whole, such a frame becomes an array of objects with pandas.NA in it.
    columns = [X.iloc[:, j].to_numpy(dtype=np.float64, na_value=np.nan) for j in range(X.shape[1])]
    return type(X)(np.column_stack(columns), index=X.index, columns=X.columns)


def _check_columns(X):
    """Refuse columns that do not hold numbers, and name them."""
    kinds = [_kind(X.iloc[:, j], dtype) for j, dtype in enumerate(X.dtypes)]
    bad = [(name, kind) for name, kind in zip(X.columns, kinds, strict=True) if kind]
    if not bad:
        return
    shown = ", ".join(f"{name!r} ({kind})" for name, kind in bad[:_SHOWN])
    more = f" and {len(bad) - _SHOWN} more" if len(bad) > _SHOWN else ""
    raise ValueError(
        f"{len(bad)} of the {X.shape[1]} columns do not hold numbers: {shown}{more}. Leave them "
        'out, for example with X.select_dtypes(["number", "bool"]), or encode them: text and '
        "categories with pandas.get_dummies (the codes of one column can be kept together, as "
        "column_groups of GraphSieve), dates as differences in days"
    )


def _kind(column, dtype):
    """What a column holds if it is not numbers, else None."""
    name = str(dtype)
    if name == "category":
        return "categories"
    if name.startswith(("datetime", "period", "date32", "date64", "timestamp")):
        return "dates"
    if name.startswith(("timedelta", "duration")):
        return "durations"
    if name.startswith(("string", "str", "large_string")):
        return "text"
    return _kind_of_objects(column) if dtype == np.dtype(object) else None


def _kind_of_objects(column):
    for entry in column:
        if hasattr(entry, "isoformat"):
            return "dates"
        if isinstance(entry, str):
            return "text"
        try:
            float(np.nan if entry is None else entry)
        except (TypeError, ValueError):
            # pandas.NA is a missing value; any other object that is no number is not.
            if type(entry).__name__ != "NAType":
                return type(entry).__name__
    return None
