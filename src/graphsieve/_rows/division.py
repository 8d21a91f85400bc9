"""Division of columns by their spread, for methods that centre columns themselves."""

import numpy as np

from .base import is_constant
from .scaling import Scaling, is_mostly_zero


def divide_columns(data, scale, *, auto="minmax"):
    """Rows with every column divided by its spread.

    Columns that contain zero are not shifted, unlike with ``column_scaling``: sparse data stay
    sparse whatever their signs, and give the same result as dense data. Columns of one sign, which
    no sparse format can store without all their entries, are shifted to touch zero, so that an
    offset does not hide the differences between samples in a cosine.

    A column whose gaps were filled is also divided by the root of the fraction of values that are
    present: its variance is then that of the observed values, in the units of ``scale``.

    Parameters
    ----------
    data : Rows
    scale : {"auto", "standard", "minmax", "global"} or None
        "standard" divides every column by its standard deviation, "minmax" by its range, "global"
        all columns by the range of the whole table; None leaves the data unchanged. "auto" stands
        for None if more than 90 % of the entries are zero, else for ``auto``. In such data (words,
        events) the spread of a column is how often it occurs, and dividing by it would make rare
        columns count as much as frequent ones.
    auto : {"standard", "minmax"}, default="minmax"

    Returns
    -------
    Rows
        Constant columns are zero, unless all are constant or ``scale`` is "global" or None.
    """
    if scale == "auto":
        scale = None if is_mostly_zero(data) else auto
    low, high = (np.asarray(edge, dtype=np.float64) for edge in data.column_range())
    present = _root_present(data)
    if is_constant(low, high).all() or (scale is None and data.gaps is None):
        return data
    if scale is None:
        return data.scaled(Scaling(np.zeros_like(low), 1 / present), data.dtype)
    if scale == "global":
        low, high = np.full_like(low, low.min()), np.full_like(high, high.max())
    deviation = np.sqrt(data.column_moments()[1])
    spread = deviation if scale == "standard" else (high - low) * present
    constant = is_constant(low, high) | (spread == 0)
    factor = np.where(constant, 0.0, 1 / np.where(constant, 1.0, spread))
    offset = np.maximum(low, 0) + np.minimum(high, 0)
    return data.scaled(Scaling(offset, factor), np.float64)


def _root_present(data):
    """Root of the fraction of values that are present in every column."""
    if data.gaps is None:
        return np.ones(data.n_features)
    return np.sqrt(np.maximum(data.gaps.present, 1 / data.n_samples))
