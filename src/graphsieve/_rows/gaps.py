"""Gaps: missing values, stored as NaN, replaced by the mean of the values that are present."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

if TYPE_CHECKING:
    from .base import Rows


@dataclass(frozen=True)
class Gaps:
    """What rows were like before their gaps were filled.

    Attributes
    ----------
    observed : Rows
        The rows with NaN for missing values.
    present : ndarray of shape (n_features,)
        Fraction of the values of every column that are not missing.
    """

    observed: Rows
    present: np.ndarray


def fill_gaps(data: Rows) -> Rows:
    """Rows with the mean of the observed values in place of NaN; ``data`` if there is none.

    A filled entry adds nothing to an inner product of centred columns. The variance of a filled
    column, however, is too small by the fraction of values that are present, which
    ``divide_columns`` makes up for.
    """
    if not np.isnan(data.column_range()[0]).any():
        return data
    with np.errstate(over="ignore"):  # values that overflow are reported by check_entries
        sums, counts = data.reduce(_sums_and_counts)
    filled = data.filled(np.divide(sums, counts, out=np.zeros_like(sums), where=counts > 0))
    filled.gaps = Gaps(data, counts / data.n_samples)
    return filled


def fill_block(block, value: np.ndarray):
    """A copy of a dense or CSR block with ``value[j]`` in place of NaN in column j."""
    if not sp.issparse(block):
        return np.where(np.isnan(block), value.astype(block.dtype), block)
    filled = block.copy()
    missing = np.isnan(filled.data)
    filled.data[missing] = value[filled.indices[missing]]
    return filled


def _sums_and_counts(block):
    """Sum and number of the observed values of every column."""
    if not sp.issparse(block):
        sums = np.nansum(block, axis=0, dtype=np.float64)
        return np.array([sums, np.count_nonzero(~np.isnan(block), axis=0)])
    missing = np.isnan(block.data)
    d = block.shape[1]
    sums = np.bincount(block.indices, np.where(missing, 0, block.data), minlength=d)
    return np.array([sums, block.shape[0] - np.bincount(block.indices, missing, minlength=d)])
