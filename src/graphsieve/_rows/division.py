"""Division of columns by their spread, for methods that centre columns themselves."""

import numpy as np
import scipy.sparse as sp

from .base import is_constant

# With a larger fraction of zeros than this, data count as mostly zero.
MOSTLY_ZERO = 0.9


def divide_columns(data, scale, *, auto="minmax"):
    """Rows with every column divided by its spread.

    Unlike with ``column_scaling`` nothing is shifted: sparse data stay sparse whatever their signs,
    and give the same result as dense data.

    Parameters
    ----------
    data : Rows
    scale : {"auto", "standard", "minmax", "global"} or None
        "standard" divides every column by its standard deviation, "minmax" by its range, "global"
        all columns by the range of the whole table; None leaves the data unchanged. "auto" stands
        for None if more than 90 % of the entries are zero, else for ``auto``. In such data (words,
        events) the spread of a column is how often it occurs, and dividing by it would make rare
        columns count as much as frequent ones.
    auto : {"standard", "minmax"}, default "minmax"

    Returns
    -------
    Rows
    """
    if scale == "auto":
        scale = None if _is_mostly_zero(data) else auto
    if scale is None:
        return data
    low, high = (np.asarray(edge, dtype=np.float64) for edge in data.column_range())
    constant = is_constant(low, high)
    if scale == "standard":
        spread = np.sqrt(data.column_moments()[1])
    elif scale == "minmax":
        spread = high - low
    else:
        spread = np.full(data.n_features, high.max() - low.min())
        constant = spread == 0
    constant = constant | (spread == 0)
    factor = np.where(constant, 0.0, 1 / np.where(constant, 1.0, spread))
    return data.scaled(np.zeros(data.n_features), factor, np.float64)


def _is_mostly_zero(data):
    n_entries = data.reduce(_count_entries)
    return n_entries < (1 - MOSTLY_ZERO) * data.n_samples * data.n_features


def _count_entries(block):
    return block.count_nonzero() if sp.issparse(block) else int(np.count_nonzero(block))
