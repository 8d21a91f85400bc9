"""Products with centred columns, for every storage and without a square matrix."""

from functools import partial

import numpy as np
import scipy.sparse as sp

from .._rows import BLOCK_BYTES

# With more vectors than this, one matrix product is faster than one product per vector.
_FEW_VECTORS = 4


class ColumnOperator:
    """The centred columns Z = X - mean as a linear operator.

    A product is one pass over the rows, wherever they are stored, in their precision. The rows are
    used as they are and centred in the results, so sparse data stay sparse.

    Parameters
    ----------
    data : Rows
    squares : ndarray of shape (n_features,), optional
        Squared norms of the columns, for data that are centred columns in other coordinates.

    Attributes
    ----------
    n_samples, n_features : int
    squares : ndarray of shape (n_features,)
        Squared norm of every column; 0 for columns that are constant up to rounding.
    """

    def __init__(self, data, *, squares=None):
        self._data = data
        self.n_samples, self.n_features = data.n_samples, data.n_features
        if squares is None:
            self._mean, self.squares = data.column_moments()[0], centred_squares(data)
        else:
            self._mean, self.squares = np.zeros(data.n_features), squares

    def column(self, j):
        """Column j of Z."""
        return self._data.stack(partial(_column, j)) - self._mean[j]

    def products(self, V):
        """V Z, one row for every row of V."""
        V = np.asarray(V, dtype=np.float64)
        out = self._data.reduce(_products, np.ascontiguousarray(V.T), block_bytes=BLOCK_BYTES)
        return out - np.outer(V.sum(axis=1), self._mean)

    def combine(self, W):
        """Z W for weights W of shape (n_features, k)."""
        return self._data.stack(partial(_combine, W)) - self._mean @ W

    def quadratic_forms(self, M):
        """z_j' M z_j for every column, for few samples."""
        X = self._data.whole()
        if self._mean.any():
            # Centring M on both sides replaces centring the columns.
            M = M - M.mean(axis=0)
            M -= M.mean(axis=1, keepdims=True)
        if sp.issparse(X):
            return np.asarray(X.multiply(M @ X).sum(axis=0)).ravel()
        return np.einsum("ij,ij->j", X, M @ X, dtype=np.float64)


def centred_squares(data):
    """Squared norms of the centred columns of Rows; 0 for columns that vary by rounding only."""
    mean, variance = data.column_moments()
    return np.where(variance <= (1e-12 * mean) ** 2, 0.0, data.n_samples * variance)


def _column(j, block):
    if not sp.issparse(block):
        return block[:, j].astype(np.float64)
    unit = np.zeros(block.shape[1])
    unit[j] = 1
    return block @ unit  # many times faster than slicing a column out of CSR rows


def _products(block, V):
    """V' X in double precision for a block X and one row of V per row of it."""
    if sp.issparse(block):
        return (block.T @ V).T
    V = V.astype(block.dtype, copy=False)
    if V.shape[1] > _FEW_VECTORS:
        return (V.T @ block).astype(np.float64, copy=False)
    return np.array([v @ block for v in V.T], dtype=np.float64)


def _combine(W, block):
    return block @ W
