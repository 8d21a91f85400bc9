"""Products with the correlation matrix of the columns, stored or not."""

from functools import partial

import numpy as np

from .._rows.scaling import Scaling
from .columns import Columns

# Up to this many columns the matrix is stored (5,000: 200 MB) and computed in one pass.
MOST_STORED = 5000
# Rows that are read at a time: adding up matrices of this size costs more than small blocks save.
_BLOCK_BYTES = 2**26
# Columns of one sign are moved to zero if they are further from it than so many deviations: the
# difference of their products and those of their means would have lost half of its digits.
_FAR = 10


class Correlations:
    """The correlation matrix C of the columns; rows and columns of constant ones are 0.

    ``varying`` is the mask of the columns that are not constant, and ``matrix`` is C, or None if
    there are too many columns to store it.
    """

    def __init__(self, data):
        data = _near_zero(data)
        self._columns = Columns(data)
        squares = self._columns.square_norms
        self.varying = squares > 0
        self._scale = np.divide(1, np.sqrt(squares), out=np.zeros(len(squares)), where=self.varying)
        low, high = data.column_range()
        self._farthest = np.maximum(high - self._columns.mean, self._columns.mean - low)
        self.matrix = self._stored(data) if data.n_features <= MOST_STORED else None

    def apply(self, V):
        """C V for V of shape (n_features, k)."""
        if self.matrix is not None:
            return self.matrix @ V
        scale = self._scale[:, np.newaxis]
        return scale * self._columns.products(self._columns.times(scale * V))

    def take(self, columns):
        """Columns of C, given by an array of positions."""
        if self.matrix is not None:
            return self.matrix[:, columns]
        unit = np.zeros((len(self.varying), len(columns)))
        unit[columns, np.arange(len(columns))] = 1
        return self.apply(unit)

    def fingerprints(self):
        """Numbers by which ties are broken, the most important in the last row, one per column.

        The extremes of a column and its correlations with all others depend on the order neither
        of the rows nor of the columns. Columns that these do not tell apart differ in the first
        row, which depends on the order of the rows.
        """
        weights = np.random.default_rng(0).normal(size=self._columns.n_samples)
        keys = [self._columns.products(weights[:, np.newaxis])[:, 0], self._farthest]
        keys = [abs(key * self._scale) for key in keys]
        if self.matrix is not None:
            keys.append(np.einsum("ij,ij,ij->j", *[abs(self.matrix)] * 3))
        # Rounded, so that rounding errors do not decide.
        return np.round(keys, 6)

    def _stored(self, data):
        mean = data.column_moments()[0]
        if data.is_sparse:
            C = data.reduce(_sparse_products, block_bytes=_BLOCK_BYTES)
            C -= data.n_samples * np.outer(mean, mean)
        else:
            C = data.reduce(partial(_dense_products, mean), block_bytes=_BLOCK_BYTES)
        C *= self._scale
        C *= self._scale[:, np.newaxis]
        np.fill_diagonal(C, self.varying)
        return C


def _sparse_products(block):
    block = block.astype(np.float64, copy=False)
    return (block.T @ block).toarray()


def _dense_products(mean, block):
    """Products of the centred columns."""
    Z = block - mean
    return Z.T @ Z


def _near_zero(data):
    """The rows with columns moved to zero that store every entry and are far from it."""
    (low, high), variance = data.column_range(), data.column_moments()[1]
    offset = np.maximum(low, 0.0) + np.minimum(high, 0.0)
    offset[offset**2 <= _FAR**2 * variance] = 0
    if not offset.any():
        return data
    return data.scaled(Scaling(offset, np.ones(len(offset))), data.dtype)
