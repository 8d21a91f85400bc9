"""Products with the correlation matrix of the columns, stored or not."""

from functools import partial

import numpy as np

from .operator import ColumnOperator

# Up to this many columns the matrix is stored (5,000: 200 MB) and computed in one pass.
MOST_STORED = 5000
# Rows that are read at a time: adding up matrices of this size costs more than small blocks save.
_BLOCK_BYTES = 2**26


class Correlations:
    """The correlation matrix C of the columns; rows and columns of constant ones are 0.

    ``varying`` is the mask of the columns that are not constant, and ``matrix`` is C, or None if
    there are too many columns to store it.
    """

    def __init__(self, data):
        self._columns = ColumnOperator(data)
        squares = self._columns.squares
        self.varying = squares > 0
        self._scale = np.divide(1, np.sqrt(squares), out=np.zeros(len(squares)), where=self.varying)
        self.matrix = self._stored(data) if data.n_features <= MOST_STORED else None

    def apply(self, V):
        """C V for V of shape (n_features, k)."""
        if self.matrix is not None:
            return self.matrix @ V
        scale = self._scale[:, np.newaxis]
        return scale * self._columns.products(self._columns.combine(scale * V).T).T

    def take(self, columns):
        """Columns of C, given by an array of positions."""
        if self.matrix is not None:
            return self.matrix[:, columns]
        unit = np.zeros((len(self.varying), len(columns)))
        unit[columns, np.arange(len(columns))] = 1
        return self.apply(unit)

    def fingerprints(self):
        """A number per column that depends on its entries alone, for breaking ties."""
        weights = np.random.default_rng(0).normal(size=self._columns.n_samples)
        # Rounded, so that the order of the columns does not matter for the order of the numbers.
        return np.round(abs(self._columns.products(weights[np.newaxis])[0] * self._scale), 6)

    def _stored(self, data):
        mean = data.column_moments()[0]
        if data.is_sparse:
            C = data.reduce(_sparse_products, block_bytes=_BLOCK_BYTES)
            C -= data.n_samples * np.outer(mean, mean)
        else:
            C = data.reduce(partial(_dense_products, mean), block_bytes=_BLOCK_BYTES)
        C *= self._scale
        C *= self._scale[:, np.newaxis]
        # In single precision the diagonal is not exactly 1.
        np.fill_diagonal(C, self.varying)
        return C


def _sparse_products(block):
    block = block.astype(np.float64, copy=False)
    return (block.T @ block).toarray()


def _dense_products(mean, block):
    """Products of the centred columns."""
    Z = block - mean.astype(block.dtype)
    return (Z.T @ Z).astype(np.float64)
